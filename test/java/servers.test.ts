import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer } from 'node:http'
import { createServer, defineSite, type Server } from 'hallpass'
import type { SignedIn } from 'hallpass/authorization-server'
import { dpop, identityAssertion, privateKeyJwt, pushedRequests } from 'hallpass/blocks'
import { defineClient } from 'hallpass/clients'
import { toNodeHandler } from 'hallpass/node'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { exportJWK, generateKeyPair } from 'jose'
import * as client from 'openid-client'
import { agent, findInes, JWT_BEARER, SECRET } from '../support/school/asserting-client.js'
import { ID_JAG } from '../support/school/identity-provider.js'
import { SEALING } from '../support/school/signing-client.js'
import { expect, it, onTestFinished } from 'vitest'
import { pages } from '../../examples/common/pages.js'
import { createFormBrowser } from '../support/http/form-browser.js'
import { REDIRECT, authorize, tokensFor } from '../support/http/openid-client.js'
import { startChild } from '../support/processes/child.js'
import { startKeycloak, startSpring } from '../support/processes/java-servers.js'
import { freePorts, openPort } from '../support/processes/ports.js'
import { waitFor } from '../support/processes/wait.js'
import { ROOT } from '../support/source/root.js'
import { liveBy } from '../real-clients/life.js'
import { servePeople } from '../real-clients/person.js'

const LOOPBACK = { execute: [client.allowInsecureRequests] }

