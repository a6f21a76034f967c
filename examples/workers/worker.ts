// The whole authorization server as a Cloudflare Worker, on D1. One person, one password: replace each with
// your own. Cloudflare runs many isolates of a worker and can stop each at any time, so nothing is kept in memory:
// clients, keys, tokens and sessions are in the database.
import {
  createAuthorizationServer,
  createListedHostsFetcher,
  createProtectedResource,
  defineSite,
  type Site,
} from 'hallpass'
import { createPasswordThrottle, maintain, type PasswordThrottle } from 'hallpass/operations'
import { createAuthMdEndpoint, createRouter } from 'hallpass/authorization-server'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { type Batch, createSqliteStore, fromD1, migrateSqlite } from 'hallpass/sqlite'
import { createKeyRing, hashToken } from 'hallpass/token'
import { homePage } from '../common/home.js'
import { orUnavailable, page, pages, SCHOOL, tooManyAttempts } from '../common/pages.js'

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
// Browsers keep a `__Host-` cookie of an https origin to its own host, so no other host can set it.
// All ports of a loopback address share their cookies, so the name has the port.
const cookieOf = ({ ISSUER }: Env): string =>
  ISSUER.startsWith('https:') ? '__Host-session' : `session-${new URL(ISSUER).port}`
function hashOf(request: Request, env: Env): string {
  const cookie = new RegExp(`(?:^|; )${cookieOf(env)}=([\\w-]{36})(?:;|$)`)
  return hashToken(cookie.exec(request.headers.get('cookie') ?? '')?.[1] ?? '')
}
async function sessionOf(request: Request, env: Env, batch: Batch): Promise<Session | null> {
  // If it began in the future, the clock was ahead, and it is invalid.
  const sql = `select subject, signed_in_at as "authTime" from session
    where hash = ? and signed_in_at - ? between -${LASTS} and 60`
  const [rows] = await batch([{ sql, parameters: [hashOf(request, env), nowInSeconds()] }])
  return (rows?.[0] as Session | undefined) ?? null
}

/**
 * The network that sent a request: an IPv4 address, or the first 64 bits of an IPv6 one, all of which one sender may have.
 * Cloudflare sets the header. Elsewhere a client can, so read there what your proxy sets.
 */
function networkOf({ headers }: Request): string | null {
  const address = headers.get('cf-connecting-ip')
  if (!address?.includes(':')) return address
  const [start = [], end = []] = address.split('::').map((part) => part.split(':'))
  const zeros = Array<string>(Math.max(8 - start.length - end.length, 0)).fill('0')
  return `${[...start, ...zeros, ...end].slice(0, 4).join(':')}::/64`
}

interface SignIn {
  readonly site: Site
  readonly env: Env
  readonly batch: Batch
  readonly passwords: PasswordThrottle
}

async function signIn(
  request: Request,
  { site, env, batch, passwords }: SignIn,
): Promise<Response> {
  const form = new URLSearchParams(await request.text())
  const [returnTo, email] = [site.returnTo(form.get('return_to')), form.get('email')]
  // Browsers say which site sent a form, so no other site can sign a visitor in.
  const isOwnForm = request.headers.get('sec-fetch-site') === 'same-origin'
  if (!isOwnForm || returnTo === null)
    return page('Not sent by this page', '<h1>Open the sign-in page.</h1>', { status: 403 })
  const name = cookieOf(env)
  const cookie = (id: string): string =>
    `${name}=${id}; Path=/; HttpOnly; SameSite=Lax${name.startsWith('__Host-') ? '; Secure' : ''}`
  const redirect = (location: string, id = ''): Response =>
    new Response(null, { status: 303, headers: { location, 'set-cookie': cookie(id) } })
  const ended = [hashOf(request, env)]
  await batch([{ sql: 'delete from session where hash = ?', parameters: ended }])
  // "Use another account" on the consent page sends nothing else.
  if (email === null) return redirect(returnTo)
  const attempt = await passwords.attempt(request, email, async () => {
    const isRight = hashToken(form.get('password') ?? '') === hashToken(env.PASSWORD)
    return isRight && email.toLowerCase() === ada.email
  })
  if (!attempt.ok && attempt.retryAfterSeconds > 0) return tooManyAttempts(attempt)
  if (!attempt.ok) return redirect(returnTo + (returnTo.includes('?') ? '&wrong' : '?wrong'))
  const id = crypto.randomUUID()
  const parameters = [hashToken(id), ada.subject, nowInSeconds()]
  await batch([{ sql: 'insert into session values (?, ?, ?)', parameters }])
  const response = redirect(returnTo, id)
  response.headers.append('set-cookie', attempt.setCookie)
  return response
}

type Serve = (request: Request, context: Context) => Promise<Response>

async function open(env: Env): Promise<Serve> {
  if (env.DB === undefined) throw new Error('bind a D1 database as DB: see wrangler.jsonc')
  const batch = fromD1(env.DB)
  await migrateSqlite({ batch })
  await batch([{ sql: SESSIONS, parameters: [] }])
  const site = defineSite({
    issuer: env.ISSUER,
    name: SCHOOL,
    store: createSqliteStore({ batch, site: 'edge-school' }),
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: async (subject) => (subject === ada.subject ? ada : null),
    networkOf,
    documents: { allowedHosts, fetchDocument: createListedHostsFetcher({ allowedHosts }) },
    // Events have no code, token, secret or cookie.
    onEvent: (event) => console.log(JSON.stringify(event)),
    onFault: ({ fault }) => console.error(fault),
  })
  const secrets = { sealingSecret: env.SEALING_SECRET }
  const keys = createKeyRing(site, secrets)
  const passwords = createPasswordThrottle(site, secrets)
  const server = createAuthorizationServer(site, {
    keys,
    interact: {
      ...pages,
      currentPerson: (request) => sessionOf(request, env, batch),
      // There is one person, whose address need not be typed.
      signIn: (request, view) => pages.signIn(request, { ...view, loginHint: ada.email }),
    },
  })
  const oauth = createRouter(server, createAuthMdEndpoint(server))
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
    const { pathname, origin } = new URL(request.url)
    // In development, a page of another site could reach this computer by a name of its own.
    if (origin !== env.ISSUER) return new Response(`Open ${env.ISSUER}`, { status: 421 })
    if (pathname === '/sign-in' && request.method === 'POST')
      return orUnavailable(signIn(request, { site, env, batch, passwords }))
    if (pathname === '/') return homePage(site, { listPeople: async () => [ada] })
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
