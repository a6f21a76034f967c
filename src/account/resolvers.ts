import { type Connection, loadConnection, type PageArguments } from './connection.js'
import { ACCESS_STATES, type AccountContext, type AccountResolvers, firstRows } from './context.js'
import { isCancellable } from './decisions.js'
import { mutationResolvers } from './mutations.js'
import { isFindable, nodeId, sourceId } from './node-id.js'
import { enrollmentOrders } from './page-of.js'
import type {
  AccessState,
  DigitalProductRecord,
  EnrollmentOrder,
  EnrollmentRecord,
  EventRegistrationRecord,
  ListQuery,
  OrderRecord,
  OrderState,
  Place,
  ProfileRecord,
  Rows,
  SectionRecord,
  SubscriptionRecord,
} from './source.js'
import { loadViewer, type ViewerParent } from './viewer.js'

/** How an order compares rows. */
interface Ordering<Row> {
  readonly keyOf: (row: Row) => Place['key']
  readonly descending: boolean
}
type OrderItem = OrderRecord['items'][number]
type Parent<Row> = Row & { readonly __typename?: string }

const ofProfile =
  (field: keyof ProfileRecord) =>
  ({ profile }: ViewerParent): unknown =>
    profile[field]

function list<Row extends { readonly id: string }, Filter, Order extends string>(
  { member }: AccountContext,
  args: PageArguments,
  {
    name,
    sent,
    filter,
    order,
    ordering,
    load,
  }: {
    name: string
    sent: unknown
    filter: Filter
    order: Order
    ordering: Ordering<Row>
    load: (query: ListQuery<Filter, Order>) => Promise<Rows<Row>>
  },
): Promise<Connection<Row>> {
  return loadConnection({
    args,
    scope: {
      list: [member.orgId, member.subject, name, order],
      keyType: order === 'TITLE_ASC' ? 'string' : 'number',
      filter: sent,
    },
    filter,
    order,
    placeOf: (row): Place => ({ key: ordering.keyOf(row), id: row.id }),
    load,
  })
}

const latest = <Row>(keyOf: (row: Row) => number): Ordering<Row> => ({ keyOf, descending: true })

/**
 * The resolvers of the account schema by type and field, for servers that assemble a schema themselves.
 * The context value must come from {@link createAccountContext}.
 *
 * @example
 * ```ts
 * import { accountResolvers } from 'hallpass/account'
 *
 * Object.keys(accountResolvers['Query'] ?? {}) // => ['viewer', 'node']
 * ```
 * @group Schema
 */
