import { type Check } from '../../../packages/hallpass-audit/src/check.js'
import { judge, notReached } from '../../../packages/hallpass-audit/src/finding.js'
import type { Audit } from '../../../packages/hallpass-audit/src/engine/audit.js'
import type { Answer } from '../../../packages/hallpass-audit/src/engine/http.js'
import { encodePart } from '../../../packages/hallpass-audit/src/engine/proof.js'
import { userinfo } from './identity.js'
import { anonymous, challenged, challengeOf, isChallenged, isJson, kept, memberTokens, operatorTokens, postJson, query, shared, slug, statement } from './statement.js' // prettier-ignore
import { ACCOUNT_FIELDS } from './tables.js'

const SECTION = 'Resources: Account API'
const ENROLLED = `{ viewer { id email enrolledCourses(first: 1) { nodes {
  slug expireDate hasLifetimeAccess lastWatchedLecture { lectureId positionSeconds } } } } }`
export const enrolled = (on: Audit): Promise<Answer> =>
  kept(on, 'enrolled', async () => query(on, ENROLLED, (await memberTokens(on)).accessToken))
const withoutToken = (on: Audit): Promise<Answer> =>
  kept(on, 'account without token', async () => query(on, '{ viewer { id } }'))

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

/** Held if the Account API runs nothing of a body. */
const refusedBody = (
  section: string,
  name: string,
  says: string,
  body: object,
  change: string,
): Check =>
  statement(section, name, { ...shared, says, change }, async (on) => {
    const { accessToken } = await memberTokens(on)
    const answer = await postJson(on, '/account/graphql', JSON.stringify(body), accessToken)
    const { data, errors } = answer.json
    const isRefused = (data ?? null) === null && (errors !== undefined || answer.status >= 400)
    return judge(answer, isRefused, `it is answered by ${answer.status}`, `it is answered by ${answer.status} and ${JSON.stringify(data)}`) // prettier-ignore
  })

/** A token that another origin could have issued. */
function foreignToken(): string {
  const claims = { iss: 'https://elsewhere.example', aud: 'https://elsewhere.example', sub: 'member', scope: 'account:read', exp: 4_000_000_000 } // prettier-ignore
  return `${encodePart({ alg: 'ES256', typ: 'at+jwt', kid: '1' })}.${encodePart(claims)}.${encodePart('signature')}`
}

/** Statements of the description about the Account API. */
export const account: readonly Check[] = [
  ...ACCOUNT_FIELDS.map((path) =>
    statement(
      SECTION,
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
          return notReached('the member is enrolled in no course', answer)
        if (path.includes('lastWatched') && valueAt(answer, `${NODES}.lastWatchedLecture`) === null)
          return notReached('the member has watched nothing', answer)
        const isThere = errors === undefined && valueAt(answer, path) !== undefined
        return judge(answer, isThere, `${path} is there`, `${answer.status}: ${JSON.stringify(errors ?? 'no such value')}`) // prettier-ignore
      },
    ),
  ),
  statement(
    SECTION,
    'account-first',
    {
      ...shared,
      says: 'first is the size of a page of enrolled courses.',
      change: 'Return no more items than first.',
    },
    async (on) => {
      const answer = await enrolled(on)
      const nodes = valueAt(answer, NODES)
      const count = Array.isArray(nodes) ? nodes.length : null
      return judge(answer, count !== null && count <= 1, `${String(count)} of 1`, `${String(count)} items for first: 1`) // prettier-ignore
    },
  ),
  refusedBody(SECTION, 'account-first-int', 'first is a whole number.', { query: '{ viewer { enrolledCourses(first: "one") { nodes { slug } } } }' }, 'Let first be of the type Int.'), // prettier-ignore
  statement(
    SECTION,
    'account-lifetime-boolean',
    {
      ...shared,
      says: 'hasLifetimeAccess is true or false.',
      change: 'Let hasLifetimeAccess be of the type Boolean.',
    },
    async (on) => {
      const answer = await enrolled(on)
      const value = valueAt(answer, `${NODES}.hasLifetimeAccess`)
      if (value === undefined)
        return notReached('there is no enrollment with hasLifetimeAccess', answer)
      return judge(answer, typeof value === 'boolean', 'it is one of them', `it is ${JSON.stringify(value)}`) // prettier-ignore
    },
  ),
  statement(
    'What the service does',
    'account-own-data',
    {
      ...shared,
      says: 'The Account API has the data of the member who signed in: their email address is that of UserInfo.',
      change: 'Find the member by the subject of the token.',
    },
    async (on) => {
      const answer = await enrolled(on)
      const [email, { json }] = [valueAt(answer, 'viewer.email'), await userinfo(on)]
      if (email === undefined || json['email'] === undefined)
        return notReached('one of the two has no email address')
      return judge(answer, email === json['email'], 'it is the same', `it is ${JSON.stringify(email)}, and of UserInfo ${JSON.stringify(json['email'])}`) // prettier-ignore
    },
  ),
  statement(
    'Endpoints',
    'account-json',
    {
      ...shared,
      says: 'The Account API returns JSON.',
      change: 'Answer with application/json, or with application/graphql-response+json.',
    },
    async (on) => isJson(await enrolled(on)),
  ),
  refusedBody('Endpoints', 'account-without-query', 'A request of the Account API has a query.', {}, 'Refuse a body without query.'), // prettier-ignore
  refusedBody('Endpoints', 'account-query-string', 'The query is a string.', { query: { viewer: { id: true } } }, 'Refuse a body in which query is not a string.'), // prettier-ignore
  statement(
    'Authentication 10',
    'account-without-token',
    {
      ...anonymous,
      says: 'The Account API has no anonymous mode: it challenges a request without a token.',
      change: 'Answer 401 with WWW-Authenticate to a request without a token.',
    },
    async (on) => {
      return isChallenged(await withoutToken(on))
    },
  ),
  statement(
    'Errors',
    'account-without-token-error',
    {
      ...anonymous,
      says: 'The error of a request without a token is invalid_token.',
      change: 'Name invalid_token in the challenge, or as error in the body.',
    },
    async (on) => {
      const answer = await withoutToken(on)
      const named = /error="?([\w-]+)/.exec(challengeOf(answer))?.[1] ?? answer.json['error']
      return judge(
        answer,
        named === 'invalid_token',
        'it is invalid_token',
        `it is ${String(named)}`,
      )
    },
  ),
  statement(
    'Authentication 8',
    'account-foreign-token',
    {
      ...anonymous,
      says: 'The Account API answers 401 invalid_token, with a pointer to the metadata, to a token of another origin.',
      change: 'Check issuer and audience of the token, and put resource_metadata into the challenge.', // prettier-ignore
    },
    async (on) =>
      challenged(await query(on, '{ viewer { id } }', foreignToken()), 401, 'invalid_token'),
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
]
