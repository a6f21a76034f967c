import { callback, methods, optional, pattern, type Rules } from '../options/check.js'
import type { Access } from '../policy/bearer.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import { guarded, guardStorage } from '../store/guard.js'
import { createMemoryIdempotency, type IdempotencyStore } from './idempotency.js'
import type { Operation } from './operation.js'
import { defineOperations, type OperationRegistry, operationsRule } from './operation-registry.js'

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

/** Options of {@link createAdminApi} beside its site. */
export interface AdminApiOptions<Scope extends string = string> {
  readonly operations: readonly Operation<NoInfer<Scope>>[]
  /** Path below which the operations stand. Default `/api/v1`. */
  readonly basePath?: string
  /** Counts a request of a grant; absent = no limit. */
  readonly rateLimit?: (request: { readonly access: Access }) => Promise<RateState>
  /** Keys of `Idempotency-Key`. Default: kept in this process. */
  readonly idempotency?: IdempotencyStore
}

/** A site with the checked options of its admin API, every default in place. */
export interface AdminApiConfiguration extends Site {
  readonly basePath: string
  readonly registry: OperationRegistry
  readonly rateLimit: NonNullable<AdminApiOptions['rateLimit']> | null
  readonly idempotency: IdempotencyStore
}

const KEY_VERBS = { begin: true, finish: true, abandon: true } as const

const RULES: Rules<AdminApiOptions> = {
  operations: operationsRule,
  basePath: optional(pattern('a path such as /api/v1', /^(?:\/[a-z0-9-]+)+$/)),
  rateLimit: optional(callback('({ access }) => counters.take(access.grantId)')),
  idempotency: optional(
    methods<IdempotencyStore>('createPostgresIdempotency({ execute, site })', KEY_VERBS),
  ),
}

/**
 * Checks the options and puts every default in place.
 *
 * @throws OptionsError - naming every mistake at once: options that are unknown, missing or of a wrong
 *   kind, a base path that is none; then as `defineOperations` does
 */
export function configureAdminApi(site: Site, options: AdminApiOptions): AdminApiConfiguration {
  const {
    operations,
    basePath = '/api/v1',
    rateLimit,
    idempotency,
  } = checkOwnOptions('operator API', site, options, RULES)
  return {
    ...site,
    basePath,
    registry: defineOperations(operations, site),
    rateLimit: rateLimit === undefined ? null : guarded(rateLimit),
    idempotency: guardStorage(idempotency ?? createMemoryIdempotency(), KEY_VERBS),
  }
}
