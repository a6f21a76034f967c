// registrations.ts
import {
  type AccountSource,
  type EventRegistrationRecord,
  type Member,
  pageOf,
} from 'hallpass/account'

/** Yours: all bookings of the member. */
export declare function load(member: Member): Promise<readonly EventRegistrationRecord[]>

export const eventRegistrations: AccountSource['eventRegistrations'] = async (member, query) => {
  const { ids, states, when, now } = query.filter
  const rows = (await load(member)).filter(
    ({ id, state, event }) =>
      (ids === null || ids.includes(id)) &&
      (states === null || states.includes(state)) &&
      (when === 'ANY' || event.endsAt > now === (when === 'UPCOMING')),
  )
  return pageOf(rows, { keyOf: (row) => row.registeredAt, descending: true }, query)
}
