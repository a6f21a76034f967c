import * as jose from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChecker, type Description, walk } from '../support/http/description-walk.js'
import { createFormBrowser, signInAndAllow } from '../support/http/form-browser.js'
import { authorizeUrl } from '../support/http/running-flow.js'
import { knowledgeOf } from '../support/http/walk-knowledge.js'
import { type RunningExample, startExample } from '../support/processes/example.js'
import { rounds } from '../support/run/rounds.js'
import { encode, type Fields, REDIRECT } from '../support/school/flow.js'
import { APPENDIX_B } from '../vectors/rfc7636.js'

const HUB = { client_id: 'portfolio-hub', client_secret: 'portfolio-hub-demo-secret' }
const SCOPE = 'openid account:read'
const DEVICE = '/api/oauth/device_authorization'

let school: RunningExample
let description: Description
beforeAll(async () => {
  school = await startExample({
    environment: {
      HALLPASS_RATE_LIMITS: 'off',
      SCHOOL_BLOCKS:
        'client-credentials,client-secret-basic,device,dpop,id-jag,par,private-key-jwt',
      SCHOOL_IDENTITY_PROVIDER: 'https://idp.example https://idp.example/jwks',
    },
  })
  description = (await (await fetch(`${school.origin}/openapi.json`)).json()) as Description
})
afterAll(() => school.stop())

/** Posts a form, and returns the response with what the description does not say of it. */
async function send(path: string, fields: Fields, headers: Readonly<Record<string, string>> = {}) {
  const body = encode(fields)
  const response = await fetch(school.origin + path, { method: 'POST', body, headers })
  const text = await response.text()
  const received = { status: response.status, headers: response.headers, text }
  const problems = createChecker(description)(description.paths[path]!['post']!, received)
  return { status: response.status, body: JSON.parse(text) as Readonly<Record<string, unknown>>, problems } // prettier-ignore
}

/** Makes a client with a key, which signs a proof for each of its requests. */
async function keyHolder() {
  const { privateKey, publicKey } = await jose.generateKeyPair('ES256')
  const jwk = await jose.exportJWK(publicKey)
  const proofFor = (path: string): Promise<string> =>
    new jose.SignJWT({ htm: 'POST', htu: school.origin + path, jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(privateKey)
  return { jkt: await jose.calculateJwkThumbprint(jwk), proofFor }
}

describe('/openapi.json of a school with every block', () => {
  it('has each endpoint of a block that discovery names, and the page of devices', async () => {
    const metadata = (await (
      await fetch(`${school.origin}/.well-known/openid-configuration`)
    ).json()) as Readonly<Record<string, unknown>>
    const { paths } = description
    for (const [name, url] of Object.entries(metadata)) {
      if (!name.endsWith('_endpoint')) continue
      expect(paths[String(url).slice(school.origin.length)], name).toBeDefined()
    }
    expect(Object.keys(paths['/oauth/device']!)).toEqual(['get', 'post'])
    const parametersOf = (path: string, method: string) =>
      paths[path]![method]!.parameters!.map(({ name }) => name)
    expect(parametersOf('/oauth/authorize', 'get')).toEqual(
      expect.arrayContaining(['dpop_jkt', 'request_uri']),
    )
    expect(parametersOf('/api/oauth/token', 'post')).toEqual(['DPoP'])
    const { AuthorizationServerMetadata, ProtectedResourceMetadata } = description.components
      .schemas as unknown as Readonly<Record<string, { properties: object }>>
    expect(Object.keys(AuthorizationServerMetadata!.properties)).toEqual(
      expect.arrayContaining(Object.keys(metadata)),
    )
    expect(ProtectedResourceMetadata!.properties).toHaveProperty(
      'dpop_signing_alg_values_supported',
    )
  })

  it('has the tokens that are bound to a key, and their state', async () => {
    const { jkt, proofFor } = await keyHolder()
    const url = authorizeUrl(school.origin, { client_id: HUB.client_id, scope: SCOPE })
    const email = 'mei-ling.chou@example.com'
    const callback = await signInAndAllow(createFormBrowser(school.origin), url, { email })
    const tokens = await send(
      '/api/oauth/token',
      {
        ...HUB,
        grant_type: 'authorization_code',
        code: callback.searchParams.get('code')!,
        redirect_uri: REDIRECT,
        code_verifier: APPENDIX_B.codeVerifier,
        resource: school.origin,
      },
      { dpop: await proofFor('/api/oauth/token') },
    )
    expect(tokens).toMatchObject({ status: 200, body: { token_type: 'DPoP' }, problems: [] })
    const token = String(tokens.body['access_token'])
    expect(await send('/api/oauth/introspect', { ...HUB, token })).toMatchObject({
      status: 200,
      body: { active: true, token_type: 'DPoP', cnf: { jkt } },
      problems: [],
    })
  })

  it('has the refusals of proofs on every surface', async () => {
    const { proofFor } = await keyHolder()
    const authorization = 'DPoP hpa_none'
    const surfaces = { '/account/graphql': '{"query":"{ viewer { id } }"}', '/mcp': '{"jsonrpc":"2.0","id":1,"method":"ping"}' } // prettier-ignore
    for (const [path, body] of Object.entries(surfaces))
      for (const proof of ['no proof', await proofFor(path)]) {
        const headers = { authorization, dpop: proof, 'content-type': 'application/json', accept: 'application/json, text/event-stream' } // prettier-ignore
        const response = await fetch(school.origin + path, { method: 'POST', headers, body })
        const received = { status: response.status, headers: response.headers, text: await response.text() } // prettier-ignore
        expect(received.status).toBe(401)
        const operation = description.paths[path]!['post']!
        expect(createChecker(description)(operation, received)).toEqual([])
      }
  })

  it('has the refusals of proofs of the admin API', async () => {
    for (const authorization of ['DPoP hpa_none', 'Bearer hpa_none']) {
      const headers = { authorization, dpop: 'no proof' }
      const response = await fetch(`${school.origin}/api/v1/courses`, { headers })
      const received = { status: response.status, headers: response.headers, text: await response.text() } // prettier-ignore
      expect(received.status).toBe(401)
      expect(
        createChecker(description)(description.paths['/api/v1/courses']!['get']!, received),
      ).toEqual([])
    }
  })

  it('has a pushed request, and the codes of a device', async () => {
    const pushed = Object.fromEntries(
      new URL(authorizeUrl(school.origin, { client_id: HUB.client_id, scope: SCOPE })).searchParams,
    )
    expect(await send('/api/oauth/par', { ...pushed, ...HUB })).toMatchObject({
      status: 201,
      problems: [],
    })
    const device = { client_id: 'desk-cli', scope: 'openid courses:read' }
    expect(await send(DEVICE, device)).toMatchObject({ status: 200, problems: [] })
  })

  it('has each response of the endpoints beside the admin API, to valid and wrong requests', async () => {
    const walked = await walk(description, await knowledgeOf(school.origin, description), {
      rounds: rounds(10, { soak: 200 }),
      seed: 20_261_127,
      isIncluded: (path) => !path.startsWith('/api/v1/'),
    })
    expect(walked.problems).toEqual([])
    const seen = (name: string) => [...(walked.statuses.get(name) ?? [])]
    expect(seen('oauth.push')).toContain(400)
    expect(seen('oauth.device_authorization')).toContain(400)
    expect(seen('oauth.device').length).toBeGreaterThan(0)
    expect(seen('oauth.token')).toContain(200)
  })
})
