import { createServer } from 'node:http'
import { privateKeyJwt } from 'hallpass/blocks'
import { toNodeHandler } from 'hallpass/node'
import { createMemoryStore } from 'hallpass/store'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fetcherFor, serveHttps } from '../../node/document-host.js'
import { freePorts, openPort } from '../../support/processes/ports.js'
import { createBrowser, createSchool, OWNER } from '../../support/school/school.js'
import { makeKey, type OwnKey, setOf } from '../../support/school/signing-document.js'

const URL_OF_CLIENT = 'https://app.example/client.json'
const REDIRECT = 'https://app.example/cb'
const SCOPE = 'openid courses:read'

/** A school that listens, and a client whose document and keys are on an https host of its own. */
async function listening(alg: 'ES256' | 'RS256') {
  let published: readonly OwnKey[] = []
  const content: Readonly<Record<string, () => object>> = {
    '/client.json': () => ({
      client_id: URL_OF_CLIENT,
      client_name: 'Desk',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: alg,
      jwks_uri: 'https://app.example/jwks.json',
    }),
    '/jwks.json': () => setOf(...published),
  }
  const asked: string[] = []
  const host = await serveHttps((request, response) => {
    asked.push(request.url!)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(content[request.url!]!()))
  })
  const port = await freePorts()
  const issuer = `http://127.0.0.1:${port}`
  const store = createMemoryStore()
  const school = await createSchool({
    issuer,
    store,
    options: {
      // oxlint-disable-next-line no-restricted-properties -- the libraries check times against the real clock
      now: () => Math.floor(Date.now() / 1000),
      documents: { allowedHosts: ['app.example'], fetchDocument: fetcherFor(host).fetch },
      blocks: [privateKeyJwt({ algorithms: ['ES256', 'RS256'] })],
    },
  })
  const server = createServer(toNodeHandler(school.router, { origin: issuer }))
  await openPort(server, { port })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  Object.assign(school, {
    fetch: (input: string | URL, init?: RequestInit) =>
      fetch(input, { ...init, redirect: 'manual' }),
  })
  school.signedIn = { subject: OWNER.subject, authTime: school.site.now() }
  const browser = createBrowser(school, issuer)
  const publish = (...keys: readonly OwnKey[]): unknown => (published = keys)
  return { school, issuer, browser, publish, asked }
}

const [one, two] = ['one', 'two'] as const

describe('a document client that signs, over HTTP, while its keys rotate', () => {
  it.each(['ES256', 'RS256'] as const)('is openid-client, with %s [PKJ-10]', async (alg) => {
    const { school, issuer, browser, publish, asked } = await listening(alg)
    const [old, young] = [await makeKey(one, alg), await makeKey(two, alg)]
    publish(old)
    const signedBy = async ({ privateKey, jwk }: OwnKey): Promise<client.Configuration> =>
      client.discovery(
        new URL(issuer),
        URL_OF_CLIENT,
        { token_endpoint_auth_signing_alg: alg },
        client.PrivateKeyJwt({ key: privateKey, kid: jwk.kid! }),
        { execute: [client.allowInsecureRequests] },
      )
    const configuration = await signedBy(old)
    expect(configuration.serverMetadata().token_endpoint_auth_methods_supported).toContain(
      'private_key_jwt',
    )
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const expectedState = client.randomState()
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: REDIRECT,
      scope: SCOPE,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      resource: issuer,
    })
    const callback = await browser.authorize(url)
    const tokens = await client.authorizationCodeGrant(
      configuration,
      callback,
      { pkceCodeVerifier, expectedState, idTokenExpected: true },
      { resource: issuer },
    )
    publish(old, young)
    const refreshed = await client.refreshTokenGrant(await signedBy(young), tokens.refresh_token!)
    publish(young)
    const again = await client.refreshTokenGrant(await signedBy(young), refreshed.refresh_token!)
    const last = await signedBy(young)
    expect(await client.tokenIntrospection(last, again.access_token)).toMatchObject({
      active: true,
      client_id: URL_OF_CLIENT,
    })
    await client.tokenRevocation(last, again.access_token)
    expect(await client.tokenIntrospection(last, again.access_token)).toEqual({ active: false })
    expect([school.refusals, school.faults]).toEqual([[], []])
    expect(asked).toEqual(['/client.json', '/jwks.json', '/jwks.json'])
  })

  it('is oauth4webapi [PKJ-10]', async () => {
    const { school, issuer, browser, publish } = await listening('ES256')
    const [old, young] = [await makeKey(one), await makeKey(two)]
    publish(old)
    const insecure = { [oauth.allowInsecureRequests]: true } as const
    const at = new URL(issuer)
    const as = await oauth.processDiscoveryResponse(
      at,
      await oauth.discoveryRequest(at, { algorithm: 'oauth2', ...insecure }),
    )
    const own = { client_id: URL_OF_CLIENT }
    const signedBy = ({ privateKey, jwk }: OwnKey): oauth.ClientAuth =>
      oauth.PrivateKeyJwt({ key: privateKey, kid: jwk.kid! })
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const url = new URL(as.authorization_endpoint!)
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: URL_OF_CLIENT,
      redirect_uri: REDIRECT,
      scope: SCOPE,
      state,
      resource: issuer,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString()
    const parameters = oauth.validateAuthResponse(as, own, await browser.authorize(url), state)
    const additionalParameters = { resource: issuer }
    const exchanged = await oauth.authorizationCodeGrantRequest(as, own, signedBy(old), parameters, REDIRECT, verifier, { additionalParameters, ...insecure }) // prettier-ignore
    const tokens = await oauth.processAuthorizationCodeResponse(as, own, exchanged)
    publish(young)
    const refreshed = await oauth.refreshTokenGrantRequest(as, own, signedBy(young), tokens.refresh_token!, insecure) // prettier-ignore
    const { access_token: token } = await oauth.processRefreshTokenResponse(as, own, refreshed)
    const asked = await oauth.introspectionRequest(as, own, signedBy(young), token, insecure)
    expect(await oauth.processIntrospectionResponse(as, own, asked)).toMatchObject({ active: true })
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, own, signedBy(young), token, insecure),
    )
    expect([school.refusals, school.faults]).toEqual([[], []])
  })
})
