/**
 * The Account API, through which clients of a member read and change the member's own data. Implement {@link AccountSource}
 * over your tables, and add fields of your own with {@link defineAccountFields}. {@link createAccountApi} serves
 * `POST /account/graphql`: it checks the access token, the scopes and the cost of each request before it runs.
 *
 * {@link accountSchema} and {@link createAccountContext} run the schema on a GraphQL server of your own, and
 * {@link queryAccount} runs one query in a test. Needs the packages `graphql` and `graphql-http`.
 *
 * @example
 * ```ts
 * import { type AccountSource, createAccountApi, emptyAccountSource } from 'hallpass/account'
 * import { testSite } from 'hallpass/testing'
 *
 * const source: AccountSource = {
 *   ...emptyAccountSource,
 *   profile: async ({ name }) => ({ name, email: null, emailVerified: false, picture: null, locale: null, timeZone: null, memberSince: 1_760_605_200 }),
 *   site: async () => ({ id: 'school', name: 'School', url: 'https://school.example', timeZone: 'UTC', currencyCode: 'EUR' }),
 * }
 * const { site, tokenFor } = testSite()
 * const { graphql } = createAccountApi(site, { source })
 * const token = await tokenFor({ name: 'Mei', roles: ['student'] }, 'account:read')
 * const response = await graphql(new Request('https://school.example/account/graphql', {
 *   method: 'POST',
 *   headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
 *   body: JSON.stringify({ query: '{ viewer { name } }' }),
 * }))
 * await response.json() // => { data: { viewer: { name: 'Mei' } } }
 * ```
 *
 * @module
 */
export { accessStateOf } from './account/access-state.js'
export type { AccountApiOptions } from './account/api/configuration.js'
export { type AccountApi, createAccountApi } from './account/api/endpoint.js'
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
