import { type Check, judge, notReached, Stop, violated } from '../../check.js'
import { refusalOf } from '../../checks/expect.js'
import type { Audit } from '../../engine/audit.js'
import type { Answer } from '../../engine/http.js'
import { anonymous, challenged, challengeOf, memberTokens, operatorTokens, query, shared, slug, statement } from './statement.js' // prettier-ignore
import { ACCOUNT_FIELDS } from './tables.js'

const ENROLLED = `{ viewer { id email enrolledCourses(first: 1) { nodes {
  slug expireDate hasLifetimeAccess lastWatchedLecture { lectureId positionSeconds } } } } }`
const enrolled = (on: Audit): Promise<Answer> =>
  on.once('school enrolled', async () => query(on, ENROLLED, (await memberTokens(on)).accessToken))

const NODES = 'viewer.enrolledCourses.nodes'

/** The value at a path in the data of a response, in the first item of each list; `undefined` if it has none. */
function valueAt({ json }: Answer, path: string): unknown {
  let value: unknown = json['data']
  for (const name of path.split('.')) {
    const object: unknown = Array.isArray(value) ? value[0] : value
    if (typeof object !== 'object' || object === null) return undefined
    value = (object as Record<string, unknown>)[name]
  }
  return value
}

/** The path of an operation that reads courses without an identifier, by the description of the API. */
const adminPath = (on: Audit): Promise<string> =>
  on.once('school admin path', async () => {
    const { json } = await on.send(new URL('/openapi.json', on.origin))
    const paths = Object.entries((json['paths'] ?? {}) as Record<string, { get?: unknown }>)
    const [path] =
      paths.find(([name, { get }]) => !name.includes('{') && JSON.stringify(get)?.includes('"courses:read"')) ?? [] // prettier-ignore
    if (path === undefined)
      throw new Stop(notReached('the description names no operation for courses:read without an identifier')) // prettier-ignore
    return path
  })
const admin = async (on: Audit, token: string): Promise<Answer> =>
  on.send(new URL(await adminPath(on), on.origin), {
    headers: { authorization: `Bearer ${token}` },
  })

