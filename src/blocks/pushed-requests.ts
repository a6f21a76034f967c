import { authenticateNamed, readClientForm } from '../authorization-server/client-form.js'
import { grantIdOf } from '../authorization-server/approval.js'
import { seeOther } from '../authorization-server/browser.js'
import type {
  AuthorizationServerConfiguration,
  PresentedRequest,
  PushedRequests,
} from '../authorization-server/block.js'
import { clientErrors } from '../authorization-server/error-format.js'
import { detailOfRequest } from '../authorization-server/refusal-details.js'
import { equalText } from '../encoding/equal-text.js'
import { sha256Base64url } from '../encoding/hash.js'
import { randomBase64url } from '../encoding/random.js'
import type { Context } from '../http/context.js'
import type { Endpoint, Incoming, Outgoing } from '../http/exchange.js'
import { createEndpoint, OPEN } from '../http/frame.js'
import { json } from '../http/respond.js'
import { checkOptions, flag, optional, type Rules, whole } from '../options/check.js'
import { decideAuthorizationRequest } from '../policy/authorization-request.js'
import type { Client } from '../policy/client.js'
import type { Refusal } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import {
  decidePush,
  decidePushedRequest,
  OTHER_BROWSER,
  PUSH_PACED,
  PUSH_REQUIRED,
  PUSHED_REFUSALS,
  type PushedReason,
} from '../policy/pushed-request.js'
import { PUSHED_REQUESTS } from '../site/block.js'
import type { Spent } from '../site/budget.js'
import { BLOCK_PATHS, PATHS } from '../site/paths.js'
import type { Payer } from '../site/payer.js'
import { isBefore } from '../time/seconds.js'
import { hashHinted, subjectOfHint } from '../token/id-token-hint.js'
import { hashToken } from '../token/opaque.js'
import { withMembers } from './members.js'
import { ofSite } from './of-site.js'
import { registersFlag } from './registration.js'
import { hashBrowserId, readBrowserId } from '../site/browser-id.js'

type Options = NonNullable<Parameters<typeof pushedRequests>[0]>

const RULES: Rules<Options> = { required: optional(flag), seconds: optional(whole(5, 599)) }

/** The beginning of every reference (RFC 9126, section 2.2). */
const PREFIX = 'urn:ietf:params:oauth:request_uri:'
/** The allowance of a client of the site: as much as a network may send. */
const CLIENT_ALLOWANCE = { amount: 6000, seconds: 600 }
/** In place of the hash of a browser, of which none is that short. */
const NO_BROWSER = 'pushed'

/**
 * Lets clients push their authorization requests (RFC 9126): a client sends the parameters to `POST /api/oauth/par`, and
 * then the browser with `client_id` and a `request_uri` in their place. So no one between them reads or changes the
 * request, and a confidential client has proved who it is before a person sees a page.
 *
 * The request is decided when it is pushed, and again when the browser arrives. It is used once, by the first browser
 * that presents it, which may load the address again until the person has decided.
 *
 * @returns a block for `blocks` of a site
 * @throws OptionsError that lists every mistake
 * @see [RFC 9126](https://www.rfc-editor.org/rfc/rfc9126)
 * @group Pushed requests
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { pushedRequests } from 'hallpass/blocks'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite({ blocks: [pushedRequests()] })
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 *
 * const url = 'https://school.example/.well-known/openid-configuration'
 * const metadata = await (await server.openidConfiguration(new Request(url))).json()
 * metadata.pushed_authorization_request_endpoint // => 'https://school.example/api/oauth/par'
 *
 * pushedRequests({ seconds: 600 }) // throws OptionsError
 * ```
 */
