import {
  auth as newAuth,
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
  UnauthorizedError as NewUnauthorizedError,
} from '@modelcontextprotocol/client'
import {
  auth as oldAuth,
  UnauthorizedError as OldUnauthorizedError,
} from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { schoolRoles } from 'hallpass/scope'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EFFECTS, MEMBER_TOOLS, PUBLIC_TOOLS, SCOPES } from '../example/agents/table.js'
import {
  createFormBrowser,
  type FormBrowser,
  type Page,
  signInAndAllow,
} from '../support/http/form-browser.js'
import { type App, createApp as appAt } from '../support/http/mcp-app.js'
import { authorizeUrl } from '../support/http/running-flow.js'
import { type SharedExample, sharedExample } from '../support/processes/example.js'

/** The people of Lantern, by their role. */
const PEOPLE = {
  owner: 'ines.duarte@example.com',
  manager: 'tomasz.wilk@example.com',
  lecturer: 'amara.obi@example.com',
  assistant: 'yuki.tan@example.com',
  student: 'mei-ling.chou@example.com',
} as const

let school: SharedExample
beforeAll(async () => {
  school = await sharedExample()
})
afterAll(() => school.stop())

/** Their browsers. Each signs in once: the shared school allows a person 30 sign-ins in ten minutes. */
const browsers = new Map<keyof typeof PEOPLE, FormBrowser>()
function browserOf(who: keyof typeof PEOPLE): FormBrowser {
  const browser = browsers.get(who) ?? createFormBrowser(school.origin)
  browsers.set(who, browser)
  return browser
}
const allowAs = (who: keyof typeof PEOPLE, url: URL): Promise<URL> =>
  signInAndAllow(browserOf(who), url, { email: PEOPLE[who] })

/** What somebody sees who opens an address of the school, signed in. */
async function openAs(who: keyof typeof PEOPLE, url: URL): Promise<Page> {
  const page = await browserOf(who).open(url)
  return page.text.includes('name="password"')
    ? browserOf(who).submit(page, { email: PEOPLE[who], password: 'hallpass-demo' }, 'Sign in')
    : page
}

/**
 * An app that nobody has set scopes for, as Claude Code, Codex, OpenCode and the Inspector are.
 *
 * @param clientId - of an application that the school set up; left out, the app registers itself
 */
const createApp = (clientId?: string): App =>
  appAt(school.origin, { name: 'A first sign-in', clientId })

/** What the two published clients have in common. */
interface Published {
  /** The command "sign in", which needs no challenge. Returns once the browser is to open `sentTo`. */
  readonly signIn: (url: URL, app: App) => Promise<unknown>
  /** Hands over what the browser was sent back with. */
  readonly finish: (url: URL, app: App, callback: URL) => Promise<unknown>
  readonly listTools: (url: URL, app: App) => Promise<readonly string[]>
  readonly Unauthorized: new (...parameters: never[]) => Error
}

const INFO = { name: 'first-sign-in', version: '1.0.0' }
const namesOf = ({ tools }: { tools: readonly { name: string }[] }): readonly string[] =>
  tools.map(({ name }) => name)

const PUBLISHED: readonly (readonly [string, Published])[] = [
  [
    '@modelcontextprotocol/sdk',
    {
      signIn: (url, { provider }) => oldAuth(provider, { serverUrl: url }),
      finish: (url, { provider }, callback) =>
        oldAuth(provider, {
          serverUrl: url,
          authorizationCode: callback.searchParams.get('code')!,
        }),
      async listTools(url, { provider }) {
        const client = new OldClient(INFO)
        await client.connect(new OldTransport(url, { authProvider: provider }))
        const names = namesOf(await client.listTools())
        await client.close()
        return names
      },
      Unauthorized: OldUnauthorizedError,
    },
  ],
  [
    '@modelcontextprotocol/client',
    {
      signIn: (url, { provider }) => newAuth(provider, { serverUrl: url }),
      finish: (url, { provider }, callback) =>
        new NewTransport(url, { authProvider: provider }).finishAuth(callback.searchParams),
      async listTools(url, { provider }) {
        const client = new NewClient(INFO, { versionNegotiation: { mode: 'auto' } })
        await client.connect(new NewTransport(url, { authProvider: provider }))
        const names = namesOf(await client.listTools())
        await client.close()
        return names
      },
      Unauthorized: NewUnauthorizedError,
    },
  ],
]

const metadataOf = async (
  path: string,
): Promise<{ readonly resource: string; readonly scopes_supported: readonly string[] }> => {
  const address = `${school.origin}/.well-known/oauth-protected-resource${path}`
  return (await (await fetch(address)).json()) as Awaited<ReturnType<typeof metadataOf>>
}

/** The staff tools that read and that a role allows, without the scopes that write. */
const readingTools = (role: keyof typeof schoolRoles): readonly string[] => {
  const { scopes } = schoolRoles[role]!
  return Object.keys(EFFECTS).filter(
    (name) =>
      EFFECTS[name] === 'r' &&
      SCOPES[name]!.some((scope) => scopes === 'all' || isIn(scopes, scope)),
  )
}
const isIn = (scopes: readonly string[], scope: string): boolean => scopes.includes(scope)
const sorted = (names: readonly string[]): readonly string[] => names.toSorted()

