/**
 * Helpers for the tests of your own policy, gates and endpoints: a site on the memory store with a fixed
 * clock, and access tokens for it. They work in every test runner and open no port.
 *
 * Start with {@link testSite}, which creates the site. Its {@link TestSite} holds the people, the clock and
 * what the site reported.
 *
 * {@link exchangeSample} and the other samples are values for decisions and stores, of which a test changes one member.
 * They belong together: one person has connected one client at 2021-03-01T09:00:00Z, when the clock of a test site starts.
 *
 * {@link storeContract} has every promise of `Store` as a check for your test runner. {@link withLatency} makes a fast
 * store slow, which widens races, and {@link withFault} makes one method fail.
 *
 * @example
 * ```ts
 * import { createProtectedResource } from 'hallpass'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site, tokenFor } = testSite()
 * const gate = createProtectedResource(site).gate('courses:write')
 *
 * const token = await tokenFor({ roles: ['owner'] }, 'courses:write')
 * const request = new Request('https://school.example/courses', {
 *   headers: { authorization: `Bearer ${token}` },
 * })
 * const access = await gate(request)
 * access instanceof Response // => false
 * ```
 *
 * @module
 */

export {
  accessSample,
  clientSample,
  codeSample,
  eventSample,
  grantSample,
  keySample,
  pendingSample,
  refreshSample,
} from './store-contract/samples.js'
export { bearerSample, callerSample, exchangeSample, rotationSample } from './testing/samples.js'
export { testSite, type TestSite } from './testing/test-site.js'
export { storeContract } from './store-contract/contract.js'
export { storageContract } from './store-contract/storage-contract.js'
export { withFault, withLatency } from './store-contract/wrap.js'
