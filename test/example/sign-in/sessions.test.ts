import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../examples/school/src/platform/database.js'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import { createAudit } from '../../../examples/school/src/platform/audit.js'
import { createPeople } from '../../../examples/school/src/members/people.js'
import { createSessions, type Sessions } from '../../../examples/school/src/sign-in/sessions.js'
import { T } from '../../support/school/school.js'

const HOURS_12 = 12 * 3600

let database: Database
let now: number
let opened = 0
let site: string
let sessions: Sessions

beforeAll(async () => {
  database = await openDatabase({ url: null, folder: null })
})
afterAll(() => database.close())
beforeEach(async () => {
  now = T
  opened += 1
  site = `site_${opened}`
  const person = { name: null, email: null, picture: null, passwordHash: null, suspended: false }
  await createPeople({ execute: database.execute, site }).add([
    { ...person, memberId: 'mei', role: 'student' },
    { ...person, memberId: 'noa', role: 'owner' },
  ])
  sessions = createSessions({ execute: database.execute, site, now: () => now })
})

const rows = async (): Promise<unknown> => {
  const { rows: found } = await database.execute(
    'select session_hash, member_id from school_session where site = $1 order by member_id',
    [site],
  )
  return found
}
const hashOf = (id: string): string => createHash('sha256').update(id).digest('base64url')

/** Begins a session of somebody who is there. */
async function begin(options: Parameters<Sessions['begin']>[0]): Promise<string> {
  const id = await sessions.begin(options)
  expect(id).not.toBeNull()
  return id!
}

describe('a session', () => {
  it('does not begin for a person who was erased meanwhile', async () => {
    expect(await sessions.begin({ memberId: 'nobody', old: null })).toBeNull()
    expect(await rows()).toEqual([])
  })

  it('belongs to who signed in, since when they did', async () => {
    const id = await begin({ memberId: 'mei', old: null })
    now += 60
    expect(await sessions.find(id)).toEqual({ subject: 'mei', authTime: T })
  })

  it('is invalid if it began in the future: the clock was ahead then', async () => {
    const id = await begin({ memberId: 'mei', old: null })
    now -= 60
    expect(await sessions.find(id)).toEqual({ subject: 'mei', authTime: T })
    now -= 1
    expect(await sessions.find(id)).toBeNull()
  })

  it('ends the one that the browser had before', async () => {
    const old = await begin({ memberId: 'mei', old: null })
    const id = await begin({ memberId: 'noa', old })
    expect(await sessions.find(old)).toBeNull()
    expect(await sessions.find(id)).toEqual({ subject: 'noa', authTime: T })
  })

  it('is in the audit log from its first moment, and once [LOG-02]', async () => {
    const audit = createAudit({ execute: database.execute, site })
    const old = await begin({ memberId: 'mei', old: null })
    await begin({ memberId: 'noa', old })
    const entry = { type: 'session.signed_in', at: T, clientId: null, actor: null }
    const event = { type: 'session.signed_in', at: T }
    expect(await audit.recent({ limit: 10 })).toEqual([
      { ...entry, subject: 'noa', event: { ...event, subject: 'noa' } },
      { ...entry, subject: 'mei', event: { ...event, subject: 'mei' } },
    ])
  })

  it('does not begin, and leaves the old one, if the audit log cannot be written', async () => {
    const old = await begin({ memberId: 'mei', old: null })
    const failing = createSessions({
      execute: async (sql, parameters) => {
        if (sql.includes('school_audit')) throw new Error('the table is full')
        return database.execute(sql, parameters)
      },
      site,
      now: () => now,
    })
    await expect(failing.begin({ memberId: 'noa', old })).rejects.toThrow('the table is full')
    expect(await rows()).toEqual([{ session_hash: hashOf(old), member_id: 'mei' }])
  })

  it('has an identifier that nobody can guess, of which the table holds the hash', async () => {
    const id = await begin({ memberId: 'mei', old: null })
    const other = await begin({ memberId: 'noa', old: null })
    expect(id).toMatch(/^[\w-]{43}$/)
    expect(other).not.toBe(id)
    expect(await rows()).toEqual([
      { session_hash: hashOf(id), member_id: 'mei' },
      { session_hash: hashOf(other), member_id: 'noa' },
    ])
  })

  it('ends twelve hours after it began', async () => {
    const id = await begin({ memberId: 'mei', old: null })
    now = T + HOURS_12 - 1
    expect(await sessions.find(id)).not.toBeNull()
    now = T + HOURS_12
    expect(await sessions.find(id)).toBeNull()
  })

  it('ends when it is ended, and no other with it', async () => {
    const id = await begin({ memberId: 'mei', old: null })
    const other = await begin({ memberId: 'mei', old: null })
    await sessions.end(id)
    expect(await sessions.find(id)).toBeNull()
    expect(await sessions.find(other)).toEqual({ subject: 'mei', authTime: T })
  })

  it('counts at its own site alone', async () => {
    const id = await begin({ memberId: 'mei', old: null })
    const elsewhere = createSessions({ execute: database.execute, site: 'kiln', now: () => now })
    expect(await elsewhere.find(id)).toBeNull()
    await elsewhere.end(id)
    now = T + HOURS_12
    await elsewhere.purge(now)
    expect(await rows()).toHaveLength(1)
  })

  it('is nobody’s where the identifier is unknown', async () => {
    await begin({ memberId: 'mei', old: null })
    expect(await sessions.find('x'.repeat(43))).toBeNull()
  })
})

describe('endAll', () => {
  it('ends every session of its site, expired or not, and says how many they were', async () => {
    await begin({ memberId: 'mei', old: null })
    await database.execute(
      `insert into school_session select $1, i::text, 'noa', 1, i from generate_series(1, 2001) i`,
      [site],
    )
    expect(await sessions.endAll()).toBe(2002)
    expect(await rows()).toEqual([])
    expect(await sessions.endAll()).toBe(0)
  })

  it('ends, even if sessions begin faster than they are ended', async () => {
    const execute = async () => ({ rows: [{}] })
    const endless = createSessions({ execute, site, now: () => now })
    expect(await endless.endAll()).toBe(1000)
  })
})

describe('purge', () => {
  it('removes what has expired, and nothing else', async () => {
    await begin({ memberId: 'mei', old: null })
    now = T + 1
    const id = await begin({ memberId: 'noa', old: null })
    now = T + HOURS_12
    await sessions.purge(now)
    expect(await rows()).toEqual([{ session_hash: hashOf(id), member_id: 'noa' }])
  })

  it('removes as many as have expired, in several steps', async () => {
    await database.execute(
      `insert into school_session select $1, i::text, 'mei', 1, i from generate_series(1, 2001) i`,
      [site],
    )
    await sessions.purge(2000)
    expect(await rows()).toEqual([{ session_hash: '2001', member_id: 'mei' }])
  })
})
