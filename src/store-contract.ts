export type { MakeStore, StoreCheck } from './store-contract/check.js'
export { storeContract } from './store-contract/contract.js'
export { withFault, withLatency } from './store-contract/wrap.js'
