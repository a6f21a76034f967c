// Your users and their sessions, in two tables of your own. The statements are for SQLite and PostgreSQL.
import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Site } from 'hallpass'
import type { SignedIn } from 'hallpass/authorization-server'
import { createPasswordThrottle } from 'hallpass/operations'
import type { Person } from 'hallpass/policy'
import { isPublic } from './address.js'
import { orUnavailable, page, tooManyAttempts } from './pages.js'
import { execute, migrate, secrets } from './store.js'

await migrate(`
  create table if not exists users (
    id text primary key, email text not null unique, password text not null, role text not null,
    name text, picture text, suspended boolean not null default false,
    locale text, time_zone text, joined_at bigint not null);
  create table if not exists sessions (
    hash text primary key, user_id text not null references users, signed_in_at bigint not null);`)

/** Called for each request with a token, so a suspended user loses access immediately. */
export async function findPerson(subject: string): Promise<Person | null> {
  const sql = 'select role, name, email, picture from users where id = $1 and not suspended'
  const [user] = (await execute(sql, [subject])).rows as (Omit<Person, 'roles'> & Role)[]
  if (user === undefined) return null
  const { role, name, email, picture } = user
  return { subject, orgId: 'example-school', roles: [role], name, email, picture }
}
type Role = { readonly role: string }

/** The users that the home page shows while you develop: `findPerson` of a few. */
export async function listPeople(): Promise<readonly Person[]> {
  const { rows } = await execute('select id from users where not suspended order by id limit 5', [])
  const found = await Promise.all((rows as { id: string }[]).map(({ id }) => findPerson(id)))
  return found.filter((person) => person !== null)
}

// Browsers keep a `__Host-` cookie of an https origin to its own host, so no other host can set it.
// All ports of a loopback address share their cookies, so the name has the port.
const cookieOf = (request: Request): string =>
  isPublic(request) ? '__Host-session' : `session-${new URL(request.url).port}`
/** How long a session lasts, in seconds. */
const LASTS = 12 * 3600
const nowInSeconds = (): number => Math.floor(Date.now() / 1000)
// The table holds hashes: reading it is not enough to take over a session.
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
function sessionOf(request: Request): string {
  const session = new RegExp(`(?:^|; )${cookieOf(request)}=([\\w-]{43})(?:;|$)`)
  return sha256(session.exec(request.headers.get('cookie') ?? '')?.[1] ?? '')
}

/** The user whose session cookie came with the request. If it began in the future, the clock was ahead, and it is invalid. */
export async function currentPerson(request: Request): Promise<SignedIn | null> {
  const sql = `select * from sessions where signed_in_at - $1 between -${LASTS} and 60 and hash = $2`
  const { rows } = await execute(sql, [nowInSeconds(), sessionOf(request)])
  const [session] = rows as { user_id: string; signed_in_at: number | string }[]
  if (session === undefined) return null
  return { subject: session.user_id, authTime: Number(session.signed_in_at) }
}

/** Deletes the sessions that had ended at a time: the one that `maintain` returns, because a clock may be wrong. */
export const endSessions = async (at: number | null) =>
  at === null || execute('delete from sessions where signed_in_at < $1', [at - LASTS])

/** `POST /sign-in` of a site: ends the former session. The right password begins one with a new identifier. */
export function signInTo(site: Site): (request: Request) => Promise<Response> {
  const passwords = createPasswordThrottle(site, secrets)
  async function signIn(request: Request, form: URLSearchParams): Promise<Response> {
    const returnTo = site.returnTo(form.get('return_to'))
    // PostgreSQL fails on a text with a NUL, and may have more capitals of a letter than attempts are counted by.
    const email = form.get('email')?.replaceAll('\0', '').toLowerCase()
    // Browsers say which site sent a form, so no other site can sign a visitor in.
    const isOwnForm = request.headers.get('sec-fetch-site') === 'same-origin'
    if (!isOwnForm || returnTo === null)
      return page('Not sent by this page', '<h1>Open the sign-in page.</h1>', { status: 403 })
    await execute('delete from sessions where hash = $1', [sessionOf(request)])
    // "Use another account" on the consent page sends nothing else.
    if (email === undefined) return redirect(request, returnTo)
    const sql = 'select id, password from users where email = $1 and not suspended'
    const [user] = (await execute(sql, [email])).rows as { id: string; password: string }[]
    const attempt = await passwords.attempt(request, email, async () => {
      // An unknown email address takes as long as a wrong password.
      const [salt = '', key = ''] = (user?.password ?? `.${'00'.repeat(32)}`).split('.')
      const derived = await derive(form.get('password') ?? '', salt)
      return timingSafeEqual(derived, Buffer.from(key, 'hex')) && user !== undefined
    })
    if (!attempt.ok && attempt.retryAfterSeconds > 0) return tooManyAttempts(attempt)
    if (!attempt.ok || user === undefined)
      return redirect(request, returnTo + (returnTo.includes('?') ? '&wrong' : '?wrong'))
    const id = randomBytes(32).toString('base64url')
    await execute('insert into sessions values ($1, $2, $3)', [sha256(id), user.id, nowInSeconds()])
    const response = redirect(request, returnTo, id)
    response.headers.append('set-cookie', attempt.setCookie)
    return response
  }
  // The database has no part in a form that is too long.
  return async (request) => {
    const form = new URLSearchParams(await request.text())
    return orUnavailable(signIn(request, form))
  }
}

function redirect(request: Request, location: string, sessionId = ''): Response {
  const secure = isPublic(request) ? '; Secure' : ''
  const cookie = `${cookieOf(request)}=${sessionId}; Path=/; HttpOnly; SameSite=Lax${secure}`
  return new Response(null, { status: 303, headers: { location, 'set-cookie': cookie } })
}

const scryptKey = promisify<string, string, number, object, Buffer>(scrypt)
const derive = (password: string, salt: string): Promise<Buffer> =>
  scryptKey(password.normalize(), salt, 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 })

const newPassword = (): string => randomBytes(9).toString('base64url')
async function hash(password: string): Promise<string> {
  const salt = randomBytes(16).toString('hex')
  return `${salt}.${(await derive(password, salt)).toString('hex')}`
}

/** Creates two users if there are none, and returns their password. `null` if there are users. */
export async function createDemoUsers(): Promise<string | null> {
  if ((await execute('select id from users limit 1', [])).rows.length > 0) return null
  const password = newPassword()
  const sql = `insert into users (id, email, password, role, name, joined_at) values
    ('usr_1', 'owner@example.com', $1, 'owner', 'Ada Okafor', $2),
    ('usr_2', 'student@example.com', $1, 'student', 'Mei-Ling Chou', $2)
    on conflict do nothing returning id`
  const values = [await hash(password), nowInSeconds()]
  return (await execute(sql, values)).rows.length > 0 ? password : null
}

/** Gives a user a new password, returns it, and ends the sessions. `null` if no one has the email address. */
export async function setPassword(email: string): Promise<string | null> {
  const password = newPassword()
  const sql = 'update users set password = $1 where email = lower($2) returning id'
  const { rows } = await execute(sql, [await hash(password), email])
  const [user] = rows as { id: string }[]
  if (user === undefined) return null
  await execute('delete from sessions where user_id = $1', [user.id])
  return password
}
