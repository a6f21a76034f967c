// source.ts
import type { AccountSource } from 'hallpass/account'

const none = async () => ({ rows: [], total: 0 })
const unused = async (): Promise<never> => {
  throw new Error('not on this page')
}

/** A member without rows. */
export const source: AccountSource = {
  profile: async () => ({
    email: null,
    emailVerified: false,
    name: 'Mei-Ling Chou',
    picture: null,
    locale: null,
    timeZone: null,
    memberSince: 1_760_000_000,
  }),
  enrollments: none,
  orders: none,
  eventRegistrations: none,
  subscriptions: none,
  digitalProducts: none,
  site: unused,
  courseOutlines: unused,
  lecture: unused,
  savePlayback: unused,
  markLecture: unused,
  cancelEventRegistration: unused,
  updateProfile: unused,
}
