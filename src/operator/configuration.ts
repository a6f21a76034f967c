import { type RandomBytes, randomBytes } from '../encoding/random.js'
import { guardStorage } from '../http/respond.js'
import { shielded } from '../http/shielded.js'
import {
  accessSourceOf,
  type ProtectedResourceOptions,
  RESOURCE_OPTION_NAMES,
} from '../resource/protected-resource.js'
import type { AccessSource } from '../resource/gate.js'
import type { Access } from '../policy/bearer.js'
import { siteFaults, unknownOptions } from '../resource/option-faults.js'
import { createMemoryIdempotency, type IdempotencyStore } from './idempotency.js'
import type { Operation } from './operation.js'
import { defineOperations, type OperationRegistry } from './registry.js'

/** How much of a limit is used, for the `RateLimit` headers. */
export interface RateState {
  readonly ok: boolean
  /** Requests in a window. */
  readonly limit: number
  /** Requests left in this window. */
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
  readonly windowSeconds: number
}

/** What happened at the API, for an audit log. */
export interface ApiEvent {
  readonly type: 'api.write' | 'api.denied'
  /** Epoch seconds. */
  readonly at: number
  /** The operation's id. */
  readonly operation: string
  readonly clientId: string | null
  readonly subject: string | null
  readonly requestId: string
  /** The problem's code, or the reason of the refusal; `null` = it was done. */
  readonly reason: string | null
}

/** Options of {@link createOperatorApi}. */
export interface OperatorApiOptions<Scope extends string = string> extends Omit<
  ProtectedResourceOptions<Scope>,
  'onFault'
> {
  readonly operations: readonly Operation<NoInfer<Scope>>[]
  /** Path below which the operations stand. Default `/api/v1`. */
  readonly basePath?: string
  /** Counts a request of a grant; absent = no limit. */
  readonly rateLimit?: (request: { readonly access: Access }) => Promise<RateState>
  /** Keys of `Idempotency-Key`. Default: kept in this process. */
  readonly idempotency?: IdempotencyStore
  /** Hears of every write and of every refusal. */
  readonly onEvent?: (event: ApiEvent) => void
  /** Hears of whatever was thrown; the caller was told nothing but the same request id. */
  readonly onFault?: (fault: unknown, requestId: string | null) => void
  /** As many cryptographically random bytes as asked for. Default: the platform's generator. */
  readonly randomBytes?: RandomBytes
}

/** Checked options with every default in place. */
export interface OperatorApiConfiguration {
  readonly issuer: string
  readonly basePath: string
  readonly registry: OperationRegistry
  readonly access: AccessSource
  readonly rateLimit: NonNullable<OperatorApiOptions['rateLimit']> | null
  readonly idempotency: IdempotencyStore
  readonly onEvent: (event: ApiEvent) => void
  readonly onRefusal: NonNullable<OperatorApiOptions['onRefusal']>
  readonly onFault: (fault: unknown, requestId: string | null) => void
  readonly randomBytes: RandomBytes
  readonly now: () => number
}

const OPTION_NAMES: ReadonlySet<string> = new Set<string>([
  ...RESOURCE_OPTION_NAMES,
  ...([
    'operations',
    'basePath',
    'rateLimit',
    'idempotency',
    'onEvent',
    'randomBytes',
  ] satisfies readonly (keyof OperatorApiOptions)[]),
])

/**
 * Checks the options and puts every default in place.
 *
 * @throws TypeError - naming every fault at once: unknown options, an issuer that is no origin, roles with
 *   scopes that the registry lacks, a base path that is none; then as `defineOperations` does
 */
export function configureOperatorApi(options: OperatorApiOptions): OperatorApiConfiguration {
  const { issuer, operations, scopes, roles, basePath = '/api/v1' } = options
  const faults = [
    ...unknownOptions(options, OPTION_NAMES),
    ...siteFaults(options),
    ...(/^(?:\/[a-z0-9-]+)+$/.test(basePath)
      ? []
      : [`basePath "${basePath}" is no path such as /api/v1`]),
  ]
  if (faults.length > 0) throw new TypeError(`operator API: ${faults.join('; ')}`)
  const onFault = shielded(options.onFault, () => {})
  const tellFault = (fault: unknown): void => onFault(fault, null)
  const access = accessSourceOf(options)
  return {
    issuer,
    basePath,
    registry: defineOperations(operations, { scopes, roles }),
    access,
    rateLimit:
      options.rateLimit === undefined
        ? null
        : guardStorage({ rateLimit: options.rateLimit }).rateLimit,
    idempotency: guardStorage(options.idempotency ?? createMemoryIdempotency()),
    onEvent: shielded(options.onEvent, tellFault),
    onRefusal: shielded(options.onRefusal, tellFault),
    onFault,
    randomBytes: options.randomBytes ?? randomBytes,
    now: access.now,
  }
}
