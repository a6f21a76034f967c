// What a web framework signs people in with, each as a small site of its own.
import {
  CLIENT_ID,
  CLIENT_SECRET,
  account,
  assert,
  follow,
  followed,
  json,
  MEMBER_SCOPES,
  REDIRECT_URI,
  refusal,
  require,
  revokeByHand,
  run,
  SCHOOL,
  serve,
  step,
  student,
  trial,
  userInfo,
  verify,
} from './trial.mjs'

const AUTHORIZE = `${SCHOOL}/oauth/authorize`
const TOKEN = `${SCHOOL}/api/oauth/token`
const origin = `http://127.0.0.1:${trial.port}`
const showError = (error, _request, response, _next) =>
  response
    .status(500)
    .send(
      `<main>${error.name}: ${error.message} ${error.error ?? ''} ${error.error_description ?? ''} ${error.oauthError?.data ?? ''}</main>`,
    )

await run({
  async 'passport-oauth2'() {
    const [express, session, passport] = ['express', 'express-session', 'passport'].map(require)
    const OAuth2 = require('passport-oauth2')
    // region: passport-oauth2
    const settings = { resource: SCHOOL }
    // endregion
    const siteOf = async (settings) => {
      // region: passport-oauth2
      class School extends OAuth2 {
        authorizationParams = () => settings
        tokenParams = () => settings
      }
      // endregion
      School.prototype.userProfile = (token, done) => {
        const headers = { authorization: `Bearer ${token}` }
        const asked = json(fetch(`${SCHOOL}/api/oauth/userinfo`, { headers }))
        // oxlint-disable-next-line promise/no-callback-in-promise -- what the library calls has a callback
        void asked.then(({ body }) => done(null, body), done)
      }
      // region: passport-oauth2
      const options = {
        authorizationURL: AUTHORIZE,
        tokenURL: TOKEN,
        clientID: CLIENT_ID,
        clientSecret: CLIENT_SECRET,
        callbackURL: REDIRECT_URI,
        pkce: true,
        state: true,
        scope: MEMBER_SCOPES,
        scopeSeparator: ' ',
      }
      // endregion
      const strategy = new School(options, (access, refresh, params, profile, done) =>
        done(null, { access, refresh, params, profile }),
      )
      passport.use('school', strategy)
      passport.serializeUser((user, done) => done(null, user))
      passport.deserializeUser((user, done) => done(null, user))
      const app = express()
      app.use(session({ secret: 'x', resave: false, saveUninitialized: false }))
      app.use(passport.session())
      app.get('/login', (request, response, next) =>
        passport.authenticate('school', request.query.scope ? request.query : {})(
          request,
          response,
          next,
        ),
      )
      app.get('/callback', passport.authenticate('school'), (request, response) =>
        response.json(request.user),
      )
      app.use(showError)
      return { strategy, ...(await serve(app)) }
    }
    const untold = await siteOf({})
    await refusal('untold', () => followed(`${origin}/login`))
    await untold.close()
    const { strategy } = await siteOf(settings)
    const user = await step('signIn', () => followed(`${origin}/login`))
    await step('idToken', () => verify(user.params.id_token))
    await step('userInfo', () => assert(user.profile.email))
    const refresh = (token) =>
      new Promise((resolve, reject) => {
        const parameters = { grant_type: 'refresh_token' }
        // oxlint-disable-next-line no-underscore-dangle -- it has no other way to refresh
        strategy._oauth2.getOAuthAccessToken(token, parameters, (error, accessToken, next) =>
          error ? reject(new Error(error.data)) : resolve({ accessToken, next }),
        )
      })
    const fresh = await step('refresh', () => refresh(user.refresh))
    await step('call', () => account(fresh.accessToken))
    await step('revocation', () => revokeByHand(fresh.next))
    await refusal(
      'refusal',
      () => refresh(fresh.next),
      () => followed(`${origin}/login?scope=courses:read`),
    )
  },

  async 'express-openid-connect'() {
    const express = require('express')
    const { auth, requiresAuth } = require('express-openid-connect')
    // region: express-openid-connect
    const parameters = (scope = MEMBER_SCOPES.join(' ')) => ({
      response_type: 'code',
      scope,
      resource: SCHOOL,
    })
    const settings = {
      clientAuthMethod: 'client_secret_post',
      idTokenSigningAlg: 'ES256',
      tokenEndpointParams: { resource: SCHOOL },
    }
    // endregion
    const siteOf = (settings) => {
      const app = express()
      // region: express-openid-connect
      app.use(
        auth({
          issuerBaseURL: SCHOOL,
          baseURL: origin,
          clientID: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          secret: 'x'.repeat(40),
          authRequired: false,
          authorizationParams: parameters(),
          ...settings,
        }),
      )
      // endregion
      app.get('/me', requiresAuth(), async ({ oidc }, response) =>
        response.json({
          claims: oidc.idTokenClaims,
          userInfo: await oidc.fetchUserInfo(),
          access: oidc.accessToken.access_token,
          refresh: oidc.refreshToken,
        }),
      )
      app.get('/refresh', async ({ oidc }, response) => {
        await oidc.accessToken.refresh()
        response.json({ access: oidc.accessToken.access_token, refresh: oidc.refreshToken })
      })
      app.get('/wrong', (_request, response) =>
        response.oidc.login({ authorizationParams: parameters('openid courses:read') }),
      )
      app.use(showError)
      return serve(app)
    }
    const untold = await siteOf({})
    await refusal('untold', () => followed(`${origin}/me`))
    await untold.close()
    await siteOf(settings)
    await step('discovery', () => follow(`${origin}/`))
    const me = await step('signIn', () => followed(`${origin}/me`))
    await step('idToken', () => assert(me.claims.sub))
    await step('userInfo', () => assert(me.userInfo.email))
    const fresh = await step('refresh', async () => {
      const next = await followed(`${origin}/refresh`)
      assert(next.access !== me.access, 'the same access token')
      return next
    })
    await step('call', () => account(fresh.access))
    await step('revocation', () => revokeByHand(fresh.refresh))
    await refusal(
      'refusal',
      () => followed(`${origin}/refresh`),
      () => followed(`${origin}/wrong`),
    )
  },

  async '@fastify/oauth2'() {
    const Fastify = require('fastify')
    // region: @fastify/oauth2
    const settings = { options: { authorizationMethod: 'body' } }
    // endregion
    const siteOf = async (settings) => {
      const app = Fastify({ forceCloseConnections: true })
      app.register(require('@fastify/cookie'))
      // region: @fastify/oauth2
      app.register(require('@fastify/oauth2'), {
        name: 'school',
        scope: MEMBER_SCOPES,
        credentials: { client: { id: CLIENT_ID, secret: CLIENT_SECRET }, ...settings },
        startRedirectPath: '/login',
        callbackUri: REDIRECT_URI,
        callbackUriParams: { resource: SCHOOL, nonce: 'n1' },
        tokenRequestParams: { resource: SCHOOL },
        discovery: { issuer: SCHOOL },
        pkce: 'S256',
        cookie: { secure: false, path: '/' },
      })
      // endregion
      app.get('/callback', async (request, reply) => {
        try {
          const { token } = await app.school.getAccessTokenFromAuthorizationCodeFlow(request, reply)
          return { token, info: await app.school.userinfo(token.access_token) }
        } catch (error) {
          return reply.code(500).send(`${error.message} ${JSON.stringify(error.data?.payload)}`)
        }
      })
      await app.listen({ port: trial.port, host: '127.0.0.1' })
      return app
    }
    const untold = await siteOf({})
    await refusal('untold', () => followed(`${origin}/login`))
    await untold.close()
    const app = await step('discovery', () => siteOf(settings))
    const user = await step('signIn', () => followed(`${origin}/login`))
    await step('idToken', () => verify(user.token.id_token, { nonce: 'n1' }))
    await step('userInfo', () => assert(user.info.email))
    const refresh = (token) => app.school.getNewAccessTokenUsingRefreshToken(token, {})
    const fresh = await step('refresh', () => refresh(user.token))
    await step('call', () => account(fresh.token.access_token))
    await step('revocation', () => app.school.revokeAllToken(fresh.token))
    await refusal('refusal', () => refresh(fresh.token))
  },

  async '@auth/core'() {
    const { Auth, customFetch } = await import('@auth/core')
    const { getRequestListener } = await import('@hono/node-server')
    let [account_, errors] = [null, []]
    // region: @auth/core
    const settings = {
      client: {
        token_endpoint_auth_method: 'client_secret_post',
        id_token_signed_response_alg: 'ES256',
      },
      [customFetch]: (url, init) => {
        if (init?.body instanceof URLSearchParams) init.body.set('resource', SCHOOL)
        return fetch(url, init)
      },
    }
    // endregion
    const configOf = (settings) => ({
      secret: 'y'.repeat(32),
      trustHost: true,
      basePath: '/auth',
      logger: {
        error: (error) =>
          errors.push(
            `${error.name}: ${error.message} ${error.cause?.err?.message ?? ''} ${JSON.stringify(error.cause?.error ?? error.cause?.err?.cause ?? '')}`,
          ),
        warn() {},
        debug() {},
      },
      // region: @auth/core
      providers: [
        {
          id: 'school',
          name: 'School',
          type: 'oidc',
          issuer: SCHOOL,
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          checks: ['pkce', 'state', 'nonce'],
          authorization: { params: { scope: MEMBER_SCOPES.join(' '), resource: SCHOOL } },
          ...settings,
        },
      ],
      // endregion
      callbacks: {
        jwt({ token, account }) {
          if (account) account_ = account
          return token
        },
      },
    })
    const siteOf = (settings) =>
      serve(
        getRequestListener(
          (request) =>
            new URL(request.url).pathname.startsWith('/auth')
              ? Auth(request, configOf(settings))
              : Response.json({}),
          { overrideGlobalObjects: false },
        ),
      )
    const signIn = async () => {
      ;[account_, errors] = [null, []]
      const page = await follow(`${origin}/auth/signin`, { press: 'school' })
      if (account_ === null) throw new Error(`${page.url}: ${errors.join(' ; ')}`)
      return account_
    }
    const untold = await siteOf({})
    await refusal('untold', signIn)
    await untold.close()
    await siteOf(settings)
    const tokens = await step('signIn', signIn)
    await step('discovery', () => assert(tokens.id_token))
    await step('idToken', async () => {
      const session = await followed(`${origin}/auth/session`)
      assert(session.user.email === student, JSON.stringify(session))
    })
    await step('userInfo', () => userInfo(tokens.access_token))
    await step('call', () => account(tokens.access_token))
    await step('revocation', () => revokeByHand(tokens.refresh_token))
    await refusal('refusal', () => userInfo(tokens.access_token))
  },

  async 'better-auth'() {
    const { betterAuth } = await import('better-auth')
    const { memoryAdapter } = await import('better-auth/adapters/memory')
    const { genericOAuth } = await import('better-auth/plugins')
    const { getRequestListener } = await import('@hono/node-server')
    let database
    // region: better-auth
    const settings = {
      authorizationUrlParams: { resource: SCHOOL },
      tokenUrlParams: { resource: SCHOOL },
    }
    // endregion
    const siteOf = async (settings) => {
      database = { user: [], session: [], account: [], verification: [] }
      const auth = betterAuth({
        baseURL: origin,
        secret: 'z'.repeat(40),
        database: memoryAdapter(database),
        logger: { disabled: true },
        trustedOrigins: [origin],
        rateLimit: { enabled: false },
        plugins: [
          // region: better-auth
          genericOAuth({
            config: [
              {
                providerId: 'school',
                discoveryUrl: `${SCHOOL}/.well-known/openid-configuration`,
                clientId: CLIENT_ID,
                clientSecret: CLIENT_SECRET,
                scopes: MEMBER_SCOPES,
                pkce: true,
                ...settings,
              },
            ],
          }),
          // endregion
        ],
      })
      // The person's browser begins at the site, so that the cookies are its own.
      const begin = async () => {
        const answer = await auth.handler(
          new Request(`${origin}/api/auth/sign-in/social`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', origin },
            body: JSON.stringify({
              provider: 'school',
              callbackURL: '/done',
              errorCallbackURL: '/failed',
            }),
          }),
        )
        const { url } = await answer.json()
        const headers = new Headers({ location: url })
        for (const cookie of answer.headers.getSetCookie()) headers.append('set-cookie', cookie)
        return new Response(null, { status: 302, headers })
      }
      const site = await serve(
        getRequestListener(
          (request) => {
            const { pathname, search } = new URL(request.url)
            if (pathname === '/login') return begin()
            if (pathname === '/refresh')
              return auth.handler(
                new Request(`${origin}/api/auth/refresh-token`, {
                  method: 'POST',
                  headers: {
                    'content-type': 'application/json',
                    origin,
                    cookie: request.headers.get('cookie') ?? '',
                  },
                  body: JSON.stringify({ accountId: database.account[0].id }),
                }),
              )
            return pathname.startsWith('/api/auth')
              ? auth.handler(request)
              : Response.json({ at: pathname, search })
          },
          { overrideGlobalObjects: false },
        ),
      )
      return site
    }
    const signIn = async () => {
      const page = await follow(`${origin}/login`)
      if (database.account.length === 0)
        throw new Error(
          `${decodeURIComponent(page.url.replaceAll('+', ' '))} ${page.html.replaceAll(/<[^>]+>/g, ' ').slice(0, 300)}`,
        )
      return database.account[0]
    }
    const untold = await siteOf({})
    await refusal('untold', signIn)
    await untold.close()
    await siteOf(settings)
    const tokens = await step('signIn', signIn)
    await step('discovery', () => assert(tokens.idToken))
    await step('idToken', () => verify(tokens.idToken))
    await step('userInfo', () => assert(database.user[0].email === student))
    const fresh = await step('refresh', () => followed(`${origin}/refresh`))
    await step('call', () => account(fresh.accessToken))
    await step('revocation', () => revokeByHand(database.account[0].refreshToken))
    await refusal('refusal', async () => {
      const { status, html } = await follow(`${origin}/refresh`)
      if (status !== 200) throw new Error(html)
    })
  },
})
