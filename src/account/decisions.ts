import { isPlainText } from '../policy/client-metadata.js'
import { isBefore, isNotAfter } from '../time/seconds.js'
import type { AccountSource, AccessState, EventRegistrationRecord, LectureState } from './source.js'

type ProfileChanges = Parameters<AccountSource['updateProfile']>[1]

/** An expected failure of a mutation, shown to the member. The mutation has changed nothing. */
export interface UserError {
  readonly code:
    | 'INVALID'
    | 'NOT_FOUND'
    | 'ACCESS_EXPIRED'
    | 'ACCESS_SUSPENDED'
    | 'OUT_OF_RANGE'
    | 'NOT_CANCELLABLE'
    | 'STALE'
    | 'CONFLICT'
  /** Path of the invalid input field, or `null` if the error concerns none in particular. */
  readonly field: readonly string[] | null
  readonly message: string
}

/** The decision about a mutation: permission with what was decided, or a user error. */
export type MutationDecision<Granted = unknown> =
  ({ readonly ok: true } & Granted) | { readonly ok: false; readonly userError: UserError }

const no = (
  code: UserError['code'],
  field: string | null,
  message: string,
): { readonly ok: false; readonly userError: UserError } => ({
  ok: false,
  userError: { code, field: field === null ? null : ['input', field], message },
})

/** Seconds by which the clock of a client may be ahead. */
const CLOCK_TOLERANCE_SECONDS = 60

/** Decides whether the member may change anything about a lecture. */
export function decideLecture(
  lecture: LectureState | null,
): MutationDecision<{ lecture: LectureState }> {
  if (lecture === null)
    return no('NOT_FOUND', 'lectureId', 'none of your courses contains this lecture')
  return ACCESS_ERROR[lecture.accessState] ?? { ok: true, lecture }
}

const ACCESS_ERROR: Readonly<Partial<Record<AccessState, ReturnType<typeof no>>>> = {
  EXPIRED: no('ACCESS_EXPIRED', 'courseId', 'your access to this course has ended'),
  REVOKED: no('ACCESS_EXPIRED', 'courseId', 'your access to this course has ended'),
  SUSPENDED: no('ACCESS_SUSPENDED', 'courseId', 'your access to this course is suspended'),
  SCHEDULED: no('INVALID', 'courseId', 'your access to this course has not begun'),
}

/**
 * Decides whether a playback position may be saved. The lecture must be accessible, the position within
 * its duration, and `occurredAt` neither in the future nor older than the saved position.
 *
 * @param request - `lecture`: the member's state in the lecture, or `null` if none of their courses
 *   contains it; `positionSeconds` and `occurredAt`: as the client sent them; times are epoch seconds
 */
export function decidePlayback({
  lecture,
  positionSeconds,
  occurredAt,
  now,
}: {
  lecture: LectureState | null
  positionSeconds: number
  occurredAt: number
  now: number
}): MutationDecision<{ watchedAt: number }> {
  const decided = decideLecture(lecture)
  if (!decided.ok) return decided
  const { durationSeconds, watchedAt } = decided.lecture
  const isInside =
    isNotAfter(0, positionSeconds) &&
    isNotAfter(positionSeconds, durationSeconds ?? positionSeconds)
  if (!isInside) return no('OUT_OF_RANGE', 'positionSeconds', 'the position is outside the lecture')
  if (!isNotAfter(occurredAt, now + CLOCK_TOLERANCE_SECONDS))
    return no('INVALID', 'occurredAt', 'occurredAt is in the future')
  if (watchedAt !== null && !isNotAfter(watchedAt, occurredAt)) return STALE
  return { ok: true, watchedAt: Math.min(occurredAt, now) }
}

/** The user error if a later position is already saved. */
export const STALE: ReturnType<typeof no> = no(
  'STALE',
  'occurredAt',
  'a later position is already saved',
)

/** Whether the member can cancel an event registration at this time. */
export function isCancellable(
  { state, event, cancellableUntil }: EventRegistrationRecord,
  now: number,
): boolean {
  return (
    (state === 'REGISTERED' || state === 'WAITLISTED') &&
    isBefore(now, cancellableUntil ?? event.startsAt)
  )
}

const MAX_REASON_LENGTH = 500

/** Decides a cancellation. A registration that is already cancelled is not an error and stays unchanged. */
export function decideCancellation({
  registration,
  reason,
  now,
}: {
  registration: EventRegistrationRecord | null
  reason: string | null
  now: number
}): MutationDecision<{ cancel: boolean }> {
  if (reason !== null && (reason.length > MAX_REASON_LENGTH || reason.includes('\0')))
    return no(
      'INVALID',
      'reason',
      `a reason must be text of at most ${MAX_REASON_LENGTH} characters`,
    )
  if (registration === null)
    return no('NOT_FOUND', 'registrationId', 'you have no registration with this id')
  if (registration.state === 'CANCELLED') return { ok: true, cancel: false }
  return isCancellable(registration, now)
    ? { ok: true, cancel: true }
    : no('NOT_CANCELLABLE', 'registrationId', 'this registration can no longer be cancelled')
}

/** The user error if another request changed the registration at the same time. */
export const CONFLICT: ReturnType<typeof no> = no(
  'CONFLICT',
  null,
  'the registration was changed by another request: read it again',
)

const MAX_NAME_LENGTH = 100

/**
 * Decides a change of the profile.
 *
 * @param pictureHosts - hosts from which a picture may be served; a picture on any other host could track
 *   the people who view it
 */
export function decideProfile(
  changes: ProfileChanges,
  pictureHosts: readonly string[],
): MutationDecision<{ changes: ProfileChanges }> {
  const { name, picture, locale, timeZone } = changes
  if (name != null && (name.trim() === '' || !isPlainText(name, MAX_NAME_LENGTH)))
    return no('INVALID', 'name', `a name must have 1 to ${MAX_NAME_LENGTH} printable characters`)
  if (picture != null && !pictureHosts.includes(new URL(picture).host))
    return no('INVALID', 'picture', 'pictures from this host are not allowed')
  if (locale != null && !isLocale(locale))
    return no('INVALID', 'locale', 'locale must be a language tag such as pt-PT')
  if (timeZone != null && !isTimeZone(timeZone))
    return no('INVALID', 'timeZone', 'timeZone must be a name such as Europe/Lisbon')
  return { ok: true, changes: name == null ? changes : { ...changes, name: name.trim() } }
}

const isLocale = (text: string): boolean => holds(() => Intl.getCanonicalLocales(text).length === 1)
const isTimeZone = (text: string): boolean =>
  holds(() => new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '')

function holds(test: () => boolean): boolean {
  try {
    return test()
  } catch {
    return false
  }
}
