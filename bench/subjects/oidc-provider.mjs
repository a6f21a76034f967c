import { generateKeyPairSync } from 'node:crypto'
import { Provider } from 'oidc-provider'
import {
  CLIENT_ID,
  CODE_CHALLENGE,
  exchangeForm,
  NONCE,
  PERSON,
  REDIRECT_URI,
  refreshForm,
  SCOPE,
  times,
} from './common.mjs'

/** Its own memory adapter forgets after a thousand entries; this one keeps them, and does less. */
class MapAdapter {
  static #models = new Map()
  static #grants = new Map()
  #rows

  constructor(model) {
    this.#rows = MapAdapter.#models.get(model) ?? new Map()
    MapAdapter.#models.set(model, this.#rows)
  }
  async upsert(id, payload) {
    this.#rows.set(id, payload)
    if (payload.grantId === undefined) return
    const members = MapAdapter.#grants.get(payload.grantId)
    const member = [this.#rows, id]
    if (members === undefined) MapAdapter.#grants.set(payload.grantId, [member])
    else members.push(member)
  }
  async find(id) {
    return this.#rows.get(id)
  }
  async findByUid() {}
  async findByUserCode() {}
  async consume(id) {
    this.#rows.get(id).consumed = Math.floor(Date.now() / 1000)
  }
  async destroy(id) {
    this.#rows.delete(id)
  }
  async revokeByGrantId(grantId) {
    for (const [rows, id] of MapAdapter.#grants.get(grantId) ?? []) rows.delete(id)
    MapAdapter.#grants.delete(grantId)
  }
}

/** oidc-provider on bare `node:http`, with the same claims in the ID token and a rotating refresh token. */
export async function createSubject({
  origin,
  adapter = MapAdapter,
  findPerson = async (subject) => (subject === PERSON.subject ? PERSON : undefined),
}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { kid: 'bench', use: 'sig', alg: 'ES256' }
  const { subject } = PERSON
  const provider = new Provider(origin, {
    adapter,
    clients: [
      {
        client_id: CLIENT_ID,
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), ...key }] },
    cookies: { keys: ['a cookie key that signs nothing here'] },
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    conformIdTokenClaims: false,
    async findAccount(_ctx, accountId) {
      const found = await findPerson(accountId)
      if (!found) return undefined
      const { name, email } = found
      return { accountId, claims: async () => ({ sub: accountId, name, email }) }
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 600,
      IdToken: 600,
      RefreshToken: 86_400,
      Grant: 86_400,
    },
  })
  const client = await provider.Client.find(CLIENT_ID)

  const common = async () => {
    const grant = new provider.Grant({ accountId: subject, clientId: CLIENT_ID })
    grant.addOIDCScope(SCOPE)
    return {
      accountId: subject,
      authTime: Math.floor(Date.now() / 1000),
      client,
      expiresWithSession: false,
      grantId: await grant.save(),
      gty: 'authorization_code',
      scope: SCOPE,
    }
  }
  const issueCode = async () =>
    new provider.AuthorizationCode({
      ...(await common()),
      codeChallenge: CODE_CHALLENGE,
      codeChallengeMethod: 'S256',
      nonce: NONCE,
      redirectUri: REDIRECT_URI,
    }).save()

  return {
    listener: provider.callback(),
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), ...key }] },
    scenarios: {
      exchange: {
        expect: ['access_token', 'refresh_token', 'id_token'],
        prepare: (count) =>
          times(count, async () => ({ path: '/token', form: exchangeForm(await issueCode()) })),
      },
      refresh: {
        expect: ['access_token', 'refresh_token', 'id_token'],
        prepare: (count) =>
          times(count, async () => {
            const refreshToken = new provider.RefreshToken({
              ...(await common()),
              nonce: NONCE,
              rotations: 0,
              iiat: Math.floor(Date.now() / 1000),
            })
            return { path: '/token', form: refreshForm(await refreshToken.save()) }
          }),
      },
      bearer: {
        expect: ['sub', 'name', 'email'],
        prepare: (count) =>
          times(count, async () => ({
            path: '/me',
            accessToken: await new provider.AccessToken(await common()).save(),
          })),
      },
      discovery: {
        expect: ['issuer', 'token_endpoint'],
        prepare: (count) => times(count, () => ({ path: '/.well-known/openid-configuration' })),
      },
    },
  }
}
