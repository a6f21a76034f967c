import { type Attack, type AttackClass, pairs } from '../support/attack/run.js'
import { idsOf, kindOf, operationsOf, pathOf } from '../support/attack/operations.js'
import { authorizePath, codeFields, form } from '../support/attack/requests.js'
import {
  bearer, JSON_HEADERS, MEMBER_SCOPES, type Service, type SiteName, tokenSupply,
} from '../support/attack/service.js' // prettier-ignore
import type { RungClass } from '../support/attack/rungs.js'
import type { Sent } from '../support/attack/wire.js'

const OTHER: Readonly<Record<SiteName, SiteName>> = { lantern: 'kiln', kiln: 'lantern' }
const MCP = {
  path: '/mcp',
  headers: { ...JSON_HEADERS, accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
}

/** Headers with which a proxy, or whoever pretends to be one, names another origin. */
const FORWARDED: readonly Readonly<Record<string, string>>[] = [
  { 'x-forwarded-host': 'evil.test' },
  { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' },
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-port': '1' },
  { 'x-forwarded-server': 'evil.test' },
  { 'x-forwarded-prefix': '/evil.test' },
  { 'x-original-host': 'evil.test' },
  { 'x-original-url': '//evil.test' },
  { 'x-rewrite-url': 'https://evil.test/' },
  { 'x-host': 'evil.test' },
  { forwarded: 'host=evil.test;proto=https' },
  { 'x-url-scheme': 'https' },
  { 'x-middleware-rewrite': 'https://evil.test/' },
  { 'x-middleware-subrequest': 'middleware:middleware:middleware:middleware:middleware' },
  { 'x-nextjs-data': '1' },
  { rsc: '1' },
  { 'next-router-prefetch': '1' },
  { host: 'evil.test' },
  { host: 'evil.test:80' },
  { host: '127.0.0.1' },
  { host: 'localhost' },
  { host: '' },
  { host: '127.0.0.1@evil.test' },
]
const DOCUMENTS = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource/mcp',
  '/openapi.json',
  '/auth.md',
  '/',
  '/oauth/applications',
]

/**
 * An origin never moves, whatever a proxy or a request line says.
 *
 * @param options - `repeats`: what is not found may be named in the response, as Express and Fastify do
 */
function elsewhere(documents: readonly string[], { repeats = false } = {}): readonly Attack[] {
  const attacks: Attack[] = []
  for (const [path, headers] of pairs(documents, FORWARDED))
    attacks.push({
      name: `${path} with ${JSON.stringify(headers)}`,
      request: { path, headers },
      // Next.js sends a request of its own router to the same path, with a parameter more.
      // A page of another site may have let this name lead to this computer.
      statuses: /evil/.test(headers['host'] ?? '')
        ? [400, 421]
        : [200, 400, 403, 421, ...('rsc' in headers ? [307] : [])],
      without: ['evil.test', 'https://127.0.0.1'],
      fault: ({ status, headers: { location } }) =>
        location === undefined || status !== 200 ? null : `it leads to ${String(location)}`,
    })
  for (const path of documents)
    for (const target of [
      `http://evil.test${path}`,
      `https://evil.test${path}`,
      `//evil.test${path}`,
      `/\\evil.test${path}`,
      `${path}/../..//evil.test`,
    ])
      // prettier-ignore
      attacks.push({
        name: `target ${target}`,
        request: { path: target },
        statuses: [200, 303, 308, 400, 404, 421],
        without: repeats ? [] : ['//evil.test'],
        fault: ({ status, text }) => status !== 404 && text.includes('//evil.test') ? 'it leads there' : null,
      })
  return attacks
}

/** One process serves two schools, and neither has anything of the other. */
export const sites: AttackClass = {
  name: 'sites',
  least: 900,
  async build(service) {
    const { origin } = service
    const staff = {
      lantern: await service.mint(),
      kiln: await service.mint({ site: 'kiln' }),
    }
    const members = {
      lantern: await service.mint({ clientId: 'study-buddy', subject: 'mem_l05', scopes: MEMBER_SCOPES }),
      kiln: await service.mint({ site: 'kiln', clientId: 'glaze-notes', subject: 'mem_k02', scopes: MEMBER_SCOPES }),
    } // prettier-ignore
    const sessions = {
      lantern: await service.signIn('mem_l01'),
      kiln: await service.signIn('mem_k01', 'kiln'),
    }
    const codes = {
      lantern: await service.mintCode(),
      kiln: await service.mintCode({ site: 'kiln', clientId: 'glaze-notes', subject: 'mem_k02' }),
    }
    const attacks: Attack[] = []

    // What one school issued, at the other.
    for (const at of ['lantern', 'kiln'] as const) {
      const from = OTHER[at]
      const refused = (name: string, request: Sent, statuses: readonly number[]): void => {
        attacks.push({
          name: `${name} of ${from} at ${at}`,
          request,
          site: at,
          statuses,
          without: ['"access_token"', '"data":', '"active":true', '"sub"', 'Hello,'],
        })
      }
      for (const token of [staff[from], members[from]]) {
        for (const secret of [token.accessToken, token.refreshToken]) {
          const headers = bearer(secret)
          refused('token', { path: '/api/oauth/userinfo', headers }, [401])
          refused('token', { path: '/api/v1/courses', headers }, [401])
          refused('token', { path: '/account/graphql', headers: { ...JSON_HEADERS, ...headers }, body: '{"query":"{viewer{id}}"}' }, [401]) // prettier-ignore
          refused('token', { ...MCP, headers: { ...MCP.headers, ...headers } }, [401])
        }
        for (const client_id of ['study-buddy', 'glaze-notes', 'desk-cli', 'graphiql'])
          refused('refresh token', form('/api/oauth/token', { grant_type: 'refresh_token', refresh_token: token.refreshToken, client_id, resource: origin[at] }), [400, 401]) // prettier-ignore
      }
      for (const client_id of ['study-buddy', 'glaze-notes', 'desk-cli', 'graphiql'])
        for (const resource of [origin.lantern, origin.kiln])
          refused('code', form('/api/oauth/token', { ...codeFields(origin[at], codes[from]), client_id, resource }), [400, 401]) // prettier-ignore
      const [name, id] = sessions[from].cookie.split('=') as [string, string]
      const cookies = [sessions[from].cookie, `school_site_${at}=${id}`, `${name}=${id}; school_site_${at}=${id}`, `__Host-school=${id}`] // prettier-ignore
      for (const cookie of cookies) {
        refused('session', { path: '/', headers: { cookie } }, [200])
        refused('session', { path: '/oauth/applications', headers: { cookie } }, [200])
        refused('session', { path: '/oauth/authorized_applications', headers: { cookie } }, [200])
        refused('session', form('/oauth/applications/new', { csrf_token: sessions[from].csrfToken, name: 'Moved' }, { cookie }), [403]) // prettier-ignore
      }
      refused('client', { path: authorizePath(origin[at], { client_id: from === 'kiln' ? 'glaze-notes' : 'study-buddy' }) }, [400]) // prettier-ignore
      refused('secret', form('/api/oauth/introspect', { client_id: 'portfolio-hub', client_secret: 'portfolio-hub-demo-secret', token: members[from].accessToken }), at === 'kiln' ? [401] : [200]) // prettier-ignore
    }

    // Every identifier of Lantern Street in every operation of Kiln & Coil.
    const operations = await operationsOf(service)
    const all = await foreignIds(service, 'lantern')
    const ids = oneOfEach(all)
    const withId = operations.filter(({ path }) => path.includes('{id}'))
    const token = await tokenSupply(service, 1000, { site: 'kiln' })
    // Some tables hold the identifier without its prefix.
    const own = withId.map(({ idPrefix }) => [
      ...all.filter((id) => id.startsWith(idPrefix!)).slice(0, 4),
      ...all.filter((id) => /^l\d+$/.test(id)).slice(0, 4).map((id) => idPrefix! + id),
    ]) // prettier-ignore
    if (own.some((some) => some.length === 0)) throw new Error('an operation has nothing to find')
    const asked = withId.flatMap((operation, index) =>
      pairs(
        [operation],
        [...own[index]!, ...[3, 7].map((step) => ids[(index * step) % ids.length]!)],
      ),
    )
    for (const [operation, id] of asked) {
      const isRead = operation.method === 'GET'
      attacks.push({
        name: `${operation.method} ${operation.path} at kiln with ${id} of lantern`,
        site: 'kiln',
        request: {
          method: operation.method,
          path: pathOf(operation, id),
          headers: { ...bearer(token()), ...(operation.hasBody && JSON_HEADERS) },
          ...(operation.hasBody && { body: '{}' }),
        },
        statuses: isRead ? [400, 404] : [400, 404, 409, 412, 415, 422, 428],
        fault: ({ headers }) =>
          String(headers['content-type']).startsWith('application/problem+json')
            ? null
            : 'it is no problem',
      })
    }
    for (const { path } of operations.filter(
      (one) => one.method === 'GET' && !one.path.includes('{'),
    ))
      attacks.push({
        name: `${path} at kiln`,
        site: 'kiln',
        request: { path: `${path}?limit=100`, headers: bearer(token()) },
        statuses: [200, 400],
        without: all.map((id) => JSON.stringify(id)),
      })
    // The members of Kiln & Coil may connect no app, so these are asked for at Lantern Street.
    for (const id of oneOfEach(await foreignIds(service, 'kiln')))
      attacks.push({
        name: `node ${id} of kiln at lantern`,
        request: {
          path: '/account/graphql',
          headers: { ...JSON_HEADERS, ...bearer(members.lantern.accessToken) },
          body: JSON.stringify({ query: 'query($id: ID!) { node(id: $id) { id } }', variables: { id } }),
        },
        statuses: [200],
        fault: ({ text }) => (text === '{"data":{"node":null}}' ? null : 'it found something'),
      }) // prettier-ignore

    attacks.push(...elsewhere(DOCUMENTS))

    return {
      attacks,
      controls: [
        { name: 'a token of kiln at kiln', site: 'kiln', request: { path: '/api/v1/courses', headers: bearer(token()) }, statuses: [200] },
        { name: 'a session of kiln at kiln', site: 'kiln', request: { path: '/', headers: { cookie: sessions.kiln.cookie } }, statuses: [200], fault: ({ text }) => text.includes('Hello,') ? null : 'nobody is signed in' },
        { name: 'a code of lantern at lantern', request: form('/api/oauth/token', codeFields(origin.lantern, codes.lantern)), statuses: [200] },
      ],
      changes: { hallpass_code: 0, hallpass_grant: 1, hallpass_access_token: 1, hallpass_refresh_token: 1, hallpass_client: 0 },
    } // prettier-ignore
  },
}

/** The identifiers of what one school has and the other has not. */
async function foreignIds(service: Service, site: SiteName): Promise<readonly string[]> {
  const others = await idsOf(service, OTHER[site])
  return [...(await idsOf(service, site))].filter((id) => !others.has(id)).sort()
}

/** One identifier of each kind. */
const oneOfEach = (ids: readonly string[]): readonly string[] => [
  ...new Map(ids.map((id) => [kindOf(id), id])).values(),
]

/** A rung serves one school. Its documents and its home page name its own origin only. */
export const sitesOfRung: RungClass = {
  name: sites.name,
  needs: [],
  least: 80,
  async build({ serves }) {
    const documents = [...DOCUMENTS.slice(0, serves.has('MCP') ? 3 : 2), ...(serves.has('home') ? ['/'] : [])] // prettier-ignore
    return {
      attacks: elsewhere(documents, { repeats: true }),
      controls: documents.map((path) => ({ name: path, request: { path }, statuses: [200] })),
    }
  },
}
