import OAuthServer from '@node-oauth/express-oauth-server'
import { CLIENTS, HOST_PAGES, ofHostOrRfc9700 } from './common.mjs'
import { consentPage, SIGN_IN, signInPage, startExpress } from './express.mjs'

export const name = 'node-oauth'
export const packages = ['@node-oauth/oauth2-server', '@node-oauth/express-oauth-server']
export const host = {
  what: `${HOST_PAGES.what}, or of RFC 9700, which it does not promise`,
  checks: ofHostOrRfc9700,
}
export const setUp =
  'The Express middleware of its README over a model in memory, as its documentation describes the model, with codes and refresh tokens. Public clients refresh without a secret, as its page about PKCE has it'

export async function start() {
  const { app, origin, stop, personOf } = await startExpress()
  const [codes, tokens] = [new Map(), new Map()]
  const clientOf = (id) => Object.values(CLIENTS).find(({ client_id }) => client_id === id)
  const model = {
    async getClient(id, secret) {
      const client = clientOf(id)
      // The authorization endpoint asks with `null`. The token endpoint does not, and the model is to require the secret.
      if (client === undefined || (secret !== null && secret !== client.client_secret)) return false
      return {
        id,
        redirectUris: [client.redirect_uri],
        grants: ['authorization_code', 'refresh_token'],
      }
    },
    async saveAuthorizationCode(code, client, user) {
      codes.set(code.authorizationCode, { ...code, client, user })
      return codes.get(code.authorizationCode)
    },
    getAuthorizationCode: async (code) => codes.get(code),
    revokeAuthorizationCode: async ({ authorizationCode }) => codes.delete(authorizationCode),
    async saveToken(token, client, user) {
      const saved = { ...token, client, user }
      tokens.set(token.accessToken, saved)
      if (token.refreshToken) tokens.set(token.refreshToken, saved)
      return saved
    },
    getAccessToken: async (token) =>
      tokens.get(token)?.accessToken === token ? tokens.get(token) : undefined,
    getRefreshToken: async (token) =>
      tokens.get(token)?.refreshToken === token ? tokens.get(token) : undefined,
    revokeToken: async ({ refreshToken }) => tokens.delete(refreshToken),
    validateScope: async (_user, _client, scope = []) =>
      scope.every((one) => ['profile', 'email'].includes(one)) ? scope : false,
    verifyScope: async ({ scope = [] }, wanted) => wanted.every((one) => scope.includes(one)),
  }
  const oauth = new OAuthServer({
    model,
    // For public clients, as its page about PKCE has it.
    requireClientAuthentication: { refresh_token: false },
  })
  // The pages of the host: the documentation leaves them to it.
  app.get('/authorize', (request, response) =>
    response.send(
      personOf(request) === undefined
        ? signInPage(request)
        : consentPage(request, 'allowed', 'true', 'false'),
    ),
  )
  app.post('/authorize', (request, response, next) => {
    // It reads a denial in the query.
    if (request.body.allowed === 'false') request.query.allowed = 'false'
    return oauth.authorize({ authenticateHandler: { handle: (asked) => personOf(asked) } })(
      request,
      response,
      next,
    )
  })
  app.post('/token', oauth.token())
  app.get('/me', oauth.authenticate({ scope: ['profile'] }), (_, response) =>
    response.json({ name: 'Ines' }),
  )
  return {
    issuer: origin,
    signIn: {
      ...SIGN_IN,
      endpoints: {
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
      },
      surfaces: [{ path: '/me' }],
    },
    stop,
  }
}
