import { entityTagOf, parseEntityTags } from '../http/entity-tag.js'
import type { OperationContext } from './operation.js'
import { type Problem, refuseWith } from './problem.js'

/**
 * Returns the version of an object as a strong entity tag. Objects with the same members have the same tag,
 * whatever the order of the members.
 *
 * @see [RFC 9110, section 8.8.3](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3)
 */
export function etagOf(value: unknown): string {
  const text = JSON.stringify(value, (_, one: unknown) => (isObject(one) ? sorted(one) : one))
  return entityTagOf(text ?? 'null')
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const sorted = (value: object): object =>
  Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))

type Precondition = OperationContext['precondition']

/** A precondition that records whether it was checked. */
export interface TrackedPrecondition extends Precondition {
  /**
   * Whether there is a precondition that the operation did not check, which is a fault of the
   * operation.
   */
  readonly isIgnored: () => boolean
}

/** The precondition that every object meets. */
export const NO_PRECONDITION: TrackedPrecondition = { check: () => null, isIgnored: () => false }

/**
 * Parses `If-Match`. A weak tag never matches, because it does not identify an exact version.
 *
 * @returns the precondition, or the problem `invalid_request` if the header is neither `*` nor a list of
 *   entity tags
 * @see [RFC 9110, section 13.1.1](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1)
 */
export function parsePrecondition(ifMatch: string): TrackedPrecondition | Problem {
  if (ifMatch.trim() === '*') return NO_PRECONDITION
  const tags = parseEntityTags(ifMatch)
  if (tags === null)
    return refuseWith('invalid_request', 'If-Match must be an ETag exactly as received')
  let isAsked = false
  return {
    check(current) {
      isAsked = true
      return tags.includes(etagOf(current))
        ? null
        : refuseWith('precondition_failed', 'the object has changed: read it again')
    },
    isIgnored: () => !isAsked,
  }
}
