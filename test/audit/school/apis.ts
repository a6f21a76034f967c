import { type Check } from '../../../packages/hallpass-audit/src/check.js'
import { judge, notReached, Stop, violated } from '../../../packages/hallpass-audit/src/finding.js'
import { mediaTypeOf } from '../../../packages/hallpass-audit/src/checks/expect.js'
import type { Audit } from '../../../packages/hallpass-audit/src/engine/audit.js'
import { challenged as parameterOf } from '../../../packages/hallpass-audit/src/engine/challenge.js'
import type { Answer } from '../../../packages/hallpass-audit/src/engine/http.js'
import { newSecret } from '../../../packages/hallpass-audit/src/engine/random.js'
import { enrolled } from './account.js'
import { operations } from './discovery.js'
import { accountTokens, anonymous, challenged, isChallenged, kept, memberTokens, narrow, openidTokens, operatorTokens, query, shared, statement, withoutOpenid } from './statement.js' // prettier-ignore

/** An operation that reads courses without an identifier, by the description of the API. */
const adminUrl = async (on: Audit): Promise<URL> => {
  const paths = Object.entries(await operations(on)) as [string, { get?: unknown }][]
  const [path] =
    paths.find(([name, { get }]) => !name.includes('{') && JSON.stringify(get)?.includes('"courses:read"')) ?? [] // prettier-ignore
  if (path === undefined)
    throw new Stop(notReached('the description names no operation for courses:read without an identifier')) // prettier-ignore
  return new URL(path, on.origin)
}

const get = (on: Audit, url: URL | string, token: string | undefined): Promise<Answer> =>
  on.send(url, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })
const inQuery = (target: URL | string, token: string): URL => {
  const url = new URL(target)
  url.searchParams.append('access_token', token)
  return url
}

/** A surface at which access tokens are used, and a token without its scope. */
interface Resource {
  readonly name: string
  readonly called: string
  readonly use: (on: Audit, token?: string) => Promise<Answer>
}

const USERINFO: Resource = {
  name: 'userinfo',
  called: 'UserInfo',
  use: async (on, token) => get(on, await on.endpoint('userinfo_endpoint'), token),
}
const ACCOUNT: Resource = {
  name: 'account',
  called: 'The Account API',
  use: (on, token) => query(on, '{ viewer { id } }', token),
}
const MCP: Resource = {
  name: 'mcp',
  called: '/mcp',
  use: (on, token) => on.mcp({ ...(token !== undefined && { token }) }),
}
const ADMIN: Resource = {
  name: 'admin',
  called: 'The admin API',
  use: async (on, token) => get(on, await adminUrl(on), token),
}
const RESOURCES = [USERINFO, ACCOUNT, MCP, ADMIN]
const CHALLENGE =
  'Serve no bad token as anonymous, and put error and resource_metadata into the challenge.'

const malformed = (on: Audit, { name, use }: Resource): Promise<Answer> =>
  kept(on, `malformed at ${name}`, () => use(on, 'not!a token'))

/** A resource answers 403 to a token without its scope. */
const lacking = (
  { name, called, use }: Resource,
  shares: typeof shared,
  tokenOf: (on: Audit) => Promise<{ readonly accessToken: string }>,
): Check =>
  statement(
    'Errors',
    `${name}-missing-scope`,
    {
      ...shares,
      says: `${called} answers 403 insufficient_scope, with a pointer to the metadata, to a token without the scope.`,
      change: 'Require the scope, and put error and resource_metadata into the challenge.',
    },
    async (on) => challenged(await use(on, (await tokenOf(on)).accessToken), 403, 'insufficient_scope'), // prettier-ignore
  )

interface Tool {
  readonly name: string
  readonly annotations?: { readonly readOnlyHint?: boolean }
  readonly inputSchema?: { readonly required?: readonly string[] }
}

