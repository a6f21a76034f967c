import fc from 'fast-check'
import {
  execute, type ExecutionResult, extendSchema, type GraphQLSchema, isObjectType, parse, validate, versionInfo,
} from 'graphql' // prettier-ignore
import {
  type AccountSource,
  accountSchema,
  createAccountContext,
  defineAccountFields,
} from 'hallpass/account'
import type { Access } from 'hallpass/policy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withFieldContext } from '../../src/account/own-field.js'
import { executePlanned } from '../../src/account/api/executor.js'
import { planOf } from '../../src/account/api/query-plan.js'
import { sha256Base64url } from '../../src/encoding/hash.js'
import { createSource } from '../support/school/account.js'
import { documentOf } from '../support/school/account-documents.js'
import { memberWith } from '../support/school/account-rows.js'
import { rounds } from '../support/run/rounds.js'
import { STUDENT, T } from '../support/school/school.js'

interface Faults {
  readonly seed: number
  readonly percent: number
}

/** Functions that spoil calls, in the same way for the same seed: they throw, reject, or return something else. */
function spoilerOf({ seed, percent }: Faults) {
  const chance = (what: string): number =>
    Number.parseInt(
      Buffer.from(sha256Base64url(`${seed} ${what}`))
        .toString('hex')
        .slice(0, 8),
      16,
    ) % 1000
  const spoilt = (what: string): boolean => chance(what) < percent * 10
  const FAULTS = [
    null,
    undefined,
    new Error('a row is broken'),
    'not a number',
    17,
    {},
    [null],
    NaN,
  ]

  function withFaults(value: unknown, where: string): unknown {
    if (spoilt(where)) return FAULTS[chance(`${where}!`) % FAULTS.length]
    if (Array.isArray(value))
      return value.map((item, index) => withFaults(item, `${where}.${index}`))
    if (value instanceof Map)
      return new Map([...value].map(([key, item]) => [key, withFaults(item, `${where}.${key}`)]))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, withFaults(item, `${where}.${key}`)]),
    )
  }
  return (name: string, args: readonly unknown[], call: () => unknown): unknown => {
    const where = `${name} ${JSON.stringify(args)}`
    if (spoilt(`${where} throws`)) throw new Error(`${name} throws`)
    if (spoilt(`${where} rejects`)) return Promise.reject(new Error(`${name} rejects`))
    const result = call()
    return result instanceof Promise
      ? result.then((value) => withFaults(value, where))
      : withFaults(result, where)
  }
}

function faultySource(faults: Faults): AccountSource {
  const { source } = createSource(new Map([[STUDENT.subject, memberWith('mine', ['1', '2', '3'])]]))
  const spoil = spoilerOf(faults)
  const own = source as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>
  return Object.fromEntries(
    Object.keys(own).map((name) => [
      name,
      (...args: readonly unknown[]) => spoil(name, args, () => own[name]!(...args)),
    ]),
  ) as unknown as AccountSource
}

/** Spoils the resolvers of {@link extendedSchema}. */
let spoil = spoilerOf({ seed: 0, percent: 0 })

/** The schema of a school with fields of its own, of every kind. */
function extendedSchema(): GraphQLSchema {
  const of =
    (name: string, value: (args: { first: number }) => unknown) =>
    (_parent: unknown, args: { first: number }) =>
      spoil(name, [args], () => value(args))
  const loan = { title: 'Glazes', dueAt: T, state: 'LATE', tags: ['a', 'b'], book: { pages: 7 } }
  return defineAccountFields({
    typeDefs: `
      extend type Query { shelf(of: ShelfInput): Shelf @requiresScope(scope: "account:read") }
      extend type Viewer {
        loans(first: Int = 2): [Loan!]!
        latest: Loan
        points: Int!
        things: [Thing!]!
        favourite: EnrolledCourse
      }
      extend type Mutation { lend(title: String): Loan @requiresScope(scope: "account:write") }
      extend type EnrolledCourse { shelf: Shelf! rating: Float }
      type Loan { title: String! dueAt: DateTime state: LoanState tags: [String] book: Book note: String! }
      type Book { pages: Int! }
      type Shelf { name: String! loans: [Loan!] }
      union Thing = Loan | Book
      enum LoanState { OPEN LATE }
      input ShelfInput { state: LoanState positionSeconds: Int }`,
    resolvers: {
      Query: { shelf: of('shelf', () => ({ name: 'A', loans: [loan, loan] })) },
      Viewer: {
        loans: of('loans', ({ first }) =>
          Promise.resolve(Array.from({ length: first }, () => loan)),
        ),
        latest: of('latest', () => loan),
        points: of('points', () => 3),
        things: of('things', () => [
          { __typename: 'Loan', ...loan },
          { __typename: 'Book', pages: 7 },
        ]),
        favourite: of('favourite', () => memberWith('mine', ['1']).enrollments[0]),
      },
      Mutation: { lend: of('lend', () => Promise.resolve(loan)) },
      EnrolledCourse: {
        shelf: of('ofCourse', () => ({ name: 'B' })),
        rating: of('rating', () => 4.5),
      },
      Loan: { note: of('note', () => 'x') },
    },
  }).schema
}

