import type { Execute } from 'hallpass/postgres'
import type { Store } from 'hallpass/store'
import { seedForms } from '../content/forms-demo.js'
import { seedPosts } from '../content/posts-demo.js'
import { seedCourses } from '../courses/demo.js'
import { seedLecturers } from '../courses/lecturers-demo.js'
import { seedPages } from '../custom-pages/demo.js'
import { seedEvents } from '../events/demo.js'
import { seedMembers } from '../members/demo.js'
import { seedDownloads } from '../sales/digital-products-demo.js'
import { seedSales } from '../sales/demo.js'
import { seedSettings } from '../school/demo.js'
import { seedSubscriptions } from '../subscriptions/demo.js'
import { seedClients } from './clients.js'
import { seedLearning } from './learning.js'
import type { DemoOptions } from './seed.js'
import { hashPassword } from '../sign-in/password.js'
import type { People, PersonRow } from '../members/people.js'

/** The password of every person in the demo. */
export const DEMO_PASSWORD = 'hallpass-demo'

type DemoPerson = Pick<PersonRow, 'memberId' | 'name' | 'email' | 'role'> &
  Partial<Pick<PersonRow, 'picture' | 'suspended'>>

const lantern: readonly DemoPerson[] = [
  {
    memberId: 'mem_l01',
    name: 'Ines Duarte',
    email: 'ines.duarte@example.com',
    picture: 'https://images.example/people/ines-duarte.jpg',
    role: 'owner',
  },
  { memberId: 'mem_l02', name: 'Tomasz Wilk', email: 'tomasz.wilk@example.com', role: 'manager' },
  { memberId: 'mem_l03', name: 'Amara Obi', email: 'amara.obi@example.com', role: 'lecturer' },
  { memberId: 'mem_l04', name: 'Yuki Tan', email: 'yuki.tan@example.com', role: 'assistant' },
  {
    memberId: 'mem_l05',
    name: 'Mei-Ling Chou',
    email: 'mei-ling.chou@example.com',
    picture: 'https://images.example/people/mei-ling-chou.jpg',
    role: 'student',
  },
  { memberId: 'mem_l06', name: 'Jonas Brandt', email: 'jonas.brandt@example.com', role: 'student' },
  { memberId: 'mem_l07', name: 'Priya Nair', email: 'priya.nair@example.com', role: 'student' },
  {
    memberId: 'mem_l08',
    name: 'Lucia Ferrari',
    email: 'lucia.ferrari@example.com',
    role: 'student',
  },
  { memberId: 'mem_l09', name: 'Noor Haddad', email: 'noor.haddad@example.com', role: 'student' },
  { memberId: 'mem_l10', name: 'Sam Okafor', email: 'sam.okafor@example.com', role: 'student' },
  { memberId: 'mem_l11', name: 'روي بينتو', email: null, role: 'student' },
  {
    memberId: 'mem_l12',
    name: 'Oskar Lind',
    email: 'oskar.lind@example.com',
    role: 'student',
    suspended: true,
  },
]

const kiln: readonly DemoPerson[] = [
  { memberId: 'mem_k01', name: 'Hao-Yu Lin', email: 'hao-yu.lin@example.com', role: 'owner' },
  {
    memberId: 'mem_k02',
    name: 'Mei-Ling Chou',
    email: 'mei-ling.chou@example.com',
    role: 'student',
  },
  { memberId: 'mem_k03', name: 'Wen-Chi Kao', email: 'wen-chi.kao@example.com', role: 'student' },
]

const demoPeople: Readonly<Record<string, readonly DemoPerson[]>> = {
  site_lantern: lantern,
  site_kiln: kiln,
}

/**
 * Inserts the people of the demo, their courses and orders, and the clients, if they are missing. Never call it
 * on a real school.
 */
export async function seedDemo({
  execute,
  site,
  origin,
  people,
  store,
  now,
}: {
  execute: Execute
  site: string
  origin: string
  people: People
  store: Store
  now: () => number
}): Promise<void> {
  const rows = demoPeople[site] ?? []
  const [first] = rows
  if (first?.email != null && (await people.findByEmail(first.email)) === null) {
    const passwordHash = await hashPassword(DEMO_PASSWORD)
    await people.add(rows.map((row) => ({ picture: null, suspended: false, ...row, passwordHash })))
  }
  await seedLearning({ execute, site, now })
  await seedFeatures({ execute, site, now })
  await execute('insert into school_site values ($1, $2) on conflict do nothing', [
    site,
    site === 'site_lantern',
  ])
  await seedClients({ site, origin, store, now })
}

/** Inserts the data that only the admin API shows. */
export async function seedFeatures(options: DemoOptions): Promise<void> {
  for (const seed of FEATURES) await seed(options)
}

const FEATURES = [
  seedCourses,
  seedLecturers,
  seedMembers,
  seedSubscriptions,
  seedEvents,
  seedSales,
  seedDownloads,
  seedPosts,
  seedForms,
  seedPages,
  seedSettings,
]

/** A person who can sign in. */
export interface DemoSignIn {
  readonly name: string
  readonly email: string
  readonly role: string
}

/** The people who can sign in, for the start-up message and for the front page. */
export function demoSignIns(site: string): readonly DemoSignIn[] {
  return (demoPeople[site] ?? []).flatMap(({ name, email, role, suspended }) =>
    email === null || suspended === true ? [] : [{ name: name ?? email, email, role }],
  )
}
