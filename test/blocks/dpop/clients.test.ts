import {
  auth,
  Client,
  DpopSession,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFormBrowser, signInAndAllow } from '../../support/http/form-browser.js'
import { createApp } from '../../support/http/mcp-app.js'
import { REDIRECT } from '../../support/http/openid-client.js'
import { type RunningExample, startExample } from '../../support/processes/example.js'

// Clients that others wrote, against the school as a process of its own: each endpoint that reads a token.

const OWNER = 'ines.duarte@example.com'
const STUDENT = 'mei-ling.chou@example.com'
const JSON_TYPE = { 'content-type': 'application/json' }
/** The client metadata document that the demo serves itself. */
const DOCUMENT = 'https://notes.example/client.json'

describe.each(['dpop', 'dpop-nonces'])('with %s', (block) => {
  let school: RunningExample
  let origin: string
  beforeAll(async () => {
    school = await startExample({
      environment: { SCHOOL_BLOCKS: block, HALLPASS_RATE_LIMITS: 'off' },
    })
    origin = school.origin
  })
  afterAll(() => school.stop())

  /** A thief has copied the token, and the proof of a request. */
  async function expectUseless(path: string, token: string, init: RequestInit = {}) {
    const attempts = [
      { authorization: `Bearer ${token}` },
      { authorization: `DPoP ${token}` },
      { authorization: `Bearer ${token}`, dpop: await (await DpopSession.create()).buildProof({ htm: init.method ?? 'GET', htu: origin + path, accessToken: token }) }, // prettier-ignore
      { authorization: `DPoP ${token}`, dpop: await (await DpopSession.create()).buildProof({ htm: init.method ?? 'GET', htu: origin + path, accessToken: token }) }, // prettier-ignore
    ]
    for (const headers of attempts) {
      const answer = await fetch(origin + path, { ...init, headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream', ...headers } }) // prettier-ignore
      expect([answer.status, headers]).toEqual([401, headers])
      expect(answer.headers.get('www-authenticate')).toContain('DPoP')
    }
  }

  it('the official SDK registers, signs in, calls tools and refreshes with one DpopSession', async () => {
    const session = await DpopSession.create()
    const app = createApp(origin, { name: 'Bound agent' })
    const provider = { ...app.provider, dpop: () => session }
    const serverUrl = new URL('/mcp', origin)
    expect(await auth(provider, { serverUrl })).toBe('REDIRECT')
    const callback = await signInAndAllow(createFormBrowser(origin), app.sentTo[0]!, {
      email: OWNER,
    })
    const iss = callback.searchParams.get('iss')!
    const authorizationCode = callback.searchParams.get('code')!
    expect(await auth(provider, { serverUrl, authorizationCode, iss })).toBe('AUTHORIZED')
    expect(app.tokens()?.token_type).toBe('DPoP')

    const agent = new Client({ name: 'bound-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } }) // prettier-ignore
    await agent.connect(new StreamableHTTPClientTransport(serverUrl, { authProvider: provider }))
    const listed = (await agent.listTools()).tools.map(({ name }) => name)
    expect(listed).toContain('list_courses')
    const called = await agent.callTool({ name: 'list_courses', arguments: {} })
    expect(called).toHaveProperty('structuredContent')
    expect(called.isError).not.toBe(true)

    const before = app.tokens()!
    expect(await auth(provider, { serverUrl })).toBe('AUTHORIZED')
    expect(app.tokens()).toMatchObject({ token_type: 'DPoP' })
    expect(app.tokens()?.access_token).not.toBe(before.access_token)
    expect((await agent.listTools()).tools.map(({ name }) => name)).toEqual(listed)
    await agent.close()
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    await expectUseless('/mcp', app.tokens()!.access_token, { method: 'POST', body })
  })

  it('openid-client registers, and reads UserInfo and the admin API with its DPoPHandle', async () => {
    const keyPair = await openid.randomDPoPKeyPair()
    const configuration = await openid.dynamicClientRegistration(
      new URL(origin),
      { client_name: 'Bound desk', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', dpop_bound_access_tokens: true }, // prettier-ignore
      openid.None(),
      { execute: [openid.allowInsecureRequests] },
    )
    expect(configuration.serverMetadata().dpop_signing_alg_values_supported).toContain('ES256')
    expect(configuration.clientMetadata()['dpop_bound_access_tokens']).toBe(true)
    const DPoP = openid.getDPoPHandle(configuration, keyPair)
    const begin = async (): Promise<() => ReturnType<typeof openid.authorizationCodeGrant>> => {
      const pkceCodeVerifier = openid.randomPKCECodeVerifier()
      const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()]
      const url = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: REDIRECT,
        scope: 'openid profile courses:read',
        resource: origin,
        state: expectedState,
        nonce: expectedNonce,
        dpop_jkt: await DPoP.calculateThumbprint(),
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      })
      const callback = await signInAndAllow(createFormBrowser(origin), url, { email: OWNER })
      const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
      return () => openid.authorizationCodeGrant(configuration, callback, checks, { resource: origin }, { DPoP }) // prettier-ignore
    }
    const tokens = await (await begin())()
    expect(tokens.token_type).toBe('dpop')
    const { sub } = tokens.claims()!
    const read = async (token: string): Promise<unknown> => [
      (await openid.fetchUserInfo(configuration, token, sub, { DPoP })).name,
      (await openid.fetchProtectedResource(configuration, token, new URL('/api/v1/courses', origin), 'GET', undefined, undefined, { DPoP })).status, // prettier-ignore
    ]
    expect(await read(tokens.access_token)).toEqual(['Ines Duarte', 200])

    const refreshed = await openid.refreshTokenGrant(configuration, tokens.refresh_token!, {}, { DPoP }) // prettier-ignore
    expect(refreshed.token_type).toBe('dpop')
    expect(await read(refreshed.access_token)).toEqual(['Ines Duarte', 200])
    await expectUseless('/api/oauth/userinfo', refreshed.access_token)
    await expectUseless('/api/v1/courses', refreshed.access_token)

    // Who has the refresh token and another key, or none, gets nothing, and ends nothing.
    const other = openid.getDPoPHandle(configuration, await openid.randomDPoPKeyPair())
    await expect(
      openid.refreshTokenGrant(configuration, refreshed.refresh_token!, {}, { DPoP: other }),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
    await expect(
      openid.refreshTokenGrant(configuration, refreshed.refresh_token!),
    ).rejects.toMatchObject({ error: 'invalid_dpop_proof' })
    expect(await read(refreshed.access_token)).toEqual(['Ines Duarte', 200])

    await openid.tokenRevocation(configuration, refreshed.refresh_token!)
    await expect(openid.fetchUserInfo(configuration, refreshed.access_token, sub, { DPoP })).rejects.toThrow() // prettier-ignore
  })

  it('openid-client with a secret introspects its own tokens, which name its key', async () => {
    const configuration = await openid.discovery(
      new URL(origin),
      'portfolio-hub',
      'portfolio-hub-demo-secret',
      openid.ClientSecretPost(),
      { execute: [openid.allowInsecureRequests] },
    )
    const DPoP = openid.getDPoPHandle(configuration, await openid.randomDPoPKeyPair())
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: REDIRECT,
      scope: 'openid account:read',
      resource: origin,
      state: 'state',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    const callback = await signInAndAllow(createFormBrowser(origin), url, { email: STUDENT })
    const checks = { pkceCodeVerifier, expectedState: 'state', idTokenExpected: true }
    const tokens = await openid.authorizationCodeGrant(configuration, callback, checks, { resource: origin }, { DPoP }) // prettier-ignore
    expect(await openid.tokenIntrospection(configuration, tokens.access_token)).toMatchObject({
      active: true,
      token_type: 'DPoP',
      cnf: { jkt: await DPoP.calculateThumbprint() },
    })
    await openid.tokenRevocation(configuration, tokens.access_token)
    expect(await openid.tokenIntrospection(configuration, tokens.access_token)).toEqual({
      active: false,
    })
  })

  it('oauth4webapi signs in by its metadata document, and asks the Account API', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(origin)
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    )
    for (const [client_id, email, scope] of [
      ['study-buddy', STUDENT, 'openid account:read'],
      [DOCUMENT, OWNER, 'openid courses:read'],
    ] as const) {
      const client: oauth.Client = { client_id }
      const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
      /** Repeats a request once, if the server asks for a nonce. */
      const sent = async <Result>(send: () => Promise<Result>): Promise<Result> =>
        send().catch((fault: unknown) => {
          if (oauth.isDPoPNonceError(fault)) return send()
          throw fault
        })
      const redirectUri = client_id === DOCUMENT ? 'http://127.0.0.1:7777/callback' : REDIRECT
      const codeVerifier = oauth.generateRandomCodeVerifier()
      const url = new URL(as.authorization_endpoint!)
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id,
        redirect_uri: redirectUri,
        scope,
        resource: origin,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state: 'state',
      }).toString()
      const callback = await signInAndAllow(createFormBrowser(origin), url, { email })
      const parameters = oauth.validateAuthResponse(as, client, callback, 'state')
      const tokens = await sent(async () =>
        oauth.processAuthorizationCodeResponse(
          as,
          client,
          await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), parameters, redirectUri, codeVerifier, { DPoP, additionalParameters: { resource: origin }, ...insecure }), // prettier-ignore
        ),
      )
      expect(tokens.token_type).toBe('dpop')
      const ask = (token: string): Promise<unknown> =>
        sent(async () => {
          const answer = await (client_id === DOCUMENT
            ? oauth.protectedResourceRequest(token, 'GET', new URL('/api/v1/courses', origin), undefined, undefined, { DPoP, ...insecure }) // prettier-ignore
            : oauth.protectedResourceRequest(token, 'POST', new URL('/account/graphql', origin), new Headers(JSON_TYPE), JSON.stringify({ query: '{ viewer { __typename } }' }), { DPoP, ...insecure })) // prettier-ignore
          return [answer.status, 'errors' in ((await answer.json()) as object)]
        })
      expect(await ask(tokens.access_token)).toEqual([200, false])
      const refreshed = await sent(async () =>
        oauth.processRefreshTokenResponse(
          as,
          client,
          await oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token!, { DPoP, ...insecure }), // prettier-ignore
        ),
      )
      expect(refreshed.token_type).toBe('dpop')
      expect(await ask(refreshed.access_token)).toEqual([200, false])
      const body = JSON.stringify({ query: '{ __typename }' })
      await expectUseless('/account/graphql', refreshed.access_token, { method: 'POST', body })
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(as, client, oauth.None(), refreshed.refresh_token!, insecure),
      )
      await expect(ask(refreshed.access_token)).rejects.toMatchObject({ status: 401 })
    }
  })
})
