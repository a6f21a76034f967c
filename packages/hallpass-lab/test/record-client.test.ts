import { createServer, type RequestListener, type Server } from 'node:http'
import {
  auth as newAuth,
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client'
import {
  auth as oldAuth,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import * as sdk from '@modelcontextprotocol/server'
import { OptionsError, type SiteOptions } from 'hallpass'
import type { AuthorizationServerOptions } from 'hallpass/authorization-server'
import { createMcpEndpoint, defineTool, serverAdapter } from 'hallpass/mcp'
import { type ClientRecorder, type RealClient, recordClient, whoCanConnect } from 'hallpass-lab'
import { toNodeHandler } from 'hallpass/node'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  createBrowser,
  createSchool,
  OWNER,
  type School,
} from '../../../test/support/school/school.js'
import { openPort } from '../../../test/support/processes/ports.js'

const CALLBACK = 'http://127.0.0.1:53817/callback'
const DOCUMENT = 'https://notes.example/oauth/client.json'
/** 2026-11-23, 12:00 UTC. */
const NOON = 1_795_435_200
const INFO = { name: 'notes', version: '1.0.0' }

let http: Server | null = null
afterEach(async () => {
  http?.closeAllConnections()
  http?.close()
  http = null
})

interface Recorded {
  readonly origin: string
  readonly school: School
  readonly recorder: ClientRecorder
  readonly own: Partial<AuthorizationServerOptions>
}

/** A school over HTTP on this computer, with a recorder around all of its endpoints. */
async function serve(
  own: Partial<AuthorizationServerOptions> = {},
  ofSite: Partial<SiteOptions> = {},
): Promise<Recorded> {
  let listener: RequestListener = () => {}
  http = createServer((req, res) => listener(req, res))
  const port = await openPort(http)
  const origin = `http://127.0.0.1:${port}`
  const recorder = recordClient({ issuer: origin, name: 'Notes', now: () => NOON })
  const documents = {
    openRegistration: true,
    fetchDocument: recorder.watchDocuments(async () =>
      Response.json({ client_id: DOCUMENT, client_name: 'Notes', redirect_uris: [CALLBACK] }),
    ),
  }
  const school = await createSchool({ issuer: origin, options: { documents, ...ofSite, ...own } })
  school.signedIn = { subject: OWNER.subject, authTime: school.clock.now }
  const tool = defineTool({
    name: 'get_school',
    title: 'The school',
    description: 'Returns the name of the school.',
    input: z.strictObject({}),
    output: z.object({ data: z.object({ name: z.string() }) }),
    run: async () => ({ data: { name: 'Lantern Street' } }),
  })
  const { endpoint } = createMcpEndpoint(school.site, {
    adapter: serverAdapter(sdk),
    tools: [tool],
    anonymous: 'challenge',
  })
  const respond = recorder.watch((request) =>
    new URL(request.url).pathname === '/mcp' ? endpoint(request) : school.router(request),
  )
  listener = toNodeHandler(respond, { origin })
  return { origin, school, recorder, own }
}

/** What one app of the SDK keeps, and every value of it that is secret. */
interface App {
  readonly provider: OAuthClientProvider
  readonly sentTo: () => URL
  readonly secrets: string[]
}

function createApp(
  metadata: Partial<OAuthClientMetadata> = {},
  { state = true, document = false }: { state?: boolean; document?: boolean } = {},
): App {
  let information: OAuthClientInformationMixed | undefined
  let discovered: OAuthDiscoveryState | undefined
  let tokens: OAuthTokens | undefined
  let verifier = ''
  let sentTo: URL | null = null
  const secrets: string[] = []
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    ...(document && { clientMetadataUrl: DOCUMENT }),
    clientMetadata: { client_name: 'Notes', redirect_uris: [CALLBACK], ...metadata },
    ...(state && { state: () => 'state-that-nobody-may-see' }),
    clientInformation: () => information,
    saveClientInformation(saved) {
      information = saved
      if (typeof saved.client_secret === 'string') secrets.push(saved.client_secret)
    },
    tokens: () => tokens,
    saveTokens(saved) {
      tokens = saved
      secrets.push(saved.access_token, saved.refresh_token!)
    },
    redirectToAuthorization: (url) => void (sentTo = url),
    saveCodeVerifier(saved) {
      verifier = saved
      secrets.push(saved)
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (saved) => void (discovered = saved),
    discoveryState: () => discovered,
  }
  return { provider, sentTo: () => sentTo!, secrets }
}

/** Opens the page to which the app sent the browser, over HTTP, and allows. Returns the callback. */
async function allow({ school, origin }: Recorded, { sentTo, secrets }: App): Promise<URL> {
  const overHttp: typeof school.fetch = async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' })
    secrets.push(...response.headers.getSetCookie().map((set) => set.split(/[=;]/)[1]!))
    return response
  }
  const reached: School = Object.create(school, { fetch: { value: overHttp } })
  const callback = await createBrowser(reached, origin).authorize(sentTo())
  secrets.push(callback.searchParams.get('code') ?? 'state-that-nobody-may-see')
  return callback
}

