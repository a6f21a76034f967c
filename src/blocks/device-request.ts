import { grantIdOf } from '../authorization-server/approval.js'
import { embeddingOf } from '../authorization-server/browser.js'
import { authenticateNamed, readClientForm } from '../authorization-server/client-form.js'
import type { AuthorizationServerConfiguration } from '../authorization-server/block.js'
import { clientErrors } from '../authorization-server/error-format.js'
import { sha256Base64url } from '../encoding/hash.js'
import { randomBase64url } from '../encoding/random.js'
import type { Context } from '../http/context.js'
import { type Endpoint, isGone } from '../http/exchange.js'
import { CLIENT_GONE, createEndpoint } from '../http/frame.js'
import { json } from '../http/respond.js'
import { isObject } from '../options/check.js'
import { decideWanted } from '../policy/authorization-request.js'
import type { Client } from '../policy/client.js'
import { type Refusal, refuse, refuseFrom } from '../policy/decision.js'
import {
  DEVICE_GRANT,
  DEVICE_REFUSALS,
  newDeviceCode,
  POLL_SECONDS,
  shownUserCode,
  userCodeOf,
} from '../policy/device-authorization.js'
import { BLOCK_PATHS } from '../site/paths.js'
import { readNetwork } from '../site/returned.js'
import type { PendingAuthorization } from '../store/records.js'
import { hashToken } from '../token/opaque.js'
import { ofSite } from './of-site.js'

/** The path at which a device asks for a code. */
export const DEVICE_REQUEST_PATH: (typeof BLOCK_PATHS)['deviceRequest'] = BLOCK_PATHS.deviceRequest
/** The path of the page at which a person enters the code. */
export const DEVICE_PATH: (typeof BLOCK_PATHS)['device'] = BLOCK_PATHS.device

/** Whether a client may use the device grant. */
export type MayUse = (client: Client) => Promise<boolean>

/** The codes for which one network may ask: those of a large class in the same minute. */
const REQUEST_ALLOWANCE = { amount: 600, seconds: 600 } as const
/** Seconds before the end of a device code at which it can no longer be allowed: the device asks twice after that. */
const LAST_POLLS_SECONDS = 2 * POLL_SECONDS
/** How often a new code is made because a waiting request has the same user code. */
const MAX_DRAWS = 3
/** Longest text that says where a request comes from, in characters. */
const MAX_PLACE_LENGTH = 200

const refuseDevice = /* @__PURE__ */ refuseFrom(DEVICE_REFUSALS)

/** The refusal of a client that may not use the device grant. */
export const NOT_ALLOWED: Refusal<'device_grant_not_allowed'> = /* @__PURE__ */ refuseDevice(
  'unauthorized_client',
  'device_grant_not_allowed',
  'this client may not use the device grant at this site: use authorization_code',
)
const PACED = /* @__PURE__ */ refuseDevice(
  'temporarily_unavailable',
  'device_requests_paced',
  'too many device codes were requested from this network: try again later',
)
const EMBEDDED = /* @__PURE__ */ refuse(
  'invalid_request',
  'request_embedded',
  'a page asked for a device code: only a program without a browser may',
)

/** Under what a request waits. The slash is in no interaction identifier, so that no such URL leads to it. */
export const hashUserCode = (userCode: string): string => hashToken(`device/${userCode}`)

/** In place of the hash of a browser, of which none is this. */
const NO_BROWSER = 'device'

/**
 * Creates the device authorization endpoint. A page of another site cannot use it. In the browser of a visitor, its
 * request would come from where the visitor is, and the page for people could not tell the two apart.
 *
 * @see [RFC 8628, section 3.1](https://www.rfc-editor.org/rfc/rfc8628#section-3.1)
 */
