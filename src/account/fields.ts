import { getNamedType, type GraphQLObjectType, type GraphQLSchema, isCompositeType } from 'graphql'
import { custom, isObject, kindOf, OptionsError, text, checkOptions } from '../options/check.js'
import { nearest } from '../options/nearest.js'
import type { Access } from '../policy/bearer.js'
import type { AccountContext } from './context.js'
import { describeViewerField } from './describe-field.js'
import { type DefinedField, LIST_SIZE_SDL, readTypeDefs } from './fields-sdl.js'
import { markField, withFieldContext } from './own-field.js'
import { type AccountFieldResolver, resolveOwn } from './own-resolver.js'
import { keepRows } from './schema.js'
import { accountSdl } from './sdl.js'
import type {
  DigitalProductRecord,
  EnrollmentRecord,
  EventRegistrationRecord,
  OrderRecord,
  AccountSource,
  ProfileRecord,
  SectionRecord,
  SubscriptionRecord,
} from './source.js'
import type { ViewerField } from './viewer-field.js'

/** Resolvers of fields, each called with the object that has the field. */
type Fields<Parent> = Readonly<Record<string, AccountFieldResolver<Parent>>>

/**
 * Resolvers by type and field. A field that you add to a type of the library needs one. A field of your own type
 * without one returns the member of that name.
 *
 * @group Fields of your own
 */
export interface AccountFieldResolvers {
  readonly Query?: Fields<undefined>
  readonly Mutation?: Fields<undefined>
  readonly Viewer?: Fields<ProfileRecord>
  readonly Site?: Fields<Awaited<ReturnType<AccountSource['site']>>>
  readonly EnrolledCourse?: Fields<EnrollmentRecord>
  readonly CourseSection?: Fields<SectionRecord>
  readonly Lecture?: Fields<SectionRecord['lectures'][number]>
  readonly Order?: Fields<OrderRecord>
  readonly OrderItem?: Fields<OrderRecord['items'][number]>
  readonly EventRegistration?: Fields<EventRegistrationRecord>
  readonly Subscription?: Fields<SubscriptionRecord>
  readonly OwnedDigitalProduct?: Fields<DigitalProductRecord>
  readonly [type: string]: Fields<never> | undefined
}

/**
 * Fields of your own, for the option `extend` of `createAccountApi`. Created by {@link defineAccountFields}.
 *
 * @group Fields of your own
 */
export interface AccountFields {
  /** The account schema with the fields. */
  readonly schema: GraphQLSchema
  /** The text of that schema. */
  readonly sdl: string
  /** The scopes that fields name in `@requiresScope`, with the field, such as `Viewer.libraryLoans`. */
  readonly scopes: readonly { readonly field: string; readonly scope: string }[]
  /**
   * The fields of `Viewer`, from which member tools are made.
   *
   * @internal
   */
  readonly ofViewer: readonly ViewerField[]
  /**
   * Returns what does not fit a site. `createAccountApi` calls it when it starts.
   *
   * @param site - `mostPoints`: of a request. `prepare`: returns the plans of a query, or why it is refused
   */
  readonly mistakesAt: (site: {
    readonly scopes: {
      get: (scope: string) => { readonly audience: string; readonly access: string } | undefined
    }
    readonly mostPoints: number
    readonly prepare: (
      schema: GraphQLSchema,
      query: string,
    ) =>
      | { readonly errors: readonly { readonly message: string }[] }
      | {
          readonly plans: readonly {
            readonly costOf: (variables: Readonly<Record<string, unknown>>) => number
          }[]
        }
  }) => readonly string[]
  /**
   * Adds what resolvers of the fields receive to the context of a request.
   *
   * @internal
   */
  readonly withContext: (context: AccountContext, access: Access) => AccountContext
}

/**
 * Defines fields of your own for the Account API. They are served, counted, limited and described as those of the
 * library: `@requiresScope` and `@cost` hold for them.
 *
 * - `Query`, `Mutation`, `Viewer` and the types of records of the source can be extended; `type`, `enum`, `input` and
 *   `union` are yours to add. A field of `Query` or `Mutation` needs `@requiresScope`.
 * - A list has at most 100 rows, and costs that many. State another number with `@listSize(assumedSize: 20)`. With an
 *   argument `first: Int` it costs what the client asks for, and the resolver always receives a number.
 * - A resolver receives the object, its arguments and an {@link AccountFieldContext}. If it throws, or returns what the
 *   type does not allow, the field has the error `INTERNAL`, and `onFault` receives the exception.
 * - A field of `Viewer` with a description becomes a member tool, `get_my_…` or `list_my_…`.
 *
 * @param options - `typeDefs`: definitions in the schema language. `resolvers`: by type and field
 * @throws OptionsError that lists every mistake. `typeDefs` can be invalid, redefine what the schema has, or add what is
 *   not supported; a resolver can be missing, or have no field. `createAccountApi` compares the scopes with those of the
 *   site.
 * @example
 * ```ts
 * import { defineAccountFields } from 'hallpass/account'
 *
 * const loansOf = async (subject: string) => (subject === 'mem_mei' ? [{ title: 'Glazes' }] : [])
 * const extend = defineAccountFields({
 *   typeDefs: `
 *     extend type Viewer { libraryLoans: [Loan!]! @requiresScope(scope: "library:read") }
 *     type Loan { title: String! }`,
 *   resolvers: { Viewer: { libraryLoans: (_profile, _args, { member }) => loansOf(member.subject) } },
 * })
 * extend.scopes // => [{ field: 'Viewer.libraryLoans', scope: 'library:read' }]
 *
 * const typeDefs = 'extend type Viewer { name: String }'
 * defineAccountFields({ typeDefs, resolvers: {} }) // throws OptionsError
 * ```
 * @group Fields of your own
 */
