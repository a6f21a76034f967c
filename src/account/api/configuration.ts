import {
  host,
  list,
  made,
  methods,
  optional,
  orNull,
  positive,
  type Rules,
  shape,
  whole,
  withoutUndefined,
} from '../../options/check.js'
import { checkOwnOptions, type Site } from '../../site/site.js'
import { DEFAULT_BUCKET } from './cost-bucket.js'
import { DEFAULT_LIMITS, type DocumentLimits } from './limits.js'
import type { AccountFields } from '../fields.js'
import { accountSdl } from '../sdl.js'
import type { AccountSource } from '../source.js'
import { createDocuments } from './documents.js'

/**
 * Options of {@link createAccountApi}, in addition to its site.
 *
 * @group Endpoint
 */
export interface AccountApiOptions {
  /** The interface to your tables: an object with the thirteen methods of `AccountSource`. Required. */
  readonly source: AccountSource
  /**
   * Fields of your own, from `defineAccountFields` from hallpass/account. The scopes that they require must be scopes of
   * the site for members, and those of `Mutation` must write. Default: none.
   */
  readonly extend?: AccountFields
  /**
   * Hosts from which `updateProfile` accepts a picture, such as `['images.school.example']`: host names
   * with the port if it is not 443. A picture on any other host is refused. Default: none, so no
   * picture can be set.
   */
  readonly pictureHosts?: readonly string[]
  /**
   * Limits of a single request: integers above 0. A request beyond a limit is refused with 400 before it
   * runs. Default: that of each limit, for those that are absent.
   */
  readonly limits?: {
    /**
     * Largest number of tokens in the text, and of fields after its fragments are expanded.
     * Default: 2000.
     */
    readonly tokens?: number
    /** Largest number of nested selections, where a root field has depth 1. Default: 12. */
    readonly depth?: number
    /** Largest number of aliases, and of fields repeated in one selection set. Default: 30. */
    readonly aliases?: number
    /** Largest number of directives. Default: 50. */
    readonly directives?: number
    /** Largest number of inline fragments and of places where a fragment is spread. Default: 50. */
    readonly fragments?: number
    /** Largest number of fields at the root of an operation. Default: 10. */
    readonly rootFields?: number
    /**
     * Largest cost of a request, in points. A page costs its requested size, a list without a page size ten
     * rows. Default: 1000.
     */
    readonly cost?: number
  }
  /**
   * Rate limit for each grant, in points of query cost: at most `capacity`, refilled by `restoreRate`
   * points per second. All grants of a person together have four times as much. A request that exceeds
   * either receives 429 with `Retry-After`. The `budget` of the site keeps the points. `capacity` must be at
   * least `limits.cost`. `null` disables it.
   * Default: `{ capacity: 2000, restoreRate: 50 }`.
   */
  readonly bucket?: {
    /** Largest number of points that a grant can save up: a number above 0, at least `limits.cost`. */
    readonly capacity: number
    /** Points restored per second: a number above 0. */
    readonly restoreRate: number
  } | null
  /**
   * Time after which a running request ends with an error, in milliseconds: an integer from 1 to 60,000.
   * The source is not interrupted. Default: 3000.
   */
  readonly deadlineMilliseconds?: number
}

/** A site with the checked options of its Account API and all defaults. */
export interface AccountApiConfiguration extends Site, Required<Omit<AccountApiOptions, 'extend'>> {
  readonly limits: DocumentLimits
  readonly extend: AccountFields | null
}
const RULES: Rules<AccountApiOptions> = {
  source: methods<AccountSource>('an AccountSource on your tables', {
    profile: true,
    site: true,
    enrollments: true,
    orders: true,
    eventRegistrations: true,
    subscriptions: true,
    digitalProducts: true,
    courseOutlines: true,
    lecture: true,
    savePlayback: true,
    markLecture: true,
    updateProfile: true,
    cancelEventRegistration: true,
  }),
  extend: optional(
    made<AccountFields>('defineAccountFields({ typeDefs, resolvers })', {
      schema: 'object',
      mistakesAt: 'function',
    }),
  ),
  pictureHosts: optional(list(host)),
  limits: optional(
    shape<Partial<DocumentLimits>>('{ depth: 12, cost: 1000 }', {
      tokens: optional(whole(1)),
      depth: optional(whole(1)),
      aliases: optional(whole(1)),
      directives: optional(whole(1)),
      fragments: optional(whole(1)),
      rootFields: optional(whole(1)),
      cost: optional(whole(1)),
    }),
  ),
  bucket: optional(
    orNull(
      shape<NonNullable<AccountApiOptions['bucket']>>('{ capacity: 2000, restoreRate: 50 }', {
        capacity: positive,
        restoreRate: positive,
      }),
    ),
  ),
  deadlineMilliseconds: optional(whole(1, 60_000)),
}

/**
 * Checks the options of an Account API and adds the defaults.
 *
 * @throws OptionsError that lists every mistake. Options can be unknown, missing, of a wrong type or out of
 *   range, and the bucket smaller than `limits.cost`. The site must define the scopes of the schema, and a field of
 *   one's own must fit in `limits.cost`.
 */
export function configureAccountApi(
  site: Site,
  options: AccountApiOptions,
): AccountApiConfiguration {
  const own = checkOwnOptions('account API', site, options, RULES, (right) => [
    ...bucketMistakes(right),
    ...scopeMistakes(site),
    ...fieldMistakes(site, right),
  ])
  return {
    ...site,
    extend: null,
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
    : [`limits.cost (${cost}) must not exceed bucket.capacity (${bucket.capacity})`]
}

function scopeMistakes({ scopes }: Site): readonly string[] {
  const required = new Set(
    [...accountSdl.matchAll(/@requiresScope\(scope: "([^"]+)"\)/g)].map(([, scope]) => scope!),
  )
  return [...required]
    .filter((scope) => scopes.get(scope)?.audience !== 'member')
    .map(
      (scope) =>
        `scopes must define "${scope}" for members, because the account schema requires it`,
    )
}

function fieldMistakes({ scopes }: Site, options: AccountApiOptions): readonly string[] {
  const limits = limitsOf(options)
  const found = options.extend?.mistakesAt({
    scopes,
    mostPoints: limits.cost,
    prepare: (schema, query) => createDocuments(schema, limits)(query),
  })
  return found ?? []
}
