import { readText } from '../http/body.js'
import type { Endpoint, Outgoing } from '../http/exchange.js'
import { parseStrictJson } from '../http/json.js'
import { createEndpoint, OPEN } from '../http/frame.js'
import { json } from '../http/respond.js'
import { completeClient } from '../policy/client.js'
import { decideRegistration, type Registration } from '../policy/registration.js'
import { hashToken, newToken } from '../token/opaque.js'
import { randomBase64url } from '../encoding/random.js'
import type { AuthorizationServerConfiguration } from './configuration.js'
import { clientErrors } from './error-format.js'

/** Largest registration body, in bytes. */
const REGISTRATION_LIMIT = 32 * 1024

const EFFECTIVE = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}

/**
 * Dynamic client registration. Answers 201 for a new loopback client and for a known vendor, for
 * which nothing is stored.
 *
 * @see RFC 7591
 */
export function createRegistrationEndpoint(
  configuration: AuthorizationServerConfiguration,
): Endpoint {
  const { store, vendors, loopbackHosts, now, onEvent, randomBytes } = configuration

  async function insert(
    registration: Extract<Registration, { kind: 'loopback' }>,
  ): Promise<Outgoing> {
    const confidential = registration.tokenEndpointAuthMethod === 'client_secret_post'
    const clientSecret = confidential ? newToken('clientSecret', randomBytes) : null
    const client = completeClient({
      clientId: `app_${randomBase64url(randomBytes)}`,
      kind: 'loopback',
      name: registration.name,
      redirectUris: registration.redirectUris,
      tokenEndpointAuthMethod: registration.tokenEndpointAuthMethod,
      secrets: clientSecret === null ? [] : [{ hash: hashToken(clientSecret), expiresAt: null }],
      createdAt: now(),
    })
    // 256 random bits do not collide; a store that says so is broken.
    if ((await store.insertClient(client)) === 'exists')
      throw new Error('client identifier is taken')
    onEvent({
      type: 'oauth.client.registered',
      at: client.createdAt,
      clientId: client.clientId,
      clientName: client.name,
    })
    return json(201, {
      client_id: client.clientId,
      client_id_issued_at: client.createdAt,
      ...(clientSecret !== null && { client_secret: clientSecret, client_secret_expires_at: 0 }),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      token_endpoint_auth_method: client.tokenEndpointAuthMethod,
      // A native application keeps no secret (RFC 8252 §8.5), and this answer may come back to us.
      ...(clientSecret === null && { application_type: 'native' }),
      ...EFFECTIVE,
    })
  }

  const errors = clientErrors(configuration)
  return createEndpoint(
    configuration,
    { name: 'register', methods: ['POST'], cors: OPEN, errors },
    async ({ incoming }) => {
      const body = await readText(incoming, {
        mediaType: 'application/json',
        limitBytes: REGISTRATION_LIMIT,
      })
      if (!body.ok) return body
      const parsed = parseStrictJson(body.text)
      if (!parsed.ok) return parsed
      const decided = decideRegistration({ metadata: parsed.value, vendors, loopbackHosts })
      if (!decided.ok) return decided
      const { registration } = decided
      if (registration.kind === 'loopback') return insert(registration)
      return json(201, {
        client_id: registration.vendor.clientId,
        client_name: registration.vendor.name,
        redirect_uris: registration.vendor.redirectUris,
        token_endpoint_auth_method: 'none',
        ...EFFECTIVE,
      })
    },
  )
}
