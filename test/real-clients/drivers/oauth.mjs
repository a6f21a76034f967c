// Libraries that are called by an app's own code.
import {
  CLIENT_ID,
  CLIENT_SECRET,
  account,
  admin,
  assert,
  callbackOf,
  MEMBER_SCOPES,
  OPERATOR_SCOPES,
  owner,
  pkce,
  REDIRECT_URI,
  refusal,
  register,
  require,
  run,
  say,
  SCHOOL,
  step,
  student,
  throwError,
  userInfo,
  verify,
} from './trial.mjs'

const AUTHORIZE = `${SCHOOL}/oauth/authorize`
const TOKEN = `${SCHOOL}/api/oauth/token`
const REVOKE = `${SCHOOL}/api/oauth/revoke`
const asOwner = { email: owner }

await run({
  async 'openid-client'() {
    // region: openid-client
    const c = await import('openid-client')
    // endregion
    const options = { execute: [c.allowInsecureRequests] }
    const authorize = async (config, scope, { email = student, edit = () => {} } = {}) => {
      const pkceCodeVerifier = c.randomPKCECodeVerifier()
      const [expectedState, expectedNonce] = [c.randomState(), c.randomNonce()]
      // region: openid-client
      const url = c.buildAuthorizationUrl(config, {
        redirect_uri: REDIRECT_URI,
        scope,
        code_challenge: await c.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        nonce: expectedNonce,
        resource: SCHOOL,
      })
      // endregion
      edit(url)
      const callback = await callbackOf(url, { email })
      // region: openid-client
      const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
      return c.authorizationCodeGrant(config, callback, checks, { resource: SCHOOL })
      // endregion
    }
    const scope = MEMBER_SCOPES.join(' ')
    const config = await step('discovery', () =>
      c.discovery(new URL(SCHOOL), CLIENT_ID, CLIENT_SECRET, undefined, options),
    )
    await refusal('untold', () =>
      authorize(config, scope, { edit: (url) => url.searchParams.delete('resource') }),
    )
    await step('registration', async () => {
      const metadata = {
        client_name: 'Trial',
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'client_secret_post',
      }
      const registered = await c.dynamicClientRegistration(
        new URL(SCHOOL),
        metadata,
        c.ClientSecretPost(),
        options,
      )
      const tokens = await authorize(registered, OPERATOR_SCOPES.join(' '), asOwner)
      await admin(tokens.access_token)
    })
    const tokens = await step('signIn', () => authorize(config, scope))
    await step('idToken', () => assert(tokens.claims().sub))
    await step('userInfo', () => c.fetchUserInfo(config, tokens.access_token, tokens.claims().sub))
    const fresh = await step('refresh', () => c.refreshTokenGrant(config, tokens.refresh_token))
    await step('call', () => account(fresh.access_token))
    await step('revocation', () => c.tokenRevocation(config, fresh.refresh_token))
    await refusal(
      'refusal',
      () => c.refreshTokenGrant(config, fresh.refresh_token),
      () => c.fetchUserInfo(config, fresh.access_token, tokens.claims().sub),
      () => authorize(config, 'openid courses:read'),
    )
  },

  async 'openid-client 5'() {
    const { Issuer, generators } = await import('openid-client-5')
    const issuer = await step('discovery', () => Issuer.discover(SCHOOL))
    // region: openid-client 5
    const client = new issuer.Client({
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [REDIRECT_URI],
      id_token_signed_response_alg: 'ES256',
    })
    // endregion
    const authorize = async (client, scope, { email = student } = {}) => {
      const code_verifier = generators.codeVerifier()
      const [state, nonce] = [generators.state(), generators.nonce()]
      // region: openid-client 5
      const url = client.authorizationUrl({
        scope,
        code_challenge: generators.codeChallenge(code_verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        resource: SCHOOL,
      })
      // endregion
      const callback = await callbackOf(url, { email })
      // region: openid-client 5
      return client.callback(
        REDIRECT_URI,
        client.callbackParams(callback.href),
        { code_verifier, state, nonce },
        { exchangeBody: { resource: SCHOOL } },
      )
      // endregion
    }
    await step('registration', async () => {
      const client = await issuer.Client.register({
        client_name: 'Trial',
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'client_secret_post',
        id_token_signed_response_alg: 'ES256',
      })
      await admin((await authorize(client, OPERATOR_SCOPES.join(' '), asOwner)).access_token)
    })
    const scope = MEMBER_SCOPES.join(' ')
    await refusal('untold', () => {
      const metadata = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET }
      const client = new issuer.Client({ ...metadata, redirect_uris: [REDIRECT_URI] })
      return authorize(client, scope)
    })
    const tokens = await step('signIn', () => authorize(client, scope))
    await step('idToken', () => assert(tokens.claims().sub))
    await step('userInfo', () => client.userinfo(tokens))
    const fresh = await step('refresh', () => client.refresh(tokens))
    await step('call', () => account(fresh.access_token))
    await step('revocation', () => client.revoke(fresh.refresh_token))
    await refusal(
      'refusal',
      () => client.refresh(fresh.refresh_token),
      () => client.userinfo(fresh.access_token),
      () => authorize(client, 'openid courses:read'),
    )
  },

  async oauth4webapi() {
    // region: oauth4webapi
    const o = await import('oauth4webapi')
    // endregion
    const insecure = { [o.allowInsecureRequests]: true }
    const found = await step('discovery', async () => {
      // region: oauth4webapi
      const place = new URL(SCHOOL)
      const resource = await o.processResourceDiscoveryResponse(
        place,
        await o.resourceDiscoveryRequest(place, insecure),
      )
      const issuer = new URL(resource.authorization_servers[0])
      const answer = await o.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
      // endregion
      return { resource: resource.resource, as: await o.processDiscoveryResponse(issuer, answer) }
    })
    const { as, resource } = found
    const client = await step('registration', async () => {
      const metadata = {
        client_name: 'Trial',
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      }
      return o.processDynamicClientRegistrationResponse(
        await o.dynamicClientRegistrationRequest(as, metadata, insecure),
      )
    })
    say({ clientId: client.client_id })
    const authorize = async (scope) => {
      const verifier = o.generateRandomCodeVerifier()
      const [state, nonce] = [o.generateRandomState(), o.generateRandomNonce()]
      const url = new URL(as.authorization_endpoint)
      url.search = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: REDIRECT_URI,
        response_type: 'code',
        scope,
        code_challenge: await o.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        resource,
      }).toString()
      const parameters = o.validateAuthResponse(as, client, await callbackOf(url, asOwner), state)
      // region: oauth4webapi
      const exchanged = await o.authorizationCodeGrantRequest(
        as,
        client,
        o.None(),
        parameters,
        REDIRECT_URI,
        verifier,
        { ...insecure, additionalParameters: { resource } },
      )
      // endregion
      const checks = { expectedNonce: nonce, requireIdToken: true }
      const tokens = await o.processAuthorizationCodeResponse(as, client, exchanged, checks)
      return { tokens, answer: exchanged }
    }
    const signedIn = await step('signIn', () => authorize(OPERATOR_SCOPES.join(' ')))
    const { tokens } = signedIn
    await step('idToken', () => o.validateApplicationLevelSignature(as, signedIn.answer, insecure))
    await step('userInfo', async () =>
      o.processUserInfoResponse(
        as,
        client,
        o.getValidatedIdTokenClaims(tokens).sub,
        await o.userInfoRequest(as, client, tokens.access_token, insecure),
      ),
    )
    const refresh = async (token) =>
      o.processRefreshTokenResponse(
        as,
        client,
        await o.refreshTokenGrantRequest(as, client, o.None(), token, insecure),
      )
    const call = (token, path) =>
      o.protectedResourceRequest(token, 'GET', new URL(path, SCHOOL), undefined, null, insecure)
    const fresh = await step('refresh', () => refresh(tokens.refresh_token))
    await step('call', async () => {
      const answer = await call(fresh.access_token, '/api/v1/courses')
      assert(answer.status === 200, await answer.text())
    })
    await step('revocation', async () =>
      o.processRevocationResponse(
        await o.revocationRequest(as, client, o.None(), fresh.refresh_token, insecure),
      ),
    )
    await refusal(
      'refusal',
      () => refresh(fresh.refresh_token),
      () => call(fresh.access_token, '/api/v1/courses'),
      () => authorize('openid account:read'),
    )
  },

  async 'simple-oauth2'() {
    const { AuthorizationCode } = require('simple-oauth2')
    // region: simple-oauth2
    const auth = {
      tokenHost: SCHOOL,
      tokenPath: '/api/oauth/token',
      authorizePath: '/oauth/authorize',
      revokePath: '/api/oauth/revoke',
    }
    const client = new AuthorizationCode({
      client: { id: CLIENT_ID, secret: CLIENT_SECRET },
      auth,
      options: { authorizationMethod: 'body' },
    })
    // endregion
    const authorize = async (client, scope = MEMBER_SCOPES) => {
      const { verifier, challenge } = pkce()
      // region: simple-oauth2
      const url = client.authorizeURL({
        redirect_uri: REDIRECT_URI,
        scope,
        state: 'state',
        nonce: 'n1',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        resource: SCHOOL,
      })
      // endregion
      const code = throwError(await callbackOf(url)).searchParams.get('code')
      // region: simple-oauth2
      return client.getToken({
        code,
        redirect_uri: REDIRECT_URI,
        code_verifier: verifier,
        resource: SCHOOL,
      })
      // endregion
    }
    const own = { id: CLIENT_ID, secret: CLIENT_SECRET }
    await refusal('untold', () => authorize(new AuthorizationCode({ client: own, auth })))
    const signedIn = await step('signIn', () => authorize(client))
    await step('idToken', () => verify(signedIn.token.id_token, { nonce: 'n1' }))
    await step('userInfo', () => userInfo(signedIn.token.access_token))
    const fresh = await step('refresh', () => signedIn.refresh())
    await step('call', () => account(fresh.token.access_token))
    await step('revocation', () => fresh.revokeAll())
    await refusal(
      'refusal',
      () => fresh.refresh(),
      () => authorize(client, ['courses:read']),
    )
  },

  async arctic() {
    const arctic = await import('arctic')
    // It cannot send `resource` to the token endpoint: with an app of members that is refused.
    await refusal('untold', async () => {
      const client = new arctic.OAuth2Client(CLIENT_ID, null, REDIRECT_URI)
      const verifier = arctic.generateCodeVerifier()
      const url = client.createAuthorizationURLWithPKCE(
        AUTHORIZE,
        arctic.generateState(),
        arctic.CodeChallengeMethod.S256,
        verifier,
        MEMBER_SCOPES,
      )
      url.searchParams.set('resource', SCHOOL)
      const code = throwError(await callbackOf(url)).searchParams.get('code')
      return client.validateAuthorizationCode(TOKEN, code, verifier)
    })
    const { client_id } = await step('registration', () =>
      register({ token_endpoint_auth_method: 'none' }),
    )
    // region: arctic
    const client = new arctic.OAuth2Client(client_id, null, REDIRECT_URI)
    // endregion
    const authorize = async (scopes) => {
      // region: arctic
      const verifier = arctic.generateCodeVerifier()
      const url = client.createAuthorizationURLWithPKCE(
        AUTHORIZE,
        arctic.generateState(),
        arctic.CodeChallengeMethod.S256,
        verifier,
        scopes,
      )
      // endregion
      const code = throwError(await callbackOf(url, asOwner)).searchParams.get('code')
      return client.validateAuthorizationCode(TOKEN, code, verifier)
    }
    const tokens = await step('signIn', () => authorize(OPERATOR_SCOPES))
    await step('idToken', () => verify(tokens.idToken(), { audience: client_id }))
    await step('userInfo', () => userInfo(tokens.accessToken()))
    const refresh = (token) => client.refreshAccessToken(TOKEN, token, [])
    const fresh = await step('refresh', () => refresh(tokens.refreshToken()))
    await step('call', () => admin(fresh.accessToken()))
    await step('revocation', () => client.revokeToken(REVOKE, fresh.refreshToken()))
    await refusal(
      'refusal',
      () => refresh(fresh.refreshToken()),
      () => authorize(['account:read']),
    )
  },

  async '@badgateway/oauth2-client'() {
    const { OAuth2Client, generateCodeVerifier } = await import('@badgateway/oauth2-client')
    // region: @badgateway/oauth2-client
    const client = new OAuth2Client({
      server: SCHOOL,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      discoveryEndpoint: '/.well-known/oauth-authorization-server',
    })
    const settings = { resource: SCHOOL }
    // endregion
    const authorize = async (scope, settings) => {
      const codeVerifier = await generateCodeVerifier()
      // region: @badgateway/oauth2-client
      const common = { redirectUri: REDIRECT_URI, codeVerifier, ...settings }
      const url = await client.authorizationCode.getAuthorizeUri({
        ...common,
        state: 'state',
        scope,
      })
      // endregion
      const { href } = await callbackOf(url)
      // region: @badgateway/oauth2-client
      const { code } = client.authorizationCode.validateResponse(href, { state: 'state' })
      return client.authorizationCode.getToken({ ...common, code })
      // endregion
    }
    await refusal('untold', () => authorize(MEMBER_SCOPES, {}))
    const tokens = await step('signIn', () => authorize(MEMBER_SCOPES, settings))
    await step('discovery', () => client.getEndpoint('revocationEndpoint'))
    await step('userInfo', () => userInfo(tokens.accessToken))
    const fresh = await step('refresh', () => client.refreshToken(tokens))
    await step('call', () => account(fresh.accessToken))
    await step('revocation', () => client.revoke(fresh, 'refresh_token'))
    await refusal(
      'refusal',
      () => client.refreshToken(fresh),
      () => authorize(['courses:read'], settings),
    )
  },
})
