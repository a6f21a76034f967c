import type { Person } from '../policy/person.js'

/** Whose data: the person behind the access token, at their site. */
export type Member = Person

/**
 * What a backend implements so that members reach their own data. Every method is told the member, and
 * answers about nobody else and no other site. Lists are asked for a page at a time; whatever is asked
 * for by identifiers comes in one call for all of them.
 *
 * Sections, lectures, items, files and a subscription's enrollments have no page size: they come whole,
 * and count as ten rows each in the cost of a request. Cut short yourself what may hold many more.
 *
 * Times are epoch seconds. A method that throws is answered with `INTERNAL`; its message stays here.
 */
export interface AccountSource {
  /** The member's profile; `null` = gone meanwhile. */
  readonly profile: (member: Member) => Promise<ProfileRecord | null>
  /** The member's school. */
  readonly site: (member: Member) => Promise<SiteRecord>

  /** Courses the member is or was enrolled in. */
  readonly enrollments: (
    member: Member,
    query: ListQuery<EnrollmentFilter, EnrollmentOrder>,
  ) => Promise<Rows<EnrollmentRecord>>
  /** Orders the member placed. */
  readonly orders: (
    member: Member,
    query: ListQuery<OrderFilter, 'PLACED_AT_DESC'>,
  ) => Promise<Rows<OrderRecord>>
  /** Events the member booked. */
  readonly eventRegistrations: (
    member: Member,
    query: ListQuery<EventRegistrationFilter, 'REGISTERED_AT_DESC'>,
  ) => Promise<Rows<EventRegistrationRecord>>
  /** Memberships the member has or had. */
  readonly subscriptions: (
    member: Member,
    query: ListQuery<IdFilter, 'STARTED_AT_DESC'>,
  ) => Promise<Rows<SubscriptionRecord>>
  /** Downloads the member owns. */
  readonly digitalProducts: (
    member: Member,
    query: ListQuery<IdFilter, 'ACQUIRED_AT_DESC'>,
  ) => Promise<Rows<DigitalProductRecord>>

