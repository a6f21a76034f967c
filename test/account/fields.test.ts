import { buildSchema } from 'graphql'
import { OptionsError } from 'hallpass'
import {
  type AccountFieldResolvers,
  accountSchema,
  accountSdl,
  defineAccountFields,
} from 'hallpass/account'
import { describe, expect, it } from 'vitest'

function mistakesOf(typeDefs: unknown, resolvers: unknown = {}): readonly string[] {
  try {
    defineAccountFields({
      typeDefs: typeDefs as string,
      resolvers: resolvers as AccountFieldResolvers,
    })
    return []
  } catch (error) {
    if (error instanceof OptionsError) return error.mistakes
    throw error
  }
}

const only = (field: string) => ({ Viewer: { [field]: () => null } })
const REST =
  'Query, Mutation, Viewer, Site, EnrolledCourse, CourseSection, Lecture, Order, OrderItem, EventRegistration, Subscription, OwnedDigitalProduct'

describe('the text of fields of your own', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'is no text',
      '  ',
      ['typeDefs must be a string such as "extend type Viewer { points: Int! }", not a blank one'],
    ],
    [
      'is no schema language',
      'extend type Viewer {\n  loans: [Loan!]\n  oops\n}',
      ['typeDefs, line 4: Syntax Error: Expected ":", found "}".'],
    ],
    [
      'names an unknown type',
      'extend type Viewer {\n  loans: [Laon!]!\n}\ntype Loan { title: String! }',
      ['typeDefs, line 2: Unknown type "Laon". Did you mean "Loan"?'],
    ],
    [
      'has an unknown directive',
      '\n\nextend type Viewer { points: Int! @requiresScoep(scope: "a") }',
      ['typeDefs, line 3: Unknown directive "@requiresScoep".'],
    ],
    [
      'has a field of the library',
      'extend type Viewer {\n name: String }',
      ['typeDefs, line 2: Field "Viewer.name" already exists in the schema. It cannot also be defined in this type extension.'],
    ],
    [
      'has a type of the library',
      'type Order { id: ID! }',
      ['typeDefs, line 1: Type "Order" already exists in the schema. It cannot also be defined in this type definition.', expect.any(String) as string],
    ],
    [
      'takes an object as an argument',
      'extend type Viewer { loans(of: Loan): Int! } type Loan { title: String! }',
      ['typeDefs, line 1: The type of Viewer.loans(of:) must be Input Type but got: Loan.'],
    ],
    [
      'extends what has no record',
      'extend type PageInfo { more: Int }',
      [`typeDefs, line 1: PageInfo cannot be extended: only ${REST}`],
    ],
    [
      'extends a payload of the library, whose object is no record',
      'extend type UpdateProfilePayload { more: Int }',
      [`typeDefs, line 1: UpdateProfilePayload cannot be extended: only ${REST}`],
    ],
    ...[
      'interface Item { id: ID! }',
      'scalar ISBN',
      'directive @shelf on FIELD_DEFINITION',
      'extend enum AccessState { NEW }',
      'extend input OrderFilter { shelf: String }',
      'extend interface Node { shelf: String }',
      'schema { query: Query }',
      'query { viewer { id } }',
    ].map((text): [string, string, readonly string[]] => [
      `has more than types: ${text}`,
      text,
      [expect.stringContaining('only extend type, type, enum, input and union can be used') as string],
    ]),
    [
      'implements Node, which node(id:) would have to find',
      'type Loan implements Node { id: ID! }',
      ['typeDefs, line 1: Loan must not implement an interface'],
    ],
    [
      'has a page of its own',
      'type LoanConnection { nodes: [String!]! }',
      ['typeDefs, line 1: LoanConnection must not end with Connection: only hallpass makes pages'],
    ],
    [
      'returns a page of the library',
      'extend type Viewer { gifts: OrderConnection! }',
      ['typeDefs, line 1: Viewer.gifts must not return OrderConnection: only hallpass makes pages. Return a list, with an argument first'],
    ],
    ...['Viewer', 'Query', 'Mutation'].map((root): [string, string, readonly string[]] => [
      `returns the root ${root}`,
      `type Loan { of: ${root}! }`,
      [`typeDefs, line 1: Loan.of must not return ${root}`],
    ]),
    [
      'includes a type of the library in a union, whose scope would be missed',
      'union Thing = Loan | Order type Loan { title: String! }',
      ['typeDefs, line 1: Thing must not include Order: only types of your own'],
    ],
    [
      'has a list of lists',
      'type Loan { grid: [[Int!]!]! }',
      ['typeDefs, line 1: Loan.grid must not be a list of lists: its size is unknown'],
    ],
    [
      'has a field at the root without a scope',
      'extend type Query { a: Int } extend type Mutation { b: Int }',
      [
        'typeDefs, line 1: Query.a needs @requiresScope(scope: "…"): nothing above it requires one',
        'typeDefs, line 1: Mutation.b needs @requiresScope(scope: "…"): nothing above it requires one',
      ],
    ],
    [
      'has a scope without a name',
      'type Loan { a: Int @requiresScope(scope: "") }',
      ['typeDefs, line 1: Loan.a needs a name in @requiresScope'],
    ],
    [
      'gives points back',
      'type Loan { a: Int @cost(weight: -1) b: Int @cost(weight: "5") }',
      [
        'typeDefs, line 1: Loan.a needs a weight of at least 0 in @cost',
        'typeDefs, line 1: Loan.b needs a weight of at least 0 in @cost',
      ],
    ],
    [
      'has sizes that are none',
      'type Loan { a: Int @listSize(assumedSize: 5) b: [Int!] @listSize(assumedSize: 0) d: [Int!] @listSize(assumedSize: 1001) c(first: Int = 101): [Int!] }',
      [
        'typeDefs, line 1: Loan.a has @listSize and is not a list',
        'typeDefs, line 1: Loan.b needs an assumedSize from 1 to 1000 in @listSize',
        'typeDefs, line 1: Loan.d needs an assumedSize from 1 to 1000 in @listSize',
        'typeDefs, line 1: Loan.c needs a default of first from 0 to 100',
      ],
    ],
    ['defines nothing', 'type Loan', ['typeDefs, line 1: Type Loan must define one or more fields.']],
  ])('is refused if it %s', (_, typeDefs, mistakes) => {
    expect(mistakesOf(typeDefs)).toEqual(mistakes)
  }) // prettier-ignore
})

