import * as jose from 'jose'
import * as oauth from 'oauth4webapi'
import { describe, expect, it } from 'vitest'
import {
  createBrowser,
  createSchool,
  ISSUER,
  OWNER,
  PORTFOLIO_SECRET,
  type School,
  STUDENT,
} from '../support/school/school.js'

const REDIRECT = 'http://127.0.0.1:7777/callback'

interface Flow {
  readonly school: School
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly clientAuth: oauth.ClientAuth
  readonly tokens: oauth.TokenEndpointResponse
}

const http = (
  school: School,
): { [oauth.customFetch]: (url: string, options: object) => Promise<Response> } => ({
  [oauth.customFetch]: (url, options) => school.fetch(url, options),
})

async function signIn({
  clientId,
  clientAuth = oauth.None(),
  person = STUDENT,
  scope,
  redirectUri = REDIRECT,
  school,
}: {
  clientId: string
  clientAuth?: oauth.ClientAuth
  person?: typeof STUDENT
  scope: string
  redirectUri?: string
  school: School
}): Promise<Flow> {
  // oxlint-disable-next-line no-restricted-properties -- oauth4webapi checks times against the real clock
  school.clock.now = Math.floor(Date.now() / 1000)
  const issuer = new URL(ISSUER)
  const as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http(school) }),
  )
  const client: oauth.Client = { client_id: clientId }
  const codeVerifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const nonce = oauth.generateRandomNonce()
  const url = new URL(as.authorization_endpoint!)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    resource: ISSUER,
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  }).toString()
  school.signedIn = { subject: person.subject, authTime: school.clock.now }
  const callback = await createBrowser(school).authorize(url)
  const parameters = oauth.validateAuthResponse(as, client, callback, state)
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    clientAuth,
    parameters,
    redirectUri,
    codeVerifier,
    { additionalParameters: { resource: ISSUER }, ...http(school) },
  )
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(as, response, http(school))
  return { school, as, client, clientAuth, tokens }
}

describe('a member client driven by oauth4webapi', () => {
  it('gets tokens, verifies the ID token, reads UserInfo, refreshes and revokes', async () => {
    const school = await createSchool()
    const { as, client, tokens, clientAuth } = await signIn({
      school,
      clientId: 'study-buddy',
      scope: 'openid profile email account:read',
    })
    const claims = oauth.getValidatedIdTokenClaims(tokens)!
    expect(claims).toMatchObject({
      iss: ISSUER,
      aud: 'study-buddy',
      sub: STUDENT.subject,
      org_id: 'site_lantern',
      name: 'Mei-Ling Chou',
      email: 'mei-ling.chou@example.com',
      roles: ['student'],
    })
    expect(claims.exp - claims.iat).toBe(600)
    expect(tokens.scope).toBe('openid profile email account:read')

    const userinfo = await oauth.processUserInfoResponse(
      as,
      client,
      STUDENT.subject,
      await oauth.userInfoRequest(as, client, tokens.access_token, http(school)),
    )
    const { iss, aud, exp, iat, nonce, ...identity } = claims
    expect([iss, aud, exp, iat, nonce]).not.toContain(undefined)
    expect(userinfo).toEqual(identity)

    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(
        as,
        client,
        clientAuth,
        tokens.refresh_token!,
        http(school),
      ),
    )
    expect(refreshed.id_token).toBeUndefined()
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
    expect(refreshed.access_token).not.toBe(tokens.access_token)

    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, client, clientAuth, refreshed.refresh_token!, http(school)),
    )
    const dead = await oauth.userInfoRequest(as, client, refreshed.access_token, http(school))
    expect(dead.status).toBe(401)
    expect(dead.headers.get('www-authenticate')).toContain(
      `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`,
    )
    expect(school.faults).toEqual([])
  })

  it('finds an ID token that jose verifies against the published keys', async () => {
    const school = await createSchool()
    const { tokens } = await signIn({
      school,
      clientId: 'study-buddy',
      scope: 'openid account:read',
    })
    const jwks = (await (
      await school.fetch(`${ISSUER}/.well-known/jwks.json`)
    ).json()) as jose.JSONWebKeySet
    const { payload, protectedHeader } = await jose.jwtVerify(
      tokens.id_token!,
      jose.createLocalJWKSet(jwks),
      { issuer: ISSUER, audience: 'study-buddy', algorithms: ['ES256'] },
    )
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: jwks.keys[0]!.kid })
    expect(payload).not.toHaveProperty('email')
    expect(payload).not.toHaveProperty('name')
    expect(JSON.stringify(jwks)).not.toContain('"d"')
  })
})

describe('a confidential member client driven by oauth4webapi', () => {
  it('introspects its own tokens, active and then not', async () => {
    const school = await createSchool()
    const { as, client, tokens, clientAuth } = await signIn({
      school,
      clientId: 'portfolio-hub',
      clientAuth: oauth.ClientSecretPost(PORTFOLIO_SECRET),
      scope: 'openid account:read account:write',
    })
    const introspect = async (): Promise<oauth.IntrospectionResponse> =>
      oauth.processIntrospectionResponse(
        as,
        client,
        await oauth.introspectionRequest(as, client, clientAuth, tokens.access_token, http(school)),
      )
    expect(await introspect()).toEqual({
      active: true,
      scope: 'openid account:read account:write',
      client_id: 'portfolio-hub',
      sub: STUDENT.subject,
      aud: ISSUER,
      iss: ISSUER,
      iat: school.clock.now,
      exp: school.clock.now + 3600,
      token_type: 'Bearer',
    })
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, client, clientAuth, tokens.access_token, http(school)),
    )
    expect(await introspect()).toEqual({ active: false })
  })
})

describe('an operator client driven by oauth4webapi', () => {
  it('registers itself on a loopback address and is approved by staff', async () => {
    const school = await createSchool()
    const as: oauth.AuthorizationServer = {
      issuer: ISSUER,
      registration_endpoint: `${ISSUER}/api/oauth/register`,
    }
    const registered = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        as,
        {
          client_name: 'Desk CLI',
          application_type: 'native',
          redirect_uris: ['http://127.0.0.1:3000/cb'],
          token_endpoint_auth_method: 'none',
        },
        http(school),
      ),
    )
    const { tokens } = await signIn({
      school,
      clientId: registered.client_id,
      person: OWNER,
      scope: 'openid courses:read courses:write',
      redirectUri: 'http://127.0.0.1:49152/cb',
    })
    expect(oauth.getValidatedIdTokenClaims(tokens)!.sub).toBe(OWNER.subject)
  })
})
