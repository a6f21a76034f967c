import {
  Client as NewClient,
  InsufficientScopeError,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedExample, sharedExample } from '../support/processes/example.js'
import { createFormBrowser, type Page, signInAndAllow } from '../support/http/form-browser.js'
import { type App as BasicApp, createApp as appAt, withoutRefreshToken } from '../support/http/mcp-app.js' // prettier-ignore

const INES = 'ines.duarte@example.com'
const AMARA = 'amara.obi@example.com'
const INFO = { name: 'tools-of-ines', version: '1.0.0' }
const NAME = 'Notes of Ines'
/** A call of a tool that writes. It changes nothing, but needs `courses:write` all the same. */
const WRITE = {
  name: 'create_course',
  arguments: { title: 'Ink and wash', slug: 'ink-and-wash-try', dry_run: true },
}

let school: SharedExample
beforeAll(async () => {
  school = await sharedExample()
})
afterAll(() => school.stop())

/** A client of one version of the SDK. */
interface Version {
  /** @param onError - how it treats a 403: as the SDK does by default, or by showing it */
  readonly connect: (app: App, on403: 'default' | 'show') => Promise<Connected>
  /** What its person sees of an error. */
  readonly shown: (fault: unknown) => string
}

interface Connected {
  readonly call: (call: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>
  readonly finishAuth: (callback: URL) => Promise<void>
  readonly close: () => Promise<void>
}

interface App extends BasicApp {
  /** The requests so far. */
  readonly requests: string[]
  readonly fetch: typeof fetch
}

function createApp(keep?: typeof withoutRefreshToken): App {
  const requests: string[] = []
  return {
    ...appAt(school.origin, { name: NAME, ...(keep && { keep }) }),
    requests,
    fetch(input, init) {
      requests.push(new URL(input instanceof Request ? input.url : input).pathname)
      return fetch(input, init)
    },
  }
}

const mcp = (): URL => new URL('/mcp', school.origin)

const OLD: Version = {
  async connect({ provider, tokens, fetch }, on403) {
    const client = new OldClient(INFO)
    // One that shows errors has the tokens itself, and sends them as a header.
    const options =
      on403 === 'default'
        ? { authProvider: provider }
        : { requestInit: { headers: { authorization: `Bearer ${tokens()!.access_token}` } } }
    const transport = new OldTransport(mcp(), { ...options, fetch })
    await client.connect(transport)
    return {
      call: (call) => client.callTool(call),
      finishAuth: ({ searchParams }) => transport.finishAuth(searchParams.get('code')!),
      close: () => client.close(),
    }
  },
  shown: (fault) => (fault as Error).message,
}

const NEW: Version = {
  async connect({ provider, fetch }, on403) {
    const client = new NewClient(INFO, { versionNegotiation: { mode: 'auto' } })
    const onInsufficientScope = on403 === 'show' ? 'throw' : 'reauthorize'
    const options = { authProvider: provider, fetch, onInsufficientScope } as const
    const transport = new NewTransport(mcp(), options)
    await client.connect(transport)
    return {
      call: (call) => client.callTool(call),
      finishAuth: ({ searchParams }) => transport.finishAuth(searchParams),
      close: () => client.close(),
    }
  },
  shown: (fault) =>
    fault instanceof InsufficientScopeError ? (fault.errorDescription ?? '') : String(fault),
}

/** Signs in by a call that needs reading only. */
async function signIn(version: Version, app: App, email = INES): Promise<void> {
  const client = await version.connect(app, 'default')
  const read = { name: 'list_courses', arguments: { limit: 1 } }
  await expect(client.call(read)).rejects.toThrow()
  const callback = await signInAndAllow(createFormBrowser(school.origin), app.sentTo[0]!, { email })
  await client.finishAuth(callback)
  await client.call(read)
  await client.close()
  expect(app.tokens()!.scope).toContain('courses:read')
  expect(app.tokens()!.scope).not.toContain('courses:write')
}

/** Opens a link in a browser in which no one is signed in, signs in, and presses a button. */
async function decide(link: string, button: 'Allow' | 'Cancel', email = INES): Promise<Page> {
  const browser = createFormBrowser(school.origin)
  const first = await browser.open(link)
  expect(first.text).not.toContain(NAME)
  const consent = await browser.submit(first, { email, password: 'hallpass-demo' }, 'Sign in')
  expect(consent.url.href).toBe(link)
  expect(consent.text).toContain(NAME)
  return browser.submit(consent, {}, button)
}

const linkIn = (text: string): string =>
  /This needs the permission courses:write\. Open (\S+) to allow it, then try again\./.exec(
    text,
  )![1]!

const TEXT_FILES = { structuredContent: { would_change: { title: 'Ink and wash' } } }

describe.each([
  ['version 1', OLD],
  ['version 2', NEW],
] as const)('the official client of %s', (_, version) => {
  it('that shows the error leads its person to the link, and then writes with the same token [STEP-08, STEP-05]', async () => {
    const app = createApp()
    await signIn(version, app)
    const { access_token: token } = app.tokens()!
    const client = await version.connect(app, 'show')
    const before = app.requests.length
    const fault: unknown = await client.call(WRITE).catch((thrown: unknown) => thrown)
    expect(app.requests.length - before).toBe(1)
    const link = linkIn(version.shown(fault))

    const cancelled = await decide(link, 'Cancel')
    expect(cancelled.text).toContain('Nothing has changed')
    const again: unknown = await client.call(WRITE).catch((thrown: unknown) => thrown)
    expect(linkIn(version.shown(again))).toBe(link)

    const other = await decideAs(link, AMARA)
    expect(other.status).toBe(403)
    expect(other.text).not.toContain(NAME)

    const allowed = await decide(link, 'Allow')
    expect(allowed.text).toContain('and try again')
    expect(await client.call(WRITE)).toMatchObject(TEXT_FILES)
    expect(app.tokens()!.access_token).toBe(token)
    expect(app.sentTo).toHaveLength(1)
    await client.close()
  })

  it('that honours the challenge signs in for more, and then writes [STEP-08]', async () => {
    const app = createApp(withoutRefreshToken)
    await signIn(version, app)
    const client = await version.connect(app, 'default')
    await expect(client.call(WRITE)).rejects.toThrow()
    expect(app.sentTo).toHaveLength(2)
    const browser = createFormBrowser(school.origin)
    await client.finishAuth(await signInAndAllow(browser, app.sentTo[1]!, { email: INES }))
    expect(await client.call(WRITE)).toMatchObject(TEXT_FILES)
    await client.close()
  })
})

it('version 1 as it is hides the error after a refresh, and its agent finds the link [STEP-08]', async () => {
  const app = createApp()
  await signIn(OLD, app)
  const client = await OLD.connect(app, 'default')
  const before = app.requests.length
  const fault: unknown = await client.call(WRITE).catch((thrown: unknown) => thrown)
  expect(OLD.shown(fault)).toBe('Streamable HTTP error: Server returned 403 after trying upscoping')
  expect(app.requests.length - before).toBeLessThan(8)
  expect(app.sentTo).toHaveLength(1)

  const { structuredContent } = (await client.call({
    name: 'check_connection',
    arguments: { scopes: ['courses:write'] },
  })) as { structuredContent: { allow_url: string } }
  await decide(structuredContent.allow_url, 'Allow')
  const { access_token: token } = app.tokens()!
  expect(await client.call(WRITE)).toMatchObject(TEXT_FILES)
  expect(app.tokens()!.access_token).toBe(token)
  await client.close()
})

/** Opens a link and signs in as somebody else. */
async function decideAs(link: string, email: string): Promise<Page> {
  const browser = createFormBrowser(school.origin)
  return browser.submit(await browser.open(link), { email, password: 'hallpass-demo' }, 'Sign in')
}