const GENERATIONS = {
  async 'SDK version 1'(recorded: Recorded, app: App): Promise<void> {
    const url = new URL('/mcp', recorded.origin)
    const open = async (): Promise<OldTransport> => {
      const transport = new OldTransport(url, { authProvider: app.provider })
      const client = new OldClient(INFO)
      try {
        await client.connect(transport)
        await client.listTools()
        await client.close()
      } catch (fault) {
        if (app.sentTo() === null) throw fault
      }
      return transport
    }
    const transport = await open()
    const callback = await allow(recorded, app)
    const code = callback.searchParams.get('code')
    if (code === null) return
    await transport.finishAuth(code)
    await open()
    expect(await oldAuth(app.provider, { serverUrl: url })).toBe('AUTHORIZED')
  },
  async 'SDK version 2'(recorded: Recorded, app: App): Promise<void> {
    const url = new URL('/mcp', recorded.origin)
    const open = async (): Promise<NewTransport> => {
      const transport = new NewTransport(url, { authProvider: app.provider })
      const client = new NewClient(INFO, { versionNegotiation: { mode: 'auto' } })
      try {
        await client.connect(transport)
        await client.listTools()
        await client.close()
      } catch (fault) {
        if (app.sentTo() === null) throw fault
      }
      return transport
    }
    const transport = await open()
    const callback = await allow(recorded, app)
    if (!callback.searchParams.has('code')) return
    await transport.finishAuth(callback.searchParams)
    await open()
    expect(await newAuth(app.provider, { serverUrl: url })).toBe('AUTHORIZED')
  },
}

const RECORDED_URI = 'http://127.0.0.1:50000/callback'
const SDK_FIELDS = {
  exchange: ['client_id', 'code', 'code_verifier', 'grant_type', 'redirect_uri', 'resource'],
  refresh: ['client_id', 'grant_type', 'refresh_token', 'resource'],
}
const sorted = ({ token }: RealClient): unknown =>
  token && { exchange: [...token.exchange].sort(), refresh: [...token.refresh].sort() }
const predictionOf = ({ school, own }: Recorded, client: RealClient): unknown => {
  const { connects, by, reason } = whoCanConnect(school.site, own, [client])[0]!
  return { connects, by, reason }
}

