// The small school that every runtime and every framework serves: two people, a page for each step, a gate, the Account
// API and /mcp. It has nothing of a runtime in it.
import * as sdk from '@modelcontextprotocol/server'
import { createAuthorizationServer, createProtectedResource, defineSite } from 'hallpass'
import { type AccountSource, createAccountApi } from 'hallpass/account'
import type { ConsentView, Interact, SignedIn } from 'hallpass/authorization-server'
import { defineClient } from 'hallpass/clients'
import { accountTools, createMcpEndpoint, serverAdapter, toolsFor } from 'hallpass/mcp'
import { maintain } from 'hallpass/operations'
import type { Person } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import type { Store } from 'hallpass/store'
import { createKeyRing } from 'hallpass/token'
import * as z from 'zod'

/** Where the school is, and what it keeps its rows in. */
export interface Settings {
  readonly issuer: string
  readonly store: Store
  readonly sealingSecret: string
  /** The password of both people. */
  readonly password: string
  /** The path of a login page of the application itself, which gets `return_to`. Default: `/sign-in` shows the form */
  readonly login?: string
  /** The `Path` of the session cookie. Default: `/` */
  readonly cookiePath?: string
}

export type Serve = (request: Request) => Response | Promise<Response>

const people = new Map<string, Person>([
  ['owner@example.com', personOf('usr_1', 'owner', 'Ada Okafor', 'owner@example.com')],
  ['student@example.com', personOf('usr_2', 'student', 'Mei-Ling Chou', 'student@example.com')],
])

function personOf(subject: string, role: string, name: string, email: string): Person {
  return { subject, orgId: 'school', roles: [role], name, email, picture: null }
}

export function createSchool({
  issuer,
  store,
  sealingSecret,
  password,
  login,
  cookiePath = '/',
}: Settings) {
  const site = defineSite({
    issuer,
    name: 'Everywhere School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: async (subject) =>
      [...people.values()].find((person) => person.subject === subject) ?? null,
    onFault: ({ at, endpoint, fault }) => console.error(at, endpoint, fault),
  })
  const keys = createKeyRing(site, { sealingSecret })
  const sessions = new Map<string, SignedIn>()
  const sessionOf = (request: Request): SignedIn | null =>
    sessions.get(/(?:^|; )session=([\w-]{36})/.exec(request.headers.get('cookie') ?? '')?.[1] ?? '') ?? null // prettier-ignore
  const interact: Interact = {
    currentPerson: async (request) => sessionOf(request),
    signIn: (_request, { returnTo }) =>
      login === undefined
        ? signInPage(returnTo)
        : new Response(null, {
            status: 303,
            headers: { location: `${login}?${new URLSearchParams({ return_to: returnTo })}` },
          }),
    consent: (_request, view) => consentPage(view),
    error: (_request, { description, status }) => page('Sorry', escape(description), status),
  }

  async function signIn(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    const person = people.get(form.get('email') ?? '')
    const location = form.get('return_to') ?? ''
    if (
      person === undefined ||
      form.get('password') !== password ||
      !/^\/oauth\/interaction\/[\w-]{43}$/.test(location)
    )
      return page('Not signed in', 'Go back, and try again.', 403)
    const id = crypto.randomUUID()
    sessions.set(id, { subject: person.subject, authTime: Math.floor(Date.now() / 1000) })
    const headers = {
      location,
      'set-cookie': `session=${id}; Path=${cookiePath}; HttpOnly; SameSite=Lax`,
    }
    return new Response(null, { status: 303, headers })
  }

  const account = createAccountApi(site, { source: sourceOf(issuer) })
  const { defineTool } = toolsFor(schoolScopes)
  const listStudents = defineTool({
    name: 'list_students',
    title: 'List students',
    description: 'Lists the students of this school.',
    scopes: ['students:read'],
    input: z.strictObject({}),
    output: z.object({ data: z.array(z.object({ name: z.string() })) }),
    run: async () => ({ data: [{ name: 'Mei-Ling Chou' }] }),
  })
  const mcp = createMcpEndpoint(site, {
    tools: [listStudents, ...accountTools(account)],
    adapter: serverAdapter(sdk),
  })

  const resource = createProtectedResource(site)
  const readsCourses = resource.gate('courses:read')
  async function listCourses(request: Request): Promise<Response> {
    const access = await readsCourses(request)
    return access instanceof Response ? access : Response.json([])
  }

  return {
    site,
    keys,
    interact,
    server: createAuthorizationServer(site, { keys, interact }),
    signIn,
    resource,
    listCourses,
    /** What is not the authorization server's: each path, and what serves it. */
    own: [
      ['/sign-in', signIn],
      ['/mcp', mcp.endpoint],
      ['/mcp/signed-in', mcp.endpoint],
      ['/mcp/member', mcp.endpoint],
      ['/account/graphql', account.graphql],
      ['/account/schema.graphql', account.schema],
    ] satisfies readonly (readonly [string, Serve])[],
    /** Creates the first key and the app of members, before the first request. */
    async begin(): Promise<void> {
      await maintain(site, { keys })
      await store.insertClient(
        defineClient({
          clientId: 'study-buddy',
          kind: 'member',
          name: 'Study Buddy',
          redirectUris: ['http://127.0.0.1:7777/callback'],
          scopes: ['account:read', 'account:write'],
          createdAt: site.now(),
        }),
      )
    },
  }
}

const NONE = { rows: [], total: 0 }

/** A school of which members can see who they are, and nothing else. */
function sourceOf(url: string): AccountSource {
  return {
    profile: async ({ subject }) => {
      const person = [...people.values()].find((one) => one.subject === subject)
      if (person === undefined) return null
      const { name, email } = person
      return { name, email, emailVerified: false, picture: null, locale: null, timeZone: null, memberSince: 0 } // prettier-ignore
    },
    site: async ({ orgId }) => ({ id: orgId, name: 'Everywhere School', url, timeZone: 'Europe/Lisbon', currencyCode: 'EUR' }), // prettier-ignore
    enrollments: async () => NONE,
    orders: async () => NONE,
    eventRegistrations: async () => NONE,
    subscriptions: async () => NONE,
    digitalProducts: async () => NONE,
    courseOutlines: async () => new Map(),
    lecture: async () => null,
    savePlayback: async () => 'stale',
    markLecture: async () => {},
    cancelEventRegistration: async () => 'conflict',
    updateProfile: async () => {},
  }
}

const escape = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)

const page = (title: string, body: string, status = 200): Response =>
  new Response(`<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}`, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  })

/** The form, which posts to `signIn`. */
export const signInPage = (returnTo: string, action = '/sign-in'): Response =>
  page(
    'Sign in',
    `<form method="post" action="${escape(action)}">
      <input type="hidden" name="return_to" value="${escape(returnTo)}"><input name="email">
      <input type="password" name="password"><button>Sign in</button></form>`,
  )

const consentPage = ({ action, blocked, client, csrfToken }: ConsentView): Response =>
  page(
    `Allow ${escape(client.name)}?`,
    `<form method="post" action="${escape(action)}">
      <input type="hidden" name="csrf_token" value="${escape(csrfToken)}">
      ${blocked === null ? '<button name="decision" value="allow">Allow</button>' : ''}
      <button name="decision" value="deny">Cancel</button></form>`,
  )
