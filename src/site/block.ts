import type { RefusalTable } from '../policy/refusals.js'

/**
 * The kinds of blocks. Each is a symbol without a name, so that a bundle without blocks holds no word of one, and that only
 * a block of hallpass has a kind.
 */
export const GRANT: unique symbol = /* @__PURE__ */ Symbol()
export const CLIENT_AUTHENTICATION: unique symbol = /* @__PURE__ */ Symbol()
export const PUSHED_REQUESTS: unique symbol = /* @__PURE__ */ Symbol()
export const SENDER_CONSTRAINT: unique symbol = /* @__PURE__ */ Symbol()
export const PROFILE: unique symbol = /* @__PURE__ */ Symbol()

/**
 * An opt-in part of a site, from hallpass/blocks: a grant type, a way in which clients authenticate, pushed requests, keys
 * to which tokens are bound, or a profile. Named once, in `blocks` of `defineSite`: the site, its servers, gates and client
 * management take from there what they need.
 *
 * @typeParam Reason - why it refuses, in addition to the reasons of hallpass
 *
 * @group Sites
 */
export interface Block<out Reason extends string = string> {
  /** @internal */
  readonly kind:
    | typeof GRANT
    | typeof CLIENT_AUTHENTICATION
    | typeof PUSHED_REQUESTS
    | typeof SENDER_CONSTRAINT
    | typeof PROFILE
  /** Its name in the metadata, or in errors of options. */
  readonly name: string
  /** The refusals with their texts. Absent if all of its reasons are of hallpass. */
  readonly refusals?: RefusalTable
  /** Never there: it carries the type of the reasons. */
  readonly reasons?: Reason
  /**
   * The form of each `returnTo` that its pages give to a sign-in page.
   *
   * @internal
   */
  readonly returns?: RegExp
  /**
   * Whether it needs the group `once` of the store of the site, because no other store was passed to it.
   *
   * @internal
   */
  readonly isOnceOfSite?: boolean
  /**
   * Whether only this process knows which proofs were used.
   *
   * @internal
   */
  readonly isInMemory?: boolean
}

/** The kinds of which a site can have one block. */
const SINGLE: ReadonlySet<symbol> = /* @__PURE__ */ new Set([
  PUSHED_REQUESTS,
  SENDER_CONSTRAINT,
  PROFILE,
])

/** Finds blocks that are there twice, or with another one of a kind of which there can be one. */
export const blockMistakes = (blocks: readonly Block[]): readonly string[] =>
  blocks.flatMap(({ kind, name }, index) => {
    const before = blocks.slice(0, index).filter((one) => one.kind === kind)
    if (before.some((one) => one.name === name)) return [`blocks names ${name} twice`]
    return SINGLE.has(kind) && before.length > 0
      ? [`blocks names ${before[0]!.name} and ${name}, of which a site can have one`]
      : []
  })
