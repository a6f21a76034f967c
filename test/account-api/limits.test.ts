import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  printType,
} from 'graphql'
import { accountSchema } from 'hallpass/account'
import { describe, expect, it } from 'vitest'
import { openAccount } from '../support/school/account-api.js'
import { processorMilliseconds } from '../support/run/processor-time.js'

const opened = openAccount({ bucket: null })
const token = opened.then(({ tokenFor }) => tokenFor('account:read'))

interface Answer {
  readonly data?: Record<string, unknown> | null
  readonly errors?: readonly { readonly message: string; readonly extensions?: object }[]
  readonly extensions?: { readonly cost: unknown }
}

/** The answer, and what the source was asked for it. */
async function ask(query: string, more: object = {}): Promise<Answer & { calls: string[] }> {
  const { ask: send, calls } = await opened
  calls.length = 0
  const answer = await send(await token, query, { ...more })
  return { ...((await answer.json()) as Answer), calls: [...calls] }
}

const repeated = (count: number, each: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => each(index)).join(' ')

const refused = (code: string, limit: number, actual: unknown): unknown => ({
  errors: [
    {
      message: expect.stringMatching(/^the query has too many .*: at most \d+ are allowed$/),
      extensions: { code, limit, actual },
    },
  ],
  calls: [],
})

const codesOf = ({ errors = [] }: Answer): unknown[] =>
  errors.map(({ extensions }) => (extensions as { code: unknown }).code)

type Document = (count: number) => string

describe('a document', () => {
  it.each<[string, Document, number, string]>([
    [
      'depth',
      (count) =>
        `{ viewer { orders { nodes { items { subscription { ${'courses { '.repeat(count - 6)}
          id ${'} '.repeat(count - 6)} } } } } } }`,
      12,
      'QUERY_TOO_DEEP',
    ],
    [
      'depth, in fragments',
      (count) =>
        `{ ...F0 } fragment F0 on Query { viewer { ...F1 } } ${repeated(
          count - 2,
          (index) => `fragment F${index + 1} on Viewer { site { ...F${index + 2} } }`,
        )} fragment F${count - 1} on Site { id }`,
      12,
      'QUERY_TOO_DEEP',
    ],
    [
      'aliases',
      (count) => `{ viewer { ${repeated(count, (index) => `a${index}: id`)} } }`,
      30,
      'QUERY_TOO_COSTLY',
    ],
    [
      'repeated fields',
      (count) => `{ viewer { id ${repeated(count, () => 'id')} } }`,
      30,
      'QUERY_TOO_COSTLY',
    ],
    [
      'directives',
      (count) => `{ viewer { id ${repeated(count, () => '... @skip(if: false) { name }')} } }`,
      50,
      'QUERY_TOO_COSTLY',
    ],
    [
      'inline fragments',
      (count) => `{ viewer { ${repeated(count, () => '... { id }')} } }`,
      50,
      'QUERY_TOO_COSTLY',
    ],
    [
      'fragments, spread once each',
      (count) =>
        `{ viewer { ${repeated(count, (index) => `...F${index}`)} } }
         ${repeated(count, (index) => `fragment F${index} on Viewer { id }`)}`,
      50,
      'QUERY_TOO_COSTLY',
    ],
    [
      'fragments, each spread in another',
      (count) =>
        `{ viewer { ...F0 } } ${repeated(
          count,
          (index) =>
            `fragment F${index} on Viewer { id ${index === count - 1 ? '' : `...F${index + 1}`} }`,
        )}`,
      50,
      'QUERY_TOO_COSTLY',
    ],
    [
      'fields at the root',
      (count) => `{ viewer { id } ${repeated(count - 1, (index) => `r${index}: __typename`)} }`,
      10,
      'QUERY_TOO_COSTLY',
    ],
    [
      'fields at the root, in fragments',
      (count) =>
        `{ ...A ... { ...B } } fragment A on Query { viewer { id } }
         fragment B on Query { ${repeated(count - 1, (index) => `r${index}: __typename`)} }`,
      10,
      'QUERY_TOO_COSTLY',
    ],
  ])(
    'is refused before anything runs for its %s, just above the limit [GQL-15]',
    async (...row) => {
      const [, document, limit, code] = row
      expect(await ask(document(limit + 1))).toEqual(refused(code, limit, limit + 1))
      expect(codesOf(await ask(document(limit)))).not.toContain(code)
    },
  )

  it.each([
    ['215 fragments', 215],
    ['as many fragments as are allowed', 50],
  ])('is judged within 50 ms when it has %s [GQL-15]', async (_, count) => {
    const document = (salt: number): string =>
      `{ viewer { ${repeated(count, (index) => `...F${index}`)} } } # ${salt}
       ${repeated(count, (index) => `fragment F${index} on Viewer { id name email locale }`)}`
    expect(await processorMilliseconds((run) => ask(document(run)))).toBeLessThan(50)
  })

  it('may have 2000 tokens [GQL-15]', async () => {
    // 19 tokens around the values.
    const document = (count: number): string =>
      `{ viewer { enrolledCourses(filter: { accessState: [${'ACTIVE '.repeat(count - 19)}] }) {
        totalCount } } }`
    expect(await ask(document(2000))).toMatchObject({ data: expect.anything() })
    expect(await ask(document(2001))).toEqual(refused('QUERY_TOO_COSTLY', 2000, undefined))
  })

  it('may cost 1000 points [GQL-15]', async () => {
    // viewer 1, connection 1, 32 rows of 1 + 20 + 10, totalCount 5, site 1
    const document = (more = ''): string => `{ viewer { site { id } ${more}
      enrolledCourses(first: 32) { totalCount nodes { sections { title } } } } }`
    const most = await ask(document(), { extensions: { cost: true } })
    expect(most.extensions?.cost).toMatchObject({ requested: 1000 })
    expect(most.errors).toBe(undefined)
    expect(await ask(document('other: site { id }'))).toEqual(
      refused('QUERY_TOO_COSTLY', 1000, 1001),
    )
  })
})

