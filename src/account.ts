export { accessStateOf } from './account/access-state.js'
export {
  type AccountContext,
  type AccountResolvers,
  createAccountContext,
} from './account/context.js'
export { enrollmentOrders, matchesEnrollment, type Ordering, pageOf } from './account/page-of.js'
export { accountResolvers } from './account/resolvers.js'
export { accountScalars } from './account/scalars.js'
export { accountSchema } from './account/schema.js'
export { accountSdl } from './account/sdl.js'
export type {
  AccessOrigin,
  AccessState,
  AccountSource,
  DigitalProductRecord,
  EnrollmentFilter,
  EnrollmentOrder,
  EnrollmentRecord,
  EventRegistrationFilter,
  EventRegistrationRecord,
  EventRegistrationState,
  IdFilter,
  LectureKind,
  LectureRecord,
  LectureStanding,
  ListQuery,
  Member,
  MoneyRecord,
  OrderFilter,
  OrderItemRecord,
  OrderRecord,
  OrderState,
  Place,
  ProfileChanges,
  ProfileRecord,
  Rows,
  SectionRecord,
  SiteRecord,
  SubscriptionRecord,
} from './account/source.js'
