import { createServer } from 'node:http'
import { auditServer, type Handler } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import { openServer } from '../../../test/support/http/open-server.js'
import { createBrokenServer, ORIGIN } from './broken-server.js'
import { DEVIATIONS } from './faults.js'
import { ownCheck } from './own-check.js'

const TOKENS = 'http://127.0.0.1:3001'
const API = 'http://127.0.0.1:3002'
const MCP = 'http://127.0.0.1:3003'
/** The paths of each origin. */
const PATHS: Readonly<Record<string, RegExp>> = {
  [ORIGIN]: /^(?!\/api\/oauth\/token$|\/courses$|\/mcp$|\/\.well-known\/oauth-protected-resource)/,
  [TOKENS]: /^\/api\/oauth\/token$/,
  [API]: /^\/courses$|^\/\.well-known\/oauth-protected-resource$/,
  [MCP]: /^\/mcp$|^\/\.well-known\/oauth-protected-resource/,
}

/** One server as four, of which each answers its own paths only. `asked`: what each was asked for. */
function split(next: Handler, asked: Record<string, Set<string>>): Handler {
  const plain = (text: string): string => text.replaceAll(encodeURIComponent(MCP), encodeURIComponent(ORIGIN)).replaceAll(MCP, ORIGIN)
  return async (request) => {
    const { origin, pathname, search } = new URL(request.url)
    ;(asked[origin] ??= new Set()).add(pathname)
    if (PATHS[origin]?.test(pathname) !== true) return new Response(null, { status: 404 })
    const headers = new Headers(request.headers)
    if (headers.get('host') === new URL(origin).host) headers.set('host', new URL(ORIGIN).host)
    const body = request.method === 'GET' || request.method === 'HEAD' ? {} : { body: plain(await request.text()) }
    const answer = await next(new Request(ORIGIN + pathname + plain(search), { method: request.method, headers, ...body }))
    if (pathname.startsWith('/.well-known/oauth-protected-resource') && answer.status === 200)
      return Response.json(JSON.parse((await answer.text()).replaceAll(`"resource":"${ORIGIN}`, `"resource":"${origin}`)))
    if (pathname.startsWith('/.well-known/') && answer.status === 200) {
      // A proof of DPoP names a URL, which this server would take for another one.
      const { dpop_signing_alg_values_supported: _, ...metadata } = (await answer.json()) as Record<string, unknown>
      return Response.json({ ...metadata, token_endpoint: `${TOKENS}/api/oauth/token` }, { headers: answer.headers })
    }
    const challenge = answer.headers.get('www-authenticate')
    if (challenge === null || origin === TOKENS) return answer
    const changed = new Headers(answer.headers)
    // UserInfo has no metadata of its own here.
    if (origin === ORIGIN) changed.set('www-authenticate', challenge.replace(/(?:, )?resource_metadata="[^"]*"/, ''))
    else changed.set('www-authenticate', challenge.replaceAll(ORIGIN, origin))
    return new Response(answer.body, { status: answer.status, headers: changed })
  }
} // prettier-ignore

async function auditSplit(more: Parameters<typeof auditServer>[1] = {}) {
  const { handler, options } = await createBrokenServer()
  const asked: Record<string, Set<string>> = {}
  const signIn = { ...options.signIn, surfaces: [{ path: `${API}/courses`, scope: 'courses:read' }] } // prettier-ignore
  const report = await auditServer(split(handler, asked), { ...options, signIn, ...more })
  return { ...report, asked }
}

describe('a server of several origins', () => {
  it('is audited at all that are named, as one', async () => {
    const { rows, asked, left } = await auditSplit({ otherOrigins: [TOKENS, MCP] })
    const open = rows.filter(({ verdict }) => verdict !== 'held' && verdict !== 'not applicable')
    const further = open.filter(({ check }) => !DEVIATIONS.includes(check))
    expect(further.map(({ check, found }) => `${check}: ${found}`)).toEqual([])
    expect(Object.keys(asked).toSorted()).toEqual([ORIGIN, TOKENS, API, MCP])
    const mcp = rows.filter(({ check, verdict }) => check.startsWith('mcp/') && verdict === 'held')
    expect(mcp.length).toBeGreaterThan(15)
    expect(left.grants).toBe(0)
  }, 120_000)

  it('is asked for nothing at an origin that was not named, and the reason says what to give', async () => {
    const tokens = ownCheck('tokens', (on) => on.tokens())
    const { rows, asked } = await auditSplit({
      otherOrigins: [MCP],
      only: ['own'],
      checks: [tokens],
    })
    expect(rows[0]!.found).toBe(`${TOKENS} was not named, and nothing is sent there: if it belongs to the server, give --origin ${TOKENS}`) // prettier-ignore
    expect(asked[TOKENS]).toBeUndefined()
  })

  it('may have its MCP endpoint where no metadata leads', async () => {
    const { options } = await createBrokenServer()
    const there: string[] = []
    const handler: Handler = ({ url }) => {
      there.push(url)
      if (url === 'http://127.0.0.1:3003/agents/mcp') return Response.json({ jsonrpc: '2.0', id: 'initialize', result: {} }) // prettier-ignore
      return url === `${ORIGIN}/.well-known/oauth-authorization-server` ? Response.json({ issuer: ORIGIN }) : new Response(null, { status: 404 }) // prettier-ignore
    }
    const path = ownCheck('path', async (on) => ({ found: (await on.mcpUrl()).href }))
    const signIn = { ...options.signIn, mcp: `${MCP}/agents/mcp` }
    const { rows } = await auditServer(handler, { signIn, only: ['own'], checks: [path] })
    expect(rows[0]!.found).toBe(`${MCP}/agents/mcp`)
  })

  it('is followed from origin to origin by a browser, which gives each host its own cookies', async () => {
    const cookies: (readonly [string, string | null])[] = []
    const handler: Handler = ({ url, headers }) => {
      const { hostname, pathname } = new URL(url)
      if (pathname.startsWith('/.well-known')) return Response.json({ issuer: 'http://as.localhost' })
      cookies.push([hostname, headers.get('cookie')])
      const location = { '/start': 'http://login.localhost/sign-in', '/sign-in': 'http://as.localhost/back', '/back': 'https://elsewhere.example/' }[pathname]!
      return new Response(null, { status: 302, headers: { location, 'set-cookie': `of-${hostname.split('.')[0]}=1; Path=/` } })
    }
    const walks = ownCheck('walks', async (on) => {
      const page = await on.browser(null).open('/start')
      return { found: `${page.left?.href}` }
    })
    const { rows } = await auditServer(handler, { origin: 'http://as.localhost', otherOrigins: ['http://login.localhost'], depth: 'people', only: ['own'], checks: [walks] })
    expect(rows[0]!.found).toBe('https://elsewhere.example/')
    expect(cookies).toEqual([['as.localhost', null], ['login.localhost', null], ['as.localhost', 'of-as=1']])
  }) // prettier-ignore
})

describe('the permission of each host', () => {
  const token = 'a text of more than sixteen characters'
  /** Servers that this computer reaches, and one of which it cannot know by its name that it is here. */
  async function serve(permission: string) {
    const asked: string[] = []
    const here = createServer((_, response) => response.setHeader('content-type', 'application/json').end('{"issuer":"a"}'))
    const there = createServer((request, response) => {
      asked.push(request.url!)
      response.end(permission)
    })
    return { asked, origin: `http://127.0.0.1:${await openServer(here)}`, other: `http://[::ffff:127.0.0.1]:${await openServer(there)}` }
  } // prettier-ignore

  it('is asked for before anything else, and nothing is sent where it is missing', async () => {
    const { asked, origin, other } = await serve('another text')
    const at = new URL(other).origin
    await expect(auditServer(origin, { otherOrigins: [other], token })).rejects.toThrow(`${at}/.well-known/hallpass-audit (200) does not serve the token`) // prettier-ignore
    await expect(auditServer(origin, { otherOrigins: [other] })).rejects.toThrow(`${at} is on another computer`) // prettier-ignore
    expect(asked).toEqual(['/.well-known/hallpass-audit'])
  })

  it('is enough at the one host that needs it', async () => {
    const { asked, origin, other } = await serve(token)
    const asks = ownCheck('asks', (on) => on.send(`${other}/courses`))
    const { rows } = await auditServer(origin, { otherOrigins: [other], token, only: ['own'], depth: 'people', checks: [asks], pause: 0 }) // prettier-ignore
    expect(rows[0]!.verdict).toBe('held')
    expect([asked[0], asked.at(-1)]).toEqual(['/.well-known/hallpass-audit', '/courses'])
  })
})
