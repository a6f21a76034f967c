import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
  UnauthorizedError as NewUnauthorizedError,
} from '@modelcontextprotocol/client'
import { UnauthorizedError as OldUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MEMBER_TOOLS, PUBLIC_TOOLS } from '../example/agents/table.js'
import { type SharedExample, sharedExample } from '../support/processes/example.js'
import {
  createFormBrowser,
  type FormBrowser,
  signInAndAllow,
} from '../support/http/form-browser.js'
import { type App, createApp as appAt, withoutRefreshToken } from '../support/http/mcp-app.js'

const INES = 'ines.duarte@example.com'
const AMARA = 'amara.obi@example.com'
const MEI = 'mei-ling.chou@example.com'

let school: SharedExample
beforeAll(async () => {
  school = await sharedExample()
})
afterAll(() => school.stop())

/** @param clientId - of an application that the school set up; left out, the app registers itself. */
const createApp = (clientId?: string): App =>
  appAt(school.origin, {
    name: 'Tools of Ines',
    clientId,
    keep: withoutRefreshToken,
  })

interface Connected {
  readonly listTools: () => Promise<readonly string[]>
  readonly callTool: (name: string, args?: Record<string, unknown>) => Promise<unknown>
  /** Hands over what the browser was sent back with. */
  readonly finishAuth: (callback: URL) => Promise<void>
  readonly close: () => Promise<void>
}

const INFO = { name: 'tools-of-ines', version: '1.0.0' }

async function connectOld(url: URL, { provider }: App): Promise<Connected> {
  const client = new OldClient(INFO)
  const transport = new OldTransport(url, { authProvider: provider })
  await client.connect(transport)
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }),
    finishAuth: ({ searchParams }) => transport.finishAuth(searchParams.get('code')!),
    close: () => client.close(),
  }
}

async function connectNew(url: URL, { provider }: App): Promise<Connected> {
  const client = new NewClient(INFO, { versionNegotiation: { mode: 'auto' } })
  const transport = new NewTransport(url, { authProvider: provider })
  await client.connect(transport)
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }),
    finishAuth: ({ searchParams }) => transport.finishAuth(searchParams),
    close: () => client.close(),
  }
}

it('the client of version 2 agrees with the school on protocol version 2026-07-28', async () => {
  const client = new NewClient(INFO, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new NewTransport(mcp()))
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  await client.close()
})

const mcp = (origin = school.origin): URL => new URL('/mcp', origin)

const sorted = (names: readonly string[]): readonly string[] => names.toSorted()

