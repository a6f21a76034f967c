import { defineClient } from 'hallpass/clients'
import { createPostgresIdempotency, createPostgresStore } from 'hallpass/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAudit } from '../../../examples/school/src/platform/audit.js'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import { seedDemo } from '../../../examples/school/src/demo/demo.js'
import { createEraseMember, type EraseMember } from '../../../examples/school/src/members/erase.js'
import { createPeople } from '../../../examples/school/src/members/people.js'
import { KILN, LANTERN, type SiteDefinition } from '../../../examples/school/src/sites.js'
import { DATABASE } from '../../support/school/demo-school.js'
import { type Dump, dumpOf, tablesWith } from '../../support/databases/dump.js'
import { type AreaSite, openAreaSite } from '../support/area.js'
import { T } from '../../support/school/school.js'

let database: Database

beforeAll(async () => {
  database = await DATABASE.open()
})
afterAll(() => database.close())

describe(`the demo on ${DATABASE.name}`, () => {
  /** Seeds a school, with its clients and grants in the database too, and returns its erasure. */
  const seeded = async (definition: SiteDefinition): Promise<EraseMember> => {
    const origin = `https://${definition.theme}.example`
    const { execute } = database
    const of = { execute, site: definition.id }
    const people = createPeople(of)
    await seedDemo({ ...of, origin, people, store: createPostgresStore(of), now: () => T })
    return createEraseMember({ definition, origin, database, now: () => T })
  }

  it('keeps no name, address or identifier of a member who is erased, in any table [ST-07]', async () => {
    const [eraseAtLantern, eraseAtKiln] = [await seeded(LANTERN), await seeded(KILN)]
    const { execute } = database
    const site = LANTERN.id
    const words = ['mem_l05', 'Mei-Ling Chou', 'mei-ling.chou@example.com', '+351910000005']
    const idempotency = createPostgresIdempotency({ execute, site })
    const bodies = { about: '{"name":"Mei-Ling Chou"}', other: '{"name":"Priya Nair"}' }
    for (const [keyHash, body] of Object.entries(bodies)) {
      await idempotency.begin({ keyHash, requestHash: 'r', now: T, expiresAt: T + 60 })
      await idempotency.finish({ keyHash, answer: { status: 200, headers: [], body } })
    }
    const before = await dumpOf(database, site)
    expect(tablesWith(before, words)).toEqual([
      'hallpass_code',
      'hallpass_grant',
      'hallpass_idempotency',
      'school_comment',
      'school_enrollment',
      'school_event_registration',
      'school_form_submission',
      'school_lecture_progress',
      'school_order',
      'school_person',
      'school_subscription',
    ])
    const others = await dumpOf(database, KILN.id)

    const erased = await eraseAtLantern('mem_l05')
    if (!erased.ok) throw new Error(erased.reason)
    expect(erased).toEqual({ ok: true, pseudonym: expect.stringMatching(/^mem_/), grants: 3 })
    const after = await dumpOf(database, site)
    expect(tablesWith(after, words)).toEqual([])
    expect(await dumpOf(database, KILN.id)).toEqual(others)
    expect((await eraseAtKiln('mem_l05')).ok).toBe(false)

    const rowsIn = (dump: Dump, table: string): number =>
      dump.filter(([name]) => name === table).length
    for (const table of ['school_order', 'school_comment', 'school_event_registration'])
      expect(rowsIn(after, table)).toBe(rowsIn(before, table))
    const orders = after.filter(([table]) => table === 'school_order').map(([, row]) => row)
    expect(orders.filter((row) => row.includes(erased.pseudonym)).length).toBeGreaterThan(0)
    const again = { requestHash: 'r', now: T, expiresAt: T + 60 }
    expect((await idempotency.begin({ keyHash: 'about', ...again })).state).toBe('running')
    expect((await idempotency.begin({ keyHash: 'other', ...again })).state).toBe('done')
  })

  it('keeps what staff made, under a pseudonym', async () => {
    const eraseMember = await seeded(LANTERN)
    const words = ['mem_l02', 'Tomasz Wilk', 'tomasz.wilk@example.com']
    expect(tablesWith(await dumpOf(database, LANTERN.id), words)).toEqual(
      expect.arrayContaining(['school_page_deployment', 'school_upload']),
    )
    const erased = await eraseMember('mem_l02')
    if (!erased.ok) throw new Error(erased.reason)
    const after = await dumpOf(database, LANTERN.id)
    expect(tablesWith(after, words)).toEqual([])
    expect(tablesWith(after, [erased.pseudonym])).toEqual(
      expect.arrayContaining(['school_audit', 'school_page_deployment', 'school_upload']),
    )
  })

  it('erases neither the owner nor somebody whom the school does not know', async () => {
    const eraseMember = await seeded(LANTERN)
    const before = await dumpOf(database, LANTERN.id)
    expect(await eraseMember('mem_l01')).toEqual({ ok: false, reason: 'owner' })
    for (const nobody of ['mem_k01', '', "' or true --"])
      expect(await eraseMember(nobody)).toEqual({ ok: false, reason: 'unknown_member' })
    expect(await dumpOf(database, LANTERN.id)).toEqual(before)
  })
})

