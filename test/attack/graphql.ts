import fc from 'fast-check'
import { type Attack, type AttackClass, pairs, sampled } from '../support/attack/run.js'
import type { RungClass } from '../support/attack/rungs.js'
import { bearer, JSON_HEADERS, MEMBER_SCOPES, type Service } from '../support/attack/service.js'

const repeat = (times: number, make: (index: number) => string): string =>
  Array.from({ length: times }, (_, index) => make(index)).join(' ')
const nested = (times: number, open: string, inside: string, close: string): string =>
  open.repeat(times) + inside + close.repeat(times)

/** Documents that cost more than they look, or that are no documents. */
const DOCUMENTS: readonly string[] = [
  '', ' ', '{', '}', '{}', '{ viewer }', '{ viewer { } }', '{ nothing }', '{ viewer { nothing } }', '{ viewer { password } }', '{ __typename',
  'subscription { viewer { id } }', 'query A { viewer { id } } query A { viewer { id } }', '{ viewer { id } } { viewer { id } }',
  'query A { viewer { id } } query B { viewer { id } }', 'fragment F on Viewer { id }', '{ viewer { ...F } } fragment F on Viewer { ...F }',
  '{ viewer { ...F } } fragment F on Viewer { ...G } fragment G on Viewer { ...F }', '{ viewer { ...Nothing } }', '{ viewer { id @nothing } }',
  '{ viewer { id @include(if: "x") } }', '{ viewer { id @include } }', '{ viewer(id: "mem_l01") { id } }', '{ viewer { id(x: 1) } }',
  'query($x: Nothing) { viewer { id } }', 'query($x: ID!) { node(id: $x) { id } }', 'query($x: [[[[ID]]]]) { viewer { id } }', '{ node(id: null) { id } }',
  '{ node { id } }', '{ node(id: {}) { id } }', '{ node(id: [["mem_l01"]]) { id } }', '\u0000', '{ viewer { id } }\u0000', '# only a comment',
  '{ viewer { orders(first: 101) { nodes { id } } } }', '{ viewer { orders(first: -1) { nodes { id } } } }', '{ viewer { orders(first: 1e9) { nodes { id } } } }',
  '{ viewer { orders(first: 1, last: 1) { nodes { id } } } }', '{ viewer { orders(after: "x", before: "y") { nodes { id } } } }',
  '{ viewer { orders(filter: { state: [NOTHING] }) { nodes { id } } } }', '{ viewer { orders(filter: { placedAfter: "x" }) { nodes { id } } } }',
  '{ viewer { enrolledCourse(slug: "\' or 1=1 --") { id } } }', '{ viewer { enrolledCourse(slug: "%") { id } } }', '{ viewer { enrolledCourse(slug: "\\u0000") { id } } }',
  '{ __schema { types { name fields { type { ofType { ofType { ofType { ofType { name } } } } } } } } }', '{ __type(name: "Viewer") { fields { name } } }',
  `{ viewer { ${repeat(500, (index) => `a${index}: id`)} } }`, `{ viewer { ${repeat(5000, () => 'id')} } }`, `{ ${repeat(60, (index) => `v${index}: viewer { id }`)} }`,
  `{ viewer { ${repeat(215, (index) => `...F${index}`)} } } ${repeat(215, (index) => `fragment F${index} on Viewer { id }`)}`,
  `{ viewer { id ${repeat(300, () => '@include(if: true)')} } }`, `{ viewer { id ${repeat(50, () => '@skip(if: false) @include(if: true)')} } }`,
  `{ viewer ${nested(40, '{ ... on Viewer ', '{ id }', ' }')} }`, `{ viewer { subscriptions { nodes ${nested(30, '{ courses ', '{ id }', ' }')} } } }`,
  `{ viewer { orders(first: 100) { nodes { items { enrolledCourse { sections { lectures { id title url } } nextLecture { id } } } } totalCount } } }`,
  `{ viewer { ${repeat(30, (index) => `o${index}: orders(first: 100) { nodes { id items { enrolledCourse { sections { lectures { id } } } } } }`)} } }`,
  `{ viewer { id } ${nested(2000, '{', '', '}')} }`, `query(${repeat(500, (index) => `$v${index}: ID`)}) { viewer { id } }`, `{ viewer { id } } ${'#'.repeat(50_000)}`,
  `{ viewer { enrolledCourse(slug: "${'x'.repeat(60_000)}") { id } } }`, `{ node(id: ${nested(300, '[', '"x"', ']')}) { id } }`,
  `{ viewer { enrolledCourses(filter: ${nested(100, '{ a: ', '1', ' }')}) { nodes { id } } } }`, '"""x""" { viewer { id } }', '{ viewer { id } } extend type Viewer { x: Int }',
  'schema { query: Query }', 'type X { y: Int }', `{ viewer { ${repeat(20, (index) => `t${index}: enrolledCourses { totalCount nodes { sections { lectures { id } } } }`)} } }`,
] // prettier-ignore

