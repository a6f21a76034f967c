// The operations that the member tools run on the Account API. A list of 50 rows has to cost less than 1000
// points, so its rows leave out the details that another tool returns.

const MONEY = '{ amount currencyCode }'

const PROFILE = `
  id email emailVerified name picture locale timeZone roles memberSince
  site { id name url timeZone currencyCode }`

const LECTURE = 'id title kind durationSeconds completed positionSeconds url'

const COURSE = `
  id slug title url enrolledAt startDate expireDate hasLifetimeAccess accessState accessSource
  progress { completedLectures totalLectures ratio completedAt }
  lastWatchedLecture { lectureId title positionSeconds durationSeconds watchedAt resumeUrl }`

const OPEN_COURSE = `${COURSE}
  nextLecture { ${LECTURE} }`

const ORDER = `
  id number state placedAt paidAt total ${MONEY} refunded ${MONEY}`

const REGISTRATION = `
  id state registeredAt cancelledAt checkedInAt ticketName ticketCode price ${MONEY}
  event { id slug title startsAt endsAt timeZone isOnline venue url }
  joinUrl canCancel cancellableUntil`

const page = (field: string, row: string): string =>
  `list: ${field} { nodes { ${row} } pageInfo { hasNextPage endCursor } }`

/** The caller and their school. */
export const GET_PROFILE: string = `{ viewer { ${PROFILE} } }`

/** A page of the courses that match a filter. */
export const LIST_COURSES: string = `
query ($first: Int!, $after: String, $filter: EnrolledCourseFilter, $orderBy: EnrolledCourseOrder) {
  viewer {
    ${page('enrolledCourses(first: $first, after: $after, filter: $filter, orderBy: $orderBy)', COURSE)}
  }
}`

/** A course with its outline. */
export const GET_COURSE: string = `
query ($slug: String!) {
  viewer {
    course: enrolledCourse(slug: $slug) {
      ${OPEN_COURSE}
      coverImage
      sections { id title lectures { ${LECTURE} } }
    }
  }
}`

/** A course before a change to one of its lectures. */
export const FIND_COURSE: string = `
query ($slug: String!) {
  viewer { course: enrolledCourse(slug: $slug) { courseId ${OPEN_COURSE} } }
}`

/** The position at which to continue a course. */
export const RESUME_COURSE: string = `
query ($slug: String!) {
  viewer { course: enrolledCourse(slug: $slug) { ${OPEN_COURSE} } }
}`

/** The course watched last among those with active access, and among all. */
export const RESUME_ANY: string = `{
  viewer {
    open: enrolledCourses(first: 1, filter: { accessState: [ACTIVE] }) { nodes { ${OPEN_COURSE} } }
    any: enrolledCourses(first: 1) { nodes { ${OPEN_COURSE} } }
  }
}`

/** A page of orders. */
export const LIST_ORDERS: string = `
query ($first: Int!, $after: String) {
  viewer {
    ${page('orders(first: $first, after: $after)', `${ORDER} items { title kind quantity }`)}
  }
}`

/** An order with its amounts, and with the course, booking, membership or download of each item. */
export const GET_ORDER: string = `
query ($id: ID!) {
  node(id: $id) {
    ... on Order {
      ${ORDER}
      subtotal ${MONEY} discount ${MONEY} tax ${MONEY}
      couponCode paymentMethod { kind brand last4 } receiptUrl
      items {
        id kind title quantity unitPrice ${MONEY} discount ${MONEY} total ${MONEY}
        enrolledCourse { slug title accessState }
        eventRegistration { id state }
        subscription { id planName state }
        digitalProduct { id title }
      }
    }
  }
}`

/** A page of bookings. */
export const LIST_REGISTRATIONS: string = `
query ($first: Int!, $after: String, $filter: EventRegistrationFilter) {
  viewer {
    ${page('eventRegistrations(first: $first, after: $after, filter: $filter)', REGISTRATION)}
  }
}`

/** A booking before it is cancelled. */
export const GET_REGISTRATION: string = `
query ($id: ID!) { node(id: $id) { ... on EventRegistration { ${REGISTRATION} } } }`

/** A page of memberships. */
export const LIST_MEMBERSHIPS: string = `
query ($first: Int!, $after: String) {
  viewer {
    ${page(
      'subscriptions(first: $first, after: $after)',
      `id planName state startedAt currentPeriodEnd nextChargeAt cancelAt isLifetime price ${MONEY} interval`,
    )}
  }
}`

/** A page of downloads. */
export const LIST_DOWNLOADS: string = `
query ($first: Int!, $after: String) {
  viewer {
    ${page(
      'digitalProducts(first: $first, after: $after)',
      'id slug title acquiredAt url files { name contentType sizeBytes }',
    )}
  }
}`

const mutation = (name: string, input: string, result: string): string => `
mutation ($input: ${input}!) {
  payload: ${name}(input: $input) { ${result} userErrors { code message } }
}`

/** Changes the profile. */
export const UPDATE_PROFILE: string = mutation(
  'updateProfile',
  'UpdateProfileInput',
  `after: viewer { ${PROFILE} }`,
)

/** Stores a playback position. */
export const SAVE_POSITION: string = mutation(
  'savePlaybackPosition',
  'SavePlaybackPositionInput',
  `after: enrolledCourse { ${OPEN_COURSE} }`,
)

/** Marks a lecture as completed or not completed. */
export const MARK_LECTURE: string = mutation(
  'markLecture',
  'MarkLectureInput',
  `after: enrolledCourse { ${OPEN_COURSE} }`,
)

/** Cancels a booking. */
export const CANCEL_REGISTRATION: string = mutation(
  'cancelEventRegistration',
  'CancelEventRegistrationInput',
  `after: eventRegistration { ${REGISTRATION} }`,
)
