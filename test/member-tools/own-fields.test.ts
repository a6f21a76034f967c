import { type AccountFieldResolvers, defineAccountFields } from 'hallpass/account'
import { accountTools, defineTools, isToolError } from 'hallpass/mcp'
import { authorizeBearer } from 'hallpass'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { openLibrary } from '../support/school/own-fields.js'
import { STUDENT, T } from '../support/school/school.js'
import { actionOf, callerWith } from './support.js'

const TYPE_DEFS = `
  extend type Viewer {
    "Lists the books that the person has borrowed."
    libraryLoans(
      first: Int = 2
      state: LoanState
      "The end of its title."
      endsWith: [String!]
    ): [Loan!]! @requiresScope(scope: "library:read") @listSize(assumedSize: 30)
    "Returns the card of the person."
    libraryCard(id: ID!): Card
    "Returns the points of the person."
    points: Int!
    undescribed: Int!
    "It takes an object."
    sought(of: Sought): Int
    "It returns one of several."
    thing: Thing
  }
  type Loan {
    title: String! dueAt: DateTime! state: LoanState! book: Book! tags: [String!] @listSize(assumedSize: 5)
    course: EnrolledCourse fine(of: Int!): Int inReview: Boolean @requiresScope(scope: "library:write")
  }
  type Book { pages: Int weight: Float isbn: ID! cover: URL loan: Loan }
  type Card { "As printed." number: String! latest: Order }
  union Thing = Loan | Card
  enum LoanState { OPEN LATE }
  input Sought { title: String }`
const BOOK = { pages: 7, weight: 0.5, isbn: 12, cover: 'https://lantern.example/x.png' }
const LOAN = { title: 'Glazes', dueAt: T, state: 'OPEN', book: BOOK }

async function open(changes: AccountFieldResolvers['Viewer'] = {}) {
  const asked: unknown[] = []
  const { api, site, tokenFor } = openLibrary(
    defineAccountFields({
      typeDefs: TYPE_DEFS,
      resolvers: {
        Viewer: {
          libraryLoans: (_profile, args: object) => (asked.push(args), [LOAN]),
          libraryCard: (_profile, args: { id: string }) =>
            asked.push(args) && (args.id === 'a' ? { number: 'A-1' } : null),
          points: () => 3,
          undescribed: () => 3,
          sought: () => 3,
          thing: () => null,
          ...changes,
        },
        Loan: { fine: () => 3, inReview: () => true, course: () => null },
      },
    }),
  )
  const token = await tokenFor(STUDENT, 'account:read', 'library:read')
  const decided = await authorizeBearer(site, { authorization: `Bearer ${token}`, required: [] })
  if (!decided.ok) throw new Error(decided.reason)
  return {
    api,
    site,
    asked,
    tools: accountTools(api),
    call: callerWith(api, decided.access, site.now),
  }
}

describe('the tool of a field of your own', () => {
  it('is there if the field has a description, with the scopes of the field', async () => {
    const { tools, site } = await open()
    expect(
      tools.slice(13).map(({ name, title, description, actions: [{ scopes, effect }] }) => [
        name, title, description, scopes, effect,
      ]),
    ).toEqual([
      ['list_my_library_loans', 'My library loans', 'Lists the books that the person has borrowed.', ['account:read', 'library:read'], 'read'],
      ['get_my_library_card', 'My library card', 'Returns the card of the person.', ['account:read'], 'read'],
      ['get_my_points', 'My points', 'Returns the points of the person.', ['account:read'], 'read'],
    ]) // prettier-ignore
    expect(defineTools(tools, site).tools.length).toBe(16)
  })

  it('has the arguments of the field, and the scalars of its result', async () => {
    const { tools, api } = await open()
    const { input, output } = actionOf(tools, 'list_my_library_loans')
    expect(z.toJSONSchema(input)).toMatchObject({
      properties: {
        first: { type: 'integer', minimum: 0, maximum: 30 },
        state: { enum: ['OPEN', 'LATE'] },
        ends_with: { type: 'array', maxItems: 100, description: 'The end of its title.' },
      },
      additionalProperties: false,
    })
    expect(z.toJSONSchema(input)).not.toHaveProperty('required')
    const { data } = z.toJSONSchema(output).properties as { data: { items: object } }
    expect(Object.keys((data.items as { properties: object }).properties)).toEqual([
      'title',
      'due_at',
      'state',
      'book',
      'tags',
      'course',
    ])
    expect(api.fields.map(({ query }) => query)).toEqual([
      'query($first: Int, $state: LoanState, $endsWith: [String!]) { viewer { value: libraryLoans(first: $first, state: $state, endsWith: $endsWith) { title dueAt state book { pages weight isbn cover } tags course { id courseId slug title coverImage url enrolledAt startDate expireDate hasLifetimeAccess accessState accessSource } } } }',
      'query($id: ID!) { viewer { value: libraryCard(id: $id) { number latest { id number state placedAt paidAt couponCode receiptUrl } } } }',
      'query { viewer { value: points } }',
      'query { viewer { value: undescribed } }',
      null,
      null,
    ])
  })

  it('returns the field, in the shape that it describes', async () => {
    const { call, asked } = await open()
    const book = { pages: 7, weight: 0.5, isbn: '12', cover: 'https://lantern.example/x.png' }
    const due_at = '2026-11-20T09:00:00Z'
    expect(await call('list_my_library_loans', { state: 'OPEN', ends_with: ['s'] })).toEqual({
      data: [{ title: 'Glazes', due_at, state: 'OPEN', book, tags: null, course: null }],
    })
    expect(await call('get_my_library_card', { id: 'a' })).toEqual({
      data: { number: 'A-1', latest: null },
    })
    expect(await call('get_my_library_card', { id: 'b' })).toEqual({ data: null })
    expect(await call('get_my_points')).toEqual({ data: 3 })
    expect(asked).toEqual([{ first: 2, state: 'OPEN', endsWith: ['s'] }, { id: 'a' }, { id: 'b' }])
  })

  it.each([
    ['list_my_library_loans', { first: 31 }],
    ['list_my_library_loans', { state: 'LOST' }],
    ['list_my_library_loans', { ends_with: Array(101).fill('x') }],
    ['list_my_library_loans', { endsWith: ['x'] }],
    ['get_my_library_card', {}],
    ['get_my_library_card', { id: 'a'.repeat(501) }],
  ])('refuses wrong arguments: %s %j', async (name, args) => {
    const { call, asked } = await open()
    expect(await call(name, args)).toMatchObject({ code: 'INVALID_INPUT' })
    expect(asked).toEqual([])
  })

  it('says only that the school failed, if the resolver does', async () => {
    const { call } = await open({ points: () => Promise.reject(new Error('select secret')) })
    const answer = await call('get_my_points')
    expect(isToolError(answer) && answer.code).toBe('UPSTREAM')
    expect(JSON.stringify(answer)).not.toContain('secret')
  })
})
