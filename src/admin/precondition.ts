import { entityTagOf, parseEntityTags } from '../http/entity-tag.js'
import { type Problem, refuseWith } from './problem.js'

/**
 * The version of an object: a strong entity tag. The same for the same members, whatever their order.
 *
 * @see RFC 9110 §8.8.3
 */
export function etagOf(value: unknown): string {
  const text = JSON.stringify(value, (_, one: unknown) => (isObject(one) ? sorted(one) : one))
  return entityTagOf(text ?? 'null')
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const sorted = (value: object): object =>
  Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))

/** What a caller believes an object to be, from `If-Match`. */
export interface Precondition {
  /**
   * Whether the object is still what the caller read. Ask inside the transaction that writes, with the
   * object exactly as the operation that reads it answers.
   *
   * @returns `null` = go on; the problem to return where somebody else was faster
   */
  readonly check: (current: unknown) => Problem | null
}

/** A precondition, and whether it was asked. */
export interface TrackedPrecondition extends Precondition {
  /** Whether there was one and nobody asked: the operation has a fault. */
  readonly isIgnored: () => boolean
}

/** A precondition that holds whatever the object is. */
export const NO_PRECONDITION: TrackedPrecondition = { check: () => null, isIgnored: () => false }

/**
 * Reads `If-Match`. A weak tag never matches, since it does not say that every byte is the same.
 *
 * @returns refusals: `invalid_request` where it is neither `*` nor a list of entity tags
 * @see RFC 9110 §13.1.1
 */
export function parsePrecondition(ifMatch: string): TrackedPrecondition | Problem {
  if (ifMatch.trim() === '*') return NO_PRECONDITION
  const tags = parseEntityTags(ifMatch)
  if (tags === null)
    return refuseWith('invalid_request', 'If-Match must be an ETag as it was received')
  let isAsked = false
  return {
    check(current) {
      isAsked = true
      return tags.includes(etagOf(current))
        ? null
        : refuseWith('precondition_failed', 'it has changed since: read it again')
    },
    isIgnored: () => !isAsked,
  }
}