/** The tools that a response lists; `null` if it lists none. */
function toolsOf({ json }: Answer): readonly Tool[] | null {
  const { tools } = (json['result'] ?? {}) as { tools?: readonly Tool[] }
  return Array.isArray(tools) ? tools : null
}
/** The tools that a caller may use: of no one, or of a token. */
const listFor = (on: Audit, name: string, token?: string): Promise<Answer> =>
  kept(on, `tools of ${name}`, () => MCP.use(on, token))
const publicList = (on: Audit): Promise<Answer> => listFor(on, 'no one')
const publicTools = async (on: Audit): Promise<readonly Tool[] | null> =>
  toolsOf(await publicList(on))
const staffTools = async (on: Audit): Promise<readonly Tool[] | null> =>
  toolsOf(await listFor(on, 'staff', (await operatorTokens(on)).accessToken))

/** Calls a tool that only reads and needs no argument, of those that `others` does not have. */
async function callOne(
  on: Audit,
  tools: readonly Tool[] | null,
  others: readonly Tool[] | null = [],
  token?: string,
): Promise<Answer> {
  const names = (others ?? []).map(({ name }) => name)
  const tool = (tools ?? []).find(
    ({ name, annotations, inputSchema }) =>
      !names.includes(name) && annotations?.readOnlyHint === true && (inputSchema?.required ?? []).length === 0, // prettier-ignore
  )
  if (tool === undefined)
    throw new Stop(notReached('there is no such tool that reads only and needs no argument'))
  const params = { name: tool.name, arguments: {} }
  const message = { jsonrpc: '2.0', id: 'call', method: 'tools/call', params }
  return on.mcp({ message, ...(token !== undefined && { token }) })
}

/** Whether a tool was run. */
function isRun({ status, json }: Answer): boolean {
  const result = json['result'] as { isError?: boolean } | undefined
  return status === 200 && result !== undefined && result.isError !== true
}

