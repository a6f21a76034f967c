import { createHash } from 'node:crypto'
import { routesOf } from 'hallpass/authorization-server'
import { sdkAdapter } from 'hallpass/mcp'
import { createPostgresStore } from 'hallpass/postgres'
import type { Store } from 'hallpass/store'
import { type Audit, createAudit } from '../../../examples/school/src/platform/audit.js'
import type { BlockName } from '../../../examples/school/src/blocks/names.js'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import { hashPassword } from '../../../examples/school/src/sign-in/password.js'
import { createEraseMember, type EraseMember } from '../../../examples/school/src/members/erase.js'
import type { Mail, Notify } from '../../../examples/school/src/applications/notices.js'
import { createPeople, type People } from '../../../examples/school/src/members/people.js'
import { createSessions } from '../../../examples/school/src/sign-in/sessions.js'
import {
  createSettings,
  type Settings,
} from '../../../examples/school/src/applications/settings.js'
import { openCounters } from '../../../examples/school/src/platform/counters.js'
import { wireSite } from '../../../examples/school/src/site.js'
import { LANTERN } from '../../../examples/school/src/sites.js'
import { createVisitors } from '../../../examples/school/src/sign-in/visitors.js'
import { openTestDatabase } from '../../support/databases/templates.js'
import { createPageBrowser, type PageBrowser } from '../../support/http/page-browser.js'
import { T } from '../../support/school/school.js'
import { SDK_1 } from '../../support/school/mcp-sdk.js'

export const ORIGIN = 'https://lantern.example'
const VERIFIER = 'a-verifier-of-forty-three-characters-or-more'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

/** A site of the demo school in this process, with its areas for people. */
export interface AreaSite {
  /** The key of its rows. */
  readonly id: string
  readonly clock: { now: number }
  /** Every line of the log. */
  readonly logged: readonly unknown[]
  readonly store: Store
  readonly audit: Audit
  readonly settings: Settings
  readonly people: People
  readonly eraseMember: EraseMember
  /** Changes a row of the school's own table of people. */
  readonly changePerson: (memberId: string, change: string) => Promise<void>
  /** Answers what a person's document host would. */
  documents: (url: string) => Response | Promise<Response>
  /** Receives every email. */
  notify: Notify
  /** Every email that was sent. */
  readonly mail: Mail[]
  /** Delivers events and sends email, as the process does every few seconds. */
  readonly deliverEvents: () => Promise<void>
  /** Answers what the host of a logo would. */
  logos: (url: string) => Response | Promise<Response>
  readonly fetch: (request: Request) => Promise<Response>
  /** A browser in which nobody is signed in. */
  readonly stranger: () => PageBrowser
  /** A browser in which somebody has just signed in. */
  readonly browserOf: (memberId: string) => Promise<PageBrowser>
  /** A person connects an app, from the authorization request to the tokens. */
  readonly connect: (connection: Connecting) => Promise<Tokens>
  /** Asks the token endpoint. */
  readonly token: (fields: Readonly<Record<string, string>>) => Promise<Response>
  /** Whether an access token that holds `openid` opens UserInfo. */
  readonly isAlive: (accessToken: string) => Promise<boolean>
  /** The status with which the Account API answers an app that renames its member. */
  readonly renames: (accessToken: string) => Promise<number>
}

interface Connecting {
  readonly memberId: string
  readonly clientId: string
  readonly secret?: string
  readonly scope?: string
  readonly redirectUri?: string
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
}

/** A database that several sites can share. */
export const openAreaDatabase = (): Promise<Database> => openTestDatabase()

/** What everybody who has an address signs in with. */
export const PASSWORD = 'a password for tests'
const passwordHash = hashPassword(PASSWORD, { N: 1024, r: 1, p: 1 })

const PEOPLE = [
  { memberId: 'ines', name: 'Ines Duarte', role: 'owner' },
  { memberId: 'tomasz', name: 'Tomasz Wilk', role: 'manager' },
  { memberId: 'amara', name: 'Amara Obi', role: 'lecturer' },
  { memberId: 'yuki', name: 'Yuki Tan', role: 'assistant' },
  { memberId: 'mei', name: 'Mei-Ling Chou', role: 'student' },
  { memberId: 'jonas', name: 'Jonas Brandt', role: 'student' },
] as const

let opened = 0

