import { decideDevicePoll, decideUserCode } from 'hallpass/blocks'
import { describe, expect, it } from 'vitest'
import { T } from '../support/school/school.js'

const DEVICE_CODE = `hpd_${'a'.repeat(43)}.${T + 600}`
const WAITING = { clientId: 'notes', expiresAt: T + 600 }
const POLL: Parameters<typeof decideDevicePoll>[0] = {
  deviceCode: DEVICE_CODE,
  request: WAITING,
  hasCode: false,
  isTooFast: false,
  client: { clientId: 'notes' },
  now: T,
}
const ask = (changes: Partial<typeof POLL>) => decideDevicePoll({ ...POLL, ...changes })

describe('a poll of a device', () => {
  it('is redeemed once a person has allowed it, also after its end and if it came early', () => {
    const redeemed = { ok: true, deviceCode: DEVICE_CODE }
    expect(ask({ request: null, hasCode: true })).toEqual(redeemed)
    expect(ask({ hasCode: true, isTooFast: true, now: T + 600 })).toEqual(redeemed)
  })

  it.each<[string, Partial<typeof POLL>, object]>([
    [
      'no code',
      { deviceCode: null },
      {
        error: 'invalid_request',
        reason: 'device_code_missing',
        description: 'device_code is required',
      },
    ],
    ...[
      '',
      'x',
      ` ${DEVICE_CODE}`,
      `${DEVICE_CODE} `,
      `x${DEVICE_CODE}`,
      `${DEVICE_CODE}x`,
      `${DEVICE_CODE}12345`,
    ].map((deviceCode): [string, Partial<typeof POLL>, object] => [
      `an unknown code, ${deviceCode}`,
      { deviceCode },
      { error: 'invalid_grant', reason: 'device_code_unknown' },
    ]),
    [
      'the code of another client',
      { client: { clientId: 'other' }, hasCode: true },
      { error: 'invalid_grant', reason: 'device_code_of_other_client' },
    ],
    [
      'a request at its end',
      { now: T + 600, isTooFast: true },
      {
        error: 'expired_token',
        reason: 'device_code_expired',
        description: 'the device code has expired: start again, and show the new code',
      },
    ],
    [
      'a code at its end whose request is gone',
      { request: null, now: T + 600 },
      {
        error: 'expired_token',
        reason: 'device_code_expired',
        description: 'the device code has expired: start again, and show the new code',
      },
    ],
    [
      'a request that a person ended',
      { request: null, isTooFast: true },
      {
        error: 'access_denied',
        reason: 'device_denied',
        description: 'the person did not allow this: stop asking',
      },
    ],
    [
      'a poll that came early',
      { isTooFast: true },
      {
        error: 'slow_down',
        reason: 'device_polls_too_fast',
        description: 'the device asks too often: add 5 seconds to the interval',
      },
    ],
    [
      'a request that waits',
      { now: T + 599 },
      {
        error: 'authorization_pending',
        reason: 'device_pending',
        description: 'the person has not decided yet: ask again after the interval',
        isReported: true,
      },
    ],
  ])('is refused: %s', (_, changes, refused) => {
    expect(ask(changes)).toEqual({ ok: false, ...refused })
  })
})

describe('a user code', () => {
  it('is refused with the form of one', () => {
    expect(decideUserCode('WDJB')).toEqual({
      ok: false,
      error: 'invalid_request',
      reason: 'user_code_malformed',
      description: 'this cannot be a code: a code has eight letters, such as WDJB-MJHT',
    })
  })

  it('is read from at most 64 characters', () => {
    const spaced = (length: number): string => `WDJB${' '.repeat(length - 8)}MJHT`
    expect(decideUserCode(spaced(64))).toEqual({ ok: true, userCode: 'WDJBMJHT' })
    expect(decideUserCode(spaced(65))).toMatchObject({ ok: false })
  })
})