describe(`a member of a school on ${DATABASE.name}`, () => {
  const open = async (): Promise<AreaSite> => {
    const school = await openAreaSite(database)
    const app = defineClient({
      clientId: 'buddy',
      kind: 'member',
      name: 'Study Buddy',
      redirectUris: ['http://127.0.0.1:7777/callback'],
      scopes: ['openid', 'account:read'],
      createdAt: T,
    })
    await school.store.insertClient(app)
    return school
  }
  const connection = { clientId: 'buddy', scope: 'openid account:read' }
  const disconnected = {
    type: 'oauth.client.disconnected',
    at: T,
    clientId: 'buddy',
    clientName: 'Study Buddy',
    grants: 0,
    requestId: null,
  } as const

  it('is signed out and disconnected everywhere as soon as they are erased [ST-07]', async () => {
    const school = await open()
    const { access_token, refresh_token } = await school.connect({ memberId: 'mei', ...connection })
    const other = await school.connect({ memberId: 'jonas', ...connection })
    const browser = await school.browserOf('mei')
    expect((await browser.open('/')).text).toContain('Hello,')
    expect(await school.isAlive(access_token)).toBe(true)

    expect(await school.eraseMember('mei')).toMatchObject({ ok: true, grants: 1 })
    expect(await school.isAlive(access_token)).toBe(false)
    const refreshed = await school.token({
      grant_type: 'refresh_token',
      refresh_token,
      client_id: 'buddy',
    })
    expect([refreshed.status, (await refreshed.json()) as unknown]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_grant' }),
    ])
    expect((await browser.open('/')).text).not.toContain('Hello,')
    expect(await school.people.find('mei')).toBeNull()
    expect(await school.people.findByEmail('mei@example.com')).toBeNull()
    expect(await school.isAlive(other.access_token)).toBe(true)
  })

  it('leaves an audit log with every entry in its place, under one pseudonym [LOG-06]', async () => {
    const school = await open()
    await school.connect({ memberId: 'mei', ...connection })
    await school.connect({ memberId: 'jonas', ...connection })
    await school.connect({ memberId: 'mei', ...connection })
    await school.audit.record({ ...disconnected, actor: 'ines', subject: 'mei' })
    await school.audit.record({ ...disconnected, actor: 'mei', subject: 'jonas' })
    const before = await school.audit.recent({ limit: 100 })
    expect(JSON.stringify(before)).toContain('"mei"')

    const erased = await school.eraseMember('mei')
    if (!erased.ok) throw new Error(erased.reason)
    const { pseudonym } = erased
    const after = await school.audit.recent({ limit: 100 })
    expect(after[1]).toMatchObject({ type: 'oauth.person.erased', actor: null, subject: null })
    expect(after.slice(2)).toEqual(
      JSON.parse(JSON.stringify(before).replaceAll('"mei"', `"${pseudonym}"`)),
    )
    const event = { type: 'member.erased', at: T, subject: pseudonym, grants: 2 }
    expect(after[0]).toMatchObject({ at: T, type: 'member.erased', subject: pseudonym, event })
  })

  it('does not come back into the audit log with what happens a moment later [LOG-06]', async () => {
    const school = await open()
    expect(await school.eraseMember('mei')).toMatchObject({ ok: true })
    await school.audit.record({ ...disconnected, actor: 'ines', subject: 'mei' })
    const [entry] = await school.audit.recent({ limit: 1 })
    expect(entry).toMatchObject({ actor: 'ines', subject: null, clientId: 'buddy' })
    expect(entry?.event).toEqual({ ...disconnected, actor: 'ines', subject: null })
  })

  it('is not in the audit log, whenever an entry is written during the erasure [LOG-06]', async () => {
    const school = await open()
    const entries = Array.from({ length: 40 }, () =>
      school.audit.record({ type: 'session.signed_in', at: T, subject: 'mei' }),
    )
    const [erased] = await Promise.all([school.eraseMember('mei'), ...entries])
    expect(erased.ok).toBe(true)
    const log = await school.audit.recent({ limit: 100 })
    expect(log.filter(({ type }) => type === 'session.signed_in')).toHaveLength(40)
    expect(JSON.stringify(log)).not.toContain('"mei"')
  })

  it('is not in the audit log with an entry whose transaction ends after the erasure began [LOG-06]', async () => {
    const school = await open()
    const state = { isOver: false }
    const erasing = await database.transaction(async (execute) => {
      const audit = createAudit({ execute, site: school.id })
      await audit.record({ type: 'session.signed_in', at: T, subject: 'mei' })
      const erasure = school.eraseMember('mei').then(({ ok }) => {
        state.isOver = true
        return ok
      })
      const waits = async (): Promise<boolean> =>
        (await execute('select from pg_locks where not granted', [])).rows.length > 0
      for (let look = 0; look < 300 && !state.isOver && !(await waits()); look++);
      return { erasure }
    })
    expect(await erasing.erasure).toBe(true)
    const log = await school.audit.recent({ limit: 100 })
    expect(log.map(({ type }) => type)).toContain('session.signed_in')
    expect(JSON.stringify(log)).not.toContain('"mei"')
  })

  it('can be erased again after a fault, which left everything but the access of apps', async () => {
    const school = await open()
    await school.connect({ memberId: 'mei', ...connection })
    await school.changePerson('mei', `phone = '+351910000005'`)
    const { execute } = database
    await execute('alter table school_form_submission rename to school_elsewhere', [])
    try {
      await expect(school.eraseMember('mei')).rejects.toThrow('school_form_submission')
    } finally {
      await execute('alter table school_elsewhere rename to school_form_submission', [])
    }
    expect(await school.people.find('mei')).toMatchObject({ name: 'Mei-Ling Chou' })
    expect(await school.eraseMember('mei')).toMatchObject({ ok: true, grants: 0 })
    expect(await school.people.find('mei')).toBeNull()
  })

  it('is erased once, however often that is asked for at the same time', async () => {
    const school = await open()
    const calls = await Promise.all([1, 2, 3].map(() => school.eraseMember('mei')))
    expect(calls.filter(({ ok }) => ok)).toHaveLength(1)
  })
})
