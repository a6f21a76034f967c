import { randomBytes } from 'node:crypto'
import { AuthorizationServer, DateInterval, OAuthRequest } from '@jmondi/oauth2-server'
import {
  CLIENT_ID,
  CODE_CHALLENGE,
  exchangeForm,
  PERSON,
  REDIRECT_URI,
  refreshForm,
  SCOPE,
  times,
} from './common.mjs'

const random = () => randomBytes(32).toString('base64url')
const afterHours = (hours) => new Date(Date.now() + hours * 3_600_000)

/**
 * `@jmondi/oauth2-server` on bare `node:http`, in its quickest configuration: codes and refresh tokens
 * are opaque. It issues no ID token, so it signs nothing but its HS256 access token.
 */
export async function createSubject() {
  const scopes = SCOPE.split(' ').map((name) => ({ name }))
  const client = {
    id: CLIENT_ID,
    name: 'Bench',
    secret: null,
    redirectUris: [REDIRECT_URI],
    allowedGrants: ['authorization_code', 'refresh_token'],
    scopes,
  }
  const user = { id: PERSON.subject }
  const codes = new Map()
  const refreshTokens = new Map()

  const codeRepository = {
    getByIdentifier: async (code) => codes.get(code),
    issueAuthCode: (owner, person, granted) => ({
      code: random(),
      redirectUri: REDIRECT_URI,
      expiresAt: afterHours(1),
      client: owner,
      user: person,
      scopes: granted,
    }),
    persist: async (code) => void codes.set(code.code, code),
    isRevoked: async (code) => codes.get(code).revoked === true,
    revoke: async (code) => void (codes.get(code).revoked = true),
  }
  const tokenRepository = {
    issueToken: async (owner, granted, person) => ({
      accessToken: random(),
      accessTokenExpiresAt: afterHours(1),
      client: owner,
      user: person,
      scopes: granted,
    }),
    issueRefreshToken: async (token) =>
      Object.assign(token, { refreshToken: random(), refreshTokenExpiresAt: afterHours(24) }),
    persist: async (token) => {
      if (token.refreshToken) refreshTokens.set(token.refreshToken, token)
    },
    revoke: async (token) => void (token.revoked = true),
    revokeDescendantsOf: async () => {},
    isRefreshTokenRevoked: async (token) => token.revoked === true,
    getByRefreshToken: async (token) => refreshTokens.get(token),
  }
  const server = new AuthorizationServer(
    {
      getByIdentifier: async (id) => (id === CLIENT_ID ? client : undefined),
      isClientValid: async () => true,
    },
    tokenRepository,
    {
      getAllByIdentifiers: async (names) => scopes.filter(({ name }) => names.includes(name)),
      finalize: async (granted) => granted,
    },
    'a signing secret of at least thirty-two characters',
    { requiresS256: true, useOpaqueAuthorizationCodes: true, useOpaqueRefreshTokens: true },
  )
  server.enableGrantTypes(
    [
      {
        grant: 'authorization_code',
        authCodeRepository: codeRepository,
        userRepository: { getUserByCredentials: async () => user },
      },
      new DateInterval('1h'),
    ],
    ['refresh_token', new DateInterval('1h')],
  )

  const issueCode = async () => {
    const code = codeRepository.issueAuthCode(client, user, scopes)
    await codeRepository.persist(
      Object.assign(code, { codeChallenge: CODE_CHALLENGE, codeChallengeMethod: 'S256' }),
    )
    return code.code
  }
  const issueRefreshToken = async () => {
    const token = await tokenRepository.issueToken(client, scopes, user)
    await tokenRepository.persist(await tokenRepository.issueRefreshToken(token))
    return token.refreshToken
  }

  const respond = async (req, text) => {
    const body = Object.fromEntries(new URLSearchParams(text))
    try {
      return await server.respondToAccessTokenRequest(
        new OAuthRequest({ headers: req.headers, body, query: {} }),
      )
    } catch (error) {
      return { status: 400, headers: {}, body: { error: String(error) } }
    }
  }
  const listener = (req, res) => {
    let text = ''
    req.setEncoding('latin1')
    req.on('data', (chunk) => (text += chunk))
    req.on('end', async () => {
      const { status, headers, body } = await respond(req, text)
      const json = JSON.stringify(body)
      res.writeHead(status, {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(json),
      })
      res.end(json)
    })
  }
  return {
    listener,
    scenarios: {
      exchange: {
        expect: ['access_token', 'refresh_token'],
        prepare: (count) =>
          times(count, async () => ({ path: '/token', form: exchangeForm(await issueCode()) })),
      },
      refresh: {
        expect: ['access_token', 'refresh_token'],
        prepare: (count) =>
          times(count, async () => ({
            path: '/token',
            form: refreshForm(await issueRefreshToken()),
          })),
      },
    },
  }
}
