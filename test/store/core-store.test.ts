import { createHealthEndpoints, deliverEvents, deliveryLagSeconds, erasePerson, maintain, revokeAllGrants } from 'hallpass/operations' // prettier-ignore
import { defineSite } from 'hallpass' // prettier-ignore
import { createClientManagement, createConnectedApps } from 'hallpass/clients'
import { createMemoryStore, type Store } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { createKeyRing } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { CORE_RESULTS, STORE_GROUPS } from '../../src/store/groups.js'
import { STORE_RESULTS } from '../../src/store/returned.js'
import { openAccount, SCRIBE } from '../support/school/account-api.js'
import {
  authorizationUrl,
  isAlive,
  PORTFOLIO_FORM,
  PORTFOLIO_REQUEST,
  post,
  refresh,
  signIn,
  tokensOf,
  userinfo,
} from '../support/school/flow.js'
import { createDocumentSchool, NOTES_REQUEST, NOTES_URL } from '../support/school/metadata-documents.js' // prettier-ignore
import { createBrowser, ISSUER, OWNER, type School, STUDENT } from '../support/school/school.js'
import { coreOf, recordingStore } from '../support/school/stores.js'

const DAY = 86_400
const CORE = Object.keys(CORE_RESULTS)

const statusOf = async (school: School, path: string): Promise<number> =>
  (await school.fetch(`${ISSUER}${path}`)).status

describe('the methods of a store', () => {
  it('are the core of twenty and its groups, each in one of them', () => {
    const grouped = Object.values(STORE_GROUPS).flat()
    expect(CORE).toHaveLength(20)
    expect([...CORE, ...grouped].sort()).toEqual(Object.keys(STORE_RESULTS).sort())
  })
})

