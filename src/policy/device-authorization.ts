import { sha256Base64url } from '../encoding/hash.js'
import { isBefore } from '../time/seconds.js'
import type { Client } from './client.js'
import { type Refusal, refuseFrom } from './decision.js'

/**
 * The refusals of `deviceGrant`, with their texts.
 *
 * @group Grants
 */
export const DEVICE_REFUSALS = {
  unauthorized_client: {
    device_grant_not_allowed: {
      meaning: 'The client may not use the device grant at this site.',
      advice:
        'Use `authorization_code`. Host application: `mayUse` of `deviceGrant` decides which clients may.',
      source: 'RFC 6749 §5.2',
      turn: 'developer',
    },
  },
  authorization_pending: {
    device_pending: {
      meaning: 'The person has not decided yet.',
      advice: 'Ask again after `interval` seconds.',
      source: 'RFC 8628 §3.5',
      turn: 'nobody',
    },
  },
  slow_down: {
    device_polls_too_fast: {
      meaning: 'The device asked again before `interval` seconds had passed.',
      advice: 'Add 5 seconds to the interval each time.',
      source: 'RFC 8628 §3.5',
      turn: 'client',
    },
  },
  access_denied: {
    device_denied: {
      meaning: 'The person pressed Cancel, or the device code is not known any more.',
      advice: 'Stop asking. Start again only when the person asks for it.',
      source: 'RFC 8628 §3.5',
      turn: 'person',
    },
  },
  expired_token: {
    device_code_expired: {
      meaning: 'The device code has expired before the person decided.',
      advice: 'Start again, and show the new code.',
      source: 'RFC 8628 §3.5',
      turn: 'person',
    },
  },
  invalid_grant: {
    device_code_unknown: {
      meaning: '`device_code` is not one of this server.',
      advice: 'Send the `device_code` of the device authorization endpoint, unchanged.',
      source: 'RFC 8628 §3.4',
      turn: 'client',
    },
    device_code_of_other_client: {
      meaning: 'The device code was issued to another client.',
      advice: 'Ask with the `client_id` with which the code was requested.',
      source: 'RFC 8628 §3.4',
      turn: 'client',
    },
  },
  invalid_request: {
    device_code_missing: {
      meaning: '`device_code` is absent.',
      advice: 'Send the `device_code` of the device authorization endpoint.',
      source: 'RFC 8628 §3.4',
      turn: 'client',
    },
    user_code_malformed: {
      meaning: 'A person entered what cannot be a code.',
      advice: 'A code has eight letters, none of which is a vowel.',
      source: 'RFC 8628 §6.1',
      turn: 'person',
    },
    user_code_unknown: {
      meaning: 'A person entered a code that is unknown, has expired, or was answered before.',
      advice: 'Start again on the device, and enter the new code.',
      source: 'RFC 8628 §3.3',
      turn: 'person',
    },
  },
  temporarily_unavailable: {
    device_requests_paced: {
      meaning: 'One network asked for more than 600 device codes within ten minutes.',
      advice: 'Wait as long as `Retry-After` says.',
      source: 'RFC 9700 §4.16',
      turn: 'client',
    },
    user_codes_paced: {
      meaning:
        'A person entered more than 20 codes within ten minutes, or a network more than 1000.',
      advice: 'Wait ten minutes, and enter the code again.',
      source: 'RFC 8628 §5.1',
      turn: 'person',
    },
  },
} as const

/** Why a request of the device grant is refused. */
export type DeviceReason = {
  [Code in keyof typeof DEVICE_REFUSALS]: keyof (typeof DEVICE_REFUSALS)[Code] & string
}[keyof typeof DEVICE_REFUSALS]

const refuse = /* @__PURE__ */ refuseFrom(DEVICE_REFUSALS)

/** The `grant_type` of the device grant. Its grants have it in place of a redirect URI, which no client can register. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Least seconds between two polls: `interval` in the answer to a device. */
export const POLL_SECONDS = 5
/**
 * The allowance of a device code: each poll costs five seconds, also one that came too early. So a device that obeys
 * `slow_down` never gets another, and one that does not waits for up to a minute.
 */
export const POLL_ALLOWANCE = { amount: 60, seconds: 60 } as const
/** The least that is left to a device that polls in time. A poll may come one second early: clocks tick in whole seconds. */
const ALLOWANCE_OF_PACED = POLL_ALLOWANCE.amount - POLL_SECONDS - 1

// 256 random bits, and the end in epoch seconds. All of it is a PKCE code verifier, so that it proves itself.
const DEVICE_CODE = /^hpd_[\w-]{43}\.(\d{1,10})$/

/** Makes a device code of 43 random characters. */
export const newDeviceCode = (random: string, endsAt: number): string => `hpd_${random}.${endsAt}`

/** Whether a text has the form of a device code. */
export const isDeviceCode = (text: string): boolean => DEVICE_CODE.test(text)

/** Twenty letters, of which no word and no digit can be made (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const USER_CODE_LENGTH = 8
/** Longest text that is read as a code, in characters. */
const MAX_ENTRY_LENGTH = 64
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** Characters that people enter for a letter that looks like them. None of these is in a code. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  0: 'D',
  1: 'L',
  2: 'Z',
  5: 'S',
  6: 'G',
  7: 'T',
  8: 'B',
  I: 'L',
  O: 'Q',
  U: 'V',
  Y: 'V',
}

/**
 * Returns the user code of a device code: eight letters, which follow from it. So a poll finds the request of the person
 * although the store has neither of the two.
 */