export const accountResolvers: AccountResolvers = {
  Query: {
    viewer: (_: unknown, _args: unknown, context: AccountContext) => loadViewer(context),
    node: (_: unknown, { id }: { id: string }, context: AccountContext) => findNode(id, context),
  },
  Mutation: mutationResolvers,
  Viewer: {
    id: ({ member }: ViewerParent) => member.subject,
    email: ofProfile('email'),
    emailVerified: ofProfile('emailVerified'),
    name: ofProfile('name'),
    picture: ofProfile('picture'),
    locale: ofProfile('locale'),
    timeZone: ofProfile('timeZone'),
    memberSince: ofProfile('memberSince'),
    roles: ({ member }: ViewerParent) => member.roles,
    site: (_: unknown, _args: unknown, { source, member }: AccountContext) => source.site(member),
    enrolledCourses: (
      _: unknown,
      args: PageArguments & {
        orderBy?: EnrollmentOrder | null
        filter?: {
          accessState?: readonly AccessState[] | null
          expiresBefore?: number | null
          completed?: boolean | null
        } | null
      },
      context: AccountContext,
    ) => {
      const order = args.orderBy ?? 'RECENTLY_WATCHED'
      return list(context, args, {
        name: 'enrolledCourses',
        sent: args.filter,
        order,
        ordering: enrollmentOrders[order],
        filter: {
          ids: null,
          slug: null,
          // Revoked enrollments are listed only if the filter requests them.
          accessStates:
            args.filter?.accessState ?? ACCESS_STATES.filter((state) => state !== 'REVOKED'),
          expiresBefore: args.filter?.expiresBefore ?? null,
          completed: args.filter?.completed ?? null,
        },
        load: (query) => context.source.enrollments(context.member, query),
      })
    },
    enrolledCourse: async (
      _: unknown,
      { slug }: { slug: string },
      { source, member }: AccountContext,
    ) => {
      if (!isFindable(slug)) return null
      const any = { ids: null, accessStates: ACCESS_STATES, expiresBefore: null, completed: null }
      const { rows } = await source.enrollments(
        member,
        firstRows(1, { ...any, slug }, 'ENROLLED_AT_DESC'),
      )
      return rows[0] ?? null
    },
    orders: (
      _: unknown,
      args: PageArguments & {
        filter?: {
          state?: readonly OrderState[] | null
          placedAfter?: number | null
          placedBefore?: number | null
        } | null
      },
      context: AccountContext,
    ) =>
      list(context, args, {
        name: 'orders',
        sent: args.filter,
        order: 'PLACED_AT_DESC',
        ordering: latest((row: OrderRecord) => row.placedAt),
        filter: {
          ids: null,
          states: args.filter?.state ?? null,
          placedAfter: args.filter?.placedAfter ?? null,
          placedBefore: args.filter?.placedBefore ?? null,
        },
        load: (query) => context.source.orders(context.member, query),
      }),
    eventRegistrations: (
      _: unknown,
      args: PageArguments & {
        filter?: {
          state?: readonly EventRegistrationRecord['state'][] | null
          when?: 'UPCOMING' | 'PAST' | 'ANY' | null
        } | null
      },
      context: AccountContext,
    ) =>
      list(context, args, {
        name: 'eventRegistrations',
        sent: args.filter,
        order: 'REGISTERED_AT_DESC',
        ordering: latest((row: EventRegistrationRecord) => row.registeredAt),
        filter: {
          ids: null,
          states: args.filter?.state ?? null,
          when: args.filter?.when ?? 'ANY',
          now: context.now,
        },
        load: (query) => context.source.eventRegistrations(context.member, query),
      }),
    subscriptions: (_: unknown, args: PageArguments, context: AccountContext) =>
      list(context, args, {
        name: 'subscriptions',
        sent: null,
        order: 'STARTED_AT_DESC',
        ordering: latest((row: SubscriptionRecord) => row.startedAt),
        filter: { ids: null },
        load: (query) => context.source.subscriptions(context.member, query),
      }),
    digitalProducts: (_: unknown, args: PageArguments, context: AccountContext) =>
      list(context, args, {
        name: 'digitalProducts',
        sent: null,
        order: 'ACQUIRED_AT_DESC',
        ordering: latest((row: DigitalProductRecord) => row.acquiredAt),
        filter: { ids: null },
        load: (query) => context.source.digitalProducts(context.member, query),
      }),
  },
  EnrolledCourse: {
    id: ({ id }: EnrollmentRecord) => nodeId('EnrolledCourse', id),
    sections: async ({ courseId }: EnrollmentRecord, _: unknown, { outlineOf }: AccountContext) =>
      (await outlineOf(courseId)) ?? [],
    nextLecture: async (
      { courseId }: EnrollmentRecord,
      _: unknown,
      { outlineOf }: AccountContext,
    ): Promise<SectionRecord['lectures'][number] | null> => {
      const sections = (await outlineOf(courseId)) ?? []
      return sections.flatMap(({ lectures }) => lectures).find((one) => !one.completed) ?? null
    },
  },
  CourseProgress: {
    ratio: ({ completedLectures, totalLectures }: EnrollmentRecord['progress']) =>
      totalLectures === 0 ? 0 : completedLectures / totalLectures,
  },
  Order: { id: ({ id }: OrderRecord) => nodeId('Order', id) },
  OrderItem: {
    enrolledCourse: ({ enrollmentId }: OrderItem, _: unknown, context: AccountContext) =>
      enrollmentId === null ? null : context.enrollmentById(enrollmentId),
    eventRegistration: ({ eventRegistrationId }: OrderItem, _: unknown, context: AccountContext) =>
      eventRegistrationId === null ? null : context.registrationById(eventRegistrationId),
    subscription: ({ subscriptionId }: OrderItem, _: unknown, context: AccountContext) =>
      subscriptionId === null ? null : context.subscriptionById(subscriptionId),
    digitalProduct: ({ digitalProductId }: OrderItem, _: unknown, context: AccountContext) =>
      digitalProductId === null ? null : context.digitalProductById(digitalProductId),
  },
  EventRegistration: {
    id: ({ id }: EventRegistrationRecord) => nodeId('EventRegistration', id),
    joinUrl: ({ state, joinUrl }: EventRegistrationRecord) =>
      state === 'REGISTERED' ? joinUrl : null,
    canCancel: (row: EventRegistrationRecord, _: unknown, { now }: AccountContext) =>
      isCancellable(row, now),
  },
  Subscription: {
    id: ({ id }: SubscriptionRecord) => nodeId('Subscription', id),
    courses: async ({ enrollmentIds }: SubscriptionRecord, _: unknown, context: AccountContext) => {
      const found = await Promise.all(enrollmentIds.map(context.enrollmentById))
      return found.filter((one) => one !== null)
    },
  },
  OwnedDigitalProduct: {
    id: ({ id }: DigitalProductRecord) => nodeId('OwnedDigitalProduct', id),
  },
}

async function findNode(id: string, context: AccountContext): Promise<unknown> {
  if (id === context.member.subject) return { __typename: 'Viewer', ...(await loadViewer(context)) }
  const finders = {
    EnrolledCourse: context.enrollmentById,
    Order: context.orderById,
    EventRegistration: context.registrationById,
    Subscription: context.subscriptionById,
    OwnedDigitalProduct: context.digitalProductById,
  } as const
  for (const [kind, find] of Object.entries(finders)) {
    const own = sourceId(kind as keyof typeof finders, id)
    const found: Parent<object> | null = own === null ? null : await find(own)
    if (found !== null) return { __typename: kind, ...found }
  }
  return null
}
