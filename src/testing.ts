export { type FixedClock, fixedClock } from './testing/clock.js'
export { testSite, type TestSite } from './testing/test-site.js'