/** Statements of the description about the Account API, of `/mcp` and of the admin API. */
export const apis: readonly Check[] = [
  ...ACCOUNT_FIELDS.map((path) =>
    statement(
      'Resources: Account API',
      `account-${slug(path)}`,
      {
        ...shared,
        says: `The Account API has ${path}.`,
        change: `Add ${path} to the schema, and its resolver.`,
      },
      async (on) => {
        const answer = await enrolled(on)
        const { errors } = answer.json
        const nodes = valueAt(answer, NODES)
        const isEmpty = Array.isArray(nodes) && nodes.length === 0
        if (isEmpty && path !== NODES && path.startsWith(NODES))
          return notReached('the member is enrolled in no course')
        if (path.includes('lastWatched') && valueAt(answer, `${NODES}.lastWatchedLecture`) === null)
          return notReached('the member has watched nothing')
        const isThere = errors === undefined && valueAt(answer, path) !== undefined
        return judge(isThere, `${path} is there`, `${answer.status}: ${JSON.stringify(errors ?? 'no such value')}`) // prettier-ignore
      },
    ),
  ),
  statement(
    'Resources: Account API',
    'account-first',
    {
      ...shared,
      says: 'first is the size of a page of enrolled courses.',
      change: 'Return no more items than first.',
    },
    async (on) => {
      const nodes = valueAt(await enrolled(on), NODES)
      const count = Array.isArray(nodes) ? nodes.length : null
      return judge(count !== null && count <= 1, `${String(count)} of 1`, `${String(count)} items for first: 1`) // prettier-ignore
    },
  ),
  statement(
    'Authentication 10',
    'account-without-token',
    {
      ...anonymous,
      says: 'The Account API has no anonymous mode: it challenges a request without a token.',
      change: 'Answer 401 with WWW-Authenticate to a request without a token.',
    },
    async (on) => {
      const answer = await query(on, '{ viewer { id } }')
      const challenge = challengeOf(answer)
      return judge(answer.status === 401 && challenge !== '', `401 with ${challenge}`, `${answer.status}, and WWW-Authenticate is ${challenge || 'missing'}`) // prettier-ignore
    },
  ),
  statement(
    'Authentication 8',
    'account-foreign-token',
    {
      ...anonymous,
      says: 'The Account API answers 401 invalid_token, with a pointer to the metadata, to a token that this origin has not issued.', // prettier-ignore
      change: 'Check the token first, and put resource_metadata into the challenge.',
    },
    async (on) =>
      challenged(await query(on, '{ viewer { id } }', 'a-token-of-another-origin'), 401, 'invalid_token'), // prettier-ignore
  ),
  statement(
    'Authentication 13',
    'account-operator-token',
    {
      ...shared,
      says: 'The Account API answers 403 insufficient_scope, with a pointer to the metadata, to a token of staff.',
      change: 'Require account:read, and put resource_metadata into the challenge.',
    },
    async (on) => {
      const { accessToken } = await operatorTokens(on)
      return challenged(await query(on, '{ viewer { id } }', accessToken), 403, 'insufficient_scope') // prettier-ignore
    },
  ),
  statement(
    'Authentication 8',
    'member-token-at-mcp',
    {
      ...shared,
      says: 'The same token of a member works at /mcp and at the Account API.',
      change: 'Accept the tokens of this origin at both.',
    },
    async (on) => {
      const [mcp, { status }] = [
        await on.mcp({ token: (await memberTokens(on)).accessToken }),
        await enrolled(on),
      ]
      return judge(mcp.status === 200 && status === 200, 'it works at both', `/mcp answers ${mcp.status}, and the Account API ${status}`) // prettier-ignore
    },
  ),
  statement(
    'Authentication 12',
    'revoked-access-token',
    {
      creates: { authorizations: 1 },
      says: 'A client revokes an access token, which the Account API then refuses.',
      change: 'Look the token up for each request.',
    },
    async (on) => {
      const client = await on.client('member')
      const { accessToken } = await on.tokens({ client, person: 'member' })
      const { status } = await on.revoke(accessToken, {}, client)
      if (status !== 200) return violated(`the revocation is answered by ${status}`)
      return challenged(await query(on, '{ viewer { id } }', accessToken), 401, 'invalid_token')
    },
  ),
  statement(
    'Authentication 12',
    'revoked-refresh-token',
    {
      creates: { authorizations: 1 },
      says: 'A client revokes a refresh token, which is then refused with invalid_grant.',
      change: 'End the grant when its refresh token is revoked.',
    },
    async (on) => {
      const client = await on.client('member')
      const tokens = await on.tokens({ client, person: 'member' })
      await on.revoke(tokens.refreshToken ?? '', {}, client)
      return refusalOf(await on.refresh(tokens), ['invalid_grant'], 'a revoked refresh token')
    },
  ),
  statement(
    'Authentication 10',
    'mcp-anonymous',
    {
      ...anonymous,
      says: '/mcp serves a request without a token as anonymous.',
      change: 'List the public tools to callers without a token.',
    },
    async (on) => {
      const answer = await on.mcp()
      const count = toolsOf(answer)
      return judge(answer.status === 200 && count !== null, `${String(count)} tools`, `${answer.status} without tools`) // prettier-ignore
    },
  ),
  statement(
    'Limits',
    'mcp-public-tools',
    {
      ...shared,
      says: 'Anonymous access to /mcp is restricted to public tools: staff who sign in have more.',
      change: 'List tools by their caller, and check each call.',
    },
    async (on) => {
      const stranger = toolsOf(await on.mcp()) ?? 0
      const staff = toolsOf(await on.mcp({ token: (await operatorTokens(on)).accessToken })) ?? 0
      const found = `${stranger} tools without a token, ${staff} for staff`
      return judge(staff > stranger, found, found)
    },
  ),
  statement(
    'Authentication 13',
    'mcp-bad-token',
    {
      ...anonymous,
      says: '/mcp answers 401 invalid_token, with a pointer to the metadata, to a malformed token.',
      change: 'Serve no bad token as anonymous, and put resource_metadata into the challenge.',
    },
    async (on) => challenged(await on.mcp({ token: 'not-a-token' }), 401, 'invalid_token'),
  ),
  statement(
    'Authentication 7',
    'admin-api',
    {
      ...shared,
      says: 'Operator clients reach the admin API.',
      change: 'Accept tokens of operator clients at the operations that their scopes name.',
    },
    async (on) => {
      const { status, url } = await admin(on, (await operatorTokens(on)).accessToken)
      return judge(status === 200, `${url.pathname} answers 200`, `${url.pathname} answers ${status}`) // prettier-ignore
    },
  ),
  statement(
    'Authentication 13',
    'admin-bad-token',
    {
      ...anonymous,
      says: 'The admin API answers 401 invalid_token, with a pointer to the metadata, to a malformed token.',
      change: 'Put error and resource_metadata into the challenge.',
    },
    async (on) => challenged(await admin(on, 'not-a-token'), 401, 'invalid_token'),
  ),
  statement(
    'Authentication 13',
    'admin-missing-scope',
    {
      ...shared,
      says: 'The admin API answers 403 insufficient_scope, with a pointer to the metadata, to a token without the scope.',
      change: 'Require the scope of the operation, and put resource_metadata into the challenge.',
    },
    async (on) =>
      challenged(await admin(on, (await memberTokens(on)).accessToken), 403, 'insufficient_scope'),
  ),
]

/** How many tools a response lists; `null` if it lists none. */
function toolsOf({ json }: Answer): number | null {
  const { tools } = (json['result'] ?? {}) as { tools?: unknown }
  return Array.isArray(tools) ? tools.length : null
}
