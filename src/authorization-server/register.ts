import { readText } from '../http/body.js'
import type { Endpoint, Outgoing } from '../http/exchange.js'
import type { Context } from '../http/context.js'
import { parseStrictJson } from '../http/json.js'
import { createEndpoint, OPEN } from '../http/frame.js'
import { json } from '../http/respond.js'
import { aboutMembers } from '../policy/client-about.js'
import { completeClient } from '../policy/client.js'
import { refuse } from '../policy/decision.js'
import {
  decideRegistration,
  type Registered,
  type Registers,
  type Registration,
} from '../policy/registration.js'
import type { Members } from '../policy/reading.js'
import { hashToken, newToken } from '../token/opaque.js'
import { randomBase64url } from '../encoding/random.js'
import { type AuthorizationServerConfiguration, grantsAlone } from './block.js'
import { clientErrors } from './error-format.js'
import { detailOfRegistration } from './refusal-details.js'
import { decideEffects, EFFECTIVE } from './registered-metadata.js'

/** Largest registration body, in bytes. */
const REGISTRATION_LIMIT = 32 * 1024

const PACED = refuse(
  'temporarily_unavailable',
  'registration_paced',
  'too many clients were registered from this network: keep the client_id, or try again later',
)

/**
 * Creates the endpoint for dynamic client registration. It responds with 201 to a new loopback client,
 * which is stored, and to a vendor of the configuration, which is not. Other metadata is refused.
 *
 * Anyone may register, and a loopback client gets no access before a person with a staff role approves it.
 * It is purged after seven days without use. With `networkOf`, a network may register 200 clients a day;
 * limit the rate in front of this endpoint as well.
 *
 * @param configuration - the site and its options, from {@link configureAuthorizationServer}
 * @returns an endpoint for `POST`: 201 with the registered metadata, 400 with
 *   `invalid_redirect_uri` or `invalid_client_metadata`, or 429 with `temporarily_unavailable`
 * @see [RFC 7591, section 3](https://www.rfc-editor.org/rfc/rfc7591#section-3)
 * @group Client registration
 * @example
 * ```ts
 * import { configureAuthorizationServer, createRegistrationEndpoint } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const register = createRegistrationEndpoint(configureAuthorizationServer(site, { keys, interact }))
 * const url = 'https://school.example/api/oauth/register'
 * const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
 * const body = JSON.stringify({ client_name: 'Notes', redirect_uris: ['http://127.0.0.1/callback'] })
 * const created = await register(new Request(url, { ...init, body }))
 * created.status // => 201
 * const refused = await register(new Request(url, { ...init, body: '{}' }))
 * refused.status // => 400
 * ```
 */
export function createRegistrationEndpoint(
  configuration: AuthorizationServerConfiguration,
): Endpoint {
  const { store, clock, vendors, loopbackHosts, lookalikes, now, randomBytes } = configuration
  const { clientAuthentication, grants } = configuration
  const { senderConstraint, pushedRequests } = configuration
  const registering: readonly ({ readonly registers?: Registers } | null | undefined)[] = [
    ...[...clientAuthentication, ...grants].map(({ forServer }) => forServer),
    senderConstraint,
    pushedRequests?.forServer,
  ]
  const offered = {
    grants: grantsAlone(grants),
    methods: [
      'none',
      'client_secret_post',
      ...clientAuthentication
        .filter(({ forServer }) => forServer.registers)
        .map(({ name }) => name),
    ],
  }

  /**
   * Stores a loopback client under a new identifier, even if the same metadata was registered before. The
   * store has only the hash of the secret, so this response is the only one with the secret.
   */
  async function insert(
    context: Context,
    registration: Extract<Registration, { kind: 'loopback' }>,
    ofBlocks: readonly Registered[],
  ): Promise<Outgoing> {
    await clock.assertAgrees()
    const confidential = registration.tokenEndpointAuthMethod === 'client_secret_post'
    const clientSecret = confidential ? newToken('clientSecret', randomBytes) : null
    const client = completeClient({
      clientId: `app_${randomBase64url(randomBytes)}`,
      kind: 'loopback',
      name: registration.name,
      redirectUris: registration.redirectUris,
      tokenEndpointAuthMethod: registration.tokenEndpointAuthMethod,
      secrets: clientSecret === null ? [] : [{ hash: hashToken(clientSecret), expiresAt: null }],
      about: registration.about,
      createdAt: now(),
      ...Object.assign({}, ...ofBlocks.map(({ fields }) => fields)),
    })
    context.flow = client.clientId
    context.clientId = client.clientId
    const { events, tell } = context.announce({
      type: 'oauth.client.registered',
      at: client.createdAt,
      clientId: client.clientId,
      clientName: client.name,
    })
    // 256 random bits do not collide, so this is a fault of the store.
    if ((await store.insertClient(client, events)) === 'exists')
      throw new Error('client identifier is taken')
    tell()
    return json(201, {
      client_id: client.clientId,
      client_id_issued_at: client.createdAt,
      ...(clientSecret !== null && { client_secret: clientSecret, client_secret_expires_at: 0 }),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      token_endpoint_auth_method: client.tokenEndpointAuthMethod,
      // A client that registers itself runs on its user's computer, with or without a secret.
      application_type: 'native',
      ...aboutMembers(client.about),
      ...EFFECTIVE,
      ...Object.assign({}, ...ofBlocks.map(({ answer }) => answer)),
    })
  }

  const errors = clientErrors(configuration)
  return createEndpoint(
    configuration,
    { name: 'register', methods: ['POST'], cors: OPEN, errors },
    async (context) => {
      const { incoming } = context
      const body = await readText(incoming, {
        mediaType: 'application/json',
        limitBytes: REGISTRATION_LIMIT,
      })
      if (!body.ok) return body
      const parsed = parseStrictJson(body.text)
      if (!parsed.ok) return parsed
      const ofBlocks = registering.flatMap((block) => block?.registers?.(parsed.value) ?? [])
      const metadata = ofBlocks.reduce<unknown>(
        (known, { instead }) => ({ ...(known as Members), ...instead }),
        parsed.value,
      )
      const decided = decideRegistration({
        metadata,
        vendors,
        loopbackHosts,
        site: configuration,
        lookalikes: await lookalikes(),
        ...offered,
      })
      if (!decided.ok) {
        context.detail = () => detailOfRegistration(decided, parsed.value)
        return decided
      }
      const unmet = decideEffects(metadata as Members)
      if (!unmet.ok) return unmet
      const { registration } = decided
      if (registration.kind === 'loopback') {
        const { ok, retryAfterSeconds } = await context.payer.spend(['registrationsOfNetwork'])
        return ok ? insert(context, registration, ofBlocks) : { ...PACED, retryAfterSeconds }
      }
      context.clientId = registration.vendor.clientId
      context.note({ type: 'vendor', name: registration.vendor.name })
      return json(201, {
        client_id: registration.vendor.clientId,
        client_name: registration.vendor.name,
        redirect_uris: registration.vendor.redirectUris,
        token_endpoint_auth_method: 'none',
        ...aboutMembers(registration.vendor.about ?? null),
        ...EFFECTIVE,
      })
    },
  )
}
