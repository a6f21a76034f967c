import { defineSite, OptionsError, type SiteOptions } from 'hallpass'
import { createConnectedApps } from 'hallpass/clients'
import { describe, expect, it } from 'vitest'
import { NOTES_DOCUMENT, NOTES_REQUEST, NOTES_URL } from '../support/school/metadata-documents.js'
import { generic, refresh, refusalOf, signIn } from '../support/school/flow.js'
import { breakableStore, FAULT_TEXT, storeWithoutNul } from '../support/school/stores.js'
import { ACME, OWNER, PORTFOLIO_HUB, STUDENT, STUDY_BUDDY, T } from '../support/school/school.js'
import {
  codeFor,
  connect,
  createDiary,
  createOffice,
  DRAFT,
  exchange,
  granted,
  isAsked,
  MANAGER,
  NOOR,
  type Office,
  rightOf,
} from './support.js'

const connectionsOf = (
  { school, events, faults }: Office,
  options: Partial<SiteOptions> = {},
): ReturnType<typeof createConnectedApps> =>
  createConnectedApps(
    defineSite({
      ...school.siteOptions,
      onEvent: (event) => events.push(event),
      onFault: ({ fault }) => faults.push(fault),
      ...options,
    }),
  )

const ACME_CLIENT = { client: { ...STUDY_BUDDY, ...ACME } }

describe('the list of a person', () => {
  it('is empty for somebody who has connected nothing', async () => {
    const office = await createOffice()
    await connect(office, { client: STUDY_BUDDY }, { scope: 'openid account:read' })
    expect(await connectionsOf(office).list(NOOR.subject)).toEqual([])
  })

  it('shows each client once, with what all its grants hold, when they began and were last used', async () => {
    const office = await createOffice()
    const { school } = office
    const diary = await createDiary(office)
    await connect(office, diary, { scope: 'account:write openid' })
    school.clock.now = T + 10
    const { refresh_token } = await connect(office, diary, { scope: 'openid account:read' })
    await connect(office, diary, { person: NOOR, scope: 'openid email account:read' })
    school.clock.now = T + 30
    const form = { client_id: diary.client.clientId, client_secret: diary.clientSecret }
    expect((await refresh(school, refresh_token, form)).status).toBe(200)

    const client = (await school.store.findClient(diary.client.clientId))!
    expect(await connectionsOf(office).list(STUDENT.subject)).toEqual([
      {
        client,
        scopes: ['openid', 'account:read', 'account:write'],
        since: T,
        endsAt: T + 10 + 180 * 86_400,
        lastIssuedAt: T + 30,
      },
    ])
  })

  it('says when the access ends: with the last grant, or with the client [END-07]', async () => {
    const office = await createOffice()
    const diary = await createDiary(office)
    await connect(office, diary)
    office.school.clock.now = T + 10
    await connect(office, diary)
    const endsAt = async () =>
      (await connectionsOf(office).list(STUDENT.subject)).map((app) => app.endsAt)
    expect(await endsAt()).toEqual([T + 10 + 180 * 86_400])
    const { clientId } = diary.client
    granted(await office.administration.setEnd(MANAGER, { clientId, endsAt: T + 60 }))
    expect(await endsAt()).toEqual([T + 60])
  })

  it('begins with the client that was used last', async () => {
    const office = await createOffice()
    const names = async (): Promise<readonly string[]> =>
      (await connectionsOf(office).list(STUDENT.subject)).map(({ client }) => client.name)
    const diary = await createDiary(office)
    const buddy = await connect(office, { client: STUDY_BUDDY }, { scope: 'openid account:read' })
    office.school.clock.now = T + 1
    await connect(office, diary)
    expect(await names()).toEqual(['Sketch Diary', 'Study Buddy'])
    office.school.clock.now = T + 2
    await refresh(office.school, buddy.refresh_token)
    expect(await names()).toEqual(['Study Buddy', 'Sketch Diary'])
  })

  it('shows clients of the configuration and of documents as well', async () => {
    const office = await createOffice()
    await connect(office, ACME_CLIENT, { person: OWNER, scope: 'openid courses:read' })
    office.school.clock.now = T + 1
    await signIn(office.school, NOTES_REQUEST, { person: OWNER })
    expect(await connectionsOf(office).list(OWNER.subject)).toMatchObject([
      { client: { clientId: NOTES_URL, kind: 'document' }, scopes: ['openid', 'courses:read'] },
      { client: { clientId: ACME.clientId, kind: 'vendor' }, scopes: ['openid', 'courses:read'] },
    ])
  })

  it('takes a pinned document as the configuration has it', async () => {
    const office = await createOffice()
    await signIn(office.school, NOTES_REQUEST, { person: OWNER })
    const metadata = { ...NOTES_DOCUMENT, client_name: 'Notes, pinned' }
    const pinnedDocuments = [{ metadata, scopes: null, checkedOn: '2026-11-01' }]
    const [connection] = await connectionsOf(office, { pinnedDocuments }).list(OWNER.subject)
    expect(connection).toMatchObject({ client: { name: 'Notes, pinned' } })
  })

  it('leaves out scopes that the client may use no more', async () => {
    const office = await createOffice()
    const diary = await createDiary(office)
    await connect(office, diary)
    const draft = { ...DRAFT, scopes: ['account:write'] }
    const edit = { clientId: diary.client.clientId, revision: 1, draft }
    granted(await office.administration.edit(MANAGER, edit))
    const [connection] = await connectionsOf(office).list(STUDENT.subject)
    expect(connection!.scopes).toEqual(['openid', 'account:write'])
  })

  it('leaves out what was disconnected, removed, or is past its time', async () => {
    const office = await createOffice()
    const { school, administration } = office
    const [disconnected, removed] = [await createDiary(office), await createDiary(office)]
    for (const one of [disconnected, removed]) await connect(office, one)
    await connect(office, { client: STUDY_BUDDY }, { scope: 'openid account:read' })
    const connections = connectionsOf(office)
    const { clientId } = disconnected.client
    granted(await administration.disconnectEveryone(MANAGER, clientId))
    granted(await administration.remove(MANAGER, removed.client.clientId))
    const left = await connections.list(STUDENT.subject)
    expect(left.map(({ client }) => client.name)).toEqual(['Study Buddy'])
    school.clock.now = T + 180 * 86_400
    expect(await connections.list(STUDENT.subject)).toEqual([])
  })

  it('leaves out a platform that the configuration names no more', async () => {
    const office = await createOffice()
    await connect(office, ACME_CLIENT, { person: OWNER, scope: 'openid courses:read' })
    expect(await connectionsOf(office, { vendors: [] }).list(OWNER.subject)).toEqual([])
  })

  it('shows a client that is switched off, and why', async () => {
    const office = await createOffice()
    const diary = await createDiary(office)
    await connect(office, diary)
    granted(await office.administration.disable(MANAGER, diary.client.clientId))
    const [off] = await connectionsOf(office).list(STUDENT.subject)
    expect(off!.client).toMatchObject({ disabled: true })
    expect(off!.client).not.toHaveProperty('disabledBy')
    granted(await office.administration.enable(MANAGER, diary.client.clientId))

    let isOn = false
    const connections = connectionsOf(office, { memberClients: async () => isOn })
    const [all] = await connections.list(STUDENT.subject)
    expect(all!.client).toMatchObject({ disabled: true, disabledBy: 'member_clients_off' })
    isOn = true
    const [on] = await connections.list(STUDENT.subject)
    expect(on!.client).toMatchObject({ disabled: false })
  })
})

