import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Execute } from 'hallpass/postgres'
import { openDatabase } from '../../../examples/school/demo.js'
import { sha256Base64url } from '../../../src/encoding/hash.js'
import { startPostgres } from '../databases/test-database.js'
import { createFormBrowser, type FormBrowser, type Page } from '../http/form-browser.js'
import { freePorts } from '../processes/ports.js'
import { startExampleProject } from '../processes/project.js'
import { encode, type Fields } from '../school/flow.js'
import { form } from './requests.js'
import type { AttackClass, Changes, Target } from './run.js'
import { CALLBACK, JSON_HEADERS, VERIFIER } from './service.js'
import { send, type Sent } from './wire.js'

/** What a server has besides an authorization server, each with a request that says so by its status. */
const SURFACES = {
  home: [{ path: '/' }, 200],
  courses: [{ path: '/courses' }, 401],
  'Account API': [{ path: '/account/graphql', body: '{}', headers: JSON_HEADERS }, 401],
  MCP: [{ path: '/mcp' }, 405],
  'admin API': [{ path: '/openapi.json' }, 200],
} as const satisfies Record<string, readonly [Sent, number]>

/** What is found in the metadata of a server, or by asking. */
type Served =
  | keyof typeof SURFACES
  | 'registration'
  | 'metadata documents'
  | 'member apps'
  | 'sign-in by address'

/** A small example, which runs, as its own users and apps see it. */
export interface Rung extends Target {
  readonly issuer: string
  readonly port: number
  readonly serves: ReadonlySet<Served>
  /** Whether the front of a cloud reads HTTP in production: then what it lets through is not the rung's. */
  readonly hasFront: boolean
  /** The public client that registered itself. */
  readonly clientId: string
  /** The path of an authorization request of this client, with changes. */
  readonly authorize: (changes?: Fields) => string
  /** Who is signed in as staff: the header `Cookie` of their browser. */
  readonly cookie: () => string
  /** Opens a path in this browser, which follows redirects. */
  readonly open: (path: string) => Promise<Page>
  /** The sign-in form, as a browser sends it that is not signed in: its fields, with the right password. */
  readonly signInFields: Readonly<Record<string, string>>
  /** A code of this client, as the fields that redeem it. */
  readonly code: () => Promise<Record<string, string>>
  readonly grant: (who: 'staff' | 'member', scope?: string) => Promise<Tokens>
  readonly stop: () => Promise<void>
}

interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
}

/** A class that rungs are attacked with, if they serve what it attacks. */
export interface RungClass extends AttackClass<Rung> {
  readonly needs: readonly Served[]
}

/** Tables of every rung that a request without any right may add to, because that is what they are for. */
const OPEN_TABLES = new Set(['hallpass_clock', 'hallpass_attempt', 'hallpass_pending', 'hallpass_outbox']) // prettier-ignore
/** What a grant by a whole flow writes. */
export const OF_A_FLOW: Changes = Object.fromEntries(
  ['code', 'grant', 'access_token', 'refresh_token', 'consent', 'erasure'].map(
    (name) => [`hallpass_${name}`, 'any'] as const,
  ),
)

const PASSWORD = 'a-password-of-this-test'