/** Bodies that are no request. */
const BODIES: readonly string[] = [
  '', 'null', '[]', '7', '"x"', 'true', '{', '{}', '{"query":null}', '{"query":7}', '{"query":[]}', '{"query":{}}', '{"query":["{viewer{id}}"]}',
  '[{"query":"{viewer{id}}"}]', '[{"query":"{viewer{id}}"},{"query":"{viewer{id}}"}]', '{"query":"{viewer{id}}","variables":[]}',
  '{"query":"{viewer{id}}","variables":"x"}', '{"query":"{viewer{id}}","variables":7}', '{"query":"{viewer{id}}","operationName":7}',
  '{"query":"{viewer{id}}","operationName":"Nothing"}', '{"query":"{viewer{id}}","extensions":7}', '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}',
  '{"id":"x"}', '{"documentId":"x"}', '{"query":"{viewer{id}}","query":"{nothing}"}', '{"query":"{nothing}","\\u0071uery":"{nothing}"}', '{"__proto__":{"query":"{viewer{id}}"}}',
  '{"constructor":{"prototype":{"query":"x"}}}', `{"query":"{nothing}","variables":${nested(5000, '{"a":', '1', '}')}}`, `{"query":"{nothing}","variables":${nested(5000, '[', '', ']')}}`,
  `{"query":"{nothing}","variables":{"a":1e999}}`, `{"query":"{nothing}","x":"${'x'.repeat(300_000)}"}`, '\ufeff{"query":"{nothing}"}', 'query={viewer{id}}', '{"query":"{nothing}"} {}',
  '{"query":"\\ud800{nothing}"}', '{query:"{viewer{id}}"}', "{'query':'{viewer{id}}'}",
] // prettier-ignore

/** Mutations, which a token for reading may not run, however they are wrapped. */
const MUTATIONS: readonly string[] = [
  'mutation { updateProfile(input: { name: "Pwned" }) { viewer { id } } }',
  'mutation { markLecture(input: { courseId: "crs_l01", lectureId: "lec_l01_1", completed: true }) { userErrors { code } } }',
  'mutation { savePlaybackPosition(input: { courseId: "crs_l01", lectureId: "lec_l01_1", positionSeconds: 1 }) { userErrors { code } } }',
  'mutation { cancelEventRegistration(input: { registrationId: "reg_l1" }) { userErrors { code } } }',
  'mutation M { updateProfile(input: { name: "Pwned" }) { viewer { id } } } query Q { viewer { id } }',
  'query Q { viewer { id } } mutation M { updateProfile(input: { name: "Pwned" }) { viewer { id } } }',
  'mutation { ...F } fragment F on Mutation { updateProfile(input: { name: "Pwned" }) { viewer { id } } }',
  'mutation { updateProfile(input: { name: "Pwned" }) @skip(if: false) { viewer { id } } }',
  `mutation { ${repeat(40, (index) => `m${index}: updateProfile(input: { name: "Pwned" }) { viewer { id } }`)} }`,
]

