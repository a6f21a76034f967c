/**
 * The schema, resolvers and types of the Account API, through which members read and change their own
 * data. Implement {@link AccountSource} over your tables, and add fields of your own with {@link defineAccountFields}. Use {@link accountSchema} and
 * {@link createAccountContext} to run the schema on a GraphQL server of your own; `createAccountApi` from
 * `hallpass/account-api` serves it as an endpoint. {@link queryAccount} runs one query in a test. Needs the package `graphql`.
 *
 * @example
 * ```ts
 * import { parse, validate } from 'graphql'
 * import { accessStateOf, accountSchema } from 'hallpass/account'
 *
 * const query = parse('{ viewer { enrolledCourses(first: 5) { nodes { title accessState } } } }')
 * validate(accountSchema(), query).length // => 0
 * validate(accountSchema(), parse('{ viewer { password } }')).length // => 1
 *
 * const now = 1_795_165_200 // 2026-11-20T09:00:00Z
 * const access = { startDate: null, expireDate: now - 60, suspended: false, revokedAt: null }
 * accessStateOf(access, now) // => 'EXPIRED'
 * ```
 *
 * @module
 */
export { accessStateOf } from './account/access-state.js'
export {
  type AccountContext,
  type AccountResolvers,
  createAccountContext,
} from './account/context.js'
export { emptyAccountSource } from './account/empty-source.js'
export {
  type AccountFieldResolvers,
  type AccountFields,
  defineAccountFields,
} from './account/fields.js'
export type { AccountFieldContext } from './account/own-field.js'
export type { AccountFieldResolver } from './account/own-resolver.js'
export { enrollmentOrders, matchesEnrollment, pageOf } from './account/page-of.js'
export { queryAccount } from './account/query-account.js'
export { accountResolvers } from './account/resolvers.js'
export { accountScalars } from './account/scalars.js'
export { accountSchema } from './account/schema.js'
export { accountSdl } from './account/sdl.js'
export type {
  AccessState,
  AccountSource,
  DigitalProductRecord,
  EnrollmentFilter,
  EnrollmentOrder,
  EnrollmentRecord,
  EventRegistrationRecord,
  LectureKind,
  LectureState,
  ListQuery,
  Member,
  MoneyRecord,
  OrderRecord,
  OrderState,
  Place,
  ProfileRecord,
  Rows,
  SectionRecord,
  SubscriptionRecord,
} from './account/source.js'
