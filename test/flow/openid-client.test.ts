import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedExample, sharedExample } from '../support/processes/example.js'
import {
  createFormBrowser,
  listenForCallback,
  signInAndAllow,
} from '../support/http/form-browser.js'

let school: SharedExample

beforeAll(async () => {
  school = await sharedExample()
})
afterAll(() => school.stop())

const insecure = { execute: [client.allowInsecureRequests] }

describe('openid-client against the running example', () => {
  it('registers, signs in, refreshes, introspects and revokes as an operator client', async () => {
    const app = await listenForCallback()
    const configuration = await client.dynamicClientRegistration(
      new URL(school.origin),
      {
        client_name: 'Desk CLI',
        redirect_uris: ['http://127.0.0.1:1/callback'],
        token_endpoint_auth_method: 'client_secret_post',
      },
      client.ClientSecretPost(),
      insecure,
    )
    expect(configuration.serverMetadata().issuer).toBe(school.origin)
    const { client_id: clientId, client_secret: clientSecret } = configuration.clientMetadata()
    expect(clientSecret).toMatch(/^\S{43,}$/)

    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: app.redirectUri,
      scope: 'openid profile email courses:read',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
      resource: school.origin,
    })
    const callback = await signInAndAllow(createFormBrowser(school.origin), url, {
      email: 'ines.duarte@example.com',
    })
    app.close()

    const tokens = await client.authorizationCodeGrant(
      configuration,
      callback,
      { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true },
      { resource: school.origin },
    )
    const claims = tokens.claims()!
    expect(claims).toMatchObject({
      iss: school.origin,
      aud: clientId,
      org_id: 'site_lantern',
      name: 'Ines Duarte',
      email: 'ines.duarte@example.com',
      roles: ['owner'],
      picture: 'https://images.example/people/ines-duarte.jpg',
    })
    expect(claims.exp - claims.iat).toBe(600)

    const userinfo = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
    expect([userinfo.email, userinfo.picture]).toEqual([claims['email'], claims['picture']])

    const refreshed = await client.refreshTokenGrant(configuration, tokens.refresh_token!)
    expect(refreshed.id_token).toBeUndefined()
    expect(await client.tokenIntrospection(configuration, refreshed.access_token)).toMatchObject({
      active: true,
      aud: school.origin,
      scope: 'openid profile email courses:read',
      sub: claims.sub,
    })

    await client.tokenRevocation(configuration, refreshed.refresh_token!)
    expect(await client.tokenIntrospection(configuration, refreshed.access_token)).toEqual({
      active: false,
    })
    await expect(
      client.fetchUserInfo(configuration, refreshed.access_token, claims.sub),
    ).rejects.toMatchObject({ status: 401 })
    await expect(
      client.refreshTokenGrant(configuration, refreshed.refresh_token!),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('signs a student in to a member client that the school made', async () => {
    const app = await listenForCallback()
    const configuration = await client.discovery(
      new URL(school.origin),
      'portfolio-hub',
      undefined,
      client.ClientSecretPost('portfolio-hub-demo-secret'),
      insecure,
    )
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const expectedState = client.randomState()
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: app.redirectUri,
      scope: 'openid account:read account:write',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      resource: school.origin,
    })
    const callback = await signInAndAllow(createFormBrowser(school.origin), url, {
      email: 'mei-ling.chou@example.com',
    })
    app.close()
    const tokens = await client.authorizationCodeGrant(
      configuration,
      callback,
      { pkceCodeVerifier, expectedState },
      { resource: school.origin },
    )
    expect(tokens.scope).toBe('openid account:read account:write')
    expect(tokens.claims()).not.toHaveProperty('email')
  })

  it('gets no ID token from a school that does not sign yet, and no promise of one', async () => {
    const configuration = await client.dynamicClientRegistration(
      new URL(school.kiln),
      { client_name: 'Desk CLI', redirect_uris: ['http://127.0.0.1:1/callback'] },
      client.None(),
      insecure,
    )
    const metadata = configuration.serverMetadata()
    expect(metadata.id_token_signing_alg_values_supported).toBeUndefined()
    const jwks = (await (await fetch(metadata.jwks_uri!)).json()) as { keys: unknown[] }
    expect(jwks.keys).toHaveLength(1)

    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const expectedState = client.randomState()
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: 'http://127.0.0.1:1/callback',
      scope: 'openid email',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
    })
    const callback = await signInAndAllow(createFormBrowser(school.kiln), url, {
      email: 'hao-yu.lin@example.com',
    })
    const tokens = await client.authorizationCodeGrant(configuration, callback, {
      pkceCodeVerifier,
      expectedState,
    })
    expect(tokens.id_token).toBeUndefined()
    const userinfo = await client.fetchUserInfo(
      configuration,
      tokens.access_token,
      client.skipSubjectCheck,
    )
    expect(userinfo).toEqual({
      sub: 'mem_k01',
      org_id: 'site_kiln',
      email: 'hao-yu.lin@example.com',
    })
    const elsewhere = await fetch(`${school.origin}/api/oauth/userinfo`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    expect(elsewhere.status).toBe(401)
  })
})
