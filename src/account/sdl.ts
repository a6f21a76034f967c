/**
 * The account schema as GraphQL SDL. `createAccountApi` serves this text at `/account/schema.graphql`. A
 * GraphQL server of your own can build a schema from it with {@link accountResolvers} and
 * {@link accountScalars}. The directives are not executed: such a server has to enforce
 * `@requiresScope` itself.
 *
 * @see [GraphQL, section 3](https://spec.graphql.org/September2025/#sec-Type-System)
 * @example
 * ```ts
 * import { buildSchema } from 'graphql'
 * import { accountSdl } from 'hallpass/account'
 *
 * const schema = buildSchema(accountSdl)
 * Object.keys(schema.getMutationType()?.getFields() ?? {}).length // => 4
 * ```
 * @group Schema
 */
export const accountSdl: string = `"""An RFC 3339 date-time. Responses are in UTC, such as 2026-11-20T09:00:00Z; requests may have any offset."""
scalar DateTime

"""An absolute URL. In requests it must be https."""
scalar URL

"""An exact decimal number as a string, such as "1280.00"."""
scalar Decimal

"""A currency code of ISO 4217, such as EUR."""
scalar CurrencyCode

"""The scope that the access token must have to select the field."""
directive @requiresScope(scope: String!) on FIELD_DEFINITION

"""The points that a field adds to the cost of a request, in addition to those of its selections."""
directive @cost(weight: Int!) on FIELD_DEFINITION

"""An object that node(id:) finds."""
interface Node {
  id: ID!
}

schema {
  query: Query
  mutation: Mutation
}

type Query {
  """The member behind the access token."""
  viewer: Viewer! @requiresScope(scope: "account:read")
  """Finds an object of the member by its id. Returns null if the member has no such object."""
  node(id: ID!): Node @requiresScope(scope: "account:read")
}

type Mutation {
  """Changes the profile of the member."""
  updateProfile(input: UpdateProfileInput!): UpdateProfilePayload! @requiresScope(scope: "account:write")
  """Saves how far the member has watched a lecture. A position reached later is never overwritten by an earlier one."""
  savePlaybackPosition(input: SavePlaybackPositionInput!): SavePlaybackPositionPayload! @requiresScope(scope: "account:write")
  """Marks a lecture as completed or not completed."""
  markLecture(input: MarkLectureInput!): MarkLecturePayload! @requiresScope(scope: "account:write")
  """Cancels an event registration. A registration that is already cancelled stays unchanged, without an error."""
  cancelEventRegistration(input: CancelEventRegistrationInput!): CancelEventRegistrationPayload! @requiresScope(scope: "account:write")
}

"""The member behind the access token. The id is the sub claim."""
type Viewer implements Node {
  id: ID!
  email: String
  emailVerified: Boolean!
  name: String
  picture: URL
  locale: String
  timeZone: String
  roles: [String!]!
  memberSince: DateTime!
  site: Site!
  """Courses in which the member is or was enrolled. Revoked enrollments are listed only if the filter requests REVOKED."""
  enrolledCourses(first: Int, after: String, last: Int, before: String, filter: EnrolledCourseFilter, orderBy: EnrolledCourseOrder = RECENTLY_WATCHED): EnrolledCourseConnection! @cost(weight: 1)
  """One of the member's courses, in any access state, by its slug."""
  enrolledCourse(slug: String!): EnrolledCourse
  orders(first: Int, after: String, last: Int, before: String, filter: OrderFilter): OrderConnection! @cost(weight: 1)
  eventRegistrations(first: Int, after: String, last: Int, before: String, filter: EventRegistrationFilter): EventRegistrationConnection! @cost(weight: 1)
  subscriptions(first: Int, after: String, last: Int, before: String): SubscriptionConnection! @cost(weight: 1)
  digitalProducts(first: Int, after: String, last: Int, before: String): OwnedDigitalProductConnection! @cost(weight: 1)
}

type Site {
  id: ID!
  name: String!
  url: URL!
  timeZone: String!
  currencyCode: CurrencyCode!
}

type PageInfo {
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
  startCursor: String
  endCursor: String
}

"""A page of courses. Without first and last a page has 20 rows; the largest page has 100."""
type EnrolledCourseConnection {
  nodes: [EnrolledCourse!]!
  edges: [EnrolledCourseEdge!]!
  pageInfo: PageInfo!
  totalCount: Int! @cost(weight: 5)
}

type EnrolledCourseEdge {
  cursor: String!
  node: EnrolledCourse!
}

"""
A course in which the member is or was enrolled. The id identifies the enrollment, courseId the course. expireDate is null for lifetime access and for access that renews itself: see hasLifetimeAccess and accessState.
"""
type EnrolledCourse implements Node {
  id: ID!
  courseId: ID!
  slug: String!
  title: String!
  coverImage: URL
  url: URL!
  enrolledAt: DateTime!
  startDate: DateTime
  expireDate: DateTime
  hasLifetimeAccess: Boolean!
  accessState: AccessState!
  accessSource: AccessSource!
  progress: CourseProgress!
  lastWatchedLecture: LastWatchedLecture
  nextLecture: Lecture @cost(weight: 5)
  sections: [CourseSection!]! @cost(weight: 20)
}

"""Whether the member can use the course now. EXPIRED access ended by time; REVOKED access was withdrawn."""
enum AccessState {
  SCHEDULED
  ACTIVE
  SUSPENDED
  EXPIRED
  REVOKED
}

"""How the member obtained access."""
enum AccessSource {
  PURCHASE
  MEMBERSHIP
  FREE
  GRANTED
  GIFT
}

enum EnrolledCourseOrder {
  RECENTLY_WATCHED
  ENROLLED_AT_DESC
  EXPIRE_DATE_ASC
  TITLE_ASC
}

input EnrolledCourseFilter {
  accessState: [AccessState!]
  expiresBefore: DateTime
  completed: Boolean
}

type CourseProgress {
  completedLectures: Int!
  totalLectures: Int!
  """Completed lectures divided by all lectures, from 0 to 1."""
  ratio: Float!
  completedAt: DateTime
}

"""The lecture that the member watched last, and the position reached in it."""
type LastWatchedLecture {
  lectureId: ID!
  title: String
  positionSeconds: Int!
  durationSeconds: Int
  watchedAt: DateTime!
  resumeUrl: URL
}

type CourseSection {
  id: ID!
  title: String!
  lectures: [Lecture!]!
}

type Lecture {
  id: ID!
  title: String!
  kind: LectureKind!
  durationSeconds: Int
  completed: Boolean!
  positionSeconds: Int
  url: URL
}

enum LectureKind {
  VIDEO
  AUDIO
  DOCUMENT
  TEXT
  QUIZ
  LIVE
  OTHER
}

"""An exact amount of money."""
type Money {
  amount: Decimal!
  currencyCode: CurrencyCode!
}

type OrderConnection {
  nodes: [Order!]!
  edges: [OrderEdge!]!
  pageInfo: PageInfo!
  totalCount: Int! @cost(weight: 5)
}

type OrderEdge {
  cursor: String!
  node: Order!
}

type Order implements Node {
  id: ID!
  number: String!
  state: OrderState!
  placedAt: DateTime!
  paidAt: DateTime
  subtotal: Money!
  discount: Money!
  tax: Money!
  total: Money!
  refunded: Money!
  couponCode: String
  paymentMethod: PaymentMethodSummary
  items: [OrderItem!]!
  receiptUrl: URL
}

enum OrderState {
  PENDING
  PAID
  FAILED
  EXPIRED
  PARTIALLY_REFUNDED
  REFUNDED
}

input OrderFilter {
  state: [OrderState!]
  placedAfter: DateTime
  placedBefore: DateTime
}

type PaymentMethodSummary {
  kind: String!
  brand: String
  last4: String
}

"""One item of an order, with the object that it created. The other three objects are null."""
type OrderItem {
  id: ID!
  kind: OrderItemKind!
  title: String!
  quantity: Int!
  unitPrice: Money!
  discount: Money!
  total: Money!
  enrolledCourse: EnrolledCourse
  eventRegistration: EventRegistration
  subscription: Subscription
  digitalProduct: OwnedDigitalProduct
}

enum OrderItemKind {
  COURSE
  MEMBERSHIP
  EVENT_TICKET
  DIGITAL_PRODUCT
  OTHER
}

type EventRegistrationConnection {
  nodes: [EventRegistration!]!
  edges: [EventRegistrationEdge!]!
  pageInfo: PageInfo!
  totalCount: Int! @cost(weight: 5)
}

type EventRegistrationEdge {
  cursor: String!
  node: EventRegistration!
}

"""The registration of the member for an event. joinUrl is null unless the state is REGISTERED and the event starts soon."""
type EventRegistration implements Node {
  id: ID!
  state: EventRegistrationState!
  registeredAt: DateTime!
  cancelledAt: DateTime
  checkedInAt: DateTime
  ticketName: String!
  ticketCode: String
  price: Money!
  event: EventSummary!
  joinUrl: URL
  canCancel: Boolean!
  cancellableUntil: DateTime
}

enum EventRegistrationState {
  WAITLISTED
  REGISTERED
  CHECKED_IN
  NO_SHOW
  CANCELLED
}

input EventRegistrationFilter {
  state: [EventRegistrationState!]
  when: EventWhen
}

"""UPCOMING events end in the future; PAST events have ended."""
enum EventWhen {
  UPCOMING
  PAST
  ANY
}

type EventSummary {
  id: ID!
  slug: String!
  title: String!
  startsAt: DateTime!
  endsAt: DateTime!
  timeZone: String!
  isOnline: Boolean!
  venue: String
  url: URL!
}

type SubscriptionConnection {
  nodes: [Subscription!]!
  edges: [SubscriptionEdge!]!
  pageInfo: PageInfo!
  totalCount: Int! @cost(weight: 5)
}

type SubscriptionEdge {
  cursor: String!
  node: Subscription!
}

type Subscription implements Node {
  id: ID!
  planName: String!
  state: SubscriptionState!
  startedAt: DateTime!
  currentPeriodEnd: DateTime
  nextChargeAt: DateTime
  cancelAt: DateTime
  isLifetime: Boolean!
  price: Money
  interval: BillingInterval
  courses: [EnrolledCourse!]! @cost(weight: 10)
}

enum SubscriptionState {
  INCOMPLETE
  TRIALING
  ACTIVE
  PAST_DUE
  CANCELING
  CANCELED
  EXPIRED
}

enum BillingInterval {
  DAY
  WEEK
  MONTH
  YEAR
}

type OwnedDigitalProductConnection {
  nodes: [OwnedDigitalProduct!]!
  edges: [OwnedDigitalProductEdge!]!
  pageInfo: PageInfo!
  totalCount: Int! @cost(weight: 5)
}

type OwnedDigitalProductEdge {
  cursor: String!
  node: OwnedDigitalProduct!
}

type OwnedDigitalProduct implements Node {
  id: ID!
  slug: String!
  title: String!
  acquiredAt: DateTime!
  url: URL!
  files: [DigitalFile!]!
}

"""A file of a download. It can be downloaded only in the member's browser."""
type DigitalFile {
  name: String!
  contentType: String!
  sizeBytes: Int
}

"""The reason why a mutation changed nothing. The message is for the member."""
type UserError {
  code: UserErrorCode!
  """Path of the invalid input field, such as ["input", "name"]."""
  field: [String!]
  message: String!
}

enum UserErrorCode {
  INVALID
  NOT_FOUND
  ACCESS_EXPIRED
  ACCESS_SUSPENDED
  OUT_OF_RANGE
  NOT_CANCELLABLE
  STALE
  CONFLICT
}

"""Changes of the profile. An absent field stays as it is, and null clears it."""
input UpdateProfileInput {
  name: String
  picture: URL
  locale: String
  timeZone: String
}

type UpdateProfilePayload {
  viewer: Viewer @requiresScope(scope: "account:read")
  userErrors: [UserError!]!
}

"""A position to save. occurredAt is the time when the member reached it; without occurredAt it is now."""
input SavePlaybackPositionInput {
  courseId: ID!
  lectureId: ID!
  positionSeconds: Int!
  occurredAt: DateTime
}

type SavePlaybackPositionPayload {
  enrolledCourse: EnrolledCourse @requiresScope(scope: "account:read")
  userErrors: [UserError!]!
}

input MarkLectureInput {
  courseId: ID!
  lectureId: ID!
  completed: Boolean!
}

type MarkLecturePayload {
  enrolledCourse: EnrolledCourse @requiresScope(scope: "account:read")
  userErrors: [UserError!]!
}

input CancelEventRegistrationInput {
  registrationId: ID!
  reason: String
}

type CancelEventRegistrationPayload {
  eventRegistration: EventRegistration @requiresScope(scope: "account:read")
  userErrors: [UserError!]!
}
`
