import fc from 'fast-check'
import { execute, type ExecutionResult, parse, validate } from 'graphql'
import { type AccountSource, accountSchema, createAccountContext } from 'hallpass/account'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executePlanned } from '../../src/account-api/executor.js'
import { sha256Base64url } from '../../src/encoding/hash.js'
import { createSource } from '../support/school/account.js'
import { documentOf } from '../support/school/account-documents.js'
import { memberWith } from '../support/school/account-rows.js'
import { rounds } from '../support/run/rounds.js'
import { STUDENT, T } from '../support/school/school.js'

const schema = accountSchema()

/** Two sources with the same seed have the same faults, in calls and in members of rows. */
function faultySource({ seed, percent }: { seed: number; percent: number }): AccountSource {
  const { source } = createSource(new Map([[STUDENT.subject, memberWith('mine', ['1', '2', '3'])]]))
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
  const own = source as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>
  return Object.fromEntries(
    Object.keys(own).map((name) => [
      name,
      (...args: readonly unknown[]) => {
        const where = `${name} ${JSON.stringify(args)}`
        if (spoilt(`${where} throws`)) throw new Error(`${name} throws`)
        if (spoilt(`${where} rejects`)) return Promise.reject(new Error(`${name} rejects`))
        return own[name]!(...args).then((result) => withFaults(result, where))
      },
    ]),
  ) as unknown as AccountSource
}

const contextOf = (faults: { seed: number; percent: number }) =>
  createAccountContext({ member: STUDENT, source: faultySource(faults), now: T })

/** A response with its errors in an order that does not depend on which promise settles first. */
function comparable({ data, errors = [] }: ExecutionResult): unknown {
  const lines = errors.map((error) => JSON.stringify([error.path, error.message, error.locations]))
  return { data: JSON.stringify(data), errors: lines.sort() }
}

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

describe('the planned execution of a document', () => {
  it('responds as graphql-js does, whatever the document and the faults of the source', async () => {
    let compared = 0
    let faulty = 0
    await fc.assert(
      fc.asyncProperty(
        fc.gen(),
        fc.nat(),
        fc.constantFrom(0, 1, 5, 20),
        async (g, seed, percent) => {
          const text = documentOf(g)
          const document = parse(text)
          if (validate(schema, document).length > 0) return
          const variableValues = { v: g(fc.constantFrom, 3, null, -1, 'x') }
          const [expected, actual] = await Promise.all(
            [execute, executePlanned].map(async (run) =>
              run({ schema, document, variableValues, contextValue: contextOf({ seed, percent }) }),
            ),
          )
          expect([comparable(actual!), text]).toEqual([comparable(expected!), text])
          compared++
          if (expected!.errors !== undefined && expected!.data != null) faulty++
        },
      ),
      { numRuns: rounds(1500, { soak: 50_000 }), seed: 7 },
    )
    expect(compared).toBeGreaterThan(100)
    expect(faulty).toBeGreaterThan(10)
    const ours = forgotten.filter(
      (fault) => !String((fault as Error).stack).includes('/execute.js'),
    )
    expect(ours).toEqual([])
  })
})
