import { GraphQLError } from 'graphql'
import { OptionsError } from 'hallpass'
import {
  type AccountApiOptions,
  type AccountFieldContext,
  type AccountFieldResolvers,
  createAccountApi,
  defineAccountFields,
} from 'hallpass/account'
import { describeAccountApi } from 'hallpass/openapi'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { BLOCKS } from '../support/docs/pages.js'
import { createSource } from '../support/school/account.js'
import { openLibrary } from '../support/school/own-fields.js'
import { STUDENT } from '../support/school/school.js'

const LOANS = `
  extend type Viewer { loans: [Loan!]! @requiresScope(scope: "library:read") }
  type Loan { title: String! dueAt: DateTime tags: [String!] }`
const COST = { extensions: { cost: true } }

const openWith = (
  typeDefs: string,
  resolvers: AccountFieldResolvers,
  options: Partial<AccountApiOptions> = {},
) => openLibrary(defineAccountFields({ typeDefs, resolvers }), options)

describe('a field of your own', () => {
  it('costs at most ten lines in the guide', () => {
    const { code } = BLOCKS.find(({ file }) => file === 'library.ts')!
    expect(code.split('export const')[1]!.trim().split('\n').length).toBeLessThan(10)
  })

  it('is served by both executors, for whoever has its scope [GQL-23]', async () => {
    let calls = 0
    const { ask, refusals } = openWith(LOANS, {
      Viewer: {
        loans: () => {
          calls++
          return [{ title: 'Glazes', dueAt: 1_795_165_200, price: 5, tags: ['new'] }]
        },
      },
    })
    const loans = [{ title: 'Glazes', dueAt: '2026-11-20T09:00:00Z', tags: ['new'] }]
    for (const directive of ['', '@include(if: true)']) {
      const query = `{ viewer { name loans ${directive} { title dueAt tags } } }`
      expect(await ask(['account:read', 'library:read'], query)).toEqual({
        status: 200,
        data: { viewer: { name: 'mine', loans } },
      })
    }
    expect(calls).toBe(2)
    const refused = await ask(
      ['account:read'],
      '{ viewer { ...of } } fragment of on Viewer { loans { title } }',
    )
    expect([refused.status, refused.errors?.[0]?.extensions]).toMatchObject([
      403,
      { code: 'INSUFFICIENT_SCOPE' },
    ])
    expect(refusals.map(({ reason }) => reason)).toEqual(['scope_not_granted'])
    const unread = await ask(['library:read'], '{ viewer { loans { title } } }')
    expect([unread.status, calls]).toEqual([403, 2])
  })

  it('knows who asks and when, and nothing else', async () => {
    const contexts: AccountFieldContext[] = []
    const parents: unknown[] = []
    const { ask, site, api } = openWith(
      `extend type Viewer { points(of: Int): Int! } extend type Query { shelf: Shelf! @requiresScope(scope: "library:read") }
       type Shelf { name: String! }`,
      {
        Viewer: {
          points: (profile, args, context) => contexts.push(context) + parents.push(profile, args),
        },
        Query: {
          shelf: (parent, ...more) => (
            expect([parent, more.length]).toEqual([undefined, 2]),
            { name: 'A' }
          ),
        },
        Shelf: {
          name: (shelf: { name: string }, _args, context) => (contexts.push(context), shelf.name),
        },
      },
    )
    for (const directive of ['', '@skip(if: false)']) {
      const query = `{ viewer { points(of: 3) ${directive} } shelf { name } node(id: "${STUDENT.subject}") { ... on Viewer { points } } }`
      const answer = await ask(['account:read', 'library:read'], query)
      expect([answer.errors, answer.data?.['shelf']]).toEqual([undefined, { name: 'A' }])
    }
    for (const parent of parents) expect(parent).not.toHaveProperty('member')
    expect(parents[0]).toMatchObject({ email: 'mine@example.com', memberSince: expect.any(Number) })
    expect(parents[1]).toEqual({ of: 3 })
    for (const context of contexts) {
      expect(context).toEqual({
        member: { ...STUDENT, orgId: expect.any(String) },
        clientId: 'test-member',
        scopes: ['account:read', 'library:read'],
        now: site.now(),
      })
      expect(Object.isFrozen(context)).toBe(true)
    }
    expect(contexts.length).toBe(6)
    expect(api.fields.map(({ name }) => name)).toEqual(['points'])
  })

  it('requires account:read as well where it shows what the library shows [GQL-23]', async () => {
    const { ask } = openWith(
      `extend type Mutation { lend: Lent! @requiresScope(scope: "library:write") }
       type Lent { order: Order price: Money userErrors: [UserError!]! }`,
      {
        Mutation: {
          lend: () => ({
            order: null,
            price: { amount: '1.00', currencyCode: 'EUR' },
            userErrors: [],
          }),
        },
      },
    )
    const scopes = ['account:write', 'library:write'] as const
    const value = '{ price { amount } userErrors { code } }'
    expect(await ask(scopes, `mutation { lend ${value} }`)).toMatchObject({
      status: 200,
      data: { lend: { price: { amount: '1.00' } } },
    })
    expect((await ask(scopes, 'mutation { lend { order { number } } }')).status).toBe(403)
    expect(
      (await ask(['account:read', 'account:write'], `mutation { lend ${value} }`)).status,
    ).toBe(403)
  })

  it('of a mutation reads again what was loaded before', async () => {
    const { ask, calls, source } = openWith(
      'extend type Mutation { lend: EnrolledCourse @requiresScope(scope: "library:write") }',
      {
        Mutation: {
          lend: async (_parent, _args, { member }) => {
            const filter = { ids: ['1'], slug: null, accessStates: ['ACTIVE'] as const }
            const query = {
              filter: { ...filter, expiresBefore: null, completed: null },
              order: 'TITLE_ASC',
              after: null,
              before: null,
              limit: 1,
              fromEnd: false,
              count: false,
            } as const
            return (await source.enrollments(member, query)).rows[0]
          },
        },
      },
    )
    const scopes = ['account:read', 'account:write', 'library:write'] as const
    const lend = '{ title sections { id } }'
    const answer = await ask(scopes, `mutation { one: lend ${lend} two: lend ${lend} }`)
    expect(answer.errors).toBeUndefined()
    expect(calls.filter((call) => call === 'courseOutlines').length).toBe(2)
  })

  it('is in the schema that the endpoint serves, and in the OpenAPI description', async () => {
    const typeDefs = `extend type Viewer { "Books to return." loans: [String!]! @requiresScope(scope: "library:read") points: Int }`
    const { api } = openWith(typeDefs, { Viewer: { loans: () => [], points: () => 3 } })
    const response = await api.schema(new Request('https://school.example/account/schema.graphql'))
    const text = await response.text()
    expect(text).toContain(typeDefs)
    expect(text).toContain('directive @listSize(assumedSize: Int!)')
    const { post } = describeAccountApi(api).paths['/account/graphql'] as {
      post: { description: string }
    }
    expect(post.description.split('\n').slice(1)).toEqual([
      '',
      'Fields of this school:',
      '',
      '- `viewer.loans`: needs `library:read`. Books to return.',
      '- `viewer.points`',
    ])
  })
})