describe('disconnecting', () => {
  it('ends tokens, waiting codes and remembered consent at once, and nobody else’s', async () => {
    const office = await createOffice()
    const diary = await createDiary(office)
    const { clientId } = diary.client
    const tokens = await connect(office, diary)
    const others = await connect(office, diary, { person: NOOR })
    const code = await codeFor(office, diary.client)
    const connections = connectionsOf(office)
    office.events.length = 0

    expect(await connections.disconnect({ subject: STUDENT.subject, clientId })).toBe(1)
    expect(await rightOf(office, tokens)).toBe(401)
    const form = { client_id: clientId, client_secret: diary.clientSecret }
    expect(await refusalOf(await refresh(office.school, tokens.refresh_token, form))).toEqual(
      generic('invalid_grant'),
    )
    expect(await refusalOf(await exchange(office, diary, code))).toEqual(generic('invalid_grant'))
    expect(await isAsked(office, diary.client)).toBe(true)
    expect(await connections.list(STUDENT.subject)).toEqual([])
    expect(await rightOf(office, others)).toEqual(['openid', 'account:read', 'account:write'])
    expect(office.events).toEqual([
      {
        type: 'oauth.client.disconnected',
        at: T,
        clientId,
        clientName: 'Sketch Diary',
        actor: 'mem_mei',
        subject: 'mem_mei',
        grants: 1,
        requestId: null,
      },
    ])
  })

  it('ends every grant that a person gave the client, and none of another client', async () => {
    const office = await createOffice()
    const { school } = office
    const secret = { client: PORTFOLIO_HUB, clientSecret: 'portfolio-hub-demo-secret' }
    const both = [await connect(office, secret), await connect(office, secret)]
    const other = await connect(office, { client: STUDY_BUDDY }, { scope: 'openid account:read' })
    const { clientId } = PORTFOLIO_HUB
    const ended = await connectionsOf(office).disconnect({ subject: STUDENT.subject, clientId })
    expect(ended).toBe(2)
    for (const tokens of both) expect(await rightOf({ school }, tokens)).toBe(401)
    expect(await rightOf({ school }, other)).toEqual(['openid', 'account:read'])
  })

  it('works for a client that is switched off, and for one of the configuration', async () => {
    const office = await createOffice()
    const diary = await createDiary(office)
    const { clientId } = diary.client
    const tokens = await connect(office, diary)
    const acme = await connect(office, ACME_CLIENT, { person: OWNER, scope: 'openid courses:read' })
    granted(await office.administration.disable(MANAGER, clientId))
    const connections = connectionsOf(office)
    expect(await connections.disconnect({ subject: STUDENT.subject, clientId })).toBe(1)
    granted(await office.administration.enable(MANAGER, clientId))
    expect(await rightOf(office, tokens)).toBe(401)
    const own = { subject: OWNER.subject, clientId: ACME.clientId }
    expect(await connections.disconnect(own)).toBe(1)
    expect(await rightOf(office, acme)).toBe(401)
  })

  it('finds nothing a second time', async () => {
    const office = await createOffice()
    await connect(office, { client: STUDY_BUDDY }, { scope: 'openid account:read' })
    const connections = connectionsOf(office)
    const own = { subject: STUDENT.subject, clientId: STUDY_BUDDY.clientId }
    expect([await connections.disconnect(own), await connections.disconnect(own)]).toEqual([1, 0])
  })

  it.each(['nobody', '', 'nobody\u0000', 'a'.repeat(5000)])(
    'ends nothing and tells nothing where nobody knows the client',
    async (clientId) => {
      const office = await createOffice({ store: storeWithoutNul() })
      const own = { subject: STUDENT.subject, clientId }
      expect(await connectionsOf(office).disconnect(own)).toBe(0)
      expect(office.events).toEqual([])
    },
  )

  it('is done where the listener throws', async () => {
    const office = await createOffice()
    const scope = 'openid account:read'
    const tokens = await connect(office, { client: STUDY_BUDDY }, { scope })
    const connections = connectionsOf(office, {
      onEvent: () => {
        throw new Error('the log is full')
      },
    })
    const own = { subject: STUDENT.subject, clientId: STUDY_BUDDY.clientId }
    expect(await connections.disconnect(own)).toBe(1)
    expect(await rightOf(office, tokens)).toBe(401)
    expect(office.faults).toEqual([new Error('the log is full')])
  })
})

