import type { AccountSource } from './source.js'

const none = async (): Promise<{ rows: readonly never[]; total: number }> => ({
  rows: [],
  total: 0,
})
const lacking = (name: string) => async (): Promise<never> => {
  throw new Error(`emptyAccountSource stores nothing: write ${name}`)
}

/**
 * The methods of an {@link AccountSource} for a school that has none of what they return: empty lists, no lecture, and
 * nothing that could be changed. Spread it before the methods that you have. `profile` and `site` are left out, because
 * every school has both.
 *
 * `updateProfile` throws, so that no member reads that something was saved.
 *
 * @example
 * ```ts
 * import { type AccountSource, emptyAccountSource } from 'hallpass/account'
 *
 * const source: AccountSource = {
 *   ...emptyAccountSource,
 *   profile: async ({ name, email, picture }) => ({ name, email, picture, emailVerified: false, locale: null, timeZone: null, memberSince: 1_760_605_200 }),
 *   site: async () => ({ id: 'school', name: 'School', url: 'https://school.example', timeZone: 'UTC', currencyCode: 'EUR' }),
 * }
 * Object.keys(source).length // => 13
 * ```
 * @group Source
 */
export const emptyAccountSource: Omit<AccountSource, 'profile' | 'site'> = {
  enrollments: none,
  orders: none,
  eventRegistrations: none,
  subscriptions: none,
  digitalProducts: none,
  courseOutlines: async () => new Map(),
  lecture: async () => null,
  savePlayback: async () => 'stale',
  cancelEventRegistration: async () => 'conflict',
  markLecture: lacking('markLecture'),
  updateProfile: lacking('updateProfile'),
}