const access = { client: { clientId: 'scribe' }, scopes: ['account:read'] } as unknown as Access
const contextOf = (faults: Faults) =>
  withFieldContext(
    createAccountContext({ member: STUDENT, source: faultySource(faults), now: T }),
    access,
  )

/** A response with its errors in an order that does not depend on which promise settles first. */
function comparable({ data, errors = [] }: ExecutionResult): unknown {
  const lines = errors.map((error) => JSON.stringify([error.path, error.message, error.locations]))
  return { data: JSON.stringify(data), errors: lines.sort() }
}

/** Rejections without a handler. */
let forgotten: unknown[] = []
const remember = (fault: unknown): void => void forgotten.push(fault)
let listeners: NodeJS.UnhandledRejectionListener[] = []
beforeAll(() => {
  // graphql-js 16 by itself forgets promises of a list in which another item fails, and they would end the process.
  listeners = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', remember)
})
afterAll(() => {
  process.removeListener('unhandledRejection', remember)
  for (const listener of listeners) process.on('unhandledRejection', listener)
})

/** Resolves when Node.js has reported what was forgotten. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A copy of a schema whose resolvers do not know that graphql-js calls them: what it does by itself. */
function bareSchema(schema: GraphQLSchema): GraphQLSchema {
  const bare = extendSchema(schema, parse('scalar Copied'))
  for (const type of Object.values(bare.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field
      if (resolve !== undefined)
        field.resolve = (parent, args, context) =>
          resolve(parent, args, context, undefined as never)
    }
  }
  return bare
}

describe('the planned execution of a document', () => {
  it.each<[string, () => GraphQLSchema]>([
    ['the source', accountSchema],
    ['the source and of fields of your own', extendedSchema],
  ])(
    'responds as graphql-js does, whatever the document and the faults of %s',
    async (_, schemaOf) => {
      const schema = schemaOf()
      const bare = bareSchema(schema)
      let compared = 0
      let faulty = 0
      await fc.assert(
        fc.asyncProperty(
          fc.gen(),
          fc.nat(),
          fc.constantFrom(0, 1, 5, 20),
          async (g, seed, percent) => {
            spoil = spoilerOf({ seed, percent })
            const text = documentOf(g, schema)
            const document = parse(text)
            if (validate(schema, document).length > 0) return
            const variableValues = { v: g(fc.constantFrom, 3, null, -1, 'x') }
            const run = (executor: typeof execute, of = schema) =>
              executor({
                schema: of,
                document,
                variableValues,
                contextValue: contextOf({ seed, percent }),
              })
            const expected = await run(execute, bare)
            await settled()
            forgotten = []
            const actual = await run(executePlanned)
            await settled()
            expect([forgotten, text]).toEqual([[], text])
            // Where graphql-js awaits rows, another of several faults can be the first.
            if (planOf(schema, document, null) !== null)
              expect([comparable(actual), text]).toEqual([comparable(expected), text])
            else {
              expect([text, actual.data]).toEqual([text, expected.data])
              expect([text, actual.errors === undefined]).toEqual([
                text,
                expected.errors === undefined,
              ])
            }
            compared++
            if (expected.errors !== undefined && expected.data != null) faulty++
          },
        ),
        { numRuns: rounds(1500, { soak: 50_000 }), seed: 7 },
      )
      expect(compared).toBeGreaterThan(100)
      expect(faulty).toBeGreaterThan(10)
    },
  )
})

