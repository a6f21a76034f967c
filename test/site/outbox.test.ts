import { defineSite, type SiteEvent } from 'hallpass'
import { deliverEvents, deliveryLagSeconds, erasePerson, maintain } from 'hallpass/operations'
import { createClientManagement, createConnectedApps } from 'hallpass/clients'
import { createMemoryStore, type Store, StorageFailure, type StoredEvent } from 'hallpass/store'
import { testSite, type TestSite, withFault } from 'hallpass/testing'
import { createKeyRing } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { DRAFT, granted, MANAGER } from '../clients/support.js'
import {
  createDocumentSchool,
  NOTES_DOCUMENT,
  NOTES_REQUEST,
} from '../support/school/metadata-documents.js'
import { approve, authorizationUrl, post, redeem, refresh, signIn } from '../support/school/flow.js'
import { createBrowser, ISSUER, OWNER, type School, STUDENT, T } from '../support/school/school.js'

const register = (school: School, name: string): Promise<Response> =>
  school.fetch(`${ISSUER}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: ['http://127.0.0.1/callback'] }),
  })

/** Does everything that changes what a store holds, and some that changes nothing. */
async function visitAll(
  outbox: boolean,
): Promise<{ school: School; events: readonly SiteEvent[] }> {
  const store = createMemoryStore()
  const events: SiteEvent[] = []
  const onEvent = (event: SiteEvent): number => events.push(event)
  const { school, hosts } = await createDocumentSchool({ store, options: { outbox, onEvent } })
  const { clock } = school
  // Those of the first key, which the school created without a hook.
  await store.deleteEvents((await store.listEvents({ limit: 10 })).map(({ id }) => id))
  const site = defineSite(school.siteOptions)
  const keys = createKeyRing(site, {
    sealingSecret: 'a sealing secret of thirty-two characters',
    rotateAfterSeconds: 1,
    jwksMaxAgeSeconds: 0,
    reloadAfterSeconds: 0,
  })

  await register(school, 'Notes on paper')
  school.signedIn = { subject: STUDENT.subject, authTime: T }
  await createBrowser(school).authorize(authorizationUrl(), 'deny')
  const first = await signIn(school)
  await refresh(school, first.refresh_token)
  await refresh(school, first.refresh_token)
  await post(school, '/api/oauth/revoke', {
    client_id: 'study-buddy',
    token: first.access_token,
  })
  await post(school, '/api/oauth/revoke', {
    client_id: 'study-buddy',
    token: first.refresh_token,
  })
  const code = await approve(school)
  await redeem(school, code)
  clock.now += 6
  await redeem(school, code)
  await redeem(school, code)
  await signIn(school)
  await createConnectedApps(site).disconnect({
    subject: STUDENT.subject,
    clientId: 'study-buddy',
  })

  school.signedIn = { subject: OWNER.subject, authTime: clock.now }
  await createBrowser(school).open(authorizationUrl(NOTES_REQUEST))
  clock.now += 90_000
  hosts.answer = () => Response.json({ ...NOTES_DOCUMENT, client_name: 'Notes 2' })
  await createBrowser(school).open(authorizationUrl(NOTES_REQUEST))

  const clients = createClientManagement(site)
  const { client } = granted(await clients.create(MANAGER, DRAFT))
  const { clientId } = client
  granted(await clients.edit(MANAGER, { clientId, revision: 1, draft: DRAFT }))
  granted(await clients.disable(MANAGER, clientId))
  granted(await clients.rotateSecret(MANAGER, { clientId, overlapSeconds: 60 }))
  granted(await clients.disconnectEveryone(MANAGER, clientId))
  granted(await clients.remove(MANAGER, clientId))

  await keys.maintain()
  clock.now += 10
  await keys.maintain()
  await store.moveClock({ from: null, to: { trustedAt: clock.now, leap: null } })
  clock.now += 90_000
  await maintain(site, { keys })
  await erasePerson(site, { subject: 'mem_other' })
  return { school, events }
}

describe('a site with an outbox', () => {
  it('keeps the event of each change, as onEvent receives it, and no other [EVT-01]', async () => {
    const { school, events } = await visitAll(true)
    const kept = await school.store.listEvents({ limit: 1000 })
    expect(events.filter(({ id }) => id !== undefined)).toEqual(kept)
    expect(new Set(kept.map(({ id }) => id)).size).toBe(kept.length)
    const typesOf = (list: readonly { type: string }[]): readonly string[] =>
      [...new Set(list.map(({ type }) => type))].sort()
    expect(typesOf(kept)).toEqual([
      'oauth.authorization.approved',
      'oauth.authorization.code_redeemed',
      'oauth.authorization.code_replayed',
      'oauth.authorization.denied',
      'oauth.client.cimd.changed',
      'oauth.client.cimd.fetched',
      'oauth.client.created',
      'oauth.client.deleted',
      'oauth.client.disabled',
      'oauth.client.disconnected',
      'oauth.client.registered',
      'oauth.client.secret_rotated',
      'oauth.client.updated',
      'oauth.clock.leapt',
      'oauth.grant.created',
      'oauth.grant.revoked',
      'oauth.key.activated',
      'oauth.key.published',
      'oauth.key.retired',
      'oauth.person.erased',
      'oauth.token.issued',
      'oauth.token.refreshed',
      'oauth.token.revoked',
    ])
    // The second replay changed nothing.
    expect(typesOf(events.filter(({ id }) => id === undefined))).toEqual([
      'oauth.authorization.code_replayed',
      'oauth.authorization.requested',
      'oauth.grant.reuse_recovered',
    ])
  })

  it('reports the same without an outbox, and keeps nothing [EVT-01]', async () => {
    const { school, events } = await visitAll(false)
    expect(await school.store.listEvents({ limit: 1000 })).toEqual([])
    expect(events.filter((event) => 'id' in event)).toEqual([])
    const told = (await visitAll(true)).events.map(({ type }) => type)
    expect(events.map(({ type }) => type)).toEqual(told)
  })

  it('keeps the number of grants that were ended [EVT-01]', async () => {
    const { site, tokenFor, events } = testSite({ outbox: true })
    for (let grant = 0; grant < 2; grant++) await tokenFor({ subject: 'mem_mei' }, 'account:read')
    const connection = { subject: 'mem_mei', clientId: 'test-member' }
    expect(await createConnectedApps(site).disconnect(connection)).toBe(2)
    await erasePerson(site, { subject: 'mem_mei' })
    const kept = await site.store.listEvents({ limit: 10 })
    expect(kept.map(({ type, grants, subject }) => [type, grants, subject])).toEqual([
      ['oauth.client.disconnected', 2, null],
      ['oauth.person.erased', 2, undefined],
    ])
    expect(events).toMatchObject([{ grants: 2 }, { grants: 2 }])
  })

  it('keeps no event that names an erased person [EVT-05]', async () => {
    const { school } = await visitAll(true)
    const { store, site } = school
    const before = await store.listEvents({ limit: 1000 })
    expect(JSON.stringify(before)).toContain(STUDENT.subject)
    await erasePerson(site, { subject: STUDENT.subject })
    const after = await store.listEvents({ limit: 1000 })
    expect(JSON.stringify(after)).not.toContain(STUDENT.subject)
    expect(after.slice(0, -1).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  })

  it('keeps nothing of a request that lost a race [EVT-01]', async () => {
    const { school } = await createDocumentSchool({ options: { outbox: true } })
    const code = await approve(school)
    await Promise.all([redeem(school, code), redeem(school, code), redeem(school, code)])
    const kept = await school.store.listEvents({ limit: 100 })
    expect(kept.filter(({ type }) => type === 'oauth.grant.created')).toHaveLength(1)
  })

  it('keeps no code, token or secret [EVT-01]', async () => {
    const { school } = await visitAll(true)
    const kept = await school.store.listEvents({ limit: 1000 })
    // Within a word only a whole token: a random identifier holds a prefix now and then.
    expect(JSON.stringify(kept)).not.toMatch(/(?<![\w-])hp[a-z]_|hp[a-z]_[\w-]{43}/)
  })
})

/** A site with some events that wait: one for each erasure, with the time of it. */
async function withEvents(count: number, store: Store = createMemoryStore()): Promise<TestSite> {
  const test = testSite({ outbox: true, store })
  for (let index = 0; index < count; index++) {
    await erasePerson(test.site, { subject: `mem_${index}` })
    test.clock.advance(1)
  }
  return test
}

describe('deliverEvents', () => {
  it('delivers every event once, in order, in batches, and deletes it [EVT-03]', async () => {
    const { site, events } = await withEvents(25)
    const batches: (readonly StoredEvent[])[] = []
    const deliver = async (batch: readonly StoredEvent[]): Promise<void> => {
      batches.push(batch)
    }
    expect(await deliverEvents(site, { deliver, limit: 10 })).toEqual({
      delivered: 25,
      isComplete: true,
    })
    expect(batches.map(({ length }) => length)).toEqual([10, 10, 5])
    expect(batches.flat()).toEqual(events)
    expect(await deliverEvents(site, { deliver })).toEqual({ delivered: 0, isComplete: true })
    expect(batches).toHaveLength(3)
  })

  it('keeps what was not delivered, and delivers it again [EVT-03]', async () => {
    const { site, events } = await withEvents(25)
    const delivered: StoredEvent[] = []
    let calls = 0
    const deliver = async (batch: readonly StoredEvent[]): Promise<void> => {
      delivered.push(...batch)
      if (++calls === 2) throw new Error('the audit log is full')
    }
    await expect(deliverEvents(site, { deliver, limit: 10 })).rejects.toThrow(StorageFailure)
    expect(delivered).toHaveLength(20)
    expect(await deliverEvents(site, { deliver, limit: 10 })).toMatchObject({ delivered: 15 })
    expect([...new Map(delivered.map((event) => [event.id, event])).values()]).toEqual(events)
  })

  it('delivers again what could not be deleted [EVT-03]', async () => {
    const store = withFault(createMemoryStore(), { method: 'deleteEvents', times: 1 })
    const { site, events } = await withEvents(3, store)
    const delivered: StoredEvent[] = []
    const deliver = async (batch: readonly StoredEvent[]): Promise<void> => {
      delivered.push(...batch)
    }
    await expect(deliverEvents(site, { deliver })).rejects.toThrow(StorageFailure)
    await deliverEvents(site, { deliver })
    expect(delivered).toEqual([...events, ...events])
  })

  it('gives up a delivery that takes too long, and keeps its events [EVT-03]', async () => {
    const { site, events } = await withEvents(3)
    const deliver = (): Promise<void> => new Promise(() => {})
    const late = await deliverEvents(site, { deliver, deadlineMilliseconds: 1 }).catch(
      (fault: StorageFailure) => fault,
    )
    expect(late).toMatchObject({
      cause: { message: 'deliver did not respond within 1 ms' },
    })
    expect(await site.store.listEvents({ limit: 10 })).toEqual(events)
  })

  it('ends although events are added as fast as it delivers them [EVT-03]', async () => {
    const { site } = await withEvents(1)
    let calls = 0
    const deliver = async (): Promise<void> => {
      calls++
      await erasePerson(site, { subject: 'mem_next' })
    }
    expect(await deliverEvents(site, { deliver, limit: 1 })).toEqual({
      delivered: 100,
      isComplete: false,
    })
    expect(calls).toBe(100)
  })

  it('delivers every event, in order, to several readers at once [EVT-03]', async () => {
    const { site, events } = await withEvents(50)
    const first = new Map<string, StoredEvent>()
    const deliver = async (batch: readonly StoredEvent[]): Promise<void> => {
      for (const event of batch) {
        if (!first.has(event.id)) first.set(event.id, event)
        await Promise.resolve()
      }
    }
    await Promise.all([3, 5, 7].map((limit) => deliverEvents(site, { deliver, limit })))
    expect([...first.values()]).toEqual(events)
    expect(await site.store.listEvents({ limit: 10 })).toEqual([])
  })

  it('names every mistake in its options, and a site without an outbox [EVT-03]', async () => {
    const { site } = testSite({ outbox: true })
    const wrong = { deliver: 1, limit: 0, deadlineMilliseconds: 0 } as never
    await expect(deliverEvents(site, wrong)).rejects.toThrow(
      /deliver must be .*; limit must be .*; deadlineMilliseconds must be /,
    )
    const without = testSite().site
    const refusal = 'the site must be defined with outbox: true'
    await expect(deliverEvents(without, { deliver: async () => {} })).rejects.toThrow(refusal)
    await expect(deliveryLagSeconds(without)).rejects.toThrow(refusal)
  })
})

describe('deliveryLagSeconds', () => {
  it('returns the age of the oldest event that waits, and 0 without one [EVT-03]', async () => {
    const { site, clock } = await withEvents(3)
    expect(await deliveryLagSeconds(site)).toBe(3)
    clock.advance(-60)
    expect(await deliveryLagSeconds(site)).toBe(0)
    await deliverEvents(site, { deliver: async () => {} })
    clock.advance(3600)
    expect(await deliveryLagSeconds(site)).toBe(0)
  })
})