describe('the resolvers of fields of your own', () => {
  const typeDefs = 'extend type Viewer { points: Int! } type Loan { title: String! }'

  it.each<[string, unknown, readonly string[]]>([
    ['are none', null, ['resolvers must be an object, not null']],
    ['have no functions', { Viewer: { points: 3 } }, ['resolvers.Viewer.points must be a function, not a number']],
    ['have no types', { Viewer: () => 3 }, ['resolvers.Viewer must be an object, not a function']],
    ['lack that of a field of the library', {}, ['resolvers.Viewer.points is missing: a function that returns the field']],
    [
      'have no field',
      { Viewer: { pionts: () => 3, points: () => 3 } },
      ['resolvers.Viewer.pionts: typeDefs has no such field: did you mean Viewer.points?'],
    ],
    [
      'replace one of the library',
      { Viewer: { points: () => 3, email: () => 'all@example.com' } },
      ['resolvers.Viewer.email: typeDefs has no such field'],
    ],
    [
      'are inherited',
      Object.create({ Viewer: { points: () => 3 } }),
      ['resolvers.Viewer.points is missing: a function that returns the field'],
    ],
  ])('are refused if they %s', (_, resolvers, mistakes) => {
    expect(mistakesOf(typeDefs, resolvers)).toEqual(mistakes)
  }) // prettier-ignore

  it('are checked as the compiler does', () => {
    defineAccountFields({
      typeDefs:
        'extend type EnrolledCourse { shelf: String! } type Loan { late(by: Int!): Boolean! }',
      resolvers: {
        EnrolledCourse: {
          // @ts-expect-error An enrollment has no shelf.
          shelf: (row) => row.shelf,
        },
        Loan: { late: (loan: { days: number }, { by }: { by: number }) => loan.days > by },
      },
    })
    defineAccountFields({
      typeDefs,
      // @ts-expect-error The context has no source.
      resolvers: { Viewer: { points: (_profile, _args, { source }) => source } },
    })
  })
})

describe('fields of your own', () => {
  const typeDefs = `
    extend type Viewer { "Books." loans: [Loan!]! @requiresScope(scope: "library:read") @listSize(assumedSize: 5) }
    type Loan { title: String! }`
  const fields = defineAccountFields({ typeDefs, resolvers: only('loans') })

  it('are in the text, from which anyone can build the schema', () => {
    expect(fields.sdl.startsWith(accountSdl)).toBe(true)
    expect(fields.sdl).toContain(typeDefs.trim())
    const viewer = buildSchema(fields.sdl).getType('Viewer')!
    expect(Object.keys((viewer as unknown as { getFields: () => object }).getFields())).toContain(
      'loans',
    )
  })

  it('leave the schema of the library as it is', () => {
    expect(accountSchema().getType('Loan')).toBeUndefined()
    expect(accountSchema().getDirective('listSize')).toBeUndefined()
  })

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(fields)).toBe(true)
  })
})