export function pushedRequests(
  options: {
    /**
     * Whether every client has to push its requests, so that the query of any other is refused. Default: `false`: only
     * those do whose record has `requirePushedRequests`, by `require_pushed_authorization_requests` of their metadata.
     */
    readonly required?: boolean
    /**
     * How long a `request_uri` can be used, in seconds: an integer from 5 to 599. It is the time in which a browser has to
     * arrive; a person may then take `interactionSeconds`. Default: 60.
     */
    readonly seconds?: number
  } = {},
): PushedRequests<PushedReason> {
  const { required = false, seconds = 60 } = checkOptions('pushedRequests', options, RULES)
  const forServer: PushedRequests['forServer'] = {
    endpoints: (configuration) => ({
      [BLOCK_PATHS.pushedRequest]: createPushEndpoint(configuration, seconds),
    }),
    find: findPresented,
    registers: registersFlag('require_pushed_authorization_requests', 'requirePushedRequests'),
    decideUnpushed(decided, client) {
      const isAsked = client?.requirePushedRequests ?? false
      if (!decided.ok || !(required || isAsked)) return decided
      const { redirectUri, state } = decided.request
      return { ...(PUSH_REQUIRED as Refusal<never>), redirect: { redirectUri, state } }
    },
    describe: (known, _endpoints, issuer) =>
      withMembers('pushedRequests', known, {
        pushed_authorization_request_endpoint: issuer + BLOCK_PATHS.pushedRequest,
        require_pushed_authorization_requests: required,
      }),
  }
  return {
    kind: PUSHED_REQUESTS,
    name: 'pushed_request',
    required,
    seconds,
    refusals: PUSHED_REFUSALS,
    forServer,
  }
}

/** Returns the hash under which a request is stored. No path has a space, so no interaction has this identifier. */
const storedUnder = (reference: string): string => hashToken(`pushed ${reference}`)

/**
 * Returns the identifier of the interaction that a pushed request leads to. It follows from the reference, so that a
 * browser that loads the address again finds what it has begun, and so that the push belongs to the same flow.
 */
const interactionOf = (reference: string): string => sha256Base64url(`interaction ${reference}`)

/**
 * Creates the endpoint at which clients push. The client is authenticated first, then the whole request is decided as
 * the authorization endpoint does, and only then is anything stored.
 *
 * A request that proves a key, or names one, leads to a code that needs a proof of this key (RFC 9449, section 10.1).
 *
 * A client metadata document is fetched here if it is not known, because no earlier request has named it.
 */
function createPushEndpoint(
  configuration: AuthorizationServerConfiguration,
  seconds: number,
): Endpoint {
  const { store, now, clock, randomBytes, senderConstraint } = configuration
  const { scopes: registry, resource, requireState, defaultScopes, loopbackHosts } = configuration
  const policy = { registry, resource, requireState, defaultScopes, loopbackHosts }
  const errors = clientErrors(configuration)
  const pushEndpoint = configuration.issuer + BLOCK_PATHS.pushedRequest
  return createEndpoint(
    configuration,
    { name: 'pushed_request', methods: ['POST'], cors: OPEN, errors },
    async (context) => {
      const form = await readClientForm(context, ['resource'])
      if (!form.ok) return form
      const { parameters } = form
      // Before the client is authenticated: a client that has to sign again has used up no assertion.
      const proof = senderConstraint?.read(context.incoming) ?? null
      if (proof?.ok === false) return proof
      const sent = { configuration, context, parameters, pushEndpoint }
      const authenticated = await authenticateNamed(sent)
      if (!authenticated.ok) return authenticated
      await clock.assertAgrees()
      const { client } = authenticated
      context.client = client
      const proved = proof === null ? authenticated : await senderConstraint!.verify({}, proof)
      if (!proved.ok) return proved
      const named = senderConstraint?.named(parameters) ?? NO_KEY
      if (!named.ok) return named
      const pushable = decidePush({ parameters, named: named.boundTo, proved: proof?.key ?? null })
      if (!pushable.ok) return ofSite(pushable)
      const decided = decideAuthorizationRequest({ parameters, client, policy })
      if (!decided.ok) {
        context.detail = () => detailOfRequest(decided, { parameters, client, policy })
        return decided
      }
      const spent = await spendPush(context.payer, client)
      if (!spent.ok) return ofSite({ ...PUSH_PACED, retryAfterSeconds: spent.retryAfterSeconds })
      const { request } = decided
      const reference = randomBase64url(randomBytes)
      const id = interactionOf(reference)
      const hint = parameters.single('id_token_hint')
      const hinted = hint === null ? null : await subjectOfHint(hint, configuration)
      // Anyone could fill the table of used proofs. Who repeats the push of another pays for a code of the same key.
      const first = (isOfSite(client) && (await proof?.use())) || pushable
      if (!first.ok) return first
      const createdAt = now()
      await store.savePending({
        ...request,
        idHash: storedUnder(reference),
        browserHash: NO_BROWSER,
        hintedHash: hinted === null ? null : hashHinted(id, hinted),
        createdAt,
        expiresAt: createdAt + seconds,
        ...(pushable.boundTo !== null && { boundTo: pushable.boundTo }),
      })
      context.flow = grantIdOf(hashToken(id))
      context.resource = request.resource
      const { scopes } = request
      // Only watchers receive it: the request has begun when a browser presents it.
      context.note({
        type: 'step',
        step: {
          type: 'oauth.authorization.requested',
          at: createdAt,
          clientId: client.clientId,
          scopes,
        },
      })
      return json(201, { request_uri: PREFIX + reference, expires_in: seconds }, proof?.headers)
    },
  )
}

