import { type Problem, refuseWith } from 'hallpass/admin'

/** The members of an event that the rules use. Times are in RFC 3339. */
export interface EventFacts {
  readonly slug: string
  readonly state: 'draft' | 'published' | 'cancelled' | 'ended'
  readonly starts_at: string
  readonly ends_at: string
  readonly cancellable_until: string | null
  readonly online: boolean
  readonly venue: string | null
  readonly capacity: number | null
  readonly tickets: readonly { readonly name: string; readonly price: { readonly currency: string } }[] // prettier-ignore
  readonly counts: { readonly registered: number; readonly checked_in: number }
}

const secondsOf = (moment: string): number => Date.parse(moment) / 1000

/** Returns why no event can have these members, or `null` if one can. */
export function faultOfEvent(
  event: Pick<EventFacts, 'starts_at' | 'ends_at' | 'cancellable_until' | 'tickets'>,
): Problem | null {
  const { starts_at, ends_at, cancellable_until, tickets } = event
  if (secondsOf(ends_at) <= secondsOf(starts_at))
    return refuseWith('unprocessable', 'it must end after it starts')
  if (cancellable_until !== null && secondsOf(cancellable_until) > secondsOf(starts_at))
    return refuseWith('unprocessable', 'cancellable_until must not be later than the start')
  if (new Set(tickets.map(({ name }) => name)).size < tickets.length)
    return refuseWith('unprocessable', 'two tickets have the same name')
  if (new Set(tickets.map(({ price }) => price.currency)).size > 1)
    return refuseWith('unprocessable', 'all tickets must have the same currency')
  return null
}

const isPlaceless = ({ online, venue }: Pick<EventFacts, 'online' | 'venue'>): boolean =>
  !online && venue === null

const TEXTS: readonly string[] = ['title', 'description_html']

/**
 * Returns why an event may not be changed in this way, or `null` if it may.
 *
 * @param options - `sent`: the names of the members to change; `now`: in seconds since the epoch
 */
export function decideEventChange({
  current,
  next,
  sent,
  now,
}: {
  current: EventFacts
  next: EventFacts
  sent: readonly string[]
  now: number
}): Problem | null {
  if (current.state === 'cancelled') return refuseWith('conflict', 'the event is cancelled')
  if (current.state === 'ended' && sent.some((name) => !TEXTS.includes(name)))
    return refuseWith('conflict', 'the event is over: only its title and description can change')
  const fault = faultOfEvent(next)
  if (fault !== null) return fault
  const taken = current.counts.registered + current.counts.checked_in
  if (next.capacity !== null && next.capacity < taken)
    return refuseWith('conflict', `${taken} seats are taken already`)
  if (current.state !== 'published') return null
  if (next.slug !== current.slug)
    return refuseWith(
      'conflict',
      'the event is published: its slug can no longer change, because links use it',
    )
  if (isPlaceless(next))
    return refuseWith('unprocessable', 'a published event must be online or have a venue')
  return secondsOf(next.ends_at) <= now
    ? refuseWith('unprocessable', 'the event would already be over')
    : null
}

/** Returns why an event may not be published, or `null` if it may or already is. */
export function decidePublication(event: EventFacts, now: number): Problem | null {
  if (event.state === 'published') return null
  if (event.state !== 'draft') return refuseWith('conflict', `the event is ${event.state}`)
  if (isPlaceless(event))
    return refuseWith('conflict', 'the event needs a venue, or must be online')
  return secondsOf(event.ends_at) <= now
    ? refuseWith('conflict', 'the event would already be over: change its times first')
    : null
}

/** A change to a booking. */
export type RegistrationMove = 'check_in' | 'cancel' | 'no_show'

/** States of a booking. */
export type RegistrationState = 'waitlisted' | 'registered' | 'checked_in' | 'no_show' | 'cancelled'

const OUTCOME = { check_in: 'checked_in', cancel: 'cancelled', no_show: 'no_show' } as const

/**
 * Decides the new state of a booking.
 *
 * @param options - `startsAt`: when the event begins; like `now` in seconds since the epoch
 * @returns the new state, which may be the current one, or the problem `conflict`
 */
export function decideRegistrationMove({
  move,
  state,
  startsAt,
  now,
}: {
  move: RegistrationMove
  state: RegistrationState
  startsAt: number
  now: number
}): RegistrationState | Problem {
  const outcome = OUTCOME[move]
  if (state === outcome) return outcome
  const isPossible = state === 'registered' || (state === 'waitlisted' && move === 'cancel')
  if (!isPossible) return refuseWith('conflict', `the booking is ${state.replace('_', ' ')}`)
  return move === 'no_show' && now < startsAt
    ? refuseWith('conflict', 'the event has not begun, so no one has missed it')
    : outcome
}