describe.each([
  ['version 1', connectOld, OldUnauthorizedError],
  ['version 2', connectNew, NewUnauthorizedError],
] as const)('the official client of %s', (_, connect, UnauthorizedError) => {
  /** Calls a tool, signs in and allows where that is asked for, and calls it again. */
  async function callWithSignIn(
    { client, app, browser, email }: { client: Connected; app: App; browser: FormBrowser; email: string }, // prettier-ignore
    name: string,
    args?: Record<string, unknown>,
  ): Promise<unknown> {
    await expect(client.callTool(name, args)).rejects.toThrow(UnauthorizedError)
    await client.finishAuth(await signInAndAllow(browser, app.sentTo.at(-1)!, { email }))
    return client.callTool(name, args)
  }

  it('lists and calls the public tools without a sign-in', async () => {
    const app = createApp()
    const client = await connect(mcp(), app)
    expect(await client.listTools()).toEqual(PUBLIC_TOOLS)
    expect(await client.callTool('list_public_courses', { limit: 1 })).toMatchObject({
      structuredContent: { data: [{}] },
    })
    expect(app.sentTo).toEqual([])
    await client.close()
  })

  it('registers and signs in where a tool needs it, and asks for more where another does', async () => {
    const app = createApp()
    const client = await connect(mcp(), app)
    const ines = { client, app, browser: createFormBrowser(school.origin), email: INES }

    expect(await callWithSignIn(ines, 'get_course', { id: 'crs_l01' })).toMatchObject({
      structuredContent: { data: { id: 'crs_l01' }, version: expect.any(String) as unknown },
    })
    const first = app.sentTo[0]!.searchParams
    expect(first.get('scope')?.split(' ')).toContain('courses:read')
    expect(first.get('resource')).toMatch(school.origin)
    expect(app.tokens()!.scope!.split(' ')).toContain('courses:read')
    expect(await client.listTools()).toEqual([...PUBLIC_TOOLS, 'list_courses', 'get_course'])

    expect(await callWithSignIn(ines, 'list_orders', { limit: 1 })).toMatchObject({
      structuredContent: { data: [{}] },
    })
    expect(app.sentTo).toHaveLength(2)
    const scopes = ['courses:read', 'orders:read']
    expect(app.sentTo[1]!.searchParams.get('scope')?.split(' ')).toEqual(
      expect.arrayContaining(scopes),
    )
    expect(app.sentTo[1]!.searchParams.get('client_id')).toBe(first.get('client_id'))
    expect(app.tokens()!.scope!.split(' ')).toEqual(expect.arrayContaining(scopes))
    expect(await client.callTool('check_connection')).toMatchObject({
      structuredContent: {
        caller: 'operator',
        subject: 'mem_l01',
        roles: ['owner'],
        scopes: expect.arrayContaining(scopes) as unknown,
      },
    })
    expect(await client.callTool('get_course', { id: 'crs_l01' })).not.toHaveProperty('isError')
    await client.close()
  })

  it('is told where no sign-in would help, and sends nobody anywhere', async () => {
    const app = createApp()
    const client = await connect(mcp(), app)
    const amara = { client, app, browser: createFormBrowser(school.origin), email: AMARA }
    await callWithSignIn(amara, 'list_courses')
    const refused = (await client.callTool('list_orders')) as {
      isError: boolean
      content: { text: string }[]
    }
    expect(refused.isError).toBe(true)
    expect(JSON.parse(refused.content[0]!.text)).toMatchObject({ code: 'FORBIDDEN_ROLE' })
    expect(app.sentTo).toHaveLength(1)
    await client.close()
  })

  it('has the tools of a member by an application that the school set up', async () => {
    const app = createApp('study-buddy')
    const client = await connect(mcp(), app)
    const mei = { client, app, browser: createFormBrowser(school.origin), email: MEI }
    expect(await callWithSignIn(mei, 'get_my_profile')).toMatchObject({
      structuredContent: { data: { name: 'Mei-Ling Chou' } },
    })
    expect(app.tokens()!.scope!.split(' ')).toContain('account:read')
    expect(sorted(await client.listTools())).toEqual(
      sorted([...PUBLIC_TOOLS, ...MEMBER_TOOLS['account:read']]),
    )
    await client.close()
  })

  it('is not let in at the other school with a token of this one, not even to the public tools', async () => {
    const app = createApp()
    const client = await connect(mcp(), app)
    const ines = { client, app, browser: createFormBrowser(school.origin), email: INES }
    await callWithSignIn(ines, 'list_courses')
    await client.close()

    const { access_token: accessToken } = app.tokens()!
    for (const [method, params] of [
      ['tools/list', {}],
      ['tools/call', { name: 'check_connection', arguments: {} }],
      ['tools/call', { name: 'list_courses', arguments: {} }],
    ] as const) {
      const ask = (origin: string): Promise<Response> =>
        fetch(mcp(origin), {
          method: 'POST',
          headers: {
            authorization: `Bearer ${accessToken}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        })
      const there = await ask(school.kiln)
      expect(there.status).toBe(401)
      const challenge = there.headers.get('www-authenticate')
      expect(challenge).toContain('error="invalid_token"')
      expect(challenge).toContain(
        `resource_metadata="${school.kiln}/.well-known/oauth-protected-resource/mcp"`,
      )
      expect(await there.text()).not.toContain('result')
      expect((await ask(school.origin)).status).toBe(200)
    }
  })
})