/** Statements of the description about access tokens, `/mcp` and the admin API. */
export const apis: readonly Check[] = [
  ...RESOURCES.flatMap((resource) => [
    statement(
      'Authentication 13',
      `${resource.name}-malformed-token`,
      {
        ...anonymous,
        says: `${resource.called} answers 401 invalid_token, with a pointer to the metadata, to a malformed token.`,
        change: CHALLENGE,
      },
      async (on) => challenged(await malformed(on, resource), 401, 'invalid_token'),
    ),
    statement(
      'Errors',
      `${resource.name}-invalid-token`,
      {
        ...anonymous,
        says: `${resource.called} answers 401 invalid_token, with a pointer to the metadata, to a token that no one issued.`,
        change: CHALLENGE,
      },
      async (on) => challenged(await resource.use(on, newSecret()), 401, 'invalid_token'),
    ),
    statement(
      'Authentication 13',
      `${resource.name}-pointer`,
      {
        ...anonymous,
        says: `The pointer of ${resource.called.replace('The', 'the')} leads to the metadata of the protected resource.`,
        change: 'Serve metadata at the address of resource_metadata, with resource and the origin as authorization_servers.', // prettier-ignore
      },
      async (on) => {
        const refusal = await malformed(on, resource)
        const address = parameterOf(refusal.headers, 'resource_metadata')
        if (address === null || !URL.canParse(address))
          return violated(refusal, `resource_metadata is ${String(address)}`)
        const answer = await on.read(address)
        const { status, json } = answer
        const servers = json['authorization_servers']
        const isThere = typeof json['resource'] === 'string' && Array.isArray(servers) && servers.includes(on.origin) // prettier-ignore
        return judge(answer, isThere, `${address} has them`, `${address} is answered by ${status}`)
      },
    ),
  ]),
  lacking(USERINFO, withoutOpenid, accountTokens),
  lacking(ACCOUNT, narrow, openidTokens),
  lacking(ADMIN, shared, memberTokens),
  ...[
    { ...USERINFO, send: async (on: Audit, token: string) => on.send(inQuery(await on.endpoint('userinfo_endpoint'), token)) }, // prettier-ignore
    { ...ACCOUNT, send: (on: Audit, token: string) => on.send(inQuery(`${on.origin}/account/graphql`, token), { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query: '{ viewer { id } }' }) }) }, // prettier-ignore
    { ...ADMIN, send: async (on: Audit, token: string) => on.send(inQuery(await adminUrl(on), token)) }, // prettier-ignore
  ].map(({ name, called, send }) =>
    statement(
      'Authentication 9',
      `${name}-header`,
      {
        ...shared,
        says: `${called} takes a token in the header Authorization, and not in the URL.`,
        change: 'Read no access_token of the query: URLs are in logs.',
      },
      async (on) => {
        const tokens = name === 'admin' ? operatorTokens : memberTokens
        const answer = await send(on, (await tokens(on)).accessToken)
        const { status } = answer
        return judge(
          answer,
          status >= 400,
          `it is answered by ${status}`,
          `it is answered by ${status}`,
        )
      },
    ),
  ),
  statement(
    'Endpoints',
    'userinfo-without-token',
    {
      ...anonymous,
      says: 'UserInfo needs a token.',
      change: 'Answer 401 with WWW-Authenticate to a request without a token.',
    },
    async (on) => {
      return isChallenged(await USERINFO.use(on))
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
      const { status } = await enrolled(on)
      const mcp = await MCP.use(on, (await memberTokens(on)).accessToken)
      return judge(mcp, mcp.status === 200 && status === 200, 'it works at both', `/mcp answers ${mcp.status}, and the Account API ${status}`) // prettier-ignore
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
      const tools = await publicTools(on)
      return judge(
        await publicList(on),
        tools !== null,
        `${String(tools?.length)} tools`,
        'there is no list of tools',
      )
    },
  ),
  statement(
    'What the service does',
    'mcp-public-call',
    {
      ...anonymous,
      says: 'A request without a token may use public tools, and gets their results.',
      change: 'Run public tools without a token.',
    },
    async (on) => {
      const answer = await callOne(on, await publicTools(on))
      return judge(answer, isRun(answer), 'there is a result', `${answer.status} with ${mediaTypeOf(answer)}`) // prettier-ignore
    },
  ),
  statement(
    'Limits',
    'mcp-public-tools',
    {
      ...shared,
      says: 'Anonymous access to /mcp is restricted to public tools: staff who sign in have more.',
      change: 'List tools by their caller.',
    },
    async (on) => {
      const [stranger, staff] = [await publicTools(on), await staffTools(on)].map((tools) => tools?.length ?? 0) // prettier-ignore
      const found = `${stranger} tools without a token, ${staff} for staff`
      return judge(await publicList(on), staff! > stranger!, found, found)
    },
  ),
  statement(
    'Limits',
    'mcp-private-call',
    {
      ...shared,
      says: 'A request without a token may not use any other tool.',
      change: 'Check each call of a tool, not only the list.',
    },
    async (on) => {
      const answer = await callOne(on, await staffTools(on), await publicTools(on))
      return judge(
        answer,
        !isRun(answer),
        `the call is refused: ${answer.status}`,
        'the tool is run',
      )
    },
  ),
  statement(
    'Errors',
    'mcp-missing-scope',
    {
      ...shared,
      says: '/mcp answers 403 insufficient_scope, with a pointer to the metadata, if the token lacks the scope of a tool.',
      change: 'Require the scope of the tool, and put error and resource_metadata into the challenge.', // prettier-ignore
    },
    async (on) => {
      const { accessToken } = await memberTokens(on)
      const own = toolsOf(await listFor(on, 'the member', accessToken))
      const answer = await callOne(on, await staffTools(on), own, accessToken)
      return challenged(answer, 403, 'insufficient_scope')
    },
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
      const answer = await ADMIN.use(on, (await operatorTokens(on)).accessToken)
      const { status, url } = answer
      return judge(answer, status === 200, `${url.pathname} answers 200`, `${url.pathname} answers ${status}`) // prettier-ignore
    },
  ),
]
