import type { Person } from '../policy/person.js'

/**
 * The person behind the access token. Every row that a source returns belongs to them.
 *
 * @group Source
 */
export type Member = Person

/**
 * The interface between the Account API and the host application: thirteen methods that query your
 * tables. Each one receives the member and must return only rows of this member at this site. Lists are
 * requested one page at a time. Rows that are requested by identifier are requested with a single call.
 *
 * Sections, lectures, order items, files and the enrollments of a subscription have no page size. They are
 * returned completely, and the cost of a request assumes ten rows for each such list. If one of them can
 * be much longer, truncate it in the source.
 *
 * Times are epoch seconds. If a method throws, the field fails with the code `INTERNAL`. The client never
 * sees the message of the exception.
 *
 * {@link emptyAccountSource} has the methods of what your school does not have.
 *
 * @group Source
 */
export interface AccountSource {
  /** Returns the member's profile, or `null` if the person was deleted since the token was checked. */
  readonly profile: (member: Member) => Promise<ProfileRecord | null>
  /** Returns the member's school. */
  readonly site: (member: Member) => Promise<{
    readonly id: string
    readonly name: string
    /** Absolute https URL; http is allowed on a loopback host. */
    readonly url: string
    readonly timeZone: string
    /** Currency of the school (ISO 4217), such as `EUR`. */
    readonly currencyCode: string
  }>

  /** Returns the enrollments of the member, past ones included. */
  readonly enrollments: (
    member: Member,
    query: ListQuery<EnrollmentFilter, EnrollmentOrder>,
  ) => Promise<Rows<EnrollmentRecord>>
  /** Returns the orders that the member placed. */
  readonly orders: (
    member: Member,
    query: ListQuery<
      {
        /** Return only rows with these identifiers. `null`: all rows. */
        readonly ids: readonly string[] | null
        /** `null`: any state. */
        readonly states: readonly OrderState[] | null
        /** Return only orders placed after this time. `null`: any. */
        readonly placedAfter: number | null
        /** Return only orders placed before this time. `null`: any. */
        readonly placedBefore: number | null
      },
      'PLACED_AT_DESC'
    >,
  ) => Promise<Rows<OrderRecord>>
  /** Returns the event registrations of the member. */
  readonly eventRegistrations: (
    member: Member,
    query: ListQuery<
      {
        /** Return only rows with these identifiers. `null`: all rows. */
        readonly ids: readonly string[] | null
        /** Return only registrations in one of these states. `null`: any state. */
        readonly states: readonly EventRegistrationRecord['state'][] | null
        /**
         * `UPCOMING`: only events that end after `now`. `PAST`: only the
         * others.
         */
        readonly when: 'UPCOMING' | 'PAST' | 'ANY'
        readonly now: number
      },
      'REGISTERED_AT_DESC'
    >,
  ) => Promise<Rows<EventRegistrationRecord>>
  /** Returns the subscriptions of the member, past ones included. */
  readonly subscriptions: (
    member: Member,
    query: ListQuery<
      {
        /** Return only rows with these identifiers. `null`: all rows. */
        readonly ids: readonly string[] | null
      },
      'STARTED_AT_DESC'
    >,
  ) => Promise<Rows<SubscriptionRecord>>
  /** Returns the downloads that the member owns. */
  readonly digitalProducts: (
    member: Member,
    query: ListQuery<
      {
        /** Return only rows with these identifiers. `null`: all rows. */
        readonly ids: readonly string[] | null
      },
      'ACQUIRED_AT_DESC'
    >,
  ) => Promise<Rows<DigitalProductRecord>>

