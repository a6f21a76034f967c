/**
 * The Account API as an endpoint: `POST /account/graphql`, where clients of a member read and change the
 * member's own data. {@link createAccountApi} checks the access token, the scopes and the cost of each
 * request before it runs; `limits` and `bucket` of {@link AccountApiOptions} are its limits. The schema and the
 * interface to your tables are in `hallpass/account`. Needs the packages `graphql` and `graphql-http`.
 *
 * @example
 * ```ts
 * import { type AccountSource, emptyAccountSource } from 'hallpass/account'
 * import { createAccountApi } from 'hallpass/account-api'
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
export type { OperationRequest } from './account-api/admission.js'
export type { AccountApiOptions } from './account-api/configuration.js'
export { type AccountApi, createAccountApi } from './account-api/endpoint.js'
export { describeAccountApi } from './openapi/account-api.js'