describe('what a resolver of yours does wrong', () => {
  const secret = 'select password from users'
  const endless = function* () {
    for (;;) yield { title: 'again' }
  }

  it.each<[string, () => unknown, string]>([
    ['throw', () => { throw new Error(secret) }, 'Viewer.loans threw an exception'],
    ['reject', () => Promise.reject(new Error(secret)), 'Viewer.loans threw an exception'],
    ['throw no error', () => { throw secret }, 'Viewer.loans threw an exception'],
    ['return an error', () => new Error(secret), 'Viewer.loans threw an exception'],
    [
      'throw as graphql-js does for an argument',
      () => { throw new GraphQLError(`Argument "${secret}"`, { nodes: [] }) },
      'Viewer.loans threw an exception',
    ],
    ['return null', () => null, 'Cannot return null for non-nullable field Viewer.loans.'],
    ['return an object', () => ({ rows: [] }), 'Viewer.loans returned an object: it must be an array'],
    ['return what never ends', endless, 'Viewer.loans returned an object: it must be an array'],
    [
      'return too many rows',
      () => Array.from({ length: 101 }, () => ({ title: secret })),
      'Viewer.loans returned 101 rows of at most 100: honour first, or state @listSize(assumedSize: …)',
    ],
    ['return a time that is none', () => [{ title: 'x', dueAt: 'soon' }], 'the account source returned an invalid DateTime'],
    ['lack a member', () => [{}], 'Cannot return null for non-nullable field Loan.title.'],
    ['return rows that are none', () => [null], 'Cannot return null for non-nullable field Viewer.loans.'],
    [
      'have an endless list in a row',
      () => [{ title: 'x', tags: endless() }],
      'Loan.tags returned an object: it must be an array',
    ],
    [
      'have a long list in a row',
      () => [{ title: 'x', tags: Array(101).fill('x') }],
      'Loan.tags returned 101 rows of at most 100: honour first, or state @listSize(assumedSize: …)',
    ],
  ])('is a fault if it would %s [GQL-24]', async (_, loans, message) => {
    const { ask, faults } = openWith(LOANS, { Viewer: { loans } })
    for (const directive of ['', '@include(if: true)']) {
      faults.length = 0
      const query = `{ viewer { loans ${directive} { title dueAt tags } } }`
      const answer = await ask(['account:read', 'library:read'], query)
      expect(answer.status).toBe(200)
      expect(answer.errors).toMatchObject([
        { message: 'an unexpected error occurred', extensions: { code: 'INTERNAL' } },
      ])
      expect(JSON.stringify(answer)).not.toContain(secret)
      expect(faults.map(({ fault }) => (fault as Error).message)).toEqual([message])
    }
  }) // prettier-ignore

  it('leaves no rejection without a handler, which would end the process', async () => {
    const forgotten: unknown[] = []
    const remember = (fault: unknown): void => void forgotten.push(fault)
    const listeners = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', remember)
    const { ask } = openWith(
      'extend type Viewer { loans: [Loan!]! } type Loan { title: String! note: String! }',
      {
        Viewer: { loans: () => [{ title: 'x' }, { title: null }] },
        Loan: { note: () => Promise.reject(new Error('late')) },
      },
    )
    for (const directive of ['', '@include(if: true)']) {
      const answer = await ask(['account:read'], `{ viewer { loans ${directive} { title note } } }`)
      expect(answer.errors?.length).toBe(1)
      await new Promise((resolve) => setImmediate(resolve))
    }
    process.removeListener('unhandledRejection', remember)
    for (const listener of listeners) process.on('unhandledRejection', listener)
    expect(forgotten).toEqual([])
  })

  it('is a method, which would receive the source', async () => {
    const { ask, faults } = openWith(
      'extend type Query { loan: Loan! @requiresScope(scope: "library:read") } type Loan { title: String }',
      {
        Query: { loan: () => ({ title: () => 'called' }) },
      },
    )
    const answer = await ask(['account:read', 'library:read'], '{ loan { title } }')
    expect([answer.data, faults.length]).toEqual([{ loan: { title: null } }, 1])
  })

  it('is to never answer: the request ends at its deadline', async () => {
    const { ask, faults } = openWith(
      LOANS,
      { Viewer: { loans: () => new Promise(() => {}) } },
      { deadlineMilliseconds: 5 },
    )
    const answer = await ask(['account:read', 'library:read'], '{ viewer { loans { title } } }')
    expect(answer).toMatchObject({
      status: 200,
      data: null,
      errors: [{ message: 'the request took too long' }],
    })
    expect(faults.map(({ fault }) => (fault as Error).name)).toEqual(['DeadlinePassed'])
  })
})