/** Starts `examples/<name>`, with a database of its own if it takes one, and signs in. */
export async function startRung(name: string): Promise<Rung> {
  const folder = mkdtempSync(join(tmpdir(), `hallpass-${name}-`))
  const keepsRows = name !== 'minimal' && name !== 'workers'
  const database = keepsRows ? await startPostgres() : null
  const port = await freePorts()
  const project = await startExampleProject(name, {
    folder: join(folder, 'data'),
    port,
    // A worker takes the password from its environment, and prints it as the others do.
    env: { PASSWORD, ...(database !== null && { DATABASE_URL: database.url }) },
  })
  const rows =
    database === null ? null : await openDatabase({ url: database.url, folder: null, connections: 2 }) // prettier-ignore
  const { origin: issuer, output } = project
  const host = new URL(issuer).host
  const [, password = ''] = /(?:password:?|sign in with) (\S+)\s*$/m.exec(output()) ?? []
  const secrets = new Set([password, ...(database === null ? [] : [database.url])])
  const ask: Target['send'] = ({ headers, ...request }) =>
    send(port, { ...request, headers: { host, ...(headers as Record<string, string | string[]>) } })

  const registered = await ask({
    path: '/api/oauth/register',
    headers: JSON_HEADERS,
    body: JSON.stringify({ client_name: 'Desk', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
  }) // prettier-ignore
  const { client_id: clientId } = JSON.parse(registered.text) as { client_id: string }
  const authorize = (changes: Fields = {}): string =>
    `/oauth/authorize?${encode({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: CALLBACK,
      scope: 'openid courses:read',
      resource: issuer,
      code_challenge: sha256Base64url(VERIFIER),
      code_challenge_method: 'S256',
      state: 'state-1',
      ...changes,
    })}`

  const browsers = { staff: createFormBrowser(issuer), member: createFormBrowser(issuer) }
  const emails = { staff: 'owner@example.com', member: 'student@example.com' }
  async function codeOf(
    who: keyof typeof browsers,
    changes: Fields,
  ): Promise<Record<string, string>> {
    const browser = browsers[who]
    let page = await browser.open(authorize(changes))
    if (page.text.includes('name="password"')) page = await signIn(browser, page, { email: emails[who], password }) // prettier-ignore
    const { left } = await browser.submit(page, {}, 'Allow')
    const code = left?.searchParams.get('code') ?? ''
    if (code === '') throw new Error(`examples/${name} gave no code: ${String(left)}`)
    secrets.add(code)
    return {
      grant_type: 'authorization_code',
      code,
      client_id: String(changes['client_id'] ?? clientId),
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
      resource: issuer,
    }
  }
  async function grant(who: 'staff' | 'member', scope?: string): Promise<Tokens> {
    const changes =
      who === 'member'
        ? { client_id: 'study-buddy', scope: scope ?? 'openid account:read' }
        : { scope: scope ?? 'openid courses:read' }
    const { text } = await ask(form('/api/oauth/token', await codeOf(who, changes)))
    const tokens = JSON.parse(text) as { access_token: string; refresh_token: string }
    secrets.add(tokens.access_token).add(tokens.refresh_token)
    return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token }
  }

  const serves = new Set<Served>(await servedBy(ask))
  const isMembers = await ask({ path: authorize({ client_id: 'study-buddy', scope: 'account:read' }) }) // prettier-ignore
  if (isMembers.status === 303) serves.add('member apps')
  const signInFields = await signInFieldsOf(await createFormBrowser(issuer).open(authorize()), {
    email: emails.staff,
    password,
  })
  if ('email' in signInFields) serves.add('sign-in by address')
  await codeOf('staff', {})
  return {
    origin: { lantern: issuer, kiln: issuer },
    issuer,
    port,
    output,
    secrets,
    send: ask,
    serves,
    hasFront: name === 'workers',
    clientId,
    authorize,
    watch: async () => (rows === null ? async () => [] : watchRows(rows.execute)),
    cookie: () => [...browsers.staff.cookies].map((pair) => pair.join('=')).join('; '),
    open: browsers.staff.open,
    signInFields,
    code: () => codeOf('staff', {}),
    grant,
    async stop() {
      await rows?.close()
      await project.stop()
      await database?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What the metadata says, and what responds. */
async function servedBy(ask: Target['send']): Promise<readonly Served[]> {
  const metadata = JSON.parse(
    (await ask({ path: '/.well-known/oauth-authorization-server' })).text,
  ) as Record<string, unknown>
  const served: Served[] = []
  if ('registration_endpoint' in metadata) served.push('registration')
  if (metadata['client_id_metadata_document_supported'] === true) served.push('metadata documents')
  for (const [name, [request, status]] of Object.entries(SURFACES))
    if ((await ask(request)).status === status) served.push(name as keyof typeof SURFACES)
  return served
}

interface Credentials {
  readonly email: string
  readonly password: string
}

/** A page may ask for the password alone, or know the address already. */
const asked = ({ text }: Page, { email, password }: Credentials): Record<string, string> => ({
  ...(/<input[^>]*name="email"[^>]*value="(?!")/.test(text) || !text.includes('name="email"')
    ? {}
    : { email }),
  password,
})

const signIn = (browser: FormBrowser, page: Page, credentials: Credentials): Promise<Page> =>
  browser.submit(page, asked(page, credentials), 'Sign in')

async function signInFieldsOf(
  page: Page,
  credentials: Credentials,
): Promise<Record<string, string>> {
  const inputs = page.text.match(/<input[^>]*>/g) ?? []
  const named = inputs.map((input) =>
    ['name', 'value'].map((one) => new RegExp(`\\b${one}="([^"]*)"`).exec(input)?.[1] ?? ''),
  )
  return { ...Object.fromEntries(named), ...asked(page, credentials) }
}

/** Remembers the rows of every table, and tells which tables have changed that may not. */
async function watchRows(
  execute: Execute,
): Promise<(changes: Changes) => Promise<readonly string[]>> {
  const before = await rowsOf(execute)
  return async (changes) => {
    if (before.size < 15) return [`only ${before.size} tables are watched`]
    return [...(await rowsOf(execute))].flatMap(([name, { count, digest }]) => {
      const allowed = OPEN_TABLES.has(name) ? 'any' : changes[name]
      if (allowed === 'any') return []
      const grown = count - (before.get(name)?.count ?? 0)
      if (allowed !== undefined) return grown === allowed ? [] : [`${name} grew by ${grown} rows instead of ${allowed}`] // prettier-ignore
      return digest === before.get(name)?.digest ? [] : [`${name} has changed, by ${grown} rows`]
    })
  }
}

async function rowsOf(
  execute: Execute,
): Promise<ReadonlyMap<string, { readonly count: number; readonly digest: string | null }>> {
  const { rows: tables } = await execute(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
    [],
  )
  const selects = (tables as { name: string }[]).map(
    ({ name }) =>
      `select '${name}' as name, count(*)::int as count, md5(string_agg(t::text, ' ' order by t::text)) as digest from ${name} t`,
  )
  const { rows } = await execute(selects.join(' union all '), [])
  return new Map(
    (rows as { name: string; count: number; digest: string | null }[]).map((row) => [
      row.name,
      row,
    ]),
  )
}