/** How many tools somebody sees after the first sign-in, and which: those of everybody come first. */
const SEEN: readonly (readonly [
  who: keyof typeof PEOPLE,
  path: string,
  clientId: string | undefined,
  count: number,
  more: readonly string[],
])[] = [
  ['owner', '/mcp', undefined, 43, readingTools('owner')],
  ['owner', '/mcp/signed-in', undefined, 43, readingTools('owner')],
  ['owner', '/mcp?toolset=all', undefined, 43, readingTools('owner')],
  ['manager', '/mcp', undefined, 43, readingTools('manager')],
  ['lecturer', '/mcp', undefined, 27, readingTools('lecturer')],
  ['assistant', '/mcp', undefined, 24, readingTools('assistant')],
  ['student', '/mcp/member', 'study-buddy', 20, MEMBER_TOOLS['account:read']],
  ['owner', '/mcp/member', 'study-buddy', 20, MEMBER_TOOLS['account:read']],
]

describe.each(PUBLISHED)('%s', (_, published) => {
  /** Signs in once with a client that asks for what it reads, allows everything, and lists the tools. */
  async function signInOnce(
    path: string,
    who: keyof typeof PEOPLE,
    app: App,
  ): Promise<readonly string[]> {
    const url = new URL(path, school.origin)
    await published.signIn(url, app)
    expect(app.sentTo).toHaveLength(1)
    const [target] = app.sentTo
    const { resource, scopes_supported } = await metadataOf(path)
    expect(resource).toBe(url.href)
    expect(target!.searchParams.get('resource')).toBe(resource)
    expect(target!.searchParams.get('scope')!.split(' ')).toEqual(scopes_supported)
    const callback = await allowAs(who, target!)
    await published.finish(url, app, callback)
    expect(app.tokens()!.scope!.split(' ')).toEqual(scopes_supported)
    return published.listTools(url, app)
  }

  it.each(SEEN)(
    'the %s sees at %s (client %s) %i tools after one consent [DISC-28, MCP-19]',
    async (who, path, clientId, count, more) => {
      const tools = await signInOnce(path, who, createApp(clientId))
      expect(tools).toHaveLength(count)
      expect(sorted(tools)).toEqual(sorted([...PUBLIC_TOOLS, ...more]))
    },
  )

  it('selects a toolset at an address whose metadata has its name [DISC-29]', async () => {
    const tools = await signInOnce('/mcp?toolset=sales', 'owner', createApp())
    expect(tools).toContain('list_orders')
    expect(tools).not.toContain('list_courses')
  })

  it('is asked at once at /mcp/signed-in, which /mcp does not do [MCP-19]', async () => {
    const app = createApp()
    const at = (path: string): URL => new URL(path, school.origin)
    expect(await published.listTools(at('/mcp'), app)).toEqual(PUBLIC_TOOLS)
    await expect(published.listTools(at('/mcp/signed-in'), app)).rejects.toThrow(
      published.Unauthorized,
    )
    const [target] = app.sentTo
    expect(target!.searchParams.get('scope')!.split(' ')).toContain('courses:read')
    const callback = await allowAs('owner', target!)
    await published.finish(at('/mcp/signed-in'), app, callback)
    expect(await published.listTools(at('/mcp/signed-in'), app)).toHaveLength(43)
    expect(await published.listTools(at('/mcp'), app)).toHaveLength(43)
  })

  it('of a member is refused at /mcp, whose list is for operators, and told so', async () => {
    const app = createApp('study-buddy')
    await published.signIn(new URL('/mcp', school.origin), app)
    const page = await browserOf('student').open(app.sentTo[0]!)
    expect(page.left!.searchParams.get('error')).toBe('invalid_scope')
    expect(page.left!.searchParams.get('error_description')).toContain('the other audience')
  })

  it('of staff shows a student who may use it', async () => {
    const app = createApp()
    await published.signIn(new URL('/mcp', school.origin), app)
    const page = await openAs('student', app.sentTo[0]!)
    expect(page.text).toContain('This app is for people who run the school.')
  })
})

it('the consent page says that more can be allowed later, and where to see what an app can do', async () => {
  const app = createApp()
  await PUBLISHED[0]![1].signIn(new URL('/mcp', school.origin), app)
  const page = await openAs('owner', app.sentTo[0]!)
  expect(page.text.replace(/\s+/g, ' ')).toContain(
    'If it needs more later, it shows you a link, and you decide again. See <a href="/oauth/authorized_applications" target="_blank">what each app can do</a> at any time.',
  )
  const apps = await browserOf('owner').open('/oauth/authorized_applications')
  expect([apps.status, apps.left]).toEqual([200, null])
})

it.each([
  ['/mcp', ''],
  ['/mcp/', '/'],
  ['/mcp?toolset=sales', '?toolset=sales'],
  ['/mcp/?toolset=sales', '/?toolset=sales'],
  ['/mcp/signed-in', '/signed-in'],
  ['/mcp/signed-in/?toolset=sales', '/signed-in/?toolset=sales'],
  ['/mcp/member', '/member'],
])(
  '%s has one name in challenge, metadata and at the authorization server [DISC-29]',
  async (path, suffix) => {
    const url = school.origin + path
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: 'Bearer unknown',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    const address = /resource_metadata="([^"]*)"/.exec(
      response.headers.get('www-authenticate')!,
    )![1]!
    expect([response.status, address]).toEqual([
      401,
      `${school.origin}/.well-known/oauth-protected-resource/mcp${suffix}`,
    ])
    const metadata = (await (await fetch(address)).json()) as { resource: string }
    expect(metadata.resource).toBe(url)
    const asked = await fetch(authorizeUrl(school.origin, { resource: metadata.resource }), {
      redirect: 'manual',
    })
    expect(asked.headers.get('location')).toMatch(/\/oauth\/interaction\//)
  },
)
