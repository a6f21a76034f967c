export type { MakeStore, StoreCheck } from './testing/check.js'
export { type FixedClock, fixedClock } from './testing/clock.js'
export { storeContract } from './testing/contract.js'
export { withFault, withLatency } from './testing/wrap.js'
