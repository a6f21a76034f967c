import {
  host, list, methods, optional, orNull, positive, type Rules, shape, whole, withoutUndefined,
} from '../options/check.js' // prettier-ignore
import { checkOwnOptions, type Site } from '../site/site.js'
import { type CostBucket, DEFAULT_BUCKET } from './cost-bucket.js'
import { DEFAULT_LIMITS, type DocumentLimits } from './limits.js'
import { accountSdl } from '../account/sdl.js'
import type { AccountSource } from '../account/source.js'

/** Options of an Account API beside its site. */
export interface AccountApiOptions {
  readonly source: AccountSource
  /** Hosts that a profile picture may stand on. Default: none. */
  readonly pictureHosts?: readonly string[]
  readonly limits?: Partial<DocumentLimits>
  /** Points per grant; `null` = no limit over time. */
  readonly bucket?: CostBucket | null
  /** Milliseconds after which a request is given up, 1 to 60,000. Default 3000. */
  readonly deadlineMilliseconds?: number
}

/** A site with the checked options of its Account API, every default in place. */
export interface AccountApiConfiguration extends Site, Required<AccountApiOptions> {
  readonly limits: DocumentLimits
}
const RULES: Rules<AccountApiOptions> = {
  source: methods<AccountSource>('an AccountSource on your tables', {
    profile: true, site: true, enrollments: true, orders: true, eventRegistrations: true,
    subscriptions: true, digitalProducts: true, courseOutlines: true, lecture: true,
    savePlayback: true, markLecture: true, updateProfile: true, cancelEventRegistration: true,
  }), // prettier-ignore
  pictureHosts: optional(list(host)),
  limits: optional(
    shape<Partial<DocumentLimits>>('{ depth: 12, cost: 1000 }', {
      tokens: optional(whole(1)),
      depth: optional(whole(1)),
      aliases: optional(whole(1)),
      directives: optional(whole(1)),
      rootFields: optional(whole(1)),
      cost: optional(whole(1)),
    }),
  ),
  bucket: optional(
    orNull(
      shape<CostBucket>('{ capacity: 2000, restoreRate: 50 }', {
        capacity: positive,
        restoreRate: positive,
      }),
    ),
  ),
  deadlineMilliseconds: optional(whole(1, 60_000)),
}

/**
 * Checks the options of an Account API and puts every default in place.
 *
 * @throws OptionsError - naming every mistake at once: options that are unknown, missing, of a wrong kind
 *   or out of range, a bucket that never fills or is smaller than a request may be, scopes that the
 *   schema requires and the registry does not have for members
 */
export function configureAccountApi(
  site: Site,
  options: AccountApiOptions,
): AccountApiConfiguration {
  const own = checkOwnOptions('account API', site, options, RULES, (right) => [
    ...bucketMistakes(right),
    ...scopeMistakes(site),
  ])
  return {
    ...site,
    pictureHosts: [],
    bucket: DEFAULT_BUCKET,
    deadlineMilliseconds: 3000,
    ...own,
    limits: limitsOf(own),
  }
}

const limitsOf = ({ limits = {} }: AccountApiOptions): DocumentLimits => ({
  ...DEFAULT_LIMITS,
  ...withoutUndefined(limits),
})

function bucketMistakes(options: AccountApiOptions): readonly string[] {
  const { bucket = DEFAULT_BUCKET } = options
  const { cost } = limitsOf(options)
  return bucket === null || cost <= bucket.capacity
    ? []
    : [
        `limits.cost is ${cost}, more than a full bucket holds (${bucket.capacity}): such a request could never be answered`,
      ]
}

function scopeMistakes({ scopes }: Site): readonly string[] {
  const required = new Set(
    [...accountSdl.matchAll(/@requiresScope\(scope: "([^"]+)"\)/g)].map(([, scope]) => scope!),
  )
  return [...required]
    .filter((scope) => scopes.get(scope)?.audience !== 'member')
    .map((scope) => `the schema requires "${scope}", which the registry does not have for members`)
}
