import type { GraphQLFieldResolver } from 'graphql'
import { type Batched, batched } from './batch.js'
import type {
  AccessState, AccountSource, DigitalProductRecord, EnrollmentRecord, EventRegistrationRecord, IdFilter,
  ListQuery, Member, OrderRecord, Rows, SectionRecord, SubscriptionRecord,
} from './source.js' // prettier-ignore

/** What the resolvers of one request share. */
export interface AccountContext {
  readonly member: Member
  readonly source: AccountSource
  /** Epoch seconds: one moment for the whole request. */
  readonly now: number
  /** Hosts that a profile picture may stand on. */
  readonly pictureHosts: readonly string[]
  /** Loads the enrollments of one turn in one call; so do the others. */
  readonly enrollmentById: (id: string) => Promise<EnrollmentRecord | null>
  /** `null` = none of the member's. */
  readonly orderById: (id: string) => Promise<OrderRecord | null>
  /** `null` = none of the member's. */
  readonly registrationById: (id: string) => Promise<EventRegistrationRecord | null>
  /** `null` = none of the member's. */
  readonly subscriptionById: (id: string) => Promise<SubscriptionRecord | null>
  /** `null` = none of the member's. */
  readonly digitalProductById: (id: string) => Promise<DigitalProductRecord | null>
  /** By course; `null` = no course of the member's. */
  readonly outlineOf: (courseId: string) => Promise<readonly SectionRecord[] | null>
  /** After a change, what was loaded before it is loaded again. */
  readonly forget: () => void
}

/** Type name to field name to resolver. */
export type AccountResolvers = Readonly<
  Record<string, Readonly<Record<string, GraphQLFieldResolver<never, AccountContext, never>>>>
>

/** Asks for the first rows, uncounted. */
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
 * Makes the context of one request. Never share it between requests: it remembers the member's rows.
 *
 * @param options - `now`: epoch seconds
 */
export function createAccountContext({
  member,
  source,
  now,
  pictureHosts = [],
}: {
  member: Member
  source: AccountSource
  now: number
  pictureHosts?: readonly string[]
}): AccountContext {
  const byId = <Row extends { readonly id: string }, Filter extends IdFilter, Order extends string>(
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