describe('a list of which one row is awaited while another is invalid at once', () => {
  const { source } = createSource(new Map([[STUDENT.subject, memberWith('mine', ['1', '2', '3'])]]))
  const faulty: AccountSource = {
    ...source,
    async enrollments(member, query) {
      const { rows, total } = await source.enrollments(member, query)
      return { rows: rows.map((row, at) => (at === 1 ? { ...row, title: null! } : row)), total }
    },
    async courseOutlines() {
      await settled()
      throw new Error('the outline is lost')
    },
  }
  const courses = 'enrolledCourses(orderBy: ENROLLED_AT_DESC) { nodes { title sections { id } } }'

  it.each<[string, string]>([
    ['with @include', `{ viewer @include(if: true) { ${courses} } }`],
    ['with @skip', `{ viewer { ${courses.replace('sections', 'sections @skip(if: false)')} } }`],
    ['behind node', `{ node(id: "${STUDENT.subject}") { ... on Viewer { ${courses} } } }`],
    ['of a mutation', `mutation { updateProfile(input: {}) { viewer { ${courses} } } }`],
    ['of edges', `{ viewer @include(if: true) { ${courses.replace('nodes {', 'edges { node {').replace(/ }$/, ' } }')} } }`],
    ['of a plan', `{ viewer { ${courses} } }`],
  ])('leaves no rejection without a handler: %s [GQL-25]', async (_, text) => {
    const document = parse(text)
    const run = async (executor: typeof execute, schema: GraphQLSchema) => {
      const contextValue = createAccountContext({ member: STUDENT, source: faulty, now: T })
      forgotten = []
      const answer = await executor({ schema, document, contextValue })
      await settled()
      await settled()
      return [answer.errors?.map(({ message }) => message), forgotten.length]
    }
    const message = 'Cannot return null for non-nullable field EnrolledCourse.title.'
    expect(validate(accountSchema(), document)).toEqual([])
    expect(await run(executePlanned, accountSchema())).toEqual([[message], 0])
    // Without this, graphql-js 16 ends the process.
    const bare = await run(execute, bareSchema(accountSchema()))
    expect(bare).toEqual([[message], versionInfo.major === 16 ? expect.any(Number) : 0])
    if (versionInfo.major === 16) expect(bare[1]).toBeGreaterThan(0)
  }) // prettier-ignore

  it('nor do members of rows that reject or are missing, in whatever is selected of them [GQL-25]', async () => {
    const LEAVES = ['slug', 'title', 'url', 'accessState']
    const selection = fc.subarray(LEAVES, { minLength: 1 }).map((leaves) => leaves.join(' '))
    const course = fc
      .tuple(selection, fc.constantFrom('', 'sections { title lectures { title kind } }'))
      .map((parts) => parts.join(' '))
    const member = fc.oneof(
      course.map((of) => `enrolledCourses { nodes { ${of} } }`),
      course.map((of) => `enrolledCourses { totalCount edges { node { ${of} } } }`),
      course.map((of) => `subscriptions { nodes { planName courses { ${of} } } }`),
      course.map(
        (of) => `orders { nodes { number items { title kind enrolledCourse { ${of} } } } }`,
      ),
      fc.constant('digitalProducts { nodes { title files { name contentType } } }'),
      fc.constant('loans { title note }'),
    )
    const around = fc.constantFrom<(of: string) => string>(
      (of) => `{ viewer @include(if: true) { ${of} } }`,
      (of) => `{ node(id: "${STUDENT.subject}") { ... on Viewer { ${of} } } }`,
      (of) => `mutation { updateProfile(input: {}) { viewer { ${of} } } }`,
      (of) => `{ viewer { ${of} } }`,
    )
    const schema = extendedSchema()
    const bare = bareSchema(schema)
    let wouldEnd = 0
    const property = fc.asyncProperty(around, member, fc.nat(), async (wrap, of, seed) => {
      const document = parse(wrap(of))
      expect(validate(schema, document)).toEqual([])
      const run = async (executor: typeof execute, on: GraphQLSchema) => {
        const chance = chanceOf(seed)
        spoil = (_name, _args, call) => spoilMembers(call(), chance)
        const faulty = Object.fromEntries(
          Object.entries(source).map(([name, call]: [string, (...args: never) => unknown]) => [
            name,
            async (...args: never) => spoilMembers(await call(...args), chance),
          ]),
        ) as unknown as AccountSource
        const context = createAccountContext({ member: STUDENT, source: faulty, now: T })
        forgotten = []
        const { data } = await executor({
          schema: on,
          document,
          contextValue: withFieldContext(context, access),
        })
        await settled()
        await settled()
        return { data, forgotten }
      }
      const { data, forgotten: before } = await run(execute, bare)
      if (before.length > 0) wouldEnd++
      expect(await run(executePlanned, schema)).toEqual({ data, forgotten: [] })
    })
    await fc.assert(property, { numRuns: rounds(400, { soak: 20_000 }), seed: 7 })
    expect(wouldEnd > 20).toBe(versionInfo.major === 16)
  })
})

/** Numbers from 0 to 99, the same for the same seed. */
function chanceOf(seed: number): () => number {
  let at = 0
  return () =>
    Number.parseInt(
      Buffer.from(sha256Base64url(`${seed} ${at++}`))
        .toString('hex')
        .slice(0, 8),
      16,
    ) % 100
}

/** Replaces texts of rows by `null`, and by functions that reject at once or later. */
function spoilMembers(value: unknown, chance: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => spoilMembers(item, chance))
  if (value instanceof Map)
    return new Map([...value].map(([key, item]) => [key, spoilMembers(item, chance)]))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (typeof item !== 'string' || /id$/i.test(key)) return [key, spoilMembers(item, chance)]
      const late = async (): Promise<never> => {
        if (chance() < 50) await settled()
        throw new Error(`${key} rejects`)
      }
      const fault = chance()
      return [key, fault < 10 ? null : fault < 20 ? late : item]
    }),
  )
}