describe('a store of its core', () => {
  it('serves everything from the registration to the purge, and each of its methods is needed [ST-10]', async () => {
    // A call of any other method is a TypeError.
    const { store, calls } = recordingStore(coreOf(createMemoryStore()) as Store)
    const { school, hosts } = await createDocumentSchool({ store })
    const { faults } = school

    expect(await statusOf(school, '/.well-known/oauth-authorization-server')).toBe(200)
    const registered = await school.fetch(`${ISSUER}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['http://127.0.0.1/cb'], client_name: 'Desk' }),
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    expect([registered.status, client_id]).toEqual([201, expect.any(String)])

    const request = { client_id, redirect_uri: 'http://127.0.0.1:9/cb', scope: 'openid courses:read' } // prettier-ignore
    const owned = await signIn(school, request, { person: OWNER })
    const next = await tokensOf(await refresh(school, owned.refresh_token, { client_id }))
    expect((await userinfo(school, next.access_token)).status).toBe(200)
    const revoke = { token: next.access_token, client_id }
    expect((await post(school, '/api/oauth/revoke', revoke)).status).toBe(200)
    expect(await isAlive(school, next.access_token)).toBe(false)
    const end = { token: next.refresh_token, client_id }
    expect((await post(school, '/api/oauth/revoke', end)).status).toBe(200)
    expect((await refresh(school, next.refresh_token, { client_id })).status).toBe(400)

    // A confidential client, whose consent is remembered.
    await signIn(school, PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM })
    await signIn(school, PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM })
    // A document that is fetched again.
    await signIn(school, NOTES_REQUEST, { person: OWNER })
    school.clock.now += 2 * DAY
    await signIn(school, NOTES_REQUEST, { person: OWNER })
    expect(hosts.fetched).toEqual([NOTES_URL, NOTES_URL])
    school.signedIn = { subject: STUDENT.subject, authTime: school.clock.now }
    const denied = await createBrowser(school).authorize(authorizationUrl(), 'deny')
    expect(denied.searchParams.get('error')).toBe('access_denied')

    const account = await openAccount({}, school)
    const token = await account.tokenFor('openid account:read account:write', { client_id: SCRIBE.clientId }) // prettier-ignore
    const asked = await account.ask(token, '{ viewer { id } }')
    expect([asked.status, await asked.json()]).toEqual([200, { data: { viewer: { id: expect.any(String) } } }]) // prettier-ignore

    const keys = createKeyRing(school.site, {
      sealingSecret: 'a sealing secret of thirty-two characters',
      reloadAfterSeconds: 0,
    })
    await keys.maintain()
    school.clock.now += 400 * DAY
    await keys.maintain()
    const maintained = await maintain(school.site, { keys })
    expect(maintained).toMatchObject({ deletesBefore: school.clock.now - 3900, lagSeconds: 0 })
    expect(maintained.purged).toBeGreaterThan(9)
    expect((await refresh(school, owned.refresh_token, { client_id })).status).toBe(400)

    expect([faults, account.faults]).toEqual([[], []])
    expect([...new Set(calls.map(({ method }) => method))].sort()).toEqual([...CORE].sort())
  })
})

describe('a site whose store has no clock', () => {
  const open = () => testSite({ store: coreOf(createMemoryStore()) as Store })

  it('trusts its own: it issues, and is ready [ST-10]', async () => {
    const { site } = open()
    const keys = createKeyRing(site, { sealingSecret: 's'.repeat(32) })
    await keys.maintain()
    expect(await site.clock.compare()).toEqual({ skewSeconds: null, found: { now: null, mark: null } }) // prettier-ignore
    expect([await site.clock.agrees(), await site.clock.latest()]).toEqual([true, site.now()])
    await site.clock.assertAgrees()
    const { readyz } = createHealthEndpoints(site, { keys })
    expect((await readyz(new Request('https://school.example/readyz'))).status).toBe(200)
  })

  it('finds out that its database is away [ST-10]', async () => {
    const store = {
      ...coreOf(createMemoryStore()),
      findClient: () => Promise.reject(new Error('away')),
    }
    const { site } = testSite({ store: store as unknown as Store })
    const keys = createKeyRing(site, { sealingSecret: 's'.repeat(32) })
    const { readyz } = createHealthEndpoints(site, { keys })
    const response = await readyz(new Request('https://school.example/readyz'))
    expect(await response.json()).toEqual({ status: 'not_ready', failing: ['database'] })
  })

  it('deletes 65 minutes after the end, whatever its clock did before [ST-10]', async () => {
    const { site, clock } = open()
    const keys = createKeyRing(site, { sealingSecret: 's'.repeat(32) })
    const before = clock.now() - 3900
    const first = { deletesBefore: before, purged: 0, lagSeconds: 0, dueSince: before }
    expect(await maintain(site, { keys })).toEqual(first)
    clock.advance(400 * DAY)
    expect((await maintain(site, { keys })).deletesBefore).toBe(clock.now() - 3900)
  })
})

describe('what a store of its core lacks', () => {
  const { site } = testSite({ store: coreOf(createMemoryStore()) as Store })

  it.each([
    ['client management', 'createClientManagement', 'management', 'listClients, revokeGrants, revokeGrantsOfClient', () => createClientManagement(site)],
    ['connected apps', 'createConnectedApps', 'management', 'listClients, revokeGrants, revokeGrantsOfClient', () => createConnectedApps(site)],
    ['event delivery', 'deliverEvents', 'outbox', 'listEvents, deleteEvents', () => deliverEvents(site, { deliver: async () => {} })],
    ['event delivery', 'deliveryLagSeconds', 'outbox', 'listEvents, deleteEvents', () => deliveryLagSeconds(site)],
    ['erasePerson', 'erasePerson', 'erasure', 'erasePerson', () => erasePerson(site, { subject: 'mem_mei' })],
    ['revokeAllGrants', 'revokeAllGrants', 'restore', 'revokeAllGrants', () => revokeAllGrants(site)],
  ] as const)('is named by %s: %s [ST-11]', async (what, needer, group, lacking, ask) => {
    await expect((async () => ask())()).rejects.toThrow(
      `${what}: ${needer} needs the group "${group}" of the store: it lacks ${lacking}`,
    )
  }) // prettier-ignore

  it('is not in the site either, nor anything else of the store [ST-11]', () => {
    const store = { ...createMemoryStore(), listEvents: undefined, deleteEvents: undefined, own: 1 }
    const { store: kept } = testSite({ store: store as unknown as Store }).site
    const names = [...Object.keys(STORE_RESULTS), 'guarantees', 'own']
    expect(names.filter((name) => !(name in kept))).toEqual(['listEvents', 'deleteEvents', 'own'])
    // A method is made when it is first read, and stays the same.
    expect(Object.keys(kept)).toEqual(['guarantees'])
    expect(Reflect.get(kept, 'findClient')).toBe(Reflect.get(kept, 'findClient'))
    expect(Object.keys(kept)).toEqual(['guarantees', 'findClient'])
  })

  it('is no option of defineSite in TypeScript, whatever the options were before [ST-11]', () => {
    const options = testSite().site
    expect(() =>
      defineSite({
        issuer: options.issuer,
        name: options.name,
        scopes: options.scopes,
        roles: options.roles,
        findPerson: options.findPerson,
        store: coreOf(createMemoryStore()),
        // @ts-expect-error The store has no outbox.
        outbox: true,
      }),
    ).toThrow(
      'site: outbox needs the group "outbox" of the store: it lacks listEvents, deleteEvents',
    )
  })
})
