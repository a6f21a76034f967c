// source.ts
import type { AccountSource } from 'hallpass/account'
import { orders } from './orders.js'

const unused = async (): Promise<never> => {
  throw new Error('not on this page')
}

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
  orders,
  site: unused,
  enrollments: unused,
  eventRegistrations: unused,
  subscriptions: unused,
  digitalProducts: unused,
  courseOutlines: unused,
  lecture: unused,
  savePlayback: unused,
  markLecture: unused,
  cancelEventRegistration: unused,
  updateProfile: unused,
}
