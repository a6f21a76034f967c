// The people of each school and their sessions, in two tables of your own. Every statement names the school.
import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Site } from 'hallpass'
import type { SignedIn } from 'hallpass/authorization-server'
import { createPasswordThrottle } from 'hallpass/operations'
import type { Given } from 'hallpass/platform'
import type { Person } from 'hallpass/policy'
import { isPublic } from '../common/address.js'
import { page } from '../common/pages.js'
import type { Execute } from './schools.js'

export const PEOPLE_TABLES = `
  create table if not exists people (
    school text not null, id text not null, email text not null, password text not null,
    role text not null, name text not null, joined_at bigint not null,
    primary key (school, id), unique (school, email));
  create table if not exists people_sessions (
    school text not null, hash text not null, person text not null, signed_in_at bigint not null,
    primary key (school, hash));`

/** How long a session lasts, in seconds. */
const LASTS = 12 * 3600
const nowInSeconds = (): number => Math.floor(Date.now() / 1000)
/** The table has hashes of identifiers, which open nothing. */
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

// No cookie has a domain, so a browser sends it to the host of its school only.
const cookieOf = (request: Request): string =>
  isPublic(request) ? '__Host-session' : `session-${new URL(request.url).port}`
function sessionOf(request: Request): string {
  const found = new RegExp(`(?:^|; )${cookieOf(request)}=([\\w-]{43})(?:;|$)`)
  return sha256(found.exec(request.headers.get('cookie') ?? '')?.[1] ?? '')
}

const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 }
const scryptKey = promisify<string, string, number, object, Buffer>(scrypt)
const derive = (password: string, salt: string): Promise<Buffer> =>
  scryptKey(password.normalize(), salt, 32, COST)

/** Returns what the table has of a password. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString('hex')
  return `${salt}.${(await derive(password, salt)).toString('hex')}`
}

type Row = Readonly<Record<'id' | 'email' | 'password' | 'role' | 'name', string>>

/** The people of one school: none of another is found here. */
export function peopleOf(execute: Execute, school: string) {
  const select = async (rest: string, ...values: readonly (string | number)[]) => {
    const sql = `select id, email, password, role, name from people where school = $1 ${rest}`
    return (await execute(sql, [school, ...values])).rows as Row[]
  }
  const personOf = ({ id, role, name, email }: Row): Person => ({
    subject: id,
    orgId: school,
    roles: [role],
    name,
    email,
    picture: null,
  })
  return {
    list: async () => (await select('order by id limit 5')).map(personOf),
    find: async (subject: string): Promise<Person | null> => {
      const [row] = await select('and id = $2', subject)
      return row === undefined ? null : personOf(row)
    },
    joinedAt: async (subject: string): Promise<number | null> => {
      const sql = 'select joined_at from people where school = $1 and id = $2'
      const [row] = (await execute(sql, [school, subject])).rows as { joined_at: number | string }[]
      return row === undefined ? null : Number(row.joined_at)
    },
    current: async (request: Request): Promise<SignedIn | null> => {
      const sql = `select person, signed_in_at from people_sessions
        where school = $1 and hash = $2 and signed_in_at between $3 and $4`
      const [now, hash] = [nowInSeconds(), sessionOf(request)]
      const { rows } = await execute(sql, [school, hash, now - LASTS, now + 60])
      const [session] = rows as { person: string; signed_in_at: number | string }[]
      if (session === undefined) return null
      return { subject: session.person, authTime: Number(session.signed_in_at) }
    },
    /** Adds two people to begin with, unless they exist. Returns whether they are new. */
    async addFirst(password: string): Promise<boolean> {
      const sql = `insert into people (school, id, email, password, role, name, joined_at) values
        ($1, 'usr_1', 'owner@example.com', $2, 'owner', 'Ada Okafor', $3),
        ($1, 'usr_2', 'student@example.com', $2, 'student', 'Mei-Ling Chou', $3)
        on conflict do nothing returning id`
      return (await execute(sql, [school, password, nowInSeconds()])).rows.length > 0
    },
    /** `POST /sign-in`: ends the session that was. The right password begins one with a new identifier. */
    signInTo(site: Site, secrets: Given['server']): (request: Request) => Promise<Response> {
      const passwords = createPasswordThrottle(site, secrets)
      return async (request) => {
        const form = new URLSearchParams(await request.text())
        const returnTo = site.returnTo(form.get('return_to'))
        const isOwnForm = request.headers.get('sec-fetch-site') === 'same-origin'
        if (!isOwnForm || returnTo === null)
          return page('Not sent by this page', '<h1>Open the sign-in page.</h1>', { status: 403, school: site.name }) // prettier-ignore
        const end =
          'delete from people_sessions where school = $1 and (hash = $2 or signed_in_at < $3)'
        await execute(end, [school, sessionOf(request), nowInSeconds() - 2 * LASTS])
        const email = form.get('email')?.replaceAll('\0', '').toLowerCase()
        if (email === undefined) return redirect(request, returnTo)
        const [row] = await select('and email = $2', email)
        const attempt = await passwords.attempt(request, email, async () => {
          // An address that no one has takes as long.
          const [salt = '', key = ''] = (row?.password ?? `.${'00'.repeat(32)}`).split('.')
          const derived = await derive(form.get('password') ?? '', salt)
          return timingSafeEqual(derived, Buffer.from(key, 'hex')) && row !== undefined
        })
        if (!attempt.ok && attempt.retryAfterSeconds > 0) return tooMany(site, attempt)
        if (!attempt.ok || row === undefined)
          return redirect(request, returnTo + (returnTo.includes('?') ? '&wrong' : '?wrong'))
        const id = randomBytes(32).toString('base64url')
        await execute('insert into people_sessions values ($1, $2, $3, $4)', [school, sha256(id), row.id, nowInSeconds()]) // prettier-ignore
        const response = redirect(request, returnTo, id)
        response.headers.append('set-cookie', attempt.setCookie)
        return response
      }
    },
  }
}

const tooMany = ({ name }: Site, { retryAfterSeconds }: { retryAfterSeconds: number }) =>
  page(
    'Too many attempts',
    `<div class="card"><h1>Too many attempts</h1><p>Go back, and try again in ${Math.ceil(retryAfterSeconds / 60)} min.</p></div>`,
    { status: 429, retryAfterSeconds, school: name },
  )

function redirect(request: Request, location: string, sessionId = ''): Response {
  const secure = isPublic(request) ? '; Secure' : ''
  const cookie = `${cookieOf(request)}=${sessionId}; Path=/; HttpOnly; SameSite=Lax${secure}`
  return new Response(null, { status: 303, headers: { location, 'set-cookie': cookie } })
}