describe('a document made to be slow', () => {
  const fanOut = (type: string, leaf: string, levels = 30): string =>
    repeated(levels, (index) =>
      index === levels - 1
        ? `fragment F${index} on ${type} { ${leaf} }`
        : `fragment F${index} on ${type} { ...F${index + 1} ...F${index + 1} }`,
    )
  // Each spreads all the others: the ways through them are as many as a factorial.
  const tangle = (type: string): string =>
    repeated(
      20,
      (index) =>
        `fragment F${index} on ${type} { __typename ${repeated(20, (other) => `...F${other}`)} }`,
    )

  it.each([
    ['fragments that double', `{ viewer { ...F0 } } ${fanOut('Viewer', 'name')}`, 2 ** 29 + 1],
    [
      'fragments that double in introspection',
      `{ __schema { types { ...F0 } } } ${fanOut('__Type', 'name')}`,
      2 ** 29 + 2,
    ],
    [
      'fragments that double below an operation that is not run',
      `query A { viewer { id } } query B { viewer { ...F0 } } ${fanOut('Viewer', 'name')}`,
      2 ** 29 + 1,
    ],
  ])('is refused: %s [GQL-16]', async (_, document, actual) => {
    expect(await ask(document, { operationName: 'A' })).toEqual(
      refused('QUERY_TOO_COSTLY', 2000, actual),
    )
  })

  it.each([
    ['a fragment in itself', '{ viewer { ...F } } fragment F on Viewer { id ...F }'],
    [
      'two fragments in each other',
      '{ viewer { ...F } } fragment F on Viewer { ...G } fragment G on Viewer { id ...F }',
    ],
    ['a tangle', `{ viewer { ...F0 } } ${tangle('Viewer')}`],
    ['a tangle in introspection', `{ __schema { types { ...F0 } } } ${tangle('__Type')}`],
    [
      'a tangle behind names that are there twice',
      `${repeated(20, (index) => `fragment F${index} on __Type { name }`)} { __schema { types { ...F0 } } } ${tangle('__Type')}`,
    ],
    [
      'doubling that ends nowhere',
      `{ __schema { types { ...F0 } } } ${fanOut('__Type', '...Missing')}`,
    ],
  ])('is no valid one: %s [GQL-16]', async (_, document) => {
    const { calls, ...answer } = await ask(document)
    expect(new Set(codesOf(answer))).toEqual(new Set(['GRAPHQL_VALIDATION_FAILED']))
    expect(calls).toEqual([])
  })

  it.each([
    ['the same field', `{ viewer { ${'id '.repeat(1990)} } }`, 1989],
    ['the same object', `{ viewer { ${`site { ${'id '.repeat(40)} } `.repeat(45)} } }`, 1799],
  ])('is refused: %s about 2000 times [GQL-15]', async (_, document, actual) => {
    expect(await ask(document)).toEqual(refused('QUERY_TOO_COSTLY', 30, actual))
  })
})

describe('introspection', () => {
  it('tells a client with a token the whole schema [GQL-18]', async () => {
    const { data, calls } = await ask(getIntrospectionQuery())
    const schema = buildClientSchema(data as unknown as IntrospectionQuery)
    expect(Object.keys(schema.getTypeMap()).toSorted()).toEqual(
      Object.keys(accountSchema().getTypeMap()).toSorted(),
    )
    expect(printType(schema.getType('Viewer')!)).toContain('enrolledCourse(slug: String!)')
    expect(calls).toEqual([])
  })

  it('is closed without a token [GQL-18]', async () => {
    const answer = await (await opened).ask(null, getIntrospectionQuery())
    expect(answer.status).toBe(401)
    expect(await answer.text()).not.toContain('__Schema')
  })

  it('goes no deeper than a schema is', async () => {
    const deep = `{ __schema { types { ${'fields { type { '.repeat(4)} name ${'} } '.repeat(4)} } } }`
    expect(codesOf(await ask(deep))).toEqual(['GRAPHQL_VALIDATION_FAILED'])
  })
})