describe('a storage that fails', () => {
  const FAILURE = { name: 'StorageFailure', cause: new Error(FAULT_TEXT) }

  it.each(['listGrants', 'findClient'] as const)('makes the list reject: %s', async (method) => {
    const { store, fail } = breakableStore()
    const office = await createOffice({ store })
    await connect(office, { client: STUDY_BUDDY }, { scope: 'openid account:read' })
    fail(method)
    await expect(connectionsOf(office).list(STUDENT.subject)).rejects.toMatchObject(FAILURE)
  })

  it.each(['findClient', 'revokeGrants'] as const)(
    'makes disconnecting reject, and tells of nothing: %s',
    async (method) => {
      const { store, fail } = breakableStore()
      const office = await createOffice({ store })
      const scope = 'openid account:read'
      const tokens = await connect(office, { client: STUDY_BUDDY }, { scope })
      fail(method)
      const own = { subject: STUDENT.subject, clientId: STUDY_BUDDY.clientId }
      await expect(connectionsOf(office).disconnect(own)).rejects.toMatchObject(FAILURE)
      fail(null)
      expect(await rightOf(office, tokens)).toEqual(['openid', 'account:read'])
      expect(office.events).toEqual([])
    },
  )

  it('takes a switch that cannot be asked for its own fault', async () => {
    const office = await createOffice()
    await connect(office, { client: STUDY_BUDDY }, { scope: 'openid account:read' })
    const memberClients = (): Promise<boolean> => Promise.reject(new Error(FAULT_TEXT))
    const connections = connectionsOf(office, { memberClients })
    await expect(connections.list(STUDENT.subject)).rejects.toMatchObject(FAILURE)
  })
})

describe('createConnectedApps', () => {
  it('refuses what defineSite did not make', () => {
    expect(() => createConnectedApps({ issuer: 'https://school.example' } as never)).toThrow(
      new OptionsError('connected apps', [
        'the first argument must be a site created by defineSite, not an object',
      ]),
    )
  })
})

it('what a person disconnects says so where it is kept', async () => {
  const office = await createOffice()
  const diary = await createDiary(office)
  await connect(office, diary)
  const { clientId } = diary.client
  const reasons: unknown[] = []
  const { store } = office.school
  const kept = {
    ...store,
    revokeGrants(ended: Parameters<typeof store.revokeGrants>[0]) {
      reasons.push(ended.revokedReason)
      return store.revokeGrants(ended)
    },
  }
  const ending = { subject: STUDENT.subject, clientId }
  expect(await connectionsOf(office, { store: kept }).disconnect(ending)).toBe(1)
  expect(reasons).toEqual(['disconnected_by_person'])
})