describe('the cost of a field of your own', () => {
  const { ask, api } = openWith(
    `extend type Viewer {
       points: Int!  free: Int! @cost(weight: 0)  dear: Book! @cost(weight: 30)
       all: [Book!]! @listSize(assumedSize: 30)
       some(first: Int = 5): [Book!]  any(first: Int): [Book!] @listSize(assumedSize: 40)
       tags: [String!] @listSize(assumedSize: 7)
       nested: [Shelf!]! @listSize(assumedSize: 3)
     }
     extend type Order { gift: Boolean! }
     type Book { title: String! author: Author late: Boolean! } type Author { name: String! }
     type Shelf { books: [Book!]! @listSize(assumedSize: 4) }`,
    {
      Viewer: {
        points: () => 3,
        free: () => 0,
        dear: () => ({ title: 'x' }),
        all: () => [],
        some: (_profile, { first }: { first: number }) =>
          Array.from({ length: first }, () => ({ title: String(first) })),
        any: (_profile, { first }: { first: number }) =>
          Array.from({ length: first }, () => ({ title: String(first) })),
        tags: () => [],
        nested: () => [],
      },
      Order: { gift: (order) => order.couponCode !== null },
      Book: { late: () => true },
    },
  )
  const costOf = async (query: string, variables: object = {}) => {
    const { extensions, errors } = await ask(['account:read'], query, { variables, ...COST })
    return extensions?.cost.requested ?? errors
  }

  it.each<[string, string, number, object?]>([
    ['a resolver is one', '{ viewer { points } }', 2],
    ['or what the text says', '{ viewer { free } }', 1],
    ['beside its selections', '{ viewer { dear { title author { name } } } }', 32],
    ['a resolver of yours is one', '{ viewer { dear { late } } }', 32],
    ['rows are as many as there may be', '{ viewer { all { title } } }', 32],
    ['with what they select', '{ viewer { all { author { name } } } }', 62],
    ['or as many as are asked for', '{ viewer { some(first: 50) { title } } }', 52],
    ['or the default', '{ viewer { some { title } } }', 7],
    ['null is the default', '{ viewer { some(first: null) { title } } }', 7],
    ['by a variable', 'query ($n: Int) { viewer { any(first: $n) { title } } }', 14, { n: 12 }],
    ['that is left out', 'query ($n: Int) { viewer { any(first: $n) { title } } }', 42],
    ['a list of scalars is one', '{ viewer { tags } }', 2],
    ['rows in rows', '{ viewer { nested { books { title } } } }', 20],
    ['on rows of the library', '{ viewer { orders(first: 10) { nodes { gift } } } }', 22],
  ])('%s: %s [GQL-24]', async (_, query, points, variables = {}) => {
    expect(await costOf(query, variables)).toBe(points)
  })

  it('is what a resolver has to honour, which always receives first', async () => {
    const titles = async (args: string) => {
      const { data, errors } = await ask(['account:read'], `{ viewer { any${args} { title } } }`)
      const { any } = (data?.['viewer'] ?? {}) as { any?: readonly { title: string }[] | null }
      return any == null ? errors : [any.length, any[0]?.title]
    }
    expect([await titles(''), await titles('(first: null)'), await titles('(first: 2)')]).toEqual([
      [40, '40'],
      [40, '40'],
      [2, '2'],
    ])
    for (const first of [-1, 41])
      expect(await titles(`(first: ${first})`)).toMatchObject([
        {
          message: 'first must be from 0 to 40',
          extensions: { code: 'BAD_USER_INPUT', argument: 'first', max: 40 },
        },
      ])
  })

  it('is refused before anything runs', async () => {
    const nested = '{ books { author { name } } }'
    const twice = Array.from({ length: 20 }, (_, index) => `a${index}: all { author { name } }`)
    const answer = await ask(['account:read'], `{ viewer { ${twice.join(' ')} nested ${nested} } }`)
    expect([answer.status, answer.errors?.[0]?.extensions?.['code']]).toEqual([
      400,
      'QUERY_TOO_COSTLY',
    ])
    expect(api.fields.length).toBe(8)
  })
})