export function createDeviceRequests(
  configuration: AuthorizationServerConfiguration,
  {
    mayUse,
    fromWhere,
  }: { mayUse: MayUse; fromWhere: ((request: Request) => string | null) | undefined },
): Endpoint {
  const { store, issuer, scopes: registry, resource, defaultScopes } = configuration
  const { now, clock, randomBytes, notifyFault, interactionSeconds } = configuration

  /** Returns where a request comes from, as the host application tells it. A fault only hides it. */
  function placeOf({ network, incoming }: Context): string | null {
    try {
      const place = fromWhere === undefined ? network : fromWhere(incoming.request())
      return readNetwork(place)?.slice(0, MAX_PLACE_LENGTH) ?? null
    } catch (fault) {
      notifyFault('fromWhere', fault)
      return null
    }
  }

  /** Makes a device code whose user code no waiting request has. */
  async function draw(endsAt: number): Promise<{ deviceCode: string; idHash: string }> {
    for (let draws = 0; draws < MAX_DRAWS; draws++) {
      const deviceCode = newDeviceCode(randomBase64url(randomBytes), endsAt)
      const idHash = hashUserCode(userCodeOf(deviceCode))
      if ((await store.findPending(idHash)) === null) return { deviceCode, idHash }
    }
    // One in 2^34 for each waiting request, three times: the source of randomness repeats itself.
    throw new Error('every user code is taken')
  }

  return createEndpoint(
    configuration,
    {
      name: 'device_authorization',
      methods: ['POST'],
      cors: null,
      errors: clientErrors(configuration),
    },
    async (context) => {
      const { incoming, payer } = context
      if (payer.isPage || embeddingOf(incoming) !== null) return EMBEDDED
      const form = await readClientForm(context, ['resource'])
      if (!form.ok) return form
      const { parameters } = form
      const request = { configuration, context, parameters }
      const authenticated = await authenticateNamed(request)
      if (!authenticated.ok) return authenticated
      const { client } = authenticated
      context.clientId = client.clientId
      context.client = client
      if (!(await mayUse(client))) return ofSite(NOT_ALLOWED)
      const decided = decideWanted({
        parameters,
        client,
        policy: { registry, resource, defaultScopes },
      })
      if (!decided.ok) return decided
      const { wanted } = decided
      context.resource = wanted.resource
      const cost = { cost: 1, allowance: REQUEST_ALLOWANCE }
      const spent = await context.payer.spend(['deviceRequestsOfNetwork', cost])
      if (!spent.ok) return ofSite({ ...PACED, retryAfterSeconds: spent.retryAfterSeconds })
      await clock.assertAgrees()
      if (isGone(incoming)) return CLIENT_GONE

      const createdAt = now()
      const endsAt = createdAt + interactionSeconds
      const { deviceCode, idHash } = await draw(endsAt)
      const codeChallenge = sha256Base64url(deviceCode)
      await store.savePending({
        ...wanted,
        idHash,
        codeChallenge,
        clientId: client.clientId,
        browserHash: NO_BROWSER,
        redirectUri: DEVICE_GRANT,
        state: JSON.stringify({ place: placeOf(context), program: programOf(context) }),
        nonce: null,
        prompt: [],
        maxAge: null,
        loginHint: null,
        uiLocales: [],
        hintedHash: null,
        createdAt,
        expiresAt: endsAt - LAST_POLLS_SECONDS,
      })
      context.flow = grantIdOf(codeChallenge)
      const { scopes } = wanted
      const { clientId: id } = client
      context.notifyEvent({
        type: 'oauth.authorization.requested',
        at: createdAt,
        clientId: id,
        scopes,
      })
      const userCode = shownUserCode(userCodeOf(deviceCode))
      return json(200, {
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: issuer + DEVICE_PATH,
        verification_uri_complete: `${issuer}${DEVICE_PATH}?user_code=${userCode}`,
        expires_in: interactionSeconds,
        interval: POLL_SECONDS,
      })
    },
  )
}

/** Returns what the program calls itself. Anything can say so. */
const programOf = ({ incoming }: Context): string | null =>
  incoming
    .header('user-agent')
    ?.replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, MAX_PLACE_LENGTH) || null

/** Returns where a waiting request comes from, and what its program calls itself. */
export function originOf({ state }: Pick<PendingAuthorization, 'state'>): {
  readonly place: string | null
  readonly program: string | null
} {
  const known: unknown = state === null ? null : JSON.parse(state)
  const { place, program } = isObject(known) ? (known as Readonly<Record<string, unknown>>) : {}
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  return { place: text(place), program: text(program) }
}

/** Returns how long the code of an approval is kept: until the device has asked for the last time. */
export const secondsForPolls = (
  { expiresAt }: Pick<PendingAuthorization, 'expiresAt'>,
  now: number,
): number => expiresAt + 2 * LAST_POLLS_SECONDS - now
