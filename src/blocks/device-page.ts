import { denyPending, EXPIRED, grantIdOf, keepCode } from '../authorization-server/approval.js'
import { type Asked, findSignedIn, isRecent, signInAt } from '../authorization-server/approver.js'
import {
  csrfToken,
  isCrossSite,
  newBrowserId,
  withBrowserCookie,
} from '../authorization-server/browser.js'
import { viewOf } from '../authorization-server/client-view.js'
import type { AuthorizationServerConfiguration } from '../authorization-server/block.js'
import {
  approveByHand,
  decideAnswer,
  loadConsentView,
  type Question,
} from '../authorization-server/consent-form.js'
import { createPageEndpoint } from '../authorization-server/error-format.js'
import type { ClientView, ConsentView, SignInView } from '../authorization-server/interact.js'
import { findAsking } from '../authorization-server/waiting.js'
import { equalText } from '../encoding/equal-text.js'
import { queryOf } from '../http/body.js'
import type { Context } from '../http/context.js'
import type { Endpoint } from '../http/exchange.js'
import type { Answer } from '../http/frame.js'
import type { AuthorizationRequest } from '../policy/authorization-request.js'
import { type Decision, type Refusal, refuse, refuseFrom } from '../policy/decision.js'
import {
  decideUserCode,
  DEVICE_GRANT,
  DEVICE_REFUSALS,
  shownUserCode,
} from '../policy/device-authorization.js'
import type { FormParameters } from '../policy/form-parameters.js'
import type { Person } from '../policy/person.js'
import type { TrustedRedirect } from '../policy/redirect-uri.js'
import { decideApprover } from '../policy/role.js'
import { decideScopes } from '../policy/scope-audience.js'
import { readPage } from '../site/returned.js'
import { createDeadline } from '../store/deadline.js'
import { thrownBy } from '../store/guard.js'
import type { PendingAuthorization } from '../store/records.js'
import { isBefore } from '../time/seconds.js'
import {
  DEVICE_PATH,
  hashUserCode,
  type MayUse,
  NOT_ALLOWED,
  originOf,
  secondsForPolls,
} from './device-request.js'
import { ofSite } from './of-site.js'
import { readBrowserId } from '../site/browser-id.js'

/**
 * The facts that a page at `/oauth/device` shows: the form for the code, the question, or the end. Each form posts to
 * `/oauth/device`.
 *
 * @group Grants
 */
export type DeviceView =
  | {
      readonly page: 'code'
      /** Value of the form field `csrf_token`. The form has one more field, `user_code`. */
      readonly csrfToken: string
      /**
       * The code in the link that the person followed, such as `WDJB-MJHT`: fill it in, and ask whether the device shows
       * the same. After an error, the code that was entered. `null` if there is none.
       */
      readonly userCode: string | null
      /** The fault of the code that was just entered; `null` before one is. */
      readonly notice: 'malformed' | 'unknown' | null
      readonly person: Person
    }
  | {
      readonly page: 'consent'
      /** Show it, so that the person can compare it with the device. The form sends it in `user_code`. */
      readonly userCode: string
      /** When the device asked for the code, in epoch seconds. */
      readonly requestedAt: number
      /** The place of the device, by `fromWhere`; `null` if it is not known. Escape it. */
      readonly place: string | null
      /** The name that the program on the device gave itself; `null` if it gave none. Escape it. */
      readonly program: string | null
      /** The question, as your consent page has it. `redirectHost` of its client means nothing: no redirect follows. */
      readonly consent: ConsentView
    }
  | {
      readonly page: 'done'
      readonly client: ClientView
      /** Whether the person allowed it. Either way, the person goes back to the device. */
      readonly allowed: boolean
    }

/** The codes that one person, and one network, may enter: also with every code of an hour, a guess finds none. */
export const PERSON_ALLOWANCE = { amount: 20, seconds: 600 } as const
export const NETWORK_ALLOWANCE = { amount: 1000, seconds: 600 } as const
/** The name of a code in the answer to a person whose decision may be lost. */
const CODE = 'device code'
/** Longest path and query that is read for a code, in characters. */
const MAX_LINK_LENGTH = 1024