  /**
   * The outlines of courses the member is enrolled in, with what of each lecture they have done. A
   * course that is not theirs is left out.
   */
  readonly courseOutlines: (
    member: Member,
    courseIds: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly SectionRecord[]>>

  /** Where the member stands with a lecture; `null` = no such lecture in a course of theirs. */
  readonly lecture: (
    member: Member,
    lecture: { courseId: string; lectureId: string },
  ) => Promise<LectureStanding | null>
  /**
   * Keeps a playback position, unless one with a later `watchedAt` is there: that is `stale`, and
   * nothing was written. One atomic step.
   */
  readonly savePlayback: (
    member: Member,
    playback: { courseId: string; lectureId: string; positionSeconds: number; watchedAt: number },
  ) => Promise<'saved' | 'stale'>
  /** Marks a lecture done or not done. Done twice is done once. */
  readonly markLecture: (
    member: Member,
    mark: { courseId: string; lectureId: string; completed: boolean; at: number },
  ) => Promise<void>
  /** Cancels a registration that is not cancelled. `conflict`: its state changed meanwhile. */
  readonly cancelEventRegistration: (
    member: Member,
    cancellation: { id: string; reason: string | null; at: number },
  ) => Promise<'cancelled' | 'conflict'>
  /** Changes the fields that are there; `null` clears one. */
  readonly updateProfile: (member: Member, changes: ProfileChanges) => Promise<void>
}

/** A page of a list, as the source is asked for it. */
export interface ListQuery<Filter, Order extends string> {
  readonly filter: Filter
  /** The total order of the rows: by this, and where it ties by `id`, ascending. */
  readonly order: Order
  /** Only rows behind this place; `null` = from the beginning. */
  readonly after: Place | null
  /** Only rows before this place; `null` = to the end. */
  readonly before: Place | null
  /** How many rows at most. */
  readonly limit: number
  /** The last rows instead of the first; they come in the same order all the same. */
  readonly fromEnd: boolean
  /** Whether {@link Rows.total} is wanted. */
  readonly count: boolean
}

/** A row's place in an order. */
export interface Place {
  /** What the order compares; `null` stands behind every value. */
  readonly key: string | number | null
  readonly id: string
}

/** A page of rows. */
export interface Rows<Row> {
  readonly rows: readonly Row[]
  /** Rows that match the filter, on all pages; `null` where it was not asked for. */
  readonly total: number | null
}

/** Rows with these identifiers only; `null` = any. */
export interface IdFilter {
  readonly ids: readonly string[] | null
}

/** How somebody stands with a course at this moment. */
export type AccessState = 'SCHEDULED' | 'ACTIVE' | 'SUSPENDED' | 'EXPIRED' | 'REVOKED'
/** Where access to a course came from. */
export type AccessOrigin = 'PURCHASE' | 'MEMBERSHIP' | 'FREE' | 'GRANTED' | 'GIFT'
/** The orders of a list of enrollments. */
export type EnrollmentOrder =
  'RECENTLY_WATCHED' | 'ENROLLED_AT_DESC' | 'EXPIRE_DATE_ASC' | 'TITLE_ASC'

/** Which enrollments. */
export interface EnrollmentFilter extends IdFilter {
  /** Of the course; `null` = any. */
  readonly slug: string | null
  readonly accessStates: readonly AccessState[]
  /** Access ends before this time; `null` = whenever. */
  readonly expiresBefore: number | null
  /** `null` = whether or not. */
  readonly completed: boolean | null
}

/** What a member may know and change of themselves. */
export interface ProfileRecord {
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
  readonly picture: string | null
  /** BCP 47. */
  readonly locale: string | null
  /** IANA. */
  readonly timeZone: string | null
  readonly memberSince: number
}

/** Fields to change: what is left out stays, `null` clears. */
export interface ProfileChanges {
  readonly name?: string | null
  readonly picture?: string | null
  readonly locale?: string | null
  readonly timeZone?: string | null
}

/** The school. */
export interface SiteRecord {
  readonly id: string
  readonly name: string
  /** Absolute https, or http on loopback. */
  readonly url: string
  readonly timeZone: string
  /** ISO 4217. */
  readonly currencyCode: string
}

/** A course somebody is or was enrolled in. */
export interface EnrollmentRecord {
  /** Of the enrollment, not of the course. */
  readonly id: string
  readonly courseId: string
  readonly slug: string
  readonly title: string
  readonly coverImage: string | null
  readonly url: string
  readonly enrolledAt: number
  readonly startDate: number | null
  readonly expireDate: number | null
  readonly hasLifetimeAccess: boolean
  /** As of now: see `accessStateOf`. */
  readonly accessState: AccessState
  readonly accessSource: AccessOrigin
  readonly progress: {
    readonly completedLectures: number
    readonly totalLectures: number
    readonly completedAt: number | null
  }
  readonly lastWatchedLecture: {
    readonly lectureId: string
    readonly title: string | null
    readonly positionSeconds: number
    readonly durationSeconds: number | null
    readonly watchedAt: number
    readonly resumeUrl: string | null
  } | null
}

/** What a lecture is made of. */
export type LectureKind = 'VIDEO' | 'AUDIO' | 'DOCUMENT' | 'TEXT' | 'QUIZ' | 'LIVE' | 'OTHER'

/** A part of a course. */
export interface SectionRecord {
  readonly id: string
  readonly title: string
  readonly lectures: readonly LectureRecord[]
}

/** A lecture, with what the member has done of it. */
export interface LectureRecord {
  readonly id: string
  readonly title: string
  readonly kind: LectureKind
  readonly durationSeconds: number | null
  readonly completed: boolean
  readonly positionSeconds: number | null
  readonly url: string | null
}

/** What deciding about a lecture needs. */
export interface LectureStanding {
  readonly enrollmentId: string
  /** Of the course, as of now. */
  readonly accessState: AccessState
  readonly durationSeconds: number | null
  /** When the position that is kept was reached; `null` = none is. */
  readonly watchedAt: number | null
}

/** An exact amount: `{ amount: '1280.00', currencyCode: 'EUR' }`. */
export interface MoneyRecord {
  readonly amount: string
  readonly currencyCode: string
}

/** Where an order stands. */
export type OrderState =
  'PENDING' | 'PAID' | 'FAILED' | 'EXPIRED' | 'PARTIALLY_REFUNDED' | 'REFUNDED'

/** Which orders. */
export interface OrderFilter extends IdFilter {
  /** `null` = any. */
  readonly states: readonly OrderState[] | null
  readonly placedAfter: number | null
  readonly placedBefore: number | null
}

/** An order. */
export interface OrderRecord {
  readonly id: string
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
    readonly kind: string
    readonly brand: string | null
    readonly last4: string | null
  } | null
  readonly items: readonly OrderItemRecord[]
  readonly receiptUrl: string | null
}

/** A line of an order. */
export interface OrderItemRecord {
  readonly id: string
  readonly kind: 'COURSE' | 'MEMBERSHIP' | 'EVENT_TICKET' | 'DIGITAL_PRODUCT' | 'OTHER'
  readonly title: string
  readonly quantity: number
  readonly unitPrice: MoneyRecord
  readonly discount: MoneyRecord
  readonly total: MoneyRecord
  /** What the item led to; `null` = nothing, or nothing yet. */
  readonly enrollmentId: string | null
  readonly eventRegistrationId: string | null
  readonly subscriptionId: string | null
  readonly digitalProductId: string | null
}

/** Where a booking stands. */
export type EventRegistrationState =
  'WAITLISTED' | 'REGISTERED' | 'CHECKED_IN' | 'NO_SHOW' | 'CANCELLED'

/** Which bookings. */
export interface EventRegistrationFilter extends IdFilter {
  /** `null` = any. */
  readonly states: readonly EventRegistrationState[] | null
  /** Whether the event ends later than {@link EventRegistrationFilter.now}. */
  readonly when: 'UPCOMING' | 'PAST' | 'ANY'
  readonly now: number
}

/** A booking of an event. */
export interface EventRegistrationRecord {
  readonly id: string
  readonly state: EventRegistrationState
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
  /** Given out only while registered and near the start. */
  readonly joinUrl: string | null
  /** `null` = until the event starts. */
  readonly cancellableUntil: number | null
}

/** A membership. */
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
  /** Enrollments that the subscription gives. */
  readonly enrollmentIds: readonly string[]
}

/** A download somebody owns. */
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