describe.each(Object.entries(GENERATIONS))('recordClient, with a client of %s', (_, signIn) => {
  it('returns what is known of it, and the prediction for it comes true [REC-01]', async () => {
    const recorded = await serve()
    await signIn(recorded, createApp())
    const client = recorded.recorder.client()
    expect(client).toMatchObject({
      name: 'Notes',
      asOf: '2026-11-23',
      registrations: [{ client_name: 'Notes', redirect_uris: [RECORDED_URI] }],
      document: null,
      authorize: {
        redirectUri: RECORDED_URI,
        resource: '/mcp',
        state: true,
        scopes: ['recommended'],
        scopeSetting: null,
      },
      needsCors: false,
      notes: [
        'reads /.well-known/oauth-protected-resource/mcp, /.well-known/oauth-authorization-server',
      ],
    })
    expect(sorted(client)).toEqual(SDK_FIELDS)
    const outcome = { connects: true, by: 'registration', reason: null }
    expect(predictionOf(recorded, client)).toEqual(outcome)
  })

  it('records a document with its content, and that no state was sent', async () => {
    const recorded = await serve({ requireState: false })
    await signIn(recorded, createApp({}, { state: false, document: true }))
    const client = recorded.recorder.client()
    expect(client.registrations).toEqual([])
    expect(client.document).toMatchObject({
      url: DOCUMENT,
      content: { client_id: DOCUMENT, client_name: 'Notes', redirect_uris: [CALLBACK] },
    })
    expect(client.authorize).toMatchObject({ state: false, scopes: ['recommended'] })
    const outcome = { connects: true, by: 'document', reason: null }
    expect(predictionOf(recorded, client)).toEqual(outcome)
  })

  it('records a request that is refused, and the prediction names the same reason', async () => {
    const recorded = await serve({ baselineScopes: [] })
    await signIn(recorded, createApp())
    const client = recorded.recorder.client()
    expect(client.authorize?.scopes).toEqual(['nothing'])
    expect(client.token).toBe(null)
    expect(client.notes).toContain('no exchange of a code was recorded')
    expect(recorded.school.refusals.at(-1)).toMatchObject({ reason: 'scope_missing' })
    const outcome = { connects: false, by: 'registration', reason: 'scope_missing' }
    expect(predictionOf(recorded, client)).toEqual(outcome)
  })

  it('contains no code, verifier, token, secret, state or cookie [REC-02]', async () => {
    const recorded = await serve()
    const app = createApp({ token_endpoint_auth_method: 'client_secret_post' })
    await signIn(recorded, app)
    const text = JSON.stringify(recorded.recorder.client())
    expect(text).toContain('client_secret_post')
    const secrets = [...app.secrets, 'state-that-nobody-may-see'].filter(({ length }) => length > 8)
    expect(secrets.length).toBeGreaterThan(6)
    for (const secret of secrets) expect(text).not.toContain(secret)
  })
})

