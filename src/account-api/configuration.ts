import {
  type ProtectedResourceOptions,
  RESOURCE_OPTION_NAMES,
} from '../resource/protected-resource.js'
import { siteFaults, unknownOptions } from '../resource/option-faults.js'
import { type CostBucket, DEFAULT_BUCKET } from './cost-bucket.js'
import { DEFAULT_LIMITS, type DocumentLimits } from './limits.js'
import { accountSdl } from '../account/sdl.js'
import type { AccountSource } from '../account/source.js'

/** Options of an Account API. */
export interface AccountApiOptions extends Omit<ProtectedResourceOptions, 'onFault'> {
  readonly source: AccountSource
  /** Hosts that a profile picture may stand on. Default: none. */
  readonly pictureHosts?: readonly string[]
  readonly limits?: Partial<DocumentLimits>
  /** Points per grant; `null` = no limit over time. */
  readonly bucket?: CostBucket | null
  /** Milliseconds after which a request is given up, 1 to 60,000. Default 3000. */
  readonly deadlineMilliseconds?: number
  /**
   * Hears of whatever broke: what the source threw, a request that took too long, a store that is away.
   * What it throws itself is lost.
   *
   * @param requestId - what the client reads in `extensions.requestId` of its error; `null` = no client
   *   was told, as where another hook of the host fails
   */
  readonly onFault?: (fault: unknown, requestId: string | null) => void
}

/** Checked options with every default in place. Made by {@link configureAccountApi}. */
export interface AccountApiConfiguration extends AccountApiOptions {
  readonly pictureHosts: readonly string[]
  readonly limits: DocumentLimits
  readonly bucket: CostBucket | null
  readonly deadlineMilliseconds: number
}

const OPTION_NAMES: ReadonlySet<string> = new Set<keyof AccountApiOptions>([
  ...RESOURCE_OPTION_NAMES, 'source', 'pictureHosts', 'limits', 'bucket', 'deadlineMilliseconds',
]) // prettier-ignore

const MAX_DEADLINE_MILLISECONDS = 60_000

/**
 * Checks the options of an Account API and puts every default in place.
 *
 * @throws TypeError - naming every fault at once: unknown options and limits, limits and a deadline out
 *   of range, a bucket that never fills or is smaller than a request may be, scopes that the schema
 *   requires and the registry does not have for members
 */
export function configureAccountApi(options: AccountApiOptions): AccountApiConfiguration {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const { bucket = DEFAULT_BUCKET, deadlineMilliseconds = 3000, pictureHosts = [] } = options
  const faults = [
    ...unknownOptions(options, OPTION_NAMES),
    ...siteFaults(options),
    ...limitFaults(limits),
    ...(bucket === null ? [] : bucketFaults(bucket, limits)),
    ...deadlineFaults(deadlineMilliseconds),
    ...scopeFaults(options),
  ]
  if (faults.length > 0) throw new TypeError(`account API: ${faults.join('; ')}`)
  return { ...options, limits, bucket, deadlineMilliseconds, pictureHosts }
}

function limitFaults(limits: DocumentLimits): readonly string[] {
  return Object.entries(limits).flatMap(([name, limit]: [string, unknown]) => {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) return [`unknown limit "${name}"`]
    return isPositive(limit) && Number.isSafeInteger(limit)
      ? []
      : [`limits.${name} must be a whole number above 0`]
  })
}

function bucketFaults(
  { capacity, restoreRate }: CostBucket,
  { cost }: DocumentLimits,
): readonly string[] {
  const faults = Object.entries({ capacity, restoreRate })
    .filter(([, points]) => !isPositive(points))
    .map(([name]) => `bucket.${name} must be a number above 0`)
  return cost > capacity
    ? [
        ...faults,
        `limits.cost is ${cost}, more than a full bucket holds (${capacity}): such a request could never be answered`,
      ]
    : faults
}

function deadlineFaults(milliseconds: number): readonly string[] {
  return Number.isInteger(milliseconds) &&
    milliseconds >= 1 &&
    milliseconds <= MAX_DEADLINE_MILLISECONDS
    ? []
    : [`deadlineMilliseconds must be a whole number from 1 to ${MAX_DEADLINE_MILLISECONDS}`]
}

const isPositive = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value > 0

function scopeFaults({ scopes }: AccountApiOptions): readonly string[] {
  const required = new Set(
    [...accountSdl.matchAll(/@requiresScope\(scope: "([^"]+)"\)/g)].map(([, scope]) => scope!),
  )
  return [...required]
    .filter((scope) => scopes.get(scope)?.audience !== 'member')
    .map((scope) => `the schema requires "${scope}", which the registry does not have for members`)
}