/** A client that has registered itself. */
async function registered(issuer: string): Promise<client.Configuration> {
  const metadata = { client_name: 'Desk', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' } // prettier-ignore
  return client.dynamicClientRegistration(new URL(issuer), metadata, client.None(), LOOPBACK)
}

it('a resource server of Spring Security asks the school about each token, and sees that it is revoked', async () => {
  const [port, free] = [await freePorts(), await freePorts()]
  const [issuer, secret] = [`http://127.0.0.1:${port}`, 'a-secret-of-the-test']
  const resource = `http://127.0.0.1:${free}`
  const school = startChild(
    process.execPath,
    ['--import', 'tsx', 'examples/second-service/school.ts'],
    {
      cwd: ROOT,
      environment: { PORT: String(port), GRADES: resource, GRADES_SECRET: secret },
    },
  )
  onTestFinished(() => school.stop())
  await school.until(() => school.output().includes(' at http'))
  const spring = await startSpring('SpringResource', {
    school: issuer,
    id: 'grades',
    secret,
    resource,
    port: free,
  })
  onTestFinished(spring.stop)

  const app = await registered(issuer)
  const signIn = (origin: string, scope: string) =>
    tokensFor(app, { origin, scope, browser: createFormBrowser(issuer), email: '', password: '' })
  const ask = async (token: string) => {
    const answer = await fetch(resource, { headers: { authorization: `Bearer ${token}` } })
    return [answer.status, (await answer.text()) || answer.headers.get('www-authenticate')]
  }
  const { access_token: token } = await signIn(resource, 'openid courses:read')
  expect(await ask(token)).toEqual([200, 'mem_1'])
  const { access_token: less } = await signIn(resource, 'openid')
  expect((await ask(less))[0]).toBe(403)
  const { access_token: ofSchool } = await signIn(issuer, 'openid courses:read')
  expect(await ask(ofSchool)).toEqual([401, expect.stringContaining('It is for another resource')])
  expect((await ask('none'))[0]).toBe(401)
  await client.tokenRevocation(app, token)
  expect((await ask(token))[0]).toBe(401)
})

/** Opens a server of this process, on loopback. */
async function listen(server: Server, port: number): Promise<void> {
  await server.maintain()
  const listener = createHttpServer(toNodeHandler(server, { origin: `http://127.0.0.1:${port}` }))
  await openPort(listener, { port })
  onTestFinished(() => {
    listener.closeAllConnections()
    listener.close()
  })
}

it('the SDK of Nimbus signs in with PAR, private_key_jwt and DPoP, and gets no further with a token or proof of another', async () => {
  const port = await freePorts()
  const school = `http://127.0.0.1:${port}`
  const redirectUri = 'https://desk.example/callback'
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const key = await exportJWK(publicKey)
  const store = createMemoryStore()
  const site = defineSite({
    issuer: school,
    name: 'School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: findInes,
    blocks: [
      dpop({ nonceSecret: SEALING.sealingSecret }),
      privateKeyJwt({ keysOf: async () => ({ keys: [key] }) }),
      pushedRequests({ required: true }),
    ],
  })
  await store.insertClient(
    defineClient({
      clientId: 'desk',
      kind: 'vendor',
      name: 'Desk',
      redirectUris: [redirectUri],
      tokenEndpointAuthMethod: 'private_key_jwt',
      createdAt: site.now(),
    }),
  )
  const currentPerson = async () => ({ subject: 'per_ines', authTime: site.now() })
  await listen(createServer(site, { ...SEALING, interact: { ...pages, currentPerson } }), port)
  const people = await servePeople(school)
  onTestFinished(people.close)
  const secret = JSON.stringify(await exportJWK(privateKey))
  const trial = { school, people: people.url, student: 'ines', redirectUri, id: 'desk', secret }
  const { steps, rest } = await liveBy(['java', 'NimbusBlocks'], trial)
  expect({ rest, failed: [...steps].filter(([, { ok }]) => !ok) }).toEqual({ rest: '', failed: [] })
  const refused = [...steps].flatMap(([name, { words }]) => {
    const [, status, error] = /(\d{3}) .*"error":"(\w+)"/.exec(words) ?? []
    return status === undefined ? [] : [`${name}: ${status} ${error}`]
  })
  expect(refused).toEqual([
    'without a proof: 401 invalid_token',
    'by another key: 401 invalid_token',
    'of another token: 401 invalid_dpop_proof',
    'refusal: 401 invalid_token',
  ])
})

const AT_KEYCLOAK = { username: 'ines', password: 'her password at Keycloak' }

/** A school whose people sign in at Keycloak, which knows one of them. */
async function openBehindKeycloak() {
  const [port, sub, secret] = [await freePorts(), randomUUID(), randomUUID()]
  const issuer = `http://127.0.0.1:${port}`
  const redirectUri = `${issuer}/signed-in`
  const keycloak = await startKeycloak({
    features: [],
    realm: {
      realm: 'school',
      enabled: true,
      users: [
        {
          id: sub,
          username: AT_KEYCLOAK.username,
          email: 'ines@school.example',
          firstName: 'Ines',
          lastName: 'Duarte',
          enabled: true,
          credentials: [{ type: 'password', value: AT_KEYCLOAK.password }],
        },
      ],
      clients: [
        {
          clientId: 'school',
          secret,
          redirectUris: [redirectUri],
          attributes: { 'standard.token.exchange.enabled': 'true' },
        },
      ],
    },
  })
  onTestFinished(keycloak.stop)
  const provider = await client.discovery(new URL(`${keycloak.origin}/realms/school`), 'school', secret, undefined, LOOPBACK) // prettier-ignore
  const { issuer: idp, jwks_uri: jwksUri = '' } = provider.serverMetadata()

  const people = new Map<string, string>([[sub, 'per_ines']])
  const sessions = new Map<string, SignedIn>()
  const begun = new Map<string, { returnTo: string; nonce: string; verifier: string }>()
  const received: Awaited<ReturnType<typeof client.authorizationCodeGrant>>[] = []
  const cookie = (request: Request, name: string): string =>
    new RegExp(`(?:^|; )${name}=([^;]+)`).exec(request.headers.get('cookie') ?? '')?.[1] ?? ''
  const redirect = (location: string, set: string): Response =>
    new Response(null, { status: 303, headers: { location, 'set-cookie': `${set}; Path=/; HttpOnly; SameSite=Lax` } }) // prettier-ignore

  const store = createMemoryStore()
  const site = defineSite({
    issuer,
    name: 'School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: findInes,
    blocks: [
      identityAssertion({
        fetchKeys: (url) => fetch(url),
        providers: {
          [idp]: {
            jwksUri,
            clients: ['agent'],
            personOf: (claims) => people.get(claims.sub) ?? null,
          },
        },
      }),
    ],
  })
  await store.insertClient(agent({ createdAt: site.now() }))
  const server = createServer(site, {
    ...SEALING,
    interact: {
      ...pages,
      currentPerson: async (request) => sessions.get(cookie(request, 'session')) ?? null,
      async signIn(_, { returnTo, cause }) {
        const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()] // prettier-ignore
        begun.set(state, { returnTo, nonce, verifier })
        const url = client.buildAuthorizationUrl(provider, {
          redirect_uri: redirectUri,
          scope: 'openid',
          state,
          nonce,
          code_challenge_method: 'S256',
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          ...(cause !== 'signed_out' && { prompt: 'login' }),
        })
        return redirect(url.href, `begun=${state}`)
      },
    },
    routes: {
      async 'GET /signed-in'(request) {
        const state = cookie(request, 'begun')
        const { returnTo, nonce, verifier } = begun.get(state)!
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier }
        const tokens = await client.authorizationCodeGrant(provider, new URL(request.url), checks)
        received.push(tokens)
        const { sub: known, auth_time: authTime } = tokens.claims()!
        const session = randomUUID()
        sessions.set(session, { subject: people.get(known)!, authTime: Number(authTime) })
        return redirect(site.returnTo(returnTo)!, `session=${session}`)
      },
    },
  })
  await listen(server, port)
  return { issuer, provider, idp, keycloak: keycloak.origin, received, now: site.now }
}

