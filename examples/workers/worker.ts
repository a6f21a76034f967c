// The whole authorization server as a Cloudflare Worker, on D1. One person, one password: replace each with
// your own. Cloudflare runs many isolates of a worker and can stop each at any time, so nothing is kept in memory:
// clients, keys, tokens and sessions are in the database.
import {
  createAuthorizationServer,
  createListedHostsFetcher,
  createProtectedResource,
  defineSite,
} from 'hallpass'
import { maintain } from 'hallpass/operations'
import { type ConsentView, createRouter, type SignInView } from 'hallpass/authorization-server'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { type Batch, createSqliteStore, fromD1, migrateSqlite } from 'hallpass/sqlite'
import { createKeyRing, hashToken } from 'hallpass/token'

/** The bindings: `DB` is the database, `ISSUER` a variable, the other two are secrets. */
interface Env {
  readonly DB?: Parameters<typeof fromD1>[0]
  readonly ISSUER: string
  readonly SEALING_SECRET: string
  readonly PASSWORD: string
}
interface Context {
  waitUntil(promise: Promise<unknown>): void
}

// Your people, in your tables.
const ada = {
  subject: 'usr_1',
  orgId: 'site_1',
  roles: ['owner'],
  name: 'Ada Moreau',
  email: 'ada@example.com',
  picture: null,
}

// Whose documents are fetched: the makers of these clients decide where their names lead.
const allowedHosts = ['claude.ai', 'vscode.dev', 'zed.dev']

// Your sessions: a random identifier in a cookie, of which a table has the hash.
const SESSIONS = `create table if not exists session (
  hash text primary key, subject text not null, signed_in_at integer not null)`
const LASTS = 12 * 3600
const nowInSeconds = (): number => Math.floor(Date.now() / 1000)
interface Session {
  readonly subject: string
  readonly authTime: number
}
async function sessionOf(request: Request, batch: Batch): Promise<Session | null> {
  const [, id] =
    /(?:^|; )session=([\w-]{36})(?:;|$)/.exec(request.headers.get('cookie') ?? '') ?? []
  if (id === undefined) return null
  const sql =
    'select subject, signed_in_at as "authTime" from session where hash = ? and signed_in_at > ?'
  const [rows] = await batch([{ sql, parameters: [hashToken(id), nowInSeconds() - LASTS] }])
  return (rows?.[0] as Session | undefined) ?? null
}

// Your pages. All text that a client sent is escaped.
const escape = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
const page = (title: string, body: string, status = 200): Response =>
  new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}`,
    {
      status,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      },
    },
  )
const signInPage = ({ returnTo, client }: SignInView): Response =>
  page(
    'Sign in',
    `<p>Sign in to continue to ${escape(client.name)}.</p><form method="post" action="/sign-in">
    <input type="hidden" name="return_to" value="${escape(returnTo)}">
    <label>Password <input type="password" name="password"></label><button>Sign in</button></form>`,
  )
const consentPage = ({ action, csrfToken, client, scopes, blocked }: ConsentView): Response =>
  page(
    `Allow ${escape(client.name)}?`,
    `<p>You will return to ${escape(client.redirectHost)}.</p>
    <ul>${scopes.map(({ text }) => `<li>${escape(text)}</li>`).join('')}</ul>
    <form method="post" action="${escape(action)}">
    <input type="hidden" name="csrf_token" value="${csrfToken}">
    ${blocked === null ? '<button name="decision" value="allow">Allow</button>' : `<p>${blocked}</p>`}
    <button name="decision" value="deny">Cancel</button></form>`,
  )

async function signIn(request: Request, env: Env, batch: Batch): Promise<Response> {
  const form = new URLSearchParams(await request.text())
  const returnTo = form.get('return_to') ?? ''
  const known = /^\/oauth\/interaction\/[\w-]{43}$/.test(returnTo)
  const own = (request.headers.get('sec-fetch-site') ?? 'same-origin') === 'same-origin'
  if (form.get('password') !== env.PASSWORD || !known || !own)
    return page('Wrong password', '<p>Go back and try again.</p>', 403)
  const id = crypto.randomUUID()
  const parameters = [hashToken(id), ada.subject, nowInSeconds()]
  await batch([{ sql: 'insert into session values (?, ?, ?)', parameters }])
  const secure = env.ISSUER.startsWith('https:') ? '; Secure' : ''
  const cookie = `session=${id}; Path=/; HttpOnly; SameSite=Lax${secure}`
  return new Response(null, { status: 303, headers: { location: returnTo, 'set-cookie': cookie } })
}

type Serve = (request: Request, context: Context) => Promise<Response>

async function open(env: Env): Promise<Serve> {
  if (env.DB === undefined) throw new Error('bind a D1 database as DB: see wrangler.jsonc')
  const batch = fromD1(env.DB)
  await migrateSqlite({ batch })
  await batch([{ sql: SESSIONS, parameters: [] }])
  const site = defineSite({
    issuer: env.ISSUER,
    name: 'Edge School',
    store: createSqliteStore({ batch, site: 'edge-school' }),
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: async (subject) => (subject === ada.subject ? ada : null),
    documents: { allowedHosts, fetchDocument: createListedHostsFetcher({ allowedHosts }) },
    onFault: ({ fault }) => console.error(fault),
  })
  const keys = createKeyRing(site, { sealingSecret: env.SEALING_SECRET })
  const oauth = createRouter(
    createAuthorizationServer(site, {
      keys,
      interact: {
        currentPerson: (request) => sessionOf(request, batch),
        signIn: (_request, view) => signInPage(view),
        consent: (_request, view) => consentPage(view),
        error: (_request, { description, status }) => page('Error', escape(description), status),
      },
    }),
  )
  const readsCourses = createProtectedResource(site).gate('courses:read')
  const maintainAll = async (): Promise<void> => {
    const { deletesBefore } = await maintain(site, { keys })
    const sql = 'delete from session where signed_in_at < ?'
    if (deletesBefore !== null) await batch([{ sql, parameters: [deletesBefore - LASTS] }])
  }
  await maintainAll()
  let maintainedAt = site.now()

  return async (request, context) => {
    // A worker has no timer between requests, so a request starts the maintenance that is due.
    if (site.now() - maintainedAt >= 300) {
      maintainedAt = site.now()
      context.waitUntil(maintainAll().catch(console.error))
    }
    const { pathname } = new URL(request.url)
    if (pathname === '/sign-in' && request.method === 'POST') return signIn(request, env, batch)
    if (pathname !== '/courses') return oauth(request)
    const access = await readsCourses(request)
    return access instanceof Response ? access : Response.json([{ title: 'Foundations of Clay' }])
  }
}

// A worker cannot make keys before its first request. Requests that arrive together share one opening.
// It continues if the client of the first disconnects, and the next request repeats one that failed.
let opening: Promise<Serve> | null = null
export default {
  async fetch(request: Request, env: Env, context: Context): Promise<Response> {
    opening ??= open(env).catch((fault: unknown) => {
      opening = null
      throw fault
    })
    context.waitUntil(opening)
    return (await opening)(request, context)
  },
}
