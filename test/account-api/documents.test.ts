import { buildSchema } from 'graphql'
import { accountSchema, accountSdl, defineAccountFields } from 'hallpass/account'
import { describe, expect, it } from 'vitest'
import { createDocuments } from '../../src/account/api/documents.js'
import { DEFAULT_LIMITS } from '../../src/account/api/limits.js'
import { openAccount, SCRIBE } from '../support/school/account-api.js'
import { STUDENT } from '../support/school/school.js'

const schema = buildSchema(`
  directive @requiresScope(scope: String!) on FIELD_DEFINITION
  type Query { a: Int  b(c: Int): Int @requiresScope(scope: "b:read") }
  type Mutation { d: Int @requiresScope(scope: "d:write") }
`)
const open = () => createDocuments(schema, DEFAULT_LIMITS)

describe('prepared documents', () => {
  it('are prepared once, and are the same object from then on', () => {
    const documents = open()
    const first = documents('{ a }')
    expect(documents('{ a }')).toBe(first)
    expect(documents('{  a }')).not.toBe(first)
  })

  it('that are wrong are remembered as wrong', () => {
    const documents = open()
    for (const text of ['{', '{ nothing }']) expect(documents(text)).toBe(documents(text))
  })

  it('that were not used for longest make room', () => {
    const documents = open()
    const [kept, lost] = [documents('{ a }'), documents('{ b }')]
    for (let index = 0; index < 499; index++) {
      documents(`{ b(c: ${index}) }`)
      documents('{ a }')
    }
    expect(documents('{ a }')).toBe(kept)
    expect(documents('{ b }')).not.toBe(lost)
  })

  it('that are long are not kept', () => {
    const documents = open()
    const long = `{ a } #${'x'.repeat(8192)}`
    expect(documents(long)).not.toBe(documents(long))
  })

  it('know the scopes of each of their operations, and have each alone', () => {
    const operationsOf = (text: string): unknown => {
      const prepared = open()(text)
      if ('errors' in prepared) return prepared
      return prepared.plans.map(({ document, scopes }) => [
        document.definitions.map((node) => ('name' in node ? node.name?.value : undefined)),
        scopes,
      ])
    }
    expect(operationsOf('{ a }')).toEqual([[[undefined], []]])
    expect(operationsOf('{ ...F } fragment F on Query { ... { b x: b } }')).toEqual([
      [[undefined, 'F'], ['b:read']],
    ])
    expect(operationsOf('query Q { ...F } mutation M { d } fragment F on Query { b }')).toEqual([
      [['Q', 'F'], ['b:read']],
      [['M', 'F'], ['d:write']],
    ])
  })

  it('name what is wrong by a code', () => {
    const codesOf = (text: string): unknown => {
      const prepared = open()(text)
      return 'errors' in prepared ? prepared.errors.map(({ extensions }) => extensions['code']) : []
    }
    expect(codesOf('{')).toEqual(['GRAPHQL_PARSE_FAILED'])
    expect(codesOf('{ x y }')).toEqual(['GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_VALIDATION_FAILED'])
    expect(codesOf('{ a }')).toEqual([])
  })
})

describe('a subscription, although there is a type of that name', () => {
  const extend = defineAccountFields({
    typeDefs: 'extend type Subscription { gift: Boolean! }',
    resolvers: { Subscription: { gift: () => true } },
  })
  const refused = {
    message: 'subscriptions are not supported: send a query or a mutation',
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  }

  it('has no root in the schema', () => {
    for (const schema of [accountSchema(), extend.schema, buildSchema(accountSdl)])
      expect(schema.getSubscriptionType()).toBeFalsy()
  })

  it.each([
    ['subscription { planName }', {}],
    ['subscription @include(if: true) { planName }', {}],
    ['subscription { id ... @include(if: true) { gift } }', {}],
    ['query one { viewer { id } } subscription two { state }', { operationName: 'two' }],
    ['query one { viewer { id } } subscription two { state }', { operationName: 'one' }],
  ])('is refused before it runs: %s', async (query, more) => {
    for (const options of [{}, { extend }]) {
      const { ask, tokenFor, api, faults, calls } = await openAccount(options)
      const token = await tokenFor('account:read')
      const plain = await ask(token, query, more)
      expect([plain.status, await plain.json()]).toMatchObject([200, { errors: [refused] }])
      const access = { person: STUDENT, client: SCRIBE, scopes: ['account:read'] } as never
      const answer = await api.execute(access, { query, ...more })
      expect(answer).toMatchObject({ errors: [refused] })
      expect([answer.data, faults, calls]).toEqual([undefined, [], []])
    }
  })
})
