import fc from 'fast-check'
import { execute, type ExecutionResult, type GraphQLSchema, parse, validate } from 'graphql'
import {
  type AccountSource,
  accountSchema,
  createAccountContext,
  defineAccountFields,
} from 'hallpass/account'
import type { Access } from 'hallpass/policy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withFieldContext } from '../../src/account/own-field.js'
import { executePlanned } from '../../src/account-api/executor.js'
import { planOf } from '../../src/account-api/query-plan.js'
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
  // graphql-js forgets promises of a list in which another item fails, and they would end the process.
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

describe('the planned execution of a document', () => {
  it.each<[string, () => GraphQLSchema]>([
    ['the source', accountSchema],
    ['the source and of fields of your own', extendedSchema],
  ])(
    'responds as graphql-js does, whatever the document and the faults of %s',
    async (_, schemaOf) => {
      const schema = schemaOf()
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
            const run = (executor: typeof execute) =>
              executor({
                schema,
                document,
                variableValues,
                contextValue: contextOf({ seed, percent }),
              })
            const expected = await run(execute)
            await settled()
            forgotten = []
            const actual = await run(executePlanned)
            await settled()
            // What has no plan is executed by graphql-js.
            if (planOf(schema, document, null) !== null)
              expect([forgotten, text]).toEqual([[], text])
            expect([comparable(actual), text]).toEqual([comparable(expected), text])
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