describe('recordClient', () => {
  const ISSUER = 'https://school.example'
  const send = async (
    recorder: ClientRecorder,
    path: string,
    init: RequestInit = {},
    answer: () => Response = () => new Response(),
  ): Promise<Response> => recorder.watch(answer)(new Request(ISSUER + path, init))
  const record = (): ClientRecorder =>
    recordClient({ issuer: ISSUER, name: 'Own', now: () => NOON })
  const post = (body: string): RequestInit => ({ method: 'POST', body })

  it('says what it has not seen', () => {
    expect(record().client()).toEqual({
      name: 'Own',
      asOf: '2026-11-23',
      sources: [],
      registrations: [],
      document: null,
      authorize: null,
      token: null,
      needsCors: false,
      notes: [
        'reads no metadata',
        'no authorization request was recorded',
        'no exchange of a code was recorded',
        'no refresh was recorded',
        'no call of /mcp with an access token was recorded',
      ],
    })
  })

  it('keeps nothing that a client hides in fields and addresses [REC-02]', async () => {
    const recorder = record()
    const secret = 'never-in-a-recording-0123456789'
    const hidden = `https://${secret}@own.example/cb?token=${secret}&v=1#${secret}`
    const metadata = {
      client_name: 'Own',
      redirect_uris: [hidden, `own://${secret}:x@cb`],
      client_uri: hidden,
      software_statement: secret,
      contacts: [secret],
      __proto__: { jwks: secret },
      [secret]: 'x',
    }
    await send(recorder, '/api/oauth/register', post(JSON.stringify(metadata)))
    const form = `grant_type=authorization_code&code=${secret}&${secret}=1&client_secret=${secret}`
    await send(recorder, '/api/oauth/token', post(form))
    const query = new URLSearchParams({
      client_id: secret,
      redirect_uri: hidden,
      resource: `https://${secret}`,
      scope: secret,
      state: secret,
    })
    await send(recorder, `/oauth/authorize?${query}`)
    const client = recorder.client()
    expect(JSON.stringify(client)).not.toContain(secret)
    expect(client.registrations).toEqual([
      {
        client_name: 'Own',
        redirect_uris: ['https://own.example/cb?token=removed&v=removed', 'own://cb'],
        client_uri: 'https://own.example/cb?token=removed&v=removed',
      },
    ])
    expect(client.token?.exchange).toEqual(['grant_type', 'code'])
    expect(client.authorize).toMatchObject({ resource: null, scopes: ['recommended'] })
    expect(client.notes).toEqual(
      expect.arrayContaining([
        'sends a resource that is not this site',
        'requests other scopes than the server recommends',
        'sends further fields to the token endpoint',
      ]),
    )
  })

  it.each([
    ['', ''],
    ['/', '/'],
    ['/mcp', '/mcp'],
    ['/mcp/signed-in', '/mcp'],
    ['/mcp/member', '/mcp'],
    ['/mcp?toolset=sales', '/mcp'],
    ['/mcpx', null],
    ['/account/graphql', null],
  ])('tells where the MCP endpoint is meant, whatever its address: %j', async (path, form) => {
    const recorder = record()
    const query = new URLSearchParams({ client_id: 'own', resource: ISSUER + path })
    await send(recorder, `/oauth/authorize?${query}`)
    expect(recorder.client().authorize?.resource).toBe(form)
  })

  it('keeps no value of a query, however short it is [REC-02]', async () => {
    const recorder = record()
    const uri = 'https://own.example/cb?pin=4711&=4711&4711&a=b=4711'
    const body = JSON.stringify({ client_name: 'Own', redirect_uris: [uri], logo_uri: uri })
    await send(recorder, '/api/oauth/register', post(body))
    const query = new URLSearchParams({ client_id: uri, redirect_uri: uri })
    await send(recorder, `/oauth/authorize?${query}`)
    const client = recorder.client()
    expect(JSON.stringify(client)).not.toContain('4711')
    const kept = 'https://own.example/cb?pin=removed&=removed&removed&a=removed'
    expect(client.authorize?.redirectUri).toBe(kept)
    expect(client.registrations).toEqual([
      { client_name: 'Own', redirect_uris: [kept], logo_uri: kept },
    ])
  })

  it('tells every scope, the scopes of the challenge and none apart, in their order', async () => {
    const recorder = record()
    const ask = (scope: string): Promise<Response> =>
      send(
        recorder,
        `/oauth/authorize?scope=${encodeURIComponent(scope)}&redirect_uri=own%3A%2F%2Fcb`,
      )
    const challenge = { 'www-authenticate': 'Bearer error="x", scope="courses:read"' }
    await send(recorder, '/.well-known/oauth-authorization-server', {}, () =>
      Response.json({ scopes_supported: ['openid', 'courses:read', 'account:read'] }),
    )
    await send(
      recorder,
      '/mcp',
      post('{}'),
      () => new Response(null, { status: 401, headers: challenge }),
    )
    await ask('account:read openid courses:read offline_access')
    await ask('')
    await ask('courses:read')
    expect(recorder.client().authorize).toMatchObject({
      redirectUri: 'own://cb',
      resource: null,
      scopes: ['everything', 'nothing', 'recommended'],
    })
  })

  it('notices a browser by its origin, and not the pages of the site', async () => {
    const recorder = record()
    await send(recorder, '/oauth/interaction/x', { ...post(''), headers: { origin: ISSUER } })
    await send(recorder, '/api/oauth/token', { ...post(''), headers: { origin: ISSUER } })
    expect(recorder.client().needsCors).toBe(false)
    const headers = { origin: 'http://localhost:6274' }
    await send(recorder, '/.well-known/oauth-authorization-server', { headers })
    expect(recorder.client().needsCors).toBe(true)
  })

  it('passes on what it cannot read, and keeps little of what is repeated', async () => {
    const recorder = record()
    const answer = (): Response => new Response('the answer', { status: 400 })
    for (const body of ['{', '[]', 'null', '"x"', `"${'x'.repeat(70_000)}"`]) {
      const response = await send(recorder, '/api/oauth/register', post(body), answer)
      expect([response.status, await response.text()]).toEqual([400, 'the answer'])
    }
    for (let count = 0; count < 100; count++)
      await send(recorder, '/api/oauth/register', post(`{"client_name":"${count}"}`))
    expect(recorder.client().registrations).toHaveLength(20)
  })

  it.each([
    [{ issuer: 'school.example', name: 'Own' }, 'issuer'],
    [{ issuer: ISSUER, name: ' ' }, 'name'],
    [{ issuer: ISSUER }, 'name'],
  ])('refuses %j', (options, named) => {
    expect(() => recordClient(options as never)).toThrow(OptionsError)
    expect(() => recordClient(options as never)).toThrow(named)
  })
})
