// source.ts
import type { AccountSource } from 'hallpass/account'
import { enrollments } from './enrollments.js'
import { users } from './tables.js'

const none = async () => ({ rows: [], total: 0 })

/** @param now - epoch seconds */
export function createSource(now: () => number): AccountSource {
  return {
    profile: async ({ subject }) => users.get(subject) ?? null,
    updateProfile: async ({ subject }, changes) => {
      users.set(subject, { ...users.get(subject)!, ...changes })
    },
    site: async ({ orgId }) => ({
      id: orgId,
      name: 'Kiln & Coil Pottery',
      url: 'https://kiln.example',
      timeZone: 'Europe/Lisbon',
      currencyCode: 'EUR',
    }),
    enrollments: enrollments(now),
    orders: none,
    eventRegistrations: none,
    subscriptions: none,
    digitalProducts: none,

    // Without lectures and bookings, each mutation of them reports that it found nothing.
    courseOutlines: async () => new Map(),
    lecture: async () => null,
    savePlayback: async () => 'stale',
    markLecture: async () => {},
    cancelEventRegistration: async () => 'conflict',
  }
}
