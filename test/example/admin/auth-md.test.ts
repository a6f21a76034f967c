import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REFUSALS } from '../../../src/policy/refusals.js'
import { AUTH_MD_WALK, followAuthMd } from '../../support/http/auth-md-walk.js'
import { createFormBrowser, signInAndAllow } from '../../support/http/form-browser.js'
import { errorStatuses, statusOfError } from '../../support/school/error-statuses.js'
import { type SharedExample, sharedExample } from '../../support/processes/example.js'

let example: SharedExample
beforeAll(async () => {
  example = await sharedExample()
})
afterAll(() => example.stop())

type Json = Readonly<Record<string, unknown>>
type Operation = {
  readonly operationId: string
  readonly security: readonly [{ oauth2: [string] }]
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** Everything that a client may read about one school before it has a token. */
interface Described {
  readonly origin: string
  readonly text: string
  readonly servers: readonly Json[]
  readonly resources: readonly Json[]
  readonly openapi: { paths: Paths; components: Json }
}

const BASE = '/api/v1'
const WELL_KNOWN = '/.well-known'
const SERVERS = [`${WELL_KNOWN}/oauth-authorization-server`, `${WELL_KNOWN}/openid-configuration`]
const RESOURCES = ['', '/mcp', '/mcp/signed-in', '/mcp/member', '/account/graphql'].map(
  (path) => `${WELL_KNOWN}/oauth-protected-resource${path}`,
)

async function describedAt(origin: string): Promise<Described> {
  const get = async (path: string): Promise<Response> => {
    const answer = await fetch(origin + path)
    expect([path, answer.status]).toEqual([path, 200])
    return answer
  }
  const json = async (path: string): Promise<Json> => (await get(path)).json() as Promise<Json>
  return {
    origin,
    text: await (await get('/auth.md')).text(),
    servers: await Promise.all(SERVERS.map(json)),
    resources: await Promise.all(RESOURCES.map(json)),
    openapi: (await json('/openapi.json')) as unknown as Described['openapi'],
  }
}

const SITES = ['Lantern Street Drawing School', 'Kiln & Coil Pottery'] as const

describe.each(SITES)('/auth.md of %s', (name) => {
  let site: Described
  beforeAll(async () => {
    site = await describedAt(name === SITES[0] ? example.origin : example.kiln)
  })

  it('is of this school', () => {
    expect(site.text.split('\n', 1)).toEqual([`# How to connect to ${name}`])
    for (const { resource_name: resourceName } of site.resources) expect(resourceName).toBe(name)
  })

  it('has the addresses of the discovery documents and of the description, and no other', () => {
    const advertised = [
      ...[...SERVERS, ...RESOURCES, '/openapi.json', BASE].map((path) => site.origin + path),
      ...[...site.servers, ...site.resources].flatMap((one) => stringsIn(one).filter(isUrl)),
    ]
    expect(addressesIn(site)).toEqual(sorted(advertised))
  })

  it('names the platforms and document hosts of others, and none of the demo', () => {
    const { text } = site
    expect(text).toMatch(/^- A known platform registers with its name [^\n]*: Claude, ChatGPT,/m)
    expect(text).toMatch(
      /^- Any other client [^\n]* on one of these hosts: claude\.ai, chatgpt\.com,/m,
    )
    expect(text.match(/API reference|\b(?:notes|desk|bad|slow)\.example\b/g)).toBeNull()
  })

  it('leads nowhere that is not there', async () => {
    const dead: string[] = []
    for (const address of addressesIn(site)) {
      // The base of the operations is no operation itself.
      const isBase = address === site.origin + BASE
      const { status, body } = await fetch(isBase ? `${address}/courses` : address)
      await body?.cancel()
      if (status === 404) dead.push(address)
    }
    expect(dead).toEqual([])
  })

  it('has in its table the scopes of discovery, each with what the description gives it to', () => {
    for (const { scopes_supported: supported } of site.servers)
      expect(scopeRows(site).map(({ scope }) => scope)).toEqual(supported)
    const operations = Object.entries(site.openapi.paths).filter(([path]) =>
      path.startsWith(`${BASE}/`),
    )
    const described = operations.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, security }]) => {
        const [{ oauth2: [scope] }] = security // prettier-ignore
        return `${scope} \`${operationId}\` (${method.toUpperCase()} ${path})`
      }),
    )
    const listed = scopeRows(site).flatMap(({ scope, operations }) =>
      operations.map((operation) => `${scope} ${operation}`),
    )
    expect(described.length).toBeGreaterThan(100)
    expect(sorted(listed)).toEqual(sorted(described))
  })

  it('offers the description the scopes that operations ask for', () => {
    const { securitySchemes } = site.openapi.components as {
      securitySchemes: { oauth2: { flows: { authorizationCode: Record<string, unknown> } } }
    }
    const { scopes, ...addresses } = securitySchemes.oauth2.flows.authorizationCode
    const used = scopeRows(site).filter(({ operations }) => operations.length > 0)
    expect(Object.keys(scopes as object)).toEqual(used.map(({ scope }) => scope))
    const [{ authorization_endpoint: authorize, token_endpoint: token } = {}] = site.servers
    expect(addresses).toEqual({ authorizationUrl: authorize, tokenUrl: token, refreshUrl: token })
  })

  it('speaks of no scope that its table does not have', () => {
    const scopes = new Set(scopeRows(site).map(({ scope }) => scope))
    const spoken = [...site.text.matchAll(/[`=\s]((?:[a-z_]+:(?:read|write))|openid)\b/g)]
    expect(spoken.length).toBeGreaterThan(scopes.size)
    expect(spoken.map(([, scope]) => scope!).filter((scope) => !scopes.has(scope))).toEqual([])
  })

  it('names every value that discovery has to choose from', () => {
    const steps = site.text.split('## 8. Errors')[0]!
    const named = new Set([
      ...[...steps.matchAll(/`([^`\n]+)`/g)].map(([, value]) => value!),
      ...[...steps.matchAll(/[?&]?\b\w+=([\w.-]+)$/gm)].map(([, value]) => value!),
      ...[...steps.matchAll(/": "([^"]+)"/g)].map(([, value]) => value!),
    ])
    const missing = site.servers.flatMap((server) =>
      CHOICES.flatMap((member) =>
        (server[member] as readonly string[]).filter((value) => !named.has(value)),
      ),
    )
    expect(sorted(missing)).toEqual([])
  })

  it.each(Object.entries(NAMED_IN))('names as %s only what discovery has', (member, pattern) => {
    const named = sorted([...site.text.matchAll(pattern)].map(([, value]) => value!))
    expect(named.length).toBeGreaterThan(0)
    for (const server of site.servers)
      expect(named.filter((one) => !(server[member] as string[]).includes(one))).toEqual([])
  })

  it('sends the token where discovery says, and signs as discovery says where it signs', () => {
    for (const { bearer_methods_supported: methods } of site.resources)
      expect(methods).toEqual(['header'])
    expect(site.text).toMatch(/^Authorization: Bearer <ACCESS_TOKEN>$/m)
    const [, algorithm] = /signed with (\w+)/.exec(site.text) ?? []
    for (const server of site.servers)
      expect(server['id_token_signing_alg_values_supported'] ?? null).toEqual(
        name === SITES[0] ? [algorithm] : null,
      )
  })

  it('has an anchor for every error of the OAuth endpoints and of the operations, and no other', () => {
    const anchors = [...site.text.matchAll(/<a id="error-([\w-]+)"><\/a>/g)].map(
      ([, code]) => code!,
    )
    const { schemas } = site.openapi.components as {
      schemas: { Problem: { properties: { code: { enum: string[] } } } }
    }
    const problems = schemas.Problem.properties.code.enum
    expect(anchors).toEqual([...new Set(anchors)])
    expect(sorted(anchors)).toEqual(sorted([...Object.keys(REFUSALS), ...problems]))
  })
})

const ASKED: readonly RequestInit[] = [
  {},
  { method: 'PUT' },
  { method: 'POST' },
  { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' },
  { headers: { authorization: 'Bearer x' } },
]

it('has in /auth.md the status and the error of every refusal of what is described', async () => {
  const { origin, text, openapi } = await describedAt(example.origin)
  const sent = new Set<string | null>()
  for (const path of Object.keys(openapi.paths))
    for (const init of ASKED) {
      const address = origin + path.replaceAll(/\{\w+\}/g, 'x')
      sent.add(await statusOfError(await fetch(address, { ...init, redirect: 'manual' })))
    }
  sent.delete(null)
  expect(sent).toContain('invalid_request 415')
  expect(sent).toContain('method_not_allowed 405')
  const told = errorStatuses(text)
  expect([...sent].filter((one) => !told.has(one!))).toEqual([])
})

it('leads its client from registration to revocation, by its blocks as they are written [DISC-32]', async () => {
  const { text } = await describedAt(example.origin)
  const browser = createFormBrowser(example.origin)
  const walked = await followAuthMd(text, (url) =>
    signInAndAllow(browser, url, { email: 'ines.duarte@example.com' }),
  )
  expect(walked).toEqual(AUTH_MD_WALK)
})

describe('/auth.md in a browser', () => {
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const get = (accept: string | null, method = 'GET'): Promise<Response> =>
    fetch(`${example.origin}/auth.md`, { method, headers: accept === null ? {} : { accept } })
  const idsIn = (text: string): readonly string[] =>
    [...text.matchAll(/ id="(error-[^"]+)"/g)].map(([, id]) => id!)

  it('is a page with the same text and the same anchors, where error_uri leads [DISC-26]', async () => {
    const [page, markdown] = [await get(BROWSER), await get(null)]
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const [shown, text] = [await page.text(), await markdown.text()]
    expect(idsIn(text).length).toBeGreaterThan(20)
    expect(idsIn(shown)).toEqual(idsIn(text))
    const headings = text.split('\n').filter((line) => line.startsWith('## '))
    for (const heading of headings) expect(shown).toContain(`>${heading.slice(3)}</h2>`)
    const links = [...shown.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect(links).toHaveLength(headings.length)
    for (const id of links) expect(shown).toContain(` id="${id}"`)
  })

  it.each([null, '*/*', 'text/markdown, text/html;q=0.5, */*', 'application/json'])(
    'is Markdown for a client that accepts %s, and caches keep them apart [DISC-26]',
    async (accept) => {
      const response = await get(accept)
      expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
      expect(response.headers.get('vary')).toMatch(/\bAccept\b/)
      expect((await get(BROWSER)).headers.get('vary')).toMatch(/\bAccept\b/)
    },
  )

  it('has no body for HEAD, and no page for other methods', async () => {
    const head = await get(BROWSER, 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await get(BROWSER, 'DELETE')).status).toBe(405)
  })
})

// Of `*_supported`: what a client puts into a request. What is left out describes answers.
const CHOICES = [
  'grant_types_supported',
  'response_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'revocation_endpoint_auth_methods_supported',
  'introspection_endpoint_auth_methods_supported',
  'prompt_values_supported',
]

const NAMED_IN: Readonly<Record<string, RegExp>> = {
  grant_types_supported: /grant_type=(\w+)/g,
  response_types_supported: /response_type=(\w+)/g,
  code_challenge_methods_supported: /(?:code_challenge_method=|`)(S\d+|plain)\b/g,
  token_endpoint_auth_methods_supported: /["`](none|\w+_(?:basic|post|jwt|auth))["`]/g,
  prompt_values_supported: /prompt=(\w+)/g,
}

const sorted = (values: readonly string[]): readonly string[] => [...new Set(values)].sort()

const stringsIn = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(stringsIn)

const isUrl = (text: string): boolean => /^https?:/.test(text)

// What the client that is made up there calls its own.
const CALLBACK = 'http://127.0.0.1:3000/callback'

const addressesIn = ({ text }: Described): readonly string[] =>
  sorted(text.match(/https?:\/\/[\w.:/-]*\w/g) ?? []).filter((address) => address !== CALLBACK)

function scopeRows({
  text,
}: Described): readonly { scope: string; operations: readonly string[] }[] {
  const table = text.split('## Scopes\n')[1]!.split('\n## ', 1)[0]!
  return [...table.matchAll(/^\| `([^`]+)` \|.*\| (.*) \|$/gm)].map(([, scope, operations]) => ({
    scope: scope!,
    operations: operations === '' ? [] : operations!.split('<br>'),
  }))
}
