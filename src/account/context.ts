import type { GraphQLFieldResolver } from 'graphql'
import { type Batched, batched } from './batch.js'
import { readSource } from './returned.js'
import type {
  AccessState,
  AccountSource,
  DigitalProductRecord,
  EnrollmentRecord,
  EventRegistrationRecord,
  ListQuery,
  Member,
  OrderRecord,
  Rows,
  SectionRecord,
  SubscriptionRecord,
} from './source.js'

/**
 * The context value that the account resolvers of one request share. Created by
 * {@link createAccountContext} for each request.
 *
 * @group Schema
 */
export interface AccountContext {
  readonly member: Member
  readonly source: AccountSource
  /** Epoch seconds. All fields of one request see the same time. */
  readonly now: number
  /** Hosts from which `updateProfile` accepts a picture. */
  readonly pictureHosts: readonly string[]
  /**
   * Loads an enrollment of the member by its identifier, or `null`. This loader and those below collect the
   * identifiers that one level of the query needs and load them with a single call of the source.
   */
  readonly enrollmentById: (id: string) => Promise<EnrollmentRecord | null>
  /** Loads an order of the member, or `null`. */
  readonly orderById: (id: string) => Promise<OrderRecord | null>
  /** Loads an event registration of the member, or `null`. */
  readonly registrationById: (id: string) => Promise<EventRegistrationRecord | null>
  /** Loads a subscription of the member, or `null`. */
  readonly subscriptionById: (id: string) => Promise<SubscriptionRecord | null>
  /** Loads a digital product of the member, or `null`. */
  readonly digitalProductById: (id: string) => Promise<DigitalProductRecord | null>
  /** Loads the outline of a course, or `null` if the member is not enrolled in it. */
  readonly outlineOf: (courseId: string) => Promise<readonly SectionRecord[] | null>
  /** Empties all loaders. The mutations call it after each change. */
  readonly forget: () => void
}

/**
 * Resolvers by type name and field name.
 *
 * @group Schema
 */
export type AccountResolvers = Readonly<
  Record<string, Readonly<Record<string, GraphQLFieldResolver<never, AccountContext, never>>>>
>

/** Returns a query for the first rows, without their total. */
export function firstRows<Filter, Order extends string>(
  limit: number,
  filter: Filter,
  order: Order,
): ListQuery<Filter, Order> {
  return { filter, order, after: null, before: null, limit, fromEnd: false, count: false }
}

export const ACCESS_STATES: readonly AccessState[] = [
  'SCHEDULED',
  'ACTIVE',
  'SUSPENDED',
  'EXPIRED',
  'REVOKED',
]

/**
 * Creates the context value with which a GraphQL server executes the account schema. Create one for each
 * request and do not share it, because it caches the member's rows.
 *
 * @param options - `member`: the person behind the access token; every row that the source returns must be
 *   theirs. `now`: epoch seconds. `pictureHosts`: hosts from which `updateProfile` accepts a picture.
 *   Default: none.
 * @example A query on a GraphQL server of your own
 * ```ts
 * import { graphql } from 'graphql'
 * import { accountSchema, type AccountSource, createAccountContext, emptyAccountSource } from 'hallpass/account'
 *
 * const member = { subject: 'per_mei', orgId: 'school', roles: ['student'], name: 'Mei', email: null, picture: null }
 * const source: AccountSource = {
 *   ...emptyAccountSource,
 *   profile: async ({ name }) => ({ name, email: null, emailVerified: false, picture: null, locale: null, timeZone: null, memberSince: 1_760_605_200 }),
 *   site: async () => ({ id: 'school', name: 'School', url: 'https://school.example', timeZone: 'UTC', currencyCode: 'EUR' }),
 * }
 * const contextValue = createAccountContext({ member, source, now: 1_795_165_200 })
 * const { data } = await graphql({ schema: accountSchema(), source: '{ viewer { name } }', contextValue })
 * JSON.stringify(data) // => '{"viewer":{"name":"Mei"}}'
 * ```
 * @group Schema
 */
export function createAccountContext({
  member,
  source: own,
  now,
  pictureHosts = [],
}: {
  member: Member
  source: AccountSource
  now: number
  pictureHosts?: readonly string[]
}): AccountContext {
  const source = readSource(own)
  const byId = <
    Row extends { readonly id: string },
    Filter extends { readonly ids: readonly string[] | null },
    Order extends string,
  >(
    order: Order,
    filterOf: (ids: readonly string[]) => Filter,
    load: (query: ListQuery<Filter, Order>) => Promise<Rows<Row>>,
  ): Batched<Row> =>
    batched(async (ids) => {
      const { rows } = await load(firstRows(ids.length, filterOf(ids), order))
      return new Map(rows.map((row) => [row.id, row]))
    })

  const loaders = {
    enrollmentById: byId(
      'ENROLLED_AT_DESC',
      (ids) => ({
        ids,
        slug: null,
        accessStates: ACCESS_STATES,
        expiresBefore: null,
        completed: null,
      }),
      (query) => source.enrollments(member, query),
    ),
    orderById: byId(
      'PLACED_AT_DESC',
      (ids) => ({ ids, states: null, placedAfter: null, placedBefore: null }),
      (query) => source.orders(member, query),
    ),
    registrationById: byId(
      'REGISTERED_AT_DESC',
      (ids) => ({ ids, states: null, when: 'ANY' as const, now }),
      (query) => source.eventRegistrations(member, query),
    ),
    subscriptionById: byId(
      'STARTED_AT_DESC',
      (ids) => ({ ids }),
      (query) => source.subscriptions(member, query),
    ),
    digitalProductById: byId(
      'ACQUIRED_AT_DESC',
      (ids) => ({ ids }),
      (query) => source.digitalProducts(member, query),
    ),
    outlineOf: batched((courseIds) => source.courseOutlines(member, courseIds)),
  }
  const forget = (): void => {
    for (const loader of Object.values(loaders)) loader.forget()
  }
  return { member, source, now, pictureHosts, ...loaders, forget }
}