const CURSORS = [
  '', 'x', '=', 'AAAA', 'WzFd', 'bnVsbA', 'W251bGwsbnVsbCxudWxsXQ', 'eyJhIjoxfQ', "' or 1=1 --", '../..', '\\u0000', '\\ud800', '-1', '9'.repeat(40),
  'x'.repeat(5000), 'WzEsIngiLG51bGwsImUxIl0', '%00', '[]', '{}', 'e30', 'MTs=', 'ZHJvcCB0YWJsZQ==',
] // prettier-ignore
const LISTS = [
  'enrolledCourses',
  'orders',
  'eventRegistrations',
  'subscriptions',
  'digitalProducts',
]

/** Values that are no token, types that are no JSON, methods that are no POST: whatever the schema is. */
const elsewise = (token: string): readonly Attack[] => [
  ...['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'].map((method): Attack => ({
    name: `${method} with a query`,
    request: { method, path: `/account/graphql?query=${encodeURIComponent('{viewer{id}}')}`, headers: bearer(token) },
    statuses: [405],
  })),
  ...DOCUMENTS.slice(0, 12).map((query): Attack => ({
    name: `without a token: ${query}`,
    request: { path: '/account/graphql', body: JSON.stringify({ query }), headers: JSON_HEADERS },
    statuses: [401],
    without: ['Did you mean', 'Cannot query'],
  })),
] // prettier-ignore
const TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/graphql', 'text/json', 'application/jsonx', ''] // prettier-ignore

/** A document shows a member their own data, at a cost that is counted before. */
export const graphql: AttackClass = {
  name: 'GraphQL',
  least: 300,
  async build(service) {
    const member = { clientId: 'study-buddy', subject: 'mem_l05', scopes: MEMBER_SCOPES }
    const others = await emailsOfOthers(service)
    const attacks: Attack[] = []
    const supply: string[] = []
    // Points are counted for each grant: a table as long as this one needs several.
    for (let index = 0; index < 60; index++) supply.push((await service.mint(member)).accessToken)
    const send = (name: string, body: string, more: Partial<Attack> = {}, headers = {}): void => {
      const token = supply[attacks.length % supply.length]!
      attacks.push({
        name: name.slice(0, 90),
        request: { path: '/account/graphql', body, headers: { ...JSON_HEADERS, ...bearer(token), ...headers } }, // prettier-ignore
        statuses: [200, 400, 413, 415],
        without: others,
        ...more,
      })
    }
    for (const query of DOCUMENTS) send(query, JSON.stringify({ query }))
    for (const body of BODIES) send(`the body ${body}`, body, { without: [...others, '"viewer"'] }) // prettier-ignore
    for (const query of MUTATIONS)
      for (const operationName of [undefined, 'Q', 'M'])
        send(`${query} as ${operationName}`, JSON.stringify({ query, operationName }), {
          statuses: [200, 400, 403],
          // A query may run beside a mutation that does not.
          without: [...(operationName === 'Q' ? [] : ['"data":{']), 'Pwned', 'updateProfile":'],
        })
    for (const [list, cursor] of pairs(LISTS, CURSORS))
      send(`${list} after ${cursor}`, JSON.stringify({ query: `{ viewer { ${list}(first: 2, after: "${cursor}") { nodes { id } } } }` })) // prettier-ignore
    for (const id of ['mem_l01', 'mem_l06', 'ord_l1', 'ord_l9', 'enr_n43', 'sub_l9', 'reg_l1', 'crs_l01', 'site_lantern', 'site_kiln', '', '\u0000', 'x'.repeat(5000), '__proto__', 'viewer']) // prettier-ignore
      send(`node ${id}`, JSON.stringify({ query: 'query($id: ID!) { node(id: $id) { __typename id ... on Viewer { email } } }', variables: { id } })) // prettier-ignore
    for (const value of sampled(fc.jsonValue({ maxDepth: 3 }), 40))
      send(`the variable ${JSON.stringify(value)}`, JSON.stringify({ query: 'query($id: ID!) { node(id: $id) { id } }', variables: { id: value } })) // prettier-ignore
    for (const type of TYPES)
      send(`the type ${type}`, '{"query":"{viewer{id}}"}', { statuses: [400, 415], without: ['"viewer"'] }, { 'content-type': type }) // prettier-ignore
    const [token] = supply
    attacks.push(...elsewise(token!))
    return {
      attacks,
      controls: [
        {
          name: 'the own address',
          request: { path: '/account/graphql', body: '{"query":"{ viewer { email } }"}', headers: { ...JSON_HEADERS, ...bearer((await service.mint(member)).accessToken) } },
          statuses: [200],
          fault: ({ text }) => (text.includes('mei-ling.chou@example.com') ? null : 'it is not there'),
        },
      ],
    } // prettier-ignore
  },
}