/** Opens a new site with six people, without any application, and with these opt-in blocks. MCP connections are on. */
export async function openAreaSite(
  database: Database,
  blocks: readonly BlockName[] = [],
): Promise<AreaSite> {
  opened += 1
  const id = `site_${opened}`
  const definition = { ...LANTERN, id }
  const origin = ORIGIN
  const clock = { now: T }
  const logged: unknown[] = []
  const mail: Mail[] = []
  const now = (): number => clock.now
  const { execute } = database
  const fetchDocument = async (url: string): Promise<Response> => area.documents(url)
  const fetchImage = async (url: string): Promise<Response> => area.logos(url)
  const { core: site, createApis } = wireSite({
    definition,
    origin,
    database,
    sealingSecret: 'a sealing secret of thirty-two characters',
    counters: await openCounters({ redisUrl: null }),
    mcpAdapter: sdkAdapter(SDK_1),
    blocks,
    log: (entry) => void logged.push(entry),
    fetchDocument,
    fetchImage,
    notify: (one) => area.notify(one),
    now,
  })
  await site.maintain()
  let apis: ReturnType<typeof createApis> | null = null

  const store = createPostgresStore({ execute, site: id })
  const people = createPeople({ execute, site: id })
  const sessions = createSessions({ execute, site: id, now })
  const visitors = createVisitors({ origin, site: id, sessions })
  const audit = createAudit({ execute, site: id, deliver: site.deliverEvents })
  const settings = createSettings({ execute, site: id })
  const routes = new Map(routesOf(site.server))

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (/^\/oauth\/applications(?:\/|$)/.test(pathname)) return site.applications(request)
    if (/^\/oauth\/authorized_applications(?:\/|$)/.test(pathname))
      return site.connectedApps(request)
    if (pathname === '/account/graphql') return site.account.graphql(request, { address: null })
    if (pathname.startsWith('/api/v1/')) return (apis ??= createApis()).admin.endpoint(request)
    if (pathname.startsWith('/app-logos/')) return site.appLogo(request)
    const isPost = request.method === 'POST'
    if (pathname === '/sign-in')
      return isPost ? site.signIn(request, { address: null }) : site.signInPage(request)
    if (pathname === '/sign-out') return isPost ? site.signOut(request) : site.signOutPage(request)
    if (pathname === '/') return site.home(request)
    const route = routes.get(pathname.replace(/^(\/oauth\/interaction)\/.+/, '$1/:id'))!
    return route(request, { address: null })
  }

  const stranger = (): PageBrowser => createPageBrowser({ origin, fetch: area.fetch })
  const token = (fields: Readonly<Record<string, string>>): Promise<Response> =>
    area.fetch(
      new Request(`${origin}/api/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams(fields),
      }),
    )

  const area: AreaSite = {
    id,
    clock,
    logged,
    store,
    audit,
    settings,
    mail,
    notify: async (one) => void mail.push(one),
    deliverEvents: site.deliverEvents,
    people,
    eraseMember: createEraseMember({ definition, origin, database, now }),
    async changePerson(memberId, change) {
      await execute(`update school_person set ${change} where site = $1 and member_id = $2`, [
        id,
        memberId,
      ])
    },
    documents: () => new Response(null, { status: 404 }),
    logos: () => new Response(null, { status: 404 }),
    fetch: answer,
    stranger,
    async browserOf(memberId) {
      const browser = stranger()
      const sessionId = (await sessions.begin({ memberId, old: null }))!
      const [pair = ''] = visitors.cookie(sessionId).split(';', 1)
      browser.cookies.set(pair.slice(0, pair.indexOf('=')), sessionId)
      return browser
    },
    async connect({
      memberId,
      clientId,
      secret,
      scope = 'openid account:read',
      redirectUri = 'http://127.0.0.1:7777/callback',
    }) {
      const browser = await area.browserOf(memberId)
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope,
        resource: origin,
        code_challenge: CHALLENGE,
        code_challenge_method: 'S256',
        state: 'state-1',
      })
      const page = await browser.open(`/oauth/authorize?${query.toString()}`)
      const left = page.status === 0 ? page : await browser.press(page, 'Allow')
      const code = left.url.searchParams.get('code')
      if (code === null) throw new Error(`no code: ${left.url.href} ${left.text}`)
      const answered = await token({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        client_id: clientId,
        code_verifier: VERIFIER,
        resource: origin,
        ...(secret !== undefined && { client_secret: secret }),
      })
      if (answered.status !== 200) throw new Error(await answered.text())
      return (await answered.json()) as Tokens
    },
    token,
    async renames(accessToken) {
      const query = 'mutation { updateProfile(input: { name: "Mei" }) { userErrors { code } } }'
      const { status } = await area.fetch(
        new Request(`${origin}/account/graphql`, {
          method: 'POST',
          body: JSON.stringify({ query }),
          headers: {
            authorization: `Bearer ${accessToken}`,
            'content-type': 'application/json',
            accept: 'application/graphql-response+json',
          },
        }),
      )
      return status
    },
    async isAlive(accessToken) {
      const request = new Request(`${origin}/api/oauth/userinfo`, {
        headers: { authorization: `Bearer ${accessToken}` },
      })
      const { status } = await area.fetch(request)
      if (status !== 200 && status !== 401) throw new Error(`UserInfo answered ${status}`)
      return status === 200
    },
  }
  const hash = await passwordHash
  await people.add(
    PEOPLE.map((person) => ({
      ...person,
      email: `${person.memberId}@example.com`,
      picture: null,
      suspended: false,
      passwordHash: hash,
    })),
  )
  await settings.setMcpConnections(true)
  return area
}