export function userCodeOf(deviceCode: string): string {
  const values = [...sha256Base64url(`user code of ${deviceCode}`)].map((one) =>
    BASE64URL.indexOf(one),
  )
  // Three times twenty: beyond that, four letters would be more likely than the others.
  const even = values.filter((value) => value < 3 * LETTERS.length).slice(0, USER_CODE_LENGTH)
  return even.map((value) => LETTERS[value % LETTERS.length]).join('')
}

/** Returns a user code as people read it, such as `WDJB-MJHT`. */
export const shownUserCode = (userCode: string): string =>
  `${userCode.slice(0, 4)}-${userCode.slice(4)}`

/**
 * Decides which user code a person entered. Case, spaces, dashes and wide letters make no difference, and a character
 * that is in no code is read as the letter that it looks like.
 *
 * @param entered - the text as sent
 * @returns the eight letters, or a refusal with `invalid_request`
 * @see [RFC 8628, section 6.1](https://www.rfc-editor.org/rfc/rfc8628#section-6.1)
 *
 * @example
 * ```ts
 * import { decideUserCode } from 'hallpass/blocks'
 *
 * decideUserCode(' wdjb – mjht ') // => { ok: true, userCode: 'WDJBMJHT' }
 * decideUserCode('8CDF-GHJ1') // => { ok: true, userCode: 'BCDFGHJL' }
 *
 * const refused = decideUserCode('WDJB')
 * refused.ok ? null : refused.reason // => 'user_code_malformed'
 * ```
 * @group Grants
 */
export function decideUserCode(
  entered: string,
): { readonly ok: true; readonly userCode: string } | Refusal<'user_code_malformed'> {
  const typed = entered.length > MAX_ENTRY_LENGTH ? '' : entered.normalize('NFKC').toUpperCase()
  const userCode = typed
    .replace(/[\s\p{P}\p{Cf}\u2212\u30fc]+/gu, '')
    .replace(/[0125-8IOUY]/g, (one) => LOOKALIKES[one] ?? one)
  return userCode.length === USER_CODE_LENGTH && [...userCode].every((one) => LETTERS.includes(one))
    ? { ok: true, userCode }
    : refuse(
        'invalid_request',
        'user_code_malformed',
        'this cannot be a code: a code has eight letters, such as WDJB-MJHT',
      )
}

/**
 * Whether a poll came too early, by what is left of the allowance of its device code after the five seconds that it
 * cost.
 *
 * @see [RFC 8628, section 3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)
 */
export function isPollTooFast({
  ok,
  remaining,
}: {
  readonly ok: boolean
  readonly remaining: number
}): boolean {
  return !ok || remaining < ALLOWANCE_OF_PACED
}

/**
 * Decides what a device gets that asks for its tokens. Which of the two a request is that has ended is read from the
 * device code, whose end only chooses the word.
 *
 * @param poll - `deviceCode`: as received, `null` if absent. `request`: the request that waits for a person under the
 *   user code of the device code. `hasCode`: whether a person allowed it, so that there is a code to redeem.
 *   `isTooFast`: whether the device asks too often. `now`: epoch seconds
 * @returns that the code may be redeemed now, or a refusal with one of the errors of RFC 8628
 * @see [RFC 8628, section 3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)
 *
 * @example
 * ```ts
 * import { decideDevicePoll } from 'hallpass/blocks'
 *
 * const [now, client] = [1_795_165_200, { clientId: 'notes' }]
 * const deviceCode = `hpd_${'a'.repeat(43)}.${now + 600}`
 * const poll = { deviceCode, request: null, hasCode: false, isTooFast: false, client, now }
 * decideDevicePoll({ ...poll, hasCode: true }) // => { ok: true, deviceCode }
 *
 * const denied = decideDevicePoll(poll)
 * denied.ok ? null : denied.reason // => 'device_denied'
 * const late = decideDevicePoll({ ...poll, now: now + 600 })
 * late.ok ? null : late.error // => 'expired_token'
 * ```
 * @group Grants
 */
export function decideDevicePoll({
  deviceCode,
  request,
  hasCode,
  isTooFast,
  client,
  now,
}: {
  deviceCode: string | null
  request: { readonly clientId: string; readonly expiresAt: number } | null
  hasCode: boolean
  isTooFast: boolean
  client: Pick<Client, 'clientId'>
  now: number
}):
  | { readonly ok: true; readonly deviceCode: string }
  | Refusal<
      Exclude<
        DeviceReason,
        'device_grant_not_allowed' | `user_code${string}` | 'device_requests_paced'
      >
    > {
  if (deviceCode === null)
    return refuse('invalid_request', 'device_code_missing', 'device_code is required')
  const endsAt = DEVICE_CODE.exec(deviceCode)?.[1]
  if (endsAt === undefined) return refuse('invalid_grant', 'device_code_unknown')
  if (request !== null && request.clientId !== client.clientId)
    return refuse('invalid_grant', 'device_code_of_other_client')
  if (hasCode) return { ok: true, deviceCode }
  const isOver = !isBefore(now, request?.expiresAt ?? Number(endsAt))
  if (isOver)
    return refuse(
      'expired_token',
      'device_code_expired',
      'the device code has expired: start again, and show the new code',
    )
  if (request === null)
    return refuse('access_denied', 'device_denied', 'the person did not allow this: stop asking')
  if (isTooFast)
    return refuse(
      'slow_down',
      'device_polls_too_fast',
      'the device asks too often: add 5 seconds to the interval',
    )
  return {
    ...refuse(
      'authorization_pending',
      'device_pending',
      'the person has not decided yet: ask again after the interval',
    ),
    // Every device is refused so a hundred times: nothing has failed.
    isReported: true,
  }
}