async function emailsOfOthers({ execute }: Service): Promise<readonly string[]> {
  const { rows } = await execute(
    "select email from school_person where email is not null and email not like 'mei-ling%'",
    [],
  )
  return (rows as { email: string }[]).map(({ email }) => email)
}

/** The same for a rung, which has one student. */
export const graphqlOfRung: RungClass = {
  name: graphql.name,
  needs: ['Account API'],
  least: 180,
  async build({ grant }) {
    const supply: string[] = []
    for (let index = 0; index < 20; index++) supply.push((await grant('member')).accessToken)
    const attacks: Attack[] = []
    const send = (name: string, body: string, more: Partial<Attack> = {}, headers = {}): void =>
      void attacks.push({
        name: name.slice(0, 90),
        request: { path: '/account/graphql', body, headers: { ...JSON_HEADERS, ...bearer(supply[attacks.length % supply.length]!), ...headers } },
        statuses: [200, 400, 413, 415],
        without: ['owner@example.com', 'Ada Okafor'],
        ...more,
      }) // prettier-ignore
    for (const query of DOCUMENTS) send(query, JSON.stringify({ query }))
    for (const body of BODIES) send(`the body ${body}`, body, { without: ['"viewer"'] })
    for (const query of MUTATIONS)
      send(query, JSON.stringify({ query, operationName: query.startsWith('mutation M') || query.startsWith('query Q') ? 'M' : undefined }), { statuses: [200, 400, 403], without: ['"data":{', 'Pwned'] }) // prettier-ignore
    for (const id of ['usr_1', 'usr_2', 'crs_1', '', '\u0000', 'x'.repeat(5000), '__proto__', 'viewer'])
      send(`node ${id}`, JSON.stringify({ query: 'query($id: ID!) { node(id: $id) { __typename id ... on Viewer { email } } }', variables: { id } })) // prettier-ignore
    for (const value of sampled(fc.jsonValue({ maxDepth: 3 }), 40))
      send(`the variable ${JSON.stringify(value)}`, JSON.stringify({ query: 'query($id: ID!) { node(id: $id) { id } }', variables: { id: value } })) // prettier-ignore
    for (const type of TYPES)
      send(`the type ${type}`, '{"query":"{viewer{id}}"}', { statuses: [400, 415], without: ['"viewer"'] }, { 'content-type': type }) // prettier-ignore
    return {
      attacks: [...attacks, ...elsewise(supply[0]!)],
      controls: [
        {
          name: 'the own name',
          request: { path: '/account/graphql', body: '{"query":"{ viewer { name } }"}', headers: { ...JSON_HEADERS, ...bearer(supply.at(-1)!) } },
          statuses: [200],
          fault: ({ text }) => (text.includes('Mei-Ling Chou') ? null : 'it is not there'),
        },
      ],
    } // prettier-ignore
  },
}
