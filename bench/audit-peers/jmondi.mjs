import { randomBytes } from 'node:crypto'
import { AuthorizationServer, DateInterval } from '@jmondi/oauth2-server'
import { handleExpressError, handleExpressResponse } from '@jmondi/oauth2-server/express'
import { CLIENTS, HOST_PAGES, ofHostOrRfc9700 } from './common.mjs'
import { consentPage, SIGN_IN, signInPage, startExpress } from './express.mjs'

export const name = '@jmondi/oauth2-server'
export const packages = ['@jmondi/oauth2-server']
export const host = {
  what: `what RFC 9700 adds, which it does not promise, and about ${HOST_PAGES.what}`,
  checks: ofHostOrRfc9700,
}
export const setUp =
  'The Express endpoints of its README over repositories in memory, with codes, refresh tokens, revocation, introspection, an issuer, and PKCE with S256, which is its default'

const random = () => randomBytes(32).toString('base64url')
const after = (milliseconds) => new Date(Date.now() + milliseconds)

export async function start() {
  const { app, origin, stop, personOf } = await startExpress()
  const scopes = ['profile', 'email'].map((name) => ({ name }))
  const clients = new Map(
    Object.values(CLIENTS).map(({ client_id: id, client_secret: secret, redirect_uri: uri }) => [
      id,
      {
        id,
        name: id,
        secret,
        redirectUris: [uri],
        allowedGrants: ['authorization_code', 'refresh_token'],
        scopes,
      },
    ]),
  )
  const [codes, tokens] = [new Map(), new Map()]
  const codeRepository = {
    getByIdentifier: async (code) => codes.get(code),
    issueAuthCode: (client, user, granted) => ({
      code: random(),
      expiresAt: after(600_000),
      client,
      user,
      scopes: granted,
      redirectUri: null,
    }),
    persist: async (code) => void codes.set(code.code, code),
    isRevoked: async (code) => (codes.get(code)?.expiresAt ?? 0) < new Date(),
    revoke: async (code) => void (codes.get(code).expiresAt = new Date(0)),
  }
  const tokenRepository = {
    issueToken: async (client, granted, user) => ({
      accessToken: random(),
      accessTokenExpiresAt: after(3_600_000),
      client,
      user: user ?? null,
      scopes: granted,
    }),
    // It has to store what it adds: the library calls `persist` before, and not again.
    async issueRefreshToken(token) {
      Object.assign(token, { refreshToken: random(), refreshTokenExpiresAt: after(86_400_000) })
      tokens.set(token.refreshToken, token)
      return token
    },
    persist: async (token) => void tokens.set(token.accessToken, token),
    async revoke(token) {
      token.accessTokenExpiresAt = new Date(0)
      token.refreshTokenExpiresAt = new Date(0)
    },
    async revokeDescendantsOf(codeId) {
      for (const token of tokens.values())
        if (token.originatingAuthCodeId === codeId) await tokenRepository.revoke(token)
    },
    isRefreshTokenRevoked: async (token) => (token.refreshTokenExpiresAt ?? 0) < new Date(),
    getByRefreshToken: async (token) => tokens.get(token),
    getByAccessToken: async (token) => tokens.get(token),
  }
  const oauth = new AuthorizationServer(
    {
      getByIdentifier: async (id) => clients.get(id),
      isClientValid: async (_grant, client, secret) => !client.secret || client.secret === secret,
    },
    tokenRepository,
    {
      getAllByIdentifiers: async (names) => scopes.filter(({ name }) => names.includes(name)),
      finalize: async (granted) => granted,
    },
    'a signing secret of at least thirty-two characters',
    { issuer: origin, requiresS256: true },
  )
  oauth.enableGrantTypes(
    [
      {
        grant: 'authorization_code',
        userRepository: { getUserByCredentials: async (id) => ({ id }) },
        authCodeRepository: codeRepository,
      },
      new DateInterval('1h'),
    ],
    ['refresh_token', new DateInterval('1h')],
  )
  // The README says where the host asks the person, and leaves the pages to it.
  app.all('/authorize', async (request, response) => {
    try {
      const asked = await oauth.validateAuthorizationRequest(request)
      const user = personOf(request)
      if (user === undefined) return response.send(signInPage(request))
      if (request.method !== 'POST')
        return response.send(consentPage(request, 'decision', 'allow', 'deny'))
      asked.user = user
      asked.isAuthorizationApproved = request.body.decision === 'allow'
      return handleExpressResponse(response, await oauth.completeAuthorizationRequest(asked))
    } catch (error) {
      return handleExpressError(error, response)
    }
  })
  for (const [path, act] of Object.entries({
    '/token': 'respondToAccessTokenRequest',
    '/token/revoke': 'revoke',
    '/token/introspect': 'introspect',
  }))
    app.post(path, async (request, response) => {
      try {
        handleExpressResponse(response, await oauth[act](request))
      } catch (error) {
        handleExpressError(error, response)
      }
    })
  return {
    issuer: origin,
    signIn: {
      ...SIGN_IN,
      endpoints: {
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        revocation_endpoint: `${origin}/token/revoke`,
        introspection_endpoint: `${origin}/token/introspect`,
      },
    },
    stop,
  }
}