export function defineAccountFields(options: {
  readonly typeDefs: string
  readonly resolvers: AccountFieldResolvers
}): AccountFields {
  const { typeDefs, resolvers } = checkOptions('account fields', options, {
    typeDefs: text('"extend type Viewer { points: Int! }"'),
    resolvers: custom<AccountFieldResolvers>(
      '{ Viewer: { points: (profile) => 3 } }',
      resolverMistakes,
    ),
  })
  const read = readTypeDefs(typeDefs)
  if ('mistakes' in read) throw new OptionsError('account fields', read.mistakes)
  const { schema, fields } = read
  const strange = unmatched(fields, resolvers)
  if (strange.length > 0) throw new OptionsError('account fields', strange)

  for (const field of fields) {
    const type = schema.getType(field.type) as GraphQLObjectType
    const definition = type.getFields()[field.name]!
    const own = resolverOf(resolvers, field)
    const { scopes, maxRows, rowsByDefault } = field
    const asksMore = own !== undefined || isCompositeType(getNamedType(definition.type))
    const weight = field.weight ?? (asksMore ? 1 : 0)
    markField(definition, { scopes, weight, maxRows, rowsByDefault })
    definition.resolve = resolveOwn(field, own) as NonNullable<typeof definition.resolve>
    keepRows(definition)
  }
  const required = fields.flatMap(({ type, name, scope }) =>
    scope === null ? [] : [{ field: `${type}.${name}`, scope }],
  )
  const ofViewer = fields.flatMap((field) =>
    field.type === 'Viewer' ? [describeViewerField(schema, field.name)] : [],
  )
  return Object.freeze<AccountFields>({
    schema,
    sdl: `${accountSdl}\n${LIST_SIZE_SDL}\n\n${typeDefs.trim()}\n`,
    scopes: required,
    ofViewer,
    withContext: withFieldContext,
    mistakesAt: ({ scopes, mostPoints, prepare }) => [
      ...required.flatMap(({ field, scope }) => {
        const { audience, access } = scopes.get(scope) ?? {}
        if (audience !== 'member')
          return [`extend: ${field} requires "${scope}", which scopes must define for members`]
        return field.startsWith('Mutation.') && access !== 'write'
          ? [`extend: ${field} requires "${scope}", which must be a scope with access: 'write'`]
          : []
      }),
      ...ofViewer.flatMap(({ name, query, args }) => {
        if (query === null) return []
        const place = `extend: Viewer.${name} with its fields`
        const prepared = prepare(schema, query)
        if ('errors' in prepared) return [`${place} is refused: ${prepared.errors[0]!.message}`]
        const points = prepared.plans[0]!.costOf({ first: args['first']?.max })
        return points <= mostPoints
          ? []
          : [
              `${place} costs up to ${points} points of limits.cost (${mostPoints}): state the sizes of its lists with @listSize`,
            ]
      }),
    ],
  })
}

function resolverMistakes(value: unknown, name: string): readonly string[] {
  if (!isObject(value)) return [`${name} must be an object, not ${kindOf(value)}`]
  return Object.entries(value).flatMap(([type, fields]: [string, unknown]) => {
    if (!isObject(fields)) return [`${name}.${type} must be an object, not ${kindOf(fields)}`]
    return Object.entries(fields)
      .filter(([, resolve]) => typeof resolve !== 'function')
      .map(
        ([field, resolve]) => `${name}.${type}.${field} must be a function, not ${kindOf(resolve)}`,
      )
  })
}

function resolverOf(
  resolvers: AccountFieldResolvers,
  { type, name }: Pick<DefinedField, 'type' | 'name'>,
): AccountFieldResolver<unknown> | undefined {
  const ofType = Object.hasOwn(resolvers, type) ? resolvers[type] : undefined
  if (ofType === undefined || !Object.hasOwn(ofType, name)) return undefined
  return ofType[name] as AccountFieldResolver<unknown>
}

/** Returns the mistakes of resolvers without a field, and of fields without a resolver. */
function unmatched(
  fields: readonly DefinedField[],
  resolvers: AccountFieldResolvers,
): readonly string[] {
  const places = fields.map(({ type, name }) => `${type}.${name}`)
  const given = Object.entries(resolvers).flatMap(([type, ofType = {}]) =>
    Object.keys(ofType).map((name) => `${type}.${name}`),
  )
  return [
    ...given
      .filter((place) => !places.includes(place))
      .map((place) => {
        const meant = nearest(place, places)
        return `resolvers.${place}: typeDefs has no such field${meant === null ? '' : `: did you mean ${meant}?`}`
      }),
    ...fields
      .filter((field) => field.isExtension && resolverOf(resolvers, field) === undefined)
      .map(
        ({ type, name }) =>
          `resolvers.${type}.${name} is missing: a function that returns the field`,
      ),
  ]
}
