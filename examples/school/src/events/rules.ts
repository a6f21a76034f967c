import { type Problem, refuseWith } from 'hallpass/admin'

/** What the rules look at in an event. Moments are RFC 3339. */
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

/** Whether an event makes sense in itself; `null` = it does. */
export function faultOfEvent(
  event: Pick<EventFacts, 'starts_at' | 'ends_at' | 'cancellable_until' | 'tickets'>,
): Problem | null {
  const { starts_at, ends_at, cancellable_until, tickets } = event
  if (secondsOf(ends_at) <= secondsOf(starts_at))
    return refuseWith('unprocessable', 'it ends before it starts')
  if (cancellable_until !== null && secondsOf(cancellable_until) > secondsOf(starts_at))
    return refuseWith('unprocessable', 'bookings can be cancelled until it starts, not longer')
  if (new Set(tickets.map(({ name }) => name)).size < tickets.length)
    return refuseWith('unprocessable', 'two tickets have the same name')
  if (new Set(tickets.map(({ price }) => price.currency)).size > 1)
    return refuseWith('unprocessable', 'its tickets have several currencies')
  return null
}

const isPlaceless = ({ online, venue }: Pick<EventFacts, 'online' | 'venue'>): boolean =>
  !online && venue === null

const TEXTS: readonly string[] = ['title', 'description_html']

/**
 * Whether an event may become another one; `null` = it may.
 *
 * @param options - `sent`: names of the members to change; `now`: epoch seconds
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
  if (current.state === 'cancelled') return refuseWith('conflict', 'it is cancelled')
  if (current.state === 'ended' && sent.some((name) => !TEXTS.includes(name)))
    return refuseWith('conflict', 'it is over: only its title and description still change')
  const fault = faultOfEvent(next)
  if (fault !== null) return fault
  const taken = current.counts.registered + current.counts.checked_in
  if (next.capacity !== null && next.capacity < taken)
    return refuseWith('conflict', `${taken} seats are taken already`)
  if (current.state !== 'published') return null
  if (next.slug !== current.slug)
    return refuseWith('conflict', 'it is published: its slug stands in links by now')
  if (isPlaceless(next))
    return refuseWith('unprocessable', 'a published event is online or has a venue')
  return secondsOf(next.ends_at) <= now
    ? refuseWith('unprocessable', 'it would be over already')
    : null
}

/** Whether an event may be published; `null` = it may, or it is. */
export function decidePublication(event: EventFacts, now: number): Problem | null {
  if (event.state === 'published') return null
  if (event.state !== 'draft') return refuseWith('conflict', `it is ${event.state}`)
  if (isPlaceless(event)) return refuseWith('conflict', 'it needs a venue, or to be online')
  return secondsOf(event.ends_at) <= now
    ? refuseWith('conflict', 'it would be over already: move it first')
    : null
}

/** What can be done with a booking. */
export type RegistrationMove = 'check_in' | 'cancel' | 'no_show'

/** States of a booking. */
export type RegistrationState = 'waitlisted' | 'registered' | 'checked_in' | 'no_show' | 'cancelled'

const OUTCOME = { check_in: 'checked_in', cancel: 'cancelled', no_show: 'no_show' } as const

/**
 * Where a booking goes.
 *
 * @param options - `startsAt`: when the event begins; like `now` in epoch seconds
 * @returns the new state, which may be the present one; refusals: `conflict`
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
    ? refuseWith('conflict', 'the event has not begun: nobody has missed it yet')
    : outcome
}
