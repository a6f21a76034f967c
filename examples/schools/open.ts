// The server of one school: its pages, its API, its tools and the data of its members.
import { createProtectedResource, createServer, defineSite, type SiteOptions } from 'hallpass'
import { createAccountApi } from 'hallpass/account'
import { createAuthMdEndpoint } from 'hallpass/authorization-server'
import { createMcpEndpoint, type McpAdapter, toolsFor } from 'hallpass/mcp'
import type { PlatformOptions } from 'hallpass/platform'
import { LOOPBACK_HOSTS, type Person } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import * as z from 'zod'
import { networkOf } from '../common/address.js'
import { escape, page, pagesOf } from '../common/pages.js'
import { script } from '../common/try-it.js'
import { sourceOf } from './account.js'
import { peopleOf } from './people.js'
import type { Execute, SchoolRow } from './schools.js'

/** The courses of each school here. Query your tables instead. */
const COURSES = ['Glazing', 'Throwing']

const { defineTool } = toolsFor(schoolScopes)
const toolsOf = ({ name }: SchoolRow, people: ReturnType<typeof peopleOf>) => [
  defineTool({
    name: 'list_courses',
    title: 'List courses',
    description: 'Lists the courses of this school. Call it to answer what the school teaches.',
    input: z.strictObject({}),
    output: z.object({ school: z.string(), data: z.array(z.string()) }),
    run: async () => ({ school: name, data: COURSES }),
  }),
  defineTool({
    name: 'list_people',
    title: 'List people',
    description:
      'Lists the first people of this school, with their roles. It needs an app for staff.',
    scopes: ['students:read'],
    input: z.strictObject({}),
    output: z.object({
      data: z.array(z.object({ name: z.string().nullable(), roles: z.array(z.string()) })),
    }),
    run: async () => ({
      data: (await people.list()).map(({ name: of, roles }) => ({ name: of, roles: [...roles] })),
    }),
  }),
  defineTool({
    name: 'get_my_profile',
    title: 'Get my profile',
    description: 'Returns who is signed in at this school: a member, through an app for members.',
    scopes: ['account:read'],
    input: z.strictObject({}),
    output: z.object({ school: z.string(), name: z.string().nullable() }),
    run: async ({ caller }) => ({
      school: name,
      name: caller.kind === 'anonymous' ? null : caller.access.person.name,
    }),
  }),
]

/**
 * Creates `open` of a platform.
 *
 * @param options - `password`: a sentence on the home page of a school, for those who try it
 */
export const openerOf =
  (options: {
    execute: Execute
    adapter: McpAdapter
    password: string
    logOf: (school: SchoolRow) => Pick<SiteOptions, 'onEvent' | 'onFault' | 'onRefusal'>
  }): PlatformOptions<SchoolRow>['open'] =>
  (school, given) => {
    const people = peopleOf(options.execute, school.issuer)
    const { hostname, protocol } = new URL(school.issuer)
    const site = defineSite({
      ...given.site,
      ...options.logOf(school),
      name: school.name,
      scopes: schoolScopes,
      roles: schoolRoles,
      findPerson: people.find,
      networkOf,
      // The home page is an app that registers itself.
      ...(protocol === 'http:' && { loopbackHosts: [...LOOPBACK_HOSTS, hostname] }),
    })
    const readsCourses = createProtectedResource(site).gate('courses:read')
    return createServer(site, {
      ...given.server,
      interact: { ...pagesOf(school.name), currentPerson: people.current },
      routes: {
        'GET /': async () =>
          home(school, { people: await people.list(), password: options.password }),
        'POST /sign-in': people.signInTo(site, given.server),
        'GET /courses': async (request) => {
          const access = await readsCourses(request)
          return access instanceof Response ? access : Response.json({ data: COURSES })
        },
      },
      // Each is made when it is first asked for: of many schools, few are.
      parts: {
        mcp: () =>
          createMcpEndpoint(site, { adapter: options.adapter, tools: toolsOf(school, people) }),
        account: () => createAccountApi(site, { source: sourceOf(site, people) }),
        authMd: createAuthMdEndpoint,
      },
    })
  }

/** The home page of a school. On any origin but a loopback one, it names no people, and has no script. */
function home(
  { name, issuer }: SchoolRow,
  { people, password }: { people: readonly Person[]; password: string },
) {
  const agents = `<section class="card"><h2>Connect an AI agent</h2><p>In a terminal, with Claude Code:</p>
    <pre><code>claude mcp add --transport http ${escape(new URL(issuer).hostname.split('.')[0]!)} ${issuer}/mcp</code></pre>
    <p><a href="/auth.md">How any app connects</a></p></section>`
  const title = `<h1>${escape(name)}</h1>`
  if (!issuer.startsWith('http:')) return page(name, title + agents, { school: name, wide: true })
  const rows = people.map(
    ({ name: of, email, roles }) =>
      `<tr><td>${escape(of ?? '')}<br><code>${escape(email ?? '')}</code></td><td><span class="badge">${escape(roles.join())}</span></td></tr>`,
  )
  const body = `${title}
    <p>A school with its own address, people, apps and keys: <code>${issuer}</code></p>
    <section class="card"><h2>Connect an app</h2>
    <p>This page can be one. It registers at ${escape(name)}, sends you to sign in and to allow it, and shows what it gets.</p>
    <button id="try" data-issuer="${issuer}" data-email="${escape(people[0]?.email ?? '')}">Connect a test client</button>
    <div id="result" role="status"></div></section>
    <section class="card"><h2>Who can sign in</h2><table><tbody>${rows.join('')}</tbody></table>
    <p class="quiet">${password}</p></section>${agents}`
  return page(name, body, { script, wide: true, school: name })
}