describe('an Account API with fields of your own', () => {
  const { source } = createSource(new Map())
  const create = (
    typeDefs: string,
    resolvers: AccountFieldResolvers,
    options: Partial<AccountApiOptions> = {},
  ) =>
    createAccountApi(testSite().site, {
      source,
      extend: defineAccountFields({ typeDefs, resolvers }),
      ...options,
    })

  it.each<[string, string, AccountFieldResolvers, string]>([
    [
      'a scope that the site does not have',
      'extend type Viewer { points: Int @requiresScope(scope: "library:read") }',
      { Viewer: { points: () => 3 } },
      'extend: Viewer.points requires "library:read", which scopes must define for members',
    ],
    [
      'a scope of operators',
      'extend type Viewer { points: Int @requiresScope(scope: "orders:read") }',
      { Viewer: { points: () => 3 } },
      'extend: Viewer.points requires "orders:read", which scopes must define for members',
    ],
    [
      'a scope of everyone',
      'type Loan { points: Int @requiresScope(scope: "email") }',
      {},
      'extend: Loan.points requires "email", which scopes must define for members',
    ],
    [
      'a change under a scope that reads',
      'extend type Mutation { lend: Int @requiresScope(scope: "account:read") }',
      { Mutation: { lend: () => 3 } },
      `extend: Mutation.lend requires "account:read", which must be a scope with access: 'write'`,
    ],
    [
      'a list that no one can read whole',
      'extend type Viewer { shelves: [Shelf!]! } type Shelf { books: [Book!]! } type Book { title: String! }',
      { Viewer: { shelves: () => [] } },
      'extend: Viewer.shelves with its fields costs up to 10202 points of limits.cost (1000): state the sizes of its lists with @listSize',
    ],
  ])('does not start with %s', (_, typeDefs, resolvers, mistake) => {
    expect(() => create(typeDefs, resolvers)).toThrow(new OptionsError('account API', [mistake]))
  })

  it('does not start with a field that is deeper than the limits', () => {
    const typeDefs = 'extend type Viewer { a: A } type A { b: B } type B { c: Int }'
    expect(() => create(typeDefs, { Viewer: { a: () => null } }, { limits: { depth: 3 } })).toThrow(
      'extend: Viewer.a with its fields is refused: the query has too many levels: at most 3 are allowed',
    )
  })

  it('does not start with what is not made by defineAccountFields', () => {
    const extend = { typeDefs: '', resolvers: {} } as never
    expect(() => createAccountApi(testSite().site, { source, extend })).toThrow(
      'extend lacks schema, mistakesAt: defineAccountFields({ typeDefs, resolvers })',
    )
  })
})
