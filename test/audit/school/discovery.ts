import { type Check } from '../../../packages/hallpass-audit/src/check.js'
import { judge, violated } from '../../../packages/hallpass-audit/src/finding.js'
import { listIn, mediaTypeOf } from '../../../packages/hallpass-audit/src/checks/expect.js'
import type { Audit } from '../../../packages/hallpass-audit/src/engine/audit.js'
import type { Answer } from '../../../packages/hallpass-audit/src/engine/http.js'
import { isJson, passive, slug, statement } from './statement.js'
import { DOCUMENTS, ENDPOINTS, IDENTITY_SCOPES, LISTED, MEMBER_SCOPES, OPERATOR_SCOPES } from './tables.js' // prettier-ignore

/** A value that a list of the metadata has. */
const listed = (section: string, name: string, list: string, value: string): Check =>
  statement(
    section,
    name,
    {
      ...passive,
      says: `${list} of the metadata has ${value}.`,
      change: `List ${value} in ${list}.`,
    },
    async (on) => {
      const values = await on.listOf(list)
      return judge(await on.serverAnswer(), values.includes(value), `${value} is listed`, `${list} is ${JSON.stringify(values)}`) // prettier-ignore
    },
  )

/** A member of the metadata that has one value, or a list with it. */
const equals = (
  section: string,
  name: string,
  [says, member]: readonly [says: string, member: string],
  right: (on: Audit) => unknown,
  read: (on: Audit) => Promise<Answer> = (on) => on.serverAnswer(),
): Check =>
  statement(
    section,
    name,
    { ...passive, says, change: `Publish the right ${member}: ${says}` },
    async (on) => {
      const answer = await read(on)
      const [found, wanted] = [answer.json[member], right(on)]
      const isIn = Array.isArray(found) && found.includes(wanted)
      const text = `${member} is ${JSON.stringify(found)}`
      return judge(answer, isIn || JSON.stringify(found) === JSON.stringify(wanted), text, text)
    },
  )

const resourceMetadata = (on: Audit): Promise<Answer> =>
  on.read('/.well-known/oauth-protected-resource')
const openid = (on: Audit): Promise<Answer> => on.openidAnswer()

/** The operations of the description of the API, by their paths. */
export const operations = async (on: Audit): Promise<Readonly<Record<string, object>>> =>
  ((await on.read('/openapi.json')).json['paths'] ?? {}) as Record<string, object>

/** The scopes that operations of the description require. */
async function requiredScopes(on: Audit): Promise<readonly string[]> {
  const all = Object.values(await operations(on)).flatMap((path) => Object.values(path))
  return all.flatMap((operation: { security?: readonly Record<string, readonly string[]>[] }) =>
    (operation.security ?? []).flatMap((one) => Object.values(one).flat()),
  )
}

/** Words that a walkthrough has, of each step. */
const STEPS = [/discover|[.]well-known/i, /regist/i, /authori[sz]/i, /exchang|redeem|[/]token/i, /bearer/i, /refresh/i, /revo[kc]/i] // prettier-ignore

