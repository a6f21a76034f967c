/**
 * The schema of the Account API (GraphQL SDL). A server of your own can build on it; hallpass serves it
 * as it is at `/account/schema.graphql`.
 */
export const accountSdl: string = `"""A moment in UTC (RFC 3339), such as 2026-11-20T09:00:00Z."""
scalar DateTime

"""An absolute URL."""
scalar URL

"""An exact decimal number, as a string: "1280.00"."""
scalar Decimal

"""ISO 4217."""
scalar CurrencyCode

"""The scope that the access token must hold."""
directive @requiresScope(scope: String!) on FIELD_DEFINITION

"""What a field costs beyond its children."""
directive @cost(weight: Int!) on FIELD_DEFINITION

interface Node {
  id: ID!
}

type Query {
  viewer: Viewer! @requiresScope(scope: "account:read")
  """One of the member's own objects, or null."""
  node(id: ID!): Node @requiresScope(scope: "account:read")
}

type Mutation {
  updateProfile(input: UpdateProfileInput!): UpdateProfilePayload! @requiresScope(scope: "account:write")
  savePlaybackPosition(input: SavePlaybackPositionInput!): SavePlaybackPositionPayload! @requiresScope(scope: "account:write")
  markLecture(input: MarkLectureInput!): MarkLecturePayload! @requiresScope(scope: "account:write")
  cancelEventRegistration(input: CancelEventRegistrationInput!): CancelEventRegistrationPayload! @requiresScope(scope: "account:write")
}

"""The member whose access token it is. Its id is the sub claim."""
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
  enrolledCourses(first: Int, after: String, last: Int, before: String, filter: EnrolledCourseFilter, orderBy: EnrolledCourseOrder = RECENTLY_WATCHED): EnrolledCourseConnection! @cost(weight: 1)
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
A course the member is or was enrolled in. Its id is the enrollment's; expireDate is null for lifetime access and for access that renews itself: see hasLifetimeAccess and accessState.
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

enum AccessState {
  SCHEDULED
  ACTIVE
  SUSPENDED
  EXPIRED
  REVOKED
}

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
  ratio: Float!
  completedAt: DateTime
}

"""Where the member stopped watching."""
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

"""A booking. joinUrl is given only while registered and near the start."""
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

"""A file of a download. Fetching it needs the member's own browser."""
type DigitalFile {
  name: String!
  contentType: String!
  sizeBytes: Int
}

"""Why a mutation did nothing, for the person."""
type UserError {
  code: UserErrorCode!
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

"""What is left out stays; null clears."""
input UpdateProfileInput {
  name: String
  picture: URL
  locale: String
  timeZone: String
}

type UpdateProfilePayload {
  viewer: Viewer
  userErrors: [UserError!]!
}

"""occurredAt is when the position was reached; now where it is left out."""
input SavePlaybackPositionInput {
  courseId: ID!
  lectureId: ID!
  positionSeconds: Int!
  occurredAt: DateTime
}

type SavePlaybackPositionPayload {
  enrolledCourse: EnrolledCourse
  userErrors: [UserError!]!
}

input MarkLectureInput {
  courseId: ID!
  lectureId: ID!
  completed: Boolean!
}

type MarkLecturePayload {
  enrolledCourse: EnrolledCourse
  userErrors: [UserError!]!
}

input CancelEventRegistrationInput {
  registrationId: ID!
  reason: String
}

type CancelEventRegistrationPayload {
  eventRegistration: EventRegistration
  userErrors: [UserError!]!
}
`
