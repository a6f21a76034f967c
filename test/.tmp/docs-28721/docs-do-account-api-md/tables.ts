// tables.ts
import { PGlite } from '@electric-sql/pglite'
import type { ProfileRecord } from 'hallpass/account'

export const db = new PGlite()
await db.exec(`
  create table purchases (
    id           text primary key,
    member       text not null,
    course       text not null,
    bought_at    timestamptz(0) not null,
    access_until timestamptz(0),
    refunded_at  timestamptz(0)
  );
  create index on purchases (member);
`)

/** Title and number of lectures. */
export const courses = new Map([
  ['glazing', { title: 'Glazing', lectures: 2 }],
  ['throwing', { title: 'Throwing', lectures: 8 }],
])

export const users = new Map<string, ProfileRecord>([
  [
    'mem_mei',
    {
      email: 'mei-ling.chou@example.com',
      emailVerified: true,
      name: 'Mei-Ling Chou',
      picture: null,
      locale: 'en',
      timeZone: null,
      memberSince: 1_760_000_000,
    },
  ],
])
