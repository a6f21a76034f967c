import * as jose from 'jose'

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'
const SUBJECT_TOKENS = [
  'urn:ietf:params:oauth:token-type:id_token',
  'urn:ietf:params:oauth:token-type:refresh_token',
]

/** A person of the organization. */
interface Member {
  readonly email: string
  isActive: boolean
}

/**
 * An organization's identity provider: it signs people in without a question, issues ID tokens, and exchanges them for
 * ID-JAGs (RFC 8693), if the person is active and the client may use the resource.
 *
 * @param options - `alg`: of its signatures; `scopesOf`: which of the requested scopes it grants, `null` for an assertion
 *   without scopes; `now`: epoch seconds
 */
export async function createIdentityProvider({
  issuer,
  now,
  alg = 'RS256',
  scopesOf = (requested) => requested,
}: {
  issuer: string
  now: () => number
  alg?: string
  scopesOf?: (requested: string | null) => string | null
}) {
  const newKey = async () => {
    const { privateKey, publicKey } = await jose.generateKeyPair(alg, { extractable: true })
    const kid = crypto.randomUUID()
    return { kid, privateKey, jwk: { ...(await jose.exportJWK(publicKey)), kid, alg, use: 'sig' } }
  }
  let key = await newKey()
  const people = new Map<string, Member>([
    ['u-ines', { email: 'ines.duarte@example.com', isActive: true }],
    ['u-tom', { email: 'tom@example.com', isActive: true }],
  ])
  /** The clients of the exchange, by what this provider calls them, with their `client_id` at each audience. */
  const clients = new Map<string, string>()
  const codes = new Map<string, { subject: string; clientId: string; nonce: string | null }>()
  const sessions = new Map<string, { subject: string; clientId: string }>()
  const requests: { readonly path: string; readonly form: Readonly<Record<string, string>> }[] = []
  let signedIn = 'u-ines'

  const sign = (claims: jose.JWTPayload, header: object = {}) =>
    new jose.SignJWT(claims)
      .setProtectedHeader({ alg, kid: key.kid, ...header })
      .sign(key.privateKey)
  const idJag = (claims: object, header: object = {}) =>
    sign(
      {
        iss: issuer,
        iat: now(),
        exp: now() + 300,
        jti: crypto.randomUUID(),
        ...claims,
      },
      { typ: 'oauth-id-jag+jwt', ...header },
    )
  const json = (status: number, body: object): Response =>
    Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
  const error = (code: string): Response => json(400, { error: code })

  async function tokensFor(subject: string, clientId: string, nonce: string | null) {
    const refreshToken = crypto.randomUUID()
    sessions.set(refreshToken, { subject, clientId })
    const { email } = people.get(subject)!
    const claims = { iss: issuer, sub: subject, aud: clientId, email, email_verified: true, iat: now(), exp: now() + 3600 } // prettier-ignore
    return json(200, {
      access_token: crypto.randomUUID(),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: refreshToken,
      id_token: await sign({ ...claims, ...(nonce !== null && { nonce }) }),
    })
  }

  /** Exchanges an ID token or a refresh token of one of the clients for an ID-JAG. */
  async function exchange(form: Readonly<Record<string, string>>, clientId: string) {
    if (form['requested_token_type'] !== ID_JAG) return error('invalid_request')
    if (!SUBJECT_TOKENS.includes(form['subject_token_type'] ?? '')) return error('invalid_request')
    const token = form['subject_token'] ?? ''
    const session = sessions.get(token)
    const subject =
      session?.clientId === clientId
        ? session.subject
        : await jose
            .jwtVerify(token, jose.createLocalJWKSet({ keys: [key.jwk] }), {
              issuer,
              audience: clientId,
              currentDate: new Date(now() * 1000),
            })
            .then(({ payload }) => payload.sub)
            .catch(() => undefined)
    const person = subject === undefined ? undefined : people.get(subject)
    if (person === undefined || !person.isActive) return error('invalid_grant')
    const { audience, resource } = form
    if (audience === undefined) return error('invalid_target')
    const scope = scopesOf(form['scope'] ?? null)
    const assertion = await idJag({
      sub: subject,
      aud: audience,
      client_id: clients.get(clientId) ?? clientId,
      email: person.email,
      ...(resource !== undefined && { resource }),
      ...(scope !== null && { scope }),
    })
    return json(200, {
      issued_token_type: ID_JAG,
      access_token: assertion,
      token_type: 'N_A',
      expires_in: 300,
      ...(scope !== null && { scope }),
    })
  }

  async function token(form: Readonly<Record<string, string>>, basic: string | null) {
    const named = basic?.startsWith('Basic ') === true ? atob(basic.slice(6)).split(':')[0]! : ''
    const clientId = form['client_id'] ?? decodeURIComponent(named)
    if (form['grant_type'] === EXCHANGE) return exchange(form, clientId)
    if (form['grant_type'] === 'refresh_token') {
      const session = sessions.get(form['refresh_token'] ?? '')
      if (session?.clientId !== clientId || !people.get(session.subject)!.isActive)
        return error('invalid_grant')
      return tokensFor(session.subject, clientId, null)
    }
    const code = codes.get(form['code'] ?? '')
    codes.delete(form['code'] ?? '')
    if (code?.clientId !== clientId) return error('invalid_grant')
    return tokensFor(code.subject, clientId, code.nonce)
  }

  async function handle(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const path = url.pathname
    const form =
      request.method === 'POST'
        ? Object.fromEntries(new URLSearchParams(await request.text()))
        : Object.fromEntries(url.searchParams)
    requests.push({ path, form })
    if (path === '/jwks') return json(200, { keys: [key.jwk] })
    if (path === '/token') return token(form, request.headers.get('authorization'))
    if (path === '/authorize') {
      const code = crypto.randomUUID()
      codes.set(code, {
        subject: signedIn,
        clientId: form['client_id']!,
        nonce: form['nonce'] ?? null,
      })
      const callback = new URL(form['redirect_uri']!)
      for (const [name, value] of Object.entries({ code, state: form['state'] ?? '', iss: issuer }))
        callback.searchParams.set(name, value)
      return Response.redirect(callback, 302)
    }
    if (!/^\/\.well-known\/(?:openid-configuration|oauth-authorization-server)$/.test(path))
      return json(404, {})
    return json(200, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [alg],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: ['openid', 'email', 'offline_access'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
      grant_types_supported: ['authorization_code', 'refresh_token', EXCHANGE],
      identity_chaining_requested_token_types_supported: [ID_JAG],
    })
  }

  return {
    issuer,
    people,
    clients,
    requests,
    handle,
    idJag,
    /** Signs an ID token for a client, as after a sign-in. */
    idToken: (subject: string, clientId: string) =>
      sign({ iss: issuer, sub: subject, aud: clientId, iat: now(), exp: now() + 3600 }),
    signIn: (subject: string) => {
      signedIn = subject
    },
    privateKey: () => key.privateKey,
    jwks: () => ({ keys: [key.jwk] }),
    /** Replaces the key. */
    rotate: async () => {
      key = await newKey()
    },
  }
}
