import { callback, methods, optional, pattern, type Rules } from '../options/check.js'
import type { Access } from '../policy/bearer.js'
import { ADMIN_PATH } from '../site/paths.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import { createDeadline } from '../store/deadline.js'
import { guarded, guardStorage } from '../store/guard.js'
import { createMemoryIdempotency, type IdempotencyStore, KEY_VERBS } from './idempotency.js'
import type { Operation } from './operation.js'
import { defineOperations, type OperationRegistry, operationsRule } from './operation-registry.js'

/**
 * Options of {@link createAdminApi}, in addition to its site.
 *
 * @group Admin API
 */
export interface AdminApiOptions<Scope extends string = string> {
  /** The operations to serve, created by `defineOperation` and `defineList`. Required. */
  readonly operations: readonly Operation<NoInfer<Scope>>[]
  /**
   * Path prefix of all operations: lower-case segments without a trailing slash, such as `/admin/v2`.
   * Default: `/api/v1`.
   */
  readonly basePath?: string
  /**
   * Counts a request and returns the state of the limit, which becomes the headers `RateLimit` and `RateLimit-Policy`. Called once for each request that is
   * authorized, so a counter keyed by `access.grantId` limits each grant. If it throws, the request
   * fails with 503. Default: no limit.
   */
  readonly rateLimit?: (request: { readonly access: Access }) => Promise<{
    /** Whether the request is within the limit. `false` is refused with 429. */
    readonly ok: boolean
    /** Number of requests allowed in a window. */
    readonly limit: number
    /** Number of requests left in this window. */
    readonly remaining: number
    /** Seconds until the window ends. */
    readonly resetSeconds: number
    /** Length of a window, in seconds. */
    readonly windowSeconds: number
  }>
  /**
   * Store of the responses to requests with an `Idempotency-Key`, kept for 24 hours. Several processes
   * need a shared one, such as `createPostgresIdempotency` from `hallpass/postgres`.
   * Default: one in process memory, which a restart empties.
   */
  readonly idempotency?: IdempotencyStore
}

export type RateState = Awaited<ReturnType<NonNullable<AdminApiOptions['rateLimit']>>>

/** A site with the checked options of its admin API and all defaults. */
export interface AdminApiConfiguration extends Site {
  readonly basePath: string
  readonly registry: OperationRegistry
  readonly rateLimit: NonNullable<AdminApiOptions['rateLimit']> | null
  readonly idempotency: IdempotencyStore
}

const RULES: Rules<AdminApiOptions> = {
  operations: operationsRule,
  basePath: optional(pattern(`a path such as ${ADMIN_PATH}`, /^(?:\/[a-z0-9-]+)+$/)),
  rateLimit: optional(callback('({ access }) => counters.take(access.grantId)')),
  idempotency: optional(
    methods<IdempotencyStore>('createPostgresIdempotency({ execute, site })', KEY_VERBS),
  ),
}

/**
 * Checks the options and adds the defaults.
 *
 * @throws OptionsError that lists every mistake: options that are unknown, missing or of a wrong type, an
 *   invalid base path; or the mistakes that `defineOperations` finds
 */
export function configureAdminApi(site: Site, options: AdminApiOptions): AdminApiConfiguration {
  const {
    operations,
    basePath = ADMIN_PATH,
    rateLimit,
    idempotency,
  } = checkOwnOptions('admin API', site, options, RULES)
  const deadline = createDeadline(site.callDeadlineMilliseconds)
  return {
    ...site,
    basePath,
    registry: defineOperations(operations, site),
    rateLimit:
      rateLimit === undefined ? null : guarded('rateLimit', rateLimit, deadline('rateLimit')),
    idempotency: guardStorage(idempotency ?? createMemoryIdempotency(), KEY_VERBS, { deadline }),
  }
}