const refuseDevice = /* @__PURE__ */ refuseFrom(DEVICE_REFUSALS)
const UNKNOWN = /* @__PURE__ */ refuseDevice(
  'invalid_request',
  'user_code_unknown',
  'this code is unknown or has expired: start again on the device',
)
const PACED = /* @__PURE__ */ refuseDevice(
  'temporarily_unavailable',
  'user_codes_paced',
  'too many codes were entered: try again later',
)
const OUT_OF_DATE = /* @__PURE__ */ refuse(
  'access_denied',
  'csrf_token_mismatch',
  'this page is out of date: enter the code of your device again',
)

/** A request of a device whose client may still ask for it. */
interface AskedDevice extends Question {
  readonly userCode: string
  readonly pending: PendingAuthorization
}

/**
 * Creates the page at which a person enters the code of a device and decides. No code is looked up before someone has
 * signed in, and none by `GET`: a link only fills in the form.
 *
 * A link to this page can be sent to a person by an attacker who began the request (RFC 8628, section 5.4). So the
 * question says who asks, from where and since when, and is asked each time.
 *
 * @see [RFC 8628, section 3.3](https://www.rfc-editor.org/rfc/rfc8628#section-3.3)
 */
export function createDevicePage(
  configuration: AuthorizationServerConfiguration,
  {
    mayUse,
    page,
  }: {
    mayUse: MayUse
    page: (request: Request, view: DeviceView) => Response | Promise<Response>
  },
): Endpoint {
  const { store, issuer, now } = configuration
  const limited = createDeadline(configuration.callDeadlineMilliseconds)('page of deviceGrant')
  const show = (context: Context, view: DeviceView): Promise<Response> =>
    limited(
      async () => readPage('page of deviceGrant', await page(context.incoming.request(), view)),
      thrownBy('page of deviceGrant'),
    )

  async function serve(context: Context, form: FormParameters | null): Promise<Answer> {
    const { incoming } = context
    const { target } = incoming
    const fields = form ?? queryOf(target.length > MAX_LINK_LENGTH ? '' : target)
    const entered = decideUserCode(fields.single('user_code') ?? '')
    const shown = entered.ok ? shownUserCode(entered.userCode) : null
    const link = shown === null ? DEVICE_PATH : `${DEVICE_PATH}?user_code=${shown}`
    const signIn = (cause: SignInView['cause']) => signInAt(configuration, incoming, link, cause)
    const who = await findSignedIn(configuration, incoming)
    if (!who.ok) return signIn(who.cause)
    const { subject } = who.signedIn
    const known = readBrowserId(incoming, issuer)
    const browserId = known ?? newBrowserId(configuration.randomBytes)
    const token = csrfToken({ browserId, interactionId: 'device', subject, shown: [] })
    const enter = async (notice: 'malformed' | 'unknown' | null): Promise<Response> => {
      const response = await show(context, {
        page: 'code',
        csrfToken: token,
        userCode: shown,
        notice,
        person: who.person,
      })
      return known === null ? withBrowserCookie(response, browserId, issuer) : response
    }
    if (form === null) return enter(null)

    const isDecision = fields.has('decision')
    // The form with a decision has another token, which is compared when its request is known.
    const isOwn = isDecision || equalText(fields.single('csrf_token') ?? '', token)
    if (isCrossSite(incoming, issuer) || !isOwn) return OUT_OF_DATE
    if (!entered.ok) {
      context.notifyRefusal(ofSite(entered))
      return enter('malformed')
    }
    const spent = await context.payer.spend(
      ['userCodesOfPerson', subject, { cost: 1, allowance: PERSON_ALLOWANCE }],
      ['userCodesOfNetwork', { cost: 1, allowance: NETWORK_ALLOWANCE }],
    )
    if (!spent.ok) return ofSite({ ...PACED, retryAfterSeconds: spent.retryAfterSeconds })
    const found = await find(context, entered.userCode, browserId)
    if (!found.ok) {
      if (found !== UNKNOWN) return ofSite(found)
      context.notifyRefusal(ofSite(found))
      return enter('unknown')
    }
    const { asked } = found
    const { scopes } = asked.pending
    if (!isRecent(configuration, who, { scopes, isForm: isDecision })) return signIn('sensitive')
    const decided = decideApprover({
      roles: who.person.roles,
      client: asked.client,
      table: configuration.roles,
    })
    const blocked = decided.ok ? null : decided
    const decider = { ...who, blocked }
    if (!isDecision) return ask(context, asked, decider)
    const answer = decideAnswer(configuration, { incoming, form: fields, question: asked, who })
    if (!answer.ok)
      return answer.reason === 'consent_empty'
        ? ask(context, asked, decider, 'nothing_left')
        : answer
    const ended =
      answer.scopes === null || blocked !== null
        ? await denyPending(configuration, context, decider, { ...asked.pending, ends: CODE })
        : await allow(context, asked, decider, {
            scopes: answer.scopes,
            until: fields.all('until'),
          })
    if (ended !== null) return ended
    return show(context, {
      page: 'done',
      client: viewOf(asked.client, DEVICE_GRANT, configuration),
      allowed: answer.scopes !== null && blocked === null,
    })
  }

  /** Finds the request of a device, and checks its client and its scopes as they are now. */
  async function find(
    context: Context,
    userCode: string,
    browserId: string,
  ): Promise<Decision<{ asked: AskedDevice }> | typeof UNKNOWN | typeof NOT_ALLOWED> {
    const pending = await store.findPending(hashUserCode(userCode))
    if (pending === null || !isBefore(now(), pending.expiresAt)) return UNKNOWN
    context.flow = grantIdOf(pending.codeChallenge)
    context.clientId = pending.clientId
    const asking = await findAsking(configuration, pending)
    if (!asking.ok) return asking
    const { client } = asking
    if (!(await mayUse(client))) return NOT_ALLOWED
    const { scopes } = pending
    const scoped = decideScopes({ scopes, client, registry: configuration.scopes })
    if (!scoped.ok) return scoped
    context.client = client
    const interactionId = `device/${userCode}`
    return {
      ok: true,
      asked: { interactionId, browserId, client, request: pending, userCode, pending },
    }
  }

  async function ask(
    context: Context,
    asked: AskedDevice,
    who: Asked,
    notice: 'nothing_left' | null = null,
  ): Promise<Response> {
    const { blocked } = who
    const cause = blocked && { error: blocked.error, reason: blocked.reason }
    context.note({ type: 'page', page: 'consent', blocked: cause })
    const consent = await loadConsentView(configuration, asked, who, notice)
    return show(context, {
      page: 'consent',
      userCode: shownUserCode(asked.userCode),
      requestedAt: asked.pending.createdAt,
      ...originOf(asked.pending),
      consent: { ...consent, action: DEVICE_PATH },
    })
  }

  /** Returns `null` once the device gets its tokens. */
  async function allow(
    context: Context,
    asked: AskedDevice,
    who: Asked,
    { scopes, until }: { scopes: readonly string[]; until: readonly string[] },
  ): Promise<Refusal | null> {
    const { pending } = asked
    // No redirect is built from it, and none that a client registers is like it.
    const redirectUri = DEVICE_GRANT as TrustedRedirect
    const request: AuthorizationRequest = { ...pending, scopes, redirectUri }
    const decided = await approveByHand(configuration, asked, who, { request, until })
    if (!decided.ok) return decided
    const kept = await keepCode(configuration, context, decided.approval, {
      grantId: grantIdOf(pending.codeChallenge),
      pendingIdHash: pending.idHash,
      codeHash: pending.codeChallenge,
      seconds: secondsForPolls(pending, now()),
      ends: CODE,
    })
    if (kept === 'kept') return null
    return kept === 'gone' ? EXPIRED : kept
  }

  return createPageEndpoint(configuration, 'device', serve)
}