  /**
   * Returns course outlines by course id, with the member's progress in each lecture. Leave out courses in
   * which the member is not enrolled.
   */
  readonly courseOutlines: (
    member: Member,
    courseIds: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly SectionRecord[]>>

  /** Returns the member's state in a lecture, or `null` if none of their courses contains it. */
  readonly lecture: (
    member: Member,
    lecture: { courseId: string; lectureId: string },
  ) => Promise<LectureState | null>
  /**
   * Saves a playback position, unless a position with a later `watchedAt` is saved already: then it writes
   * nothing and returns `stale`. Comparing and writing must be one atomic step.
   */
  readonly savePlayback: (
    member: Member,
    playback: { courseId: string; lectureId: string; positionSeconds: number; watchedAt: number },
  ) => Promise<'saved' | 'stale'>
  /** Marks a lecture as completed or not completed. Repeating a call changes nothing. */
  readonly markLecture: (
    member: Member,
    mark: { courseId: string; lectureId: string; completed: boolean; at: number },
  ) => Promise<void>
  /** Cancels an event registration. Returns `conflict`, and writes nothing, if its state has changed. */
  readonly cancelEventRegistration: (
    member: Member,
    cancellation: { id: string; reason: string | null; at: number },
  ) => Promise<'cancelled' | 'conflict'>
  /** Changes the fields that are present. `null` clears a field. */
  readonly updateProfile: (
    member: Member,
    changes: {
      readonly name?: string | null
      readonly picture?: string | null
      readonly locale?: string | null
      readonly timeZone?: string | null
    },
  ) => Promise<void>
}

/**
 * The page that a source is asked for.
 *
 * @group Paging
 */
export interface ListQuery<Filter, Order extends string> {
  readonly filter: Filter
  /** Name of the order. Rows with equal values are ordered by `id`, ascending. */
  readonly order: Order
  /** Return only rows after this position. `null`: from the beginning. */
  readonly after: Place | null
  /** Return only rows before this position. `null`: to the end. */
  readonly before: Place | null
  /** Largest number of rows to return. 0 if only the total is needed. */
  readonly limit: number
  /** Whether to return the last rows instead of the first. Their order stays the same. */
  readonly fromEnd: boolean
  /** Whether {@link Rows.total} is needed. */
  readonly count: boolean
}

/**
 * The position of a row in an order.
 *
 * @group Paging
 */
export interface Place {
  /** The value that the order compares. `null` comes after all values, in both directions. */
  readonly key: string | number | null
  readonly id: string
}

/**
 * A page of rows.
 *
 * @group Paging
 */
export interface Rows<Row> {
  readonly rows: readonly Row[]
  /** Number of rows on all pages that match the filter. `null` unless {@link ListQuery.count} is `true`. */
  readonly total: number | null
}

/**
 * The state of a member's access to a course, as {@link accessStateOf} computes it.
 *
 * @group Courses
 */
export type AccessState = 'SCHEDULED' | 'ACTIVE' | 'SUSPENDED' | 'EXPIRED' | 'REVOKED'
/**
 * The orders in which enrollments can be listed. {@link enrollmentOrders} implements them.
 *
 * @group Courses
 */
export type EnrollmentOrder =
  'RECENTLY_WATCHED' | 'ENROLLED_AT_DESC' | 'EXPIRE_DATE_ASC' | 'TITLE_ASC'

/**
 * A filter of enrollments. {@link matchesEnrollment} implements it.
 *
 * @group Courses
 */
export interface EnrollmentFilter {
  /** Return only rows with these identifiers. `null`: all rows. */
  readonly ids: readonly string[] | null
  /** Slug of the course. `null`: any course. */
  readonly slug: string | null
  /** Return only enrollments in one of these states. */
  readonly accessStates: readonly AccessState[]
  /** Return only enrollments that expire before this time. `null`: all of them. */
  readonly expiresBefore: number | null
  /** Whether the course is completed. `null`: either. */
  readonly completed: boolean | null
}

/**
 * The profile of a member.
 *
 * @group Profile and site
 */
export interface ProfileRecord {
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
  readonly picture: string | null
  /** Language tag (BCP 47), such as `pt-PT`. */
  readonly locale: string | null
  /** Name in the IANA time zone database, such as `Europe/Lisbon`. */
  readonly timeZone: string | null
  /** When the member joined the school. */
  readonly memberSince: number
}

/**
 * The enrollment of a member in a course. A course that is bought twice has two enrollments.
 *
 * @group Courses
 */
export interface EnrollmentRecord {
  /** Identifies the enrollment; `courseId` identifies the course. */
  readonly id: string
  readonly courseId: string
  readonly slug: string
  readonly title: string
  readonly coverImage: string | null
  readonly url: string
  readonly enrolledAt: number
  /** When access begins, or `null` if it began on enrollment. */
  readonly startDate: number | null
  /** When access ends, or `null` for lifetime access and for access that renews itself. */
  readonly expireDate: number | null
  /** `false` for access that renews itself, because it ends with the subscription. */
  readonly hasLifetimeAccess: boolean
  /** The current state: see {@link accessStateOf}. */
  readonly accessState: AccessState
  /** How the member obtained access. */
  readonly accessSource: 'PURCHASE' | 'MEMBERSHIP' | 'FREE' | 'GRANTED' | 'GIFT'
  readonly progress: {
    readonly completedLectures: number
    readonly totalLectures: number
    readonly completedAt: number | null
  }
  /** The lecture to resume, or `null` if the member has watched none. */
  readonly lastWatchedLecture: {
    readonly lectureId: string
    readonly title: string | null
    readonly positionSeconds: number
    readonly durationSeconds: number | null
    readonly watchedAt: number
    readonly resumeUrl: string | null
  } | null
}

/**
 * The medium of a lecture.
 *
 * @group Courses
 */
export type LectureKind = 'VIDEO' | 'AUDIO' | 'DOCUMENT' | 'TEXT' | 'QUIZ' | 'LIVE' | 'OTHER'

/**
 * A section of a course, with its lectures in order.
 *
 * @group Courses
 */
export interface SectionRecord {
  readonly id: string
  readonly title: string
  /** Each with the member's progress. */
  readonly lectures: readonly {
    readonly id: string
    readonly title: string
    readonly kind: LectureKind
    readonly durationSeconds: number | null
    readonly completed: boolean
    readonly positionSeconds: number | null
    readonly url: string | null
  }[]
}

/**
 * The member's state in a lecture. Mutations of a lecture are decided from it.
 *
 * @group Courses
 */
export interface LectureState {
  readonly enrollmentId: string
  /** The current state of access to the course: see {@link accessStateOf}. */
  readonly accessState: AccessState
  readonly durationSeconds: number | null
  /** When the saved position was reached, or `null` if none is saved. */
  readonly watchedAt: number | null
}

/**
 * An exact amount of money, such as `{ amount: '1280.00', currencyCode: 'EUR' }`.
 *
 * @group Orders
 */
export interface MoneyRecord {
  readonly amount: string
  readonly currencyCode: string
}

/**
 * The state of an order.
 *
 * @group Orders
 */
export type OrderState =
  'PENDING' | 'PAID' | 'FAILED' | 'EXPIRED' | 'PARTIALLY_REFUNDED' | 'REFUNDED'

/**
 * An order of a member.
 *
 * @group Orders
 */
export interface OrderRecord {
  readonly id: string
  /** The order number that people see; `id` identifies the order in the API. */
  readonly number: string
  readonly state: OrderState
  readonly placedAt: number
  readonly paidAt: number | null
  readonly subtotal: MoneyRecord
  readonly discount: MoneyRecord
  readonly tax: MoneyRecord
  readonly total: MoneyRecord
  readonly refunded: MoneyRecord
  readonly couponCode: string | null
  readonly paymentMethod: {
    /** Such as `card`. */
    readonly kind: string
    readonly brand: string | null
    readonly last4: string | null
  } | null
  readonly items: readonly {
    readonly id: string
    readonly kind: 'COURSE' | 'MEMBERSHIP' | 'EVENT_TICKET' | 'DIGITAL_PRODUCT' | 'OTHER'
    readonly title: string
    readonly quantity: number
    readonly unitPrice: MoneyRecord
    readonly discount: MoneyRecord
    readonly total: MoneyRecord
    /** The enrollment that the item created, or `null` if it created none. Likewise for the other three. */
    readonly enrollmentId: string | null
    readonly eventRegistrationId: string | null
    readonly subscriptionId: string | null
    readonly digitalProductId: string | null
  }[]
  readonly receiptUrl: string | null
}

/**
 * The registration of a member for an event.
 *
 * @group Events
 */
export interface EventRegistrationRecord {
  readonly id: string
  readonly state: 'WAITLISTED' | 'REGISTERED' | 'CHECKED_IN' | 'NO_SHOW' | 'CANCELLED'
  readonly registeredAt: number
  readonly cancelledAt: number | null
  readonly checkedInAt: number | null
  readonly ticketName: string
  readonly ticketCode: string | null
  readonly price: MoneyRecord
  readonly event: {
    readonly id: string
    readonly slug: string
    readonly title: string
    readonly startsAt: number
    readonly endsAt: number
    readonly timeZone: string
    readonly isOnline: boolean
    readonly venue: string | null
    readonly url: string
  }
  /**
   * Address of an online event. Return it only close to the start; only members in the state
   * `REGISTERED` see it.
   */
  readonly joinUrl: string | null
  /** Deadline for cancelling, or `null` if the member can cancel until the event starts. */
  readonly cancellableUntil: number | null
}

/**
 * The membership of a member in a plan of the school.
 *
 * @group Memberships and downloads
 */
export interface SubscriptionRecord {
  readonly id: string
  readonly planName: string
  readonly state:
    'INCOMPLETE' | 'TRIALING' | 'ACTIVE' | 'PAST_DUE' | 'CANCELING' | 'CANCELED' | 'EXPIRED'
  readonly startedAt: number
  readonly currentPeriodEnd: number | null
  readonly nextChargeAt: number | null
  readonly cancelAt: number | null
  readonly isLifetime: boolean
  readonly price: MoneyRecord | null
  readonly interval: 'DAY' | 'WEEK' | 'MONTH' | 'YEAR' | null
  /** Identifiers of the enrollments that the subscription includes. */
  readonly enrollmentIds: readonly string[]
}

/**
 * A download that the member owns.
 *
 * @group Memberships and downloads
 */
export interface DigitalProductRecord {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly acquiredAt: number
  readonly url: string
  readonly files: readonly {
    readonly name: string
    readonly contentType: string
    readonly sizeBytes: number | null
  }[]
}