/** The key of a request at a site without keys of its clients. */
const NO_KEY = { ok: true, boundTo: null } as const

/** Whether someone at the site has created a client that has proved who it is. Anyone may have made another a moment ago. */
function isOfSite({ kind, tokenEndpointAuthMethod }: Client): boolean {
  return (kind === 'member' || kind === 'vendor') && tokenEndpointAuthMethod !== 'none'
}

/** Charges a client of the site for its push, and for every other one its network. */
const spendPush = (payer: Payer, client: Client): Promise<Spent> =>
  isOfSite(client)
    ? payer.spend(['requestsOfClient', client.clientId, { cost: 1, allowance: CLIENT_ALLOWANCE }])
    : payer.spend(['requestsOfNetwork'])

/**
 * Finds what a browser presents. Other parameters of the query have no effect (RFC 9101, section 6.3, to which RFC 9126
 * refers). A `request_uri` of another form is left to the policy, which refuses it.
 */
async function findPresented(
  configuration: AuthorizationServerConfiguration,
  { incoming }: Context,
  query: FormParameters,
): Promise<PresentedRequest | Outgoing | Refusal | null> {
  const uri = query.single('request_uri')
  if (uri?.startsWith(PREFIX) !== true) return null
  const { store, now } = configuration
  const reference = uri.slice(PREFIX.length)
  const clientId = query.single('client_id')
  const id = interactionOf(reference)
  const idHash = storedUnder(reference)
  const pushed = await store.findPending(idHash)
  const decided = decidePushedRequest({ pushed, clientId, now: now() })
  const resume = async (): Promise<Outgoing | Refusal | null> =>
    resumeBegun(configuration, incoming, { id, clientId })
  if (!decided.ok) return (pushed === null ? await resume() : null) ?? ofSite(decided)
  return {
    id,
    parameters: decided.parameters,
    hintedHash: pushed!.hintedHash,
    idHash,
    async gone() {
      const unknown = decidePushedRequest({ pushed: null, clientId, now: now() })
      return (await resume()) ?? ofSite(unknown as Refusal<string>)
    },
  }
}

/**
 * Leads a browser back to the interaction that it has begun with a used request. So a person can load the address again
 * until they have decided (FAPI 2.0 Security Profile, section 5.3.2.2, note 3).
 *
 * @returns `null` if no interaction has begun
 */
async function resumeBegun(
  { store, now, issuer }: AuthorizationServerConfiguration,
  incoming: Incoming,
  { id, clientId }: { id: string; clientId: string | null },
): Promise<Outgoing | Refusal | null> {
  const begun = await store.findPending(hashToken(id))
  if (begun === null || begun.clientId !== clientId || !isBefore(now(), begun.expiresAt))
    return null
  const browserId = readBrowserId(incoming, issuer)
  return browserId !== null && equalText(hashBrowserId(browserId), begun.browserHash)
    ? seeOther(`${PATHS.interaction}/${id}`)
    : ofSite(OTHER_BROWSER)
}