it('people sign in at Keycloak and allow at the school, again where an app asks for that', async () => {
  const { issuer, provider, idp, keycloak, received, now } = await openBehindKeycloak()
  const app = await registered(issuer)
  const [atSchool, atKeycloak] = [createFormBrowser(issuer), createFormBrowser(keycloak)]
  async function signIn(prompt?: string) {
    const { url, exchange } = await authorize(app, { origin: issuer, scope: 'openid courses:read' })
    if (prompt !== undefined) url.searchParams.set('prompt', prompt)
    const form = await atKeycloak.open((await atSchool.open(url)).left!)
    const { username, password } = AT_KEYCLOAK
    const { left } = await atKeycloak.submit(form, prompt ? { password } : { username, password })
    const consent = await atSchool.open(left!)
    const allowed = consent.left ?? (await atSchool.submit(consent, {}, 'Allow')).left
    return exchange(allowed!)
  }
  const tokens = await signIn()
  expect(tokens.claims()?.sub).toBe('per_ines')
  expect(await client.fetchUserInfo(app, tokens.access_token, 'per_ines')).toMatchObject({ sub: 'per_ines' }) // prettier-ignore
  const first = received[0]!.claims()!
  expect(first).toMatchObject({ iss: idp, auth_time: expect.any(Number) })
  // Both are in whole seconds: a sign-in of this second is as new as the request.
  await waitFor(() => now() > Number(first.auth_time))
  await signIn('login')
  expect(received).toHaveLength(2)

  // It accepts an ID-JAG of others, but issues none. What it signs for other purposes is not an ID-JAG here.
  const exchange = client.genericGrantRequest(
    provider,
    'urn:ietf:params:oauth:grant-type:token-exchange',
    {
      requested_token_type: ID_JAG,
      subject_token: received[1]!.access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: issuer,
    },
  )
  await expect(exchange).rejects.toMatchObject({
    error_description: 'requested_token_type unsupported',
  })
  for (const assertion of [received[1]!.id_token!, received[1]!.access_token]) {
    const form = { grant_type: JWT_BEARER, assertion, client_id: 'agent', client_secret: SECRET }
    const answer = await fetch(`${issuer}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(form) }) // prettier-ignore
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_grant' })]) // prettier-ignore
  }
})