/** Statements of the description about the documents that anyone can read. */
export const discovery: readonly Check[] = [
  equals('Introduction', 'issuer', ['The origin of the service is the issuer.', 'issuer'], (on) => on.origin), // prettier-ignore
  equals('Introduction', 'issuer-openid', ['The OpenID configuration has the same issuer.', 'issuer'], (on) => on.origin, openid), // prettier-ignore
  equals('Introduction', 'resource', ['The origin of the service identifies the protected resource.', 'resource'], (on) => on.origin, resourceMetadata), // prettier-ignore
  equals('Introduction', 'authorization-servers', ['The origin issues the tokens of the protected resource.', 'authorization_servers'], (on) => on.origin, resourceMetadata), // prettier-ignore
  ...DOCUMENTS.map((path) =>
    statement(
      'Endpoints',
      `get${slug(path)}`,
      {
        ...passive,
        says: `A GET of ${path} returns a JSON document.`,
        change: `Answer GET ${path} with 200 and application/json.`,
      },
      async (on) => {
        const answer = await on.read(path)
        const { verdict, found } = isJson(answer)
        return judge(answer, answer.status === 200 && verdict === 'held', found, found)
      },
    ),
  ),
  ...ENDPOINTS.map(
    ({ member, path }) =>
    equals('Endpoints', `path-${slug(member)}`, [`The metadata names ${path}.`, member], (on) => on.origin + path), // prettier-ignore
  ),
  statement(
    'Endpoints',
    'openid-agrees',
    {
      ...passive,
      says: 'The OpenID configuration has the endpoints of the metadata.',
      change: 'Write both documents from one list of endpoints.',
    },
    async (on) => {
      const [server, other] = [await on.server(), await on.openid()]
      const names = Object.keys(server).filter((name) => /_endpoint$|^jwks_uri$/.test(name))
      const different = names.filter((name) => name in other && other[name] !== server[name])
      return judge(await on.openidAnswer(), different.length === 0, `${names.length} are the same`, `other values: ${different.join(', ')}`) // prettier-ignore
    },
  ),
  statement(
    'Endpoints',
    'openapi',
    {
      ...passive,
      says: '/openapi.json serves the OpenAPI description of the API.',
      change: 'Serve the description with openapi and paths at /openapi.json.',
    },
    async (on) => {
      const answer = await on.read('/openapi.json')
      const { status, json } = answer
      const isThere = status === 200 && typeof json['openapi'] === 'string' && typeof json['paths'] === 'object' // prettier-ignore
      return judge(
        answer,
        isThere,
        `OpenAPI ${String(json['openapi'])}`,
        `${status} without a description`,
      )
    },
  ),
  statement(
    'Endpoints',
    'openapi-paths',
    {
      ...passive,
      says: 'The OpenAPI description has every path of the table of endpoints, but for the two texts about them.',
      change: 'Describe each endpoint, not only those of the admin API.',
    },
    async (on) => {
      const described = Object.keys(await operations(on))
      const paths = [...DOCUMENTS.slice(0, 3), ...ENDPOINTS.map(({ path }) => path), '/account/graphql', '/mcp'] // prettier-ignore
      const missing = paths.filter((path) => !described.includes(path))
      return judge(await on.read('/openapi.json'), missing.length === 0, `${described.length} paths`, `without ${missing.join(', ')}`) // prettier-ignore
    },
  ),
  statement(
    'What the service does',
    'openapi-scopes',
    {
      ...passive,
      says: 'Operator scopes of the table govern the admin API.',
      change: 'Let each operation require a scope of the table, and name it in the description.',
    },
    async (on) => {
      const known = [...IDENTITY_SCOPES, ...OPERATOR_SCOPES, ...MEMBER_SCOPES]
      const scopes = [...new Set(await requiredScopes(on))]
      const others = scopes.filter((scope) => !known.includes(scope))
      const hasOperators = scopes.some((scope) => OPERATOR_SCOPES.includes(scope))
      return judge(await on.read('/openapi.json'), hasOperators && others.length === 0, `operations require ${scopes.join(' ')}`, `operations require ${others.join(' ') || 'no operator scope'}`) // prettier-ignore
    },
  ),
  statement(
    'Endpoints',
    'auth-md',
    {
      ...passive,
      says: '/auth.md serves Markdown.',
      change: 'Serve the walkthrough as text/markdown at /auth.md.',
    },
    async (on) => {
      const answer = await on.send(new URL('/auth.md', on.origin))
      const type = mediaTypeOf(answer)
      return judge(answer, answer.status === 200 && type === 'text/markdown', type, `${answer.status} with ${type || 'no type'}`) // prettier-ignore
    },
  ),
  statement(
    'Authentication 2',
    'auth-md-walkthrough',
    {
      ...passive,
      says: '/auth.md walks through discovery, registration, authorization, exchange, use, refresh and revocation.',
      change: 'Describe each step, in this order, with its endpoint.',
    },
    async (on) => {
      const answer = await on.send(new URL('/auth.md', on.origin))
      const missing = STEPS.filter((step) => !step.test(answer.text)).map(({ source }) => source)
      return judge(answer, missing.length === 0, 'every step is there', `nothing is like ${missing.join(', ')}`) // prettier-ignore
    },
  ),
  ...LISTED.map(({ section, list, value }) => listed(section, `lists-${slug(value)}`, list, value)),
  equals('Authentication 1', 's256-only', ['PKCE supports S256 and no other method.', 'code_challenge_methods_supported'], () => ['S256']), // prettier-ignore
  equals('Authentication 1', 'code-only', ['The only response type is code.', 'response_types_supported'], () => ['code']), // prettier-ignore
  equals('Endpoints', 'iss-announced', ['The metadata announces iss in authorization responses, as RFC 9207 demands.', 'authorization_response_iss_parameter_supported'], () => true), // prettier-ignore
  statement(
    'Resources: metadata document',
    'document-flag',
    {
      ...passive,
      says: 'The metadata says whether client ID metadata documents are supported.',
      change: 'Publish client_id_metadata_document_supported as true or false.',
    },
    async (on) => {
      const { client_id_metadata_document_supported: flag } = await on.server()
      return judge(
        await on.serverAnswer(),
        typeof flag === 'boolean',
        `it is ${String(flag)}`,
        `it is ${String(flag)}`,
      )
    },
  ),
  statement(
    'Authentication 11',
    'id-token-algorithm',
    {
      ...passive,
      says: 'The OpenID configuration lists ES256 for ID tokens.',
      change: 'List ES256 in id_token_signing_alg_values_supported.',
    },
    async (on) => {
      const listed = listIn(await on.openid(), 'id_token_signing_alg_values_supported') ?? []
      return judge(await on.openidAnswer(), listed.includes('ES256'), 'it lists ES256', `it lists ${listed.join(', ') || 'none'}`) // prettier-ignore
    },
  ),
  statement(
    'Endpoints: token request',
    'key-set',
    {
      ...passive,
      says: 'The OpenID configuration names jwks_uri, where the keys are.',
      change: 'Publish jwks_uri, and the keys there.',
    },
    async (on) => {
      const { jwks_uri: address } = await on.openid()
      if (typeof address !== 'string')
        return violated(await on.openidAnswer(), 'there is no jwks_uri')
      const answer = await on.read(address)
      const { keys } = answer.json
      const isThere = Array.isArray(keys) && keys.length > 0
      return judge(answer, isThere, `${isThere ? keys.length : 0} keys`, `${answer.status} without keys`) // prettier-ignore
    },
  ),
  statement(
    'Authentication 4',
    'no-agent-metadata',
    {
      ...passive,
      says: 'No document announces an extension for agents.',
      change: 'Remove agent_auth from the metadata.',
    },
    async (on) => {
      const all = [await resourceMetadata(on), await on.openidAnswer(), await on.serverAnswer()]
      const found = all.find(({ json }) => 'agent_auth' in json)
      return judge(
        found ?? all[0]!,
        found === undefined,
        'agent_auth is nowhere',
        'agent_auth is published',
      )
    },
  ),
  ...[...IDENTITY_SCOPES, ...OPERATOR_SCOPES, ...MEMBER_SCOPES].map((scope) =>
    listed('Scopes', `scope-${slug(scope)}`, 'scopes_supported', scope),
  ),
]
