import type { PoolState } from 'hallpass-opentelemetry'
import type { Execute } from 'hallpass/postgres'

/** Runs statements in a transaction on one connection. If `work` throws, the transaction is rolled back. */
export type Transaction = <Result>(work: (execute: Execute) => Promise<Result>) => Promise<Result>

/** The database for everything that must survive a restart. */
export interface Database {
  readonly execute: Execute
  readonly transaction: Transaction
  /** Returns the state of the connections to a server, now. The embedded database has none. */
  readonly pool?: () => PoolState
  readonly close: () => Promise<void>
}
