import { type ClientManagement, createClientManagement } from 'hallpass/clients'
import { type MemberClientDraft } from 'hallpass/clients'
import { defineSite } from 'hallpass'
import { createMemoryStore } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { NOTES_DOCUMENT, NOTES_REQUEST, NOTES_URL } from '../support/school/metadata-documents.js'
import {
  authorizationUrl,
  generic,
  notAuthenticated,
  reasonsOf,
  refresh,
  refusalOf,
  type Tokens,
  tokensOf,
} from '../support/school/flow.js'
import {
  breakableStore,
  FAULT_TEXT,
  storeWithoutNul,
  withResult,
} from '../support/school/stores.js'
import { ACME, createBrowser, OWNER, STUDENT, T } from '../support/school/school.js'
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
  peopleOf,
  requestOf,
  rightOf,
} from './support.js'
import { CHANGED_MEANWHILE } from '../../src/clients/client-changes.js'

const UNKNOWN = {
  ok: false,
  error: 'invalid_request',
  reason: 'client_unknown',
  description: 'no app has this identifier',
}
const HELD = ['openid', 'account:read', 'account:write']

/** Opens the authorization endpoint and gives the reason that it refuses a client with. */
async function reasonAtAuthorize(office: Office, ...client: Parameters<typeof requestOf>) {
  const { school } = office
  school.signedIn = { subject: STUDENT.subject, authTime: school.clock.now }
  school.refusals.length = 0
  await createBrowser(school).open(authorizationUrl(requestOf(...client)))
  return reasonsOf(school)
}

const refreshed = (
  { school }: Office,
  { client, clientSecret }: { client: { clientId: string }; clientSecret: string },
  { refresh_token }: Tokens,
): Promise<Response> =>
  refresh(school, refresh_token, { client_id: client.clientId, client_secret: clientSecret })

describe('creating a client', () => {
  it('gives a confidential client a secret, once, with which it exchanges a code', async () => {
    const office = await createOffice()
    const { client, clientSecret } = await createDiary(office)
    expect(client).toEqual({
      clientId: expect.stringMatching(/^member_[\w-]{43}$/) as string,
      kind: 'member',
      ...DRAFT,
      secrets: [{ hash: hashToken(clientSecret), expiresAt: null }],
      disabled: false,
      about: null,
      revision: 1,
      createdAt: T,
      usedAt: null,
      deletedAt: null,
      endsAt: null,
      document: null,
    })
    expect(clientSecret).toMatch(/^hps_[\w-]{43}$/)
    expect(await office.school.store.findClient(client.clientId)).toEqual(client)

    const code = await codeFor(office, client)
    const wrong = await exchange(office, { client, clientSecret: 'guess' }, code)
    expect(await refusalOf(wrong)).toEqual(notAuthenticated('secret'))
    expect(await refusalOf(await exchange(office, { client }, code))).toEqual(
      notAuthenticated('no secret'),
    )
    const tokens = await tokensOf(await exchange(office, { client, clientSecret }, code))
    expect(await rightOf(office, tokens)).toEqual(HELD)
  })

  it('gives a public client none', async () => {
    const office = await createOffice()
    const draft: MemberClientDraft = { ...DRAFT, tokenEndpointAuthMethod: 'none' }
    const created = granted(await office.administration.create(MANAGER, draft))
    expect(created).toMatchObject({
      clientSecret: null,
      client: { tokenEndpointAuthMethod: 'none', secrets: [] },
    })
    expect(await rightOf(office, await connect(office, created as never))).toEqual(HELD)
  })

  it('gives every client an identifier and a secret of its own', async () => {
    const office = await createOffice()
    const [one, other] = [await createDiary(office), await createDiary(office)]
    expect(one.client.clientId).not.toBe(other.client.clientId)
    expect(one.clientSecret).not.toBe(other.clientSecret)
  })

  it('refuses a draft with everything that is wrong with it, and keeps nothing', async () => {
    const office = await createOffice()
    const draft = { ...DRAFT, redirectUris: ['javascript:alert(1)'], scopes: ['courses:write'] }
    const before = await office.school.store.listClients(EVERY_MEMBER)
    expect(await office.administration.create(MANAGER, draft)).toEqual({
      ok: false,
      error: 'invalid_client_metadata',
      reason: 'redirect_uri_not_allowed',
      description: expect.stringMatching(/^javascript:alert\(1\) must use https/) as string,
      faults: [
        expect.objectContaining({ field: 'redirectUris', value: 'javascript:alert(1)' }),
        {
          field: 'scopes',
          value: 'courses:write',
          reason: 'scope_of_other_audience',
          description: 'courses:write is not available to apps for members.',
        },
      ],
    })
    expect(await office.school.store.listClients(EVERY_MEMBER)).toEqual(before)
    expect(office.events).toEqual([])
  })

  it('asks the options which addresses are loopback and which schemes are an app’s', async () => {
    const office = await createOffice({ loopbackHosts: ['127.0.0.1'], appSchemes: ['diary'] })
    const redirectUris = ['diary:/cb', 'http://127.0.0.1/cb', 'vscode:/cb', 'http://localhost/cb']
    expect(await office.administration.create(MANAGER, { ...DRAFT, redirectUris })).toMatchObject({
      faults: [{ value: 'vscode:/cb' }, { value: 'http://localhost/cb' }],
    })
  })

  it('refuses while the site lets no member clients in [REG-29] [ADM-05]', async () => {
    let isOn = false
    const office = await createOffice({ memberClients: async () => isOn })
    expect(await office.administration.create(MANAGER, DRAFT)).toEqual({
      ok: false,
      error: 'access_denied',
      reason: 'member_clients_off',
      description: 'apps for members are switched off at this site',
    })
    isOn = true
    expect(await office.administration.create(MANAGER, DRAFT)).toMatchObject({ ok: true })
  })

  it('throws where the store says that 256 random bits are taken', async () => {
    const store = withResult(createMemoryStore(), 'insertClient', () => 'exists')
    const office = await createOffice({ store })
    await expect(office.administration.create(MANAGER, DRAFT)).rejects.toThrow(
      'client identifier is taken',
    )
    expect(office.events).toEqual([])
  })
})

const EVERY_MEMBER = {
  kinds: ['member'] as const,
  search: null,
  after: null,
  limit: 100,
  now: T,
}

describe('editing a client', () => {
  it('changes what people read and where codes may go', async () => {
    const office = await createOffice()
    const { client } = await createDiary(office)
    const draft = { ...DRAFT, name: 'Drawing Diary', redirectUris: ['https://new.example/cb'] }
    const edited = granted(
      await office.administration.edit(MANAGER, { clientId: client.clientId, revision: 1, draft }),
    ).client
    expect(edited).toEqual({
      ...client,
      name: 'Drawing Diary',
      redirectUris: ['https://new.example/cb'],
      revision: 2,
    })
    expect(await office.school.store.findClient(client.clientId)).toEqual(edited)
    expect(await reasonAtAuthorize(office, client)).toEqual(['redirect_uri_not_registered'])
    expect(await reasonAtAuthorize(office, edited)).toEqual([])
  })

  it('shrinks tokens that are out at once, and narrows what a refresh gives [ADM-06]', async () => {
    const office = await createOffice()
    const diary = await createDiary(office)
    const tokens = await connect(office, diary)
    expect(await rightOf(office, tokens)).toEqual(HELD)

    const { clientId } = diary.client
    const draft = { ...DRAFT, scopes: ['account:read'] }
    granted(await office.administration.edit(MANAGER, { clientId, revision: 1, draft }))
    expect(await rightOf(office, tokens)).toEqual(['openid', 'account:read'])
    const next = await tokensOf(await refreshed(office, diary, tokens))
    expect(next.scope).toBe('openid account:read')
    expect(await reasonAtAuthorize(office, diary.client)).toEqual(['scope_not_allowed_for_client'])

    granted(await office.administration.edit(MANAGER, { clientId, revision: 2, draft: DRAFT }))
    expect(await rightOf(office, next)).toEqual(['openid', 'account:read'])
  })

  it('refuses who looked at an earlier state', async () => {
    const office = await createOffice()
    const { client } = await createDiary(office)
    const { clientId } = client
    granted(await office.administration.disable(MANAGER, clientId))
    const edit = { clientId, revision: 1, draft: { ...DRAFT, name: 'Late' } }
    expect(await office.administration.edit(MANAGER, edit)).toEqual(CHANGED_MEANWHILE)
    expect(await office.school.store.findClient(clientId)).toMatchObject({
      name: 'Sketch Diary',
      revision: 2,
    })
  })

  it('refuses a draft as creating does, without a look at the store', async () => {
    const office = await createOffice()
    const draft = { ...DRAFT, name: '' }
    const edit = { clientId: 'nobody', revision: 1, draft }
    expect(await office.administration.edit(MANAGER, edit)).toEqual({
      ok: false,
      error: 'invalid_client_metadata',
      reason: 'name_malformed',
      description: 'Enter a name of 1 to 100 printable characters.',
      faults: [
        {
          field: 'name',
          value: null,
          reason: 'name_malformed',
          description: 'Enter a name of 1 to 100 printable characters.',
        },
      ],
    })
  })
})

describe('rotating a secret', () => {
  it('lets both secrets in until the overlap ends, then the new one alone', async () => {
    const office = await createOffice()
    const { school, administration } = office
    const { client, clientSecret: first } = await createDiary(office)
    const { clientId } = client
    const rotated = granted(
      await administration.rotateSecret(MANAGER, { clientId, overlapSeconds: 3600 }),
    )
    const second = rotated.clientSecret!
    expect(rotated.client.secrets).toEqual([
      { hash: hashToken(second), expiresAt: null },
      { hash: hashToken(first), expiresAt: T + 3600 },
    ])

    const isTaken = async (clientSecret: string): Promise<boolean> => {
      const answer = await exchange(office, { client, clientSecret }, await codeFor(office, client))
      return answer.status === 200
    }
    school.clock.now = T + 3599
    expect([await isTaken(first), await isTaken(second)]).toEqual([true, true])
    school.clock.now = T + 3600
    expect([await isTaken(first), await isTaken(second)]).toEqual([false, true])
  })

  it('can end the overlap early', async () => {
    const office = await createOffice()
    const diary = await createDiary(office)
    const { clientId } = diary.client
    const tokens = await connect(office, diary)
    const rotation = { clientId, overlapSeconds: 3600 }
    const { clientSecret } = granted(await office.administration.rotateSecret(MANAGER, rotation))
    expect(clientSecret).toMatch(/^hps_[\w-]{43}$/)
    const ended = granted(await office.administration.endOldSecret(MANAGER, clientId))
    expect(ended.client.secrets).toEqual([{ hash: hashToken(clientSecret!), expiresAt: null }])
    expect(await refusalOf(await refreshed(office, diary, tokens))).toEqual(
      notAuthenticated('secret'),
    )
    const next = await refreshed(office, { ...diary, clientSecret: clientSecret! }, tokens)
    expect(next.status).toBe(200)
  })

  it('ends no grant and asks nobody again', async () => {
    const office = await createOffice()
    const diary = await createDiary(office)
    const tokens = await connect(office, diary)
    const rotation = { clientId: diary.client.clientId, overlapSeconds: 0 }
    granted(await office.administration.rotateSecret(MANAGER, rotation))
    expect(await rightOf(office, tokens)).toEqual(HELD)
    expect(await isAsked(office, diary.client)).toBe(false)
  })

  it('refuses an overlap of more than 72 hours and keeps the secret', async () => {
    const office = await createOffice()
    const { client } = await createDiary(office)
    const rotation = { clientId: client.clientId, overlapSeconds: 72 * 3600 + 1 }
    expect(await office.administration.rotateSecret(MANAGER, rotation)).toEqual({
      ok: false,
      error: 'invalid_request',
      reason: 'overlap_out_of_range',
      description: 'the previous secret can remain valid for 0 to 72 hours',
    })
    expect(await office.school.store.findClient(client.clientId)).toEqual(client)
  })
})

describe('disabling a client', () => {
  it('stops everything at once and keeps the grants; enabling brings them back', async () => {
    const office = await createOffice()
    const { school, administration } = office
    const diary = await createDiary(office)
    const { clientId } = diary.client
    const tokens = await connect(office, diary)
    const code = await codeFor(office, diary.client, { person: NOOR })

    const { client } = granted(await administration.disable(MANAGER, clientId))
    expect(client).toMatchObject({ disabled: true, revision: 2 })
    expect(await rightOf(office, tokens)).toBe(401)
    expect(await refusalOf(await refreshed(office, diary, tokens))).toEqual(
      notAuthenticated('secret'),
    )
    expect(await refusalOf(await exchange(office, diary, code))).toEqual(notAuthenticated('secret'))
    expect(await reasonAtAuthorize(office, diary.client)).toEqual(['client_disabled'])
    expect(await peopleOf(school.store, clientId, T)).toEqual([STUDENT.subject])

    granted(await administration.enable(MANAGER, clientId))
    expect(await rightOf(office, tokens)).toEqual(HELD)
    expect((await refreshed(office, diary, tokens)).status).toBe(200)
    expect((await exchange(office, diary, code)).status).toBe(200)
    expect(await isAsked(office, diary.client)).toBe(false)
  })
})

describe('removing a client', () => {
  it('ends every token, code and grant, and the identifier is nobody’s again [ADM-06]', async () => {
    const office = await createOffice()
    const { school, administration } = office
    const diary = await createDiary(office)
    const { clientId } = diary.client
    const tokens = [await connect(office, diary), await connect(office, diary, { person: NOOR })]
    const code = await codeFor(office, diary.client)
    school.clock.now = T + 5

    const removed = granted(await administration.remove(MANAGER, clientId)).client
    expect(removed).toEqual({
      ...diary.client,
      usedAt: T,
      secrets: [],
      disabled: true,
      deletedAt: T + 5,
      revision: 2,
    })
    for (const one of tokens) expect(await rightOf(office, one)).toBe(401)
    expect(await refusalOf(await refreshed(office, diary, tokens[0]!))).toEqual(
      notAuthenticated('secret'),
    )
    expect(await refusalOf(await exchange(office, diary, code))).toEqual(notAuthenticated('secret'))
    expect(await reasonAtAuthorize(office, diary.client)).toEqual(['client_unknown'])
    expect(await peopleOf(school.store, clientId, T)).toEqual([])
    expect(await school.store.findCode(hashToken(code))).toBeNull()
    expect(await school.store.findClient(clientId)).toBeNull()
    expect(await school.store.insertClient(diary.client)).toBe('exists')
  })

  it('leaves other clients of the same people alone', async () => {
    const office = await createOffice()
    const [gone, stays] = [await createDiary(office), await createDiary(office)]
    await connect(office, gone)
    const tokens = await connect(office, stays)
    granted(await office.administration.remove(MANAGER, gone.client.clientId))
    expect(await rightOf(office, tokens)).toEqual(HELD)
  })

  it('finds nothing a second time', async () => {
    const office = await createOffice()
    const { client } = await createDiary(office)
    granted(await office.administration.remove(MANAGER, client.clientId))
    expect(await office.administration.remove(MANAGER, client.clientId)).toEqual(UNKNOWN)
    expect(await office.administration.enable(MANAGER, client.clientId)).toEqual(UNKNOWN)
  })
})

describe('disconnecting people', () => {
  it('ends what one person allowed, consent and waiting codes included, and nobody else’s', async () => {
    const office = await createOffice()
    const { school, administration } = office
    const diary = await createDiary(office)
    const { clientId } = diary.client
    const tokens = await connect(office, diary)
    const others = await connect(office, diary, { person: NOOR })
    const code = await codeFor(office, diary.client)
    expect(await isAsked(office, diary.client)).toBe(false)

    const disconnection = { clientId, subject: STUDENT.subject }
    expect(await administration.disconnect(MANAGER, disconnection)).toEqual({ ok: true, grants: 1 })
    expect(await rightOf(office, tokens)).toBe(401)
    expect(await refusalOf(await refreshed(office, diary, tokens))).toEqual(
      generic('invalid_grant'),
    )
    expect(await refusalOf(await exchange(office, diary, code))).toEqual(generic('invalid_grant'))
    expect(await isAsked(office, diary.client)).toBe(true)
    expect(await rightOf(office, others)).toEqual(HELD)
    expect(await isAsked(office, diary.client, { person: NOOR })).toBe(false)
    expect(await peopleOf(school.store, clientId, T)).toEqual([NOOR.subject])
  })

  it('ends what everybody allowed, and lets them connect again', async () => {
    const office = await createOffice()
    const diary = await createDiary(office)
    const { clientId } = diary.client
    const people = [STUDENT, NOOR]
    const all: Tokens[] = []
    for (const person of people) all.push(await connect(office, diary, { person }))

    expect(await office.administration.disconnectEveryone(MANAGER, clientId)).toEqual({
      ok: true,
      grants: 2,
    })
    for (const tokens of all) expect(await rightOf(office, tokens)).toBe(401)
    for (const person of people) expect(await isAsked(office, diary.client, { person })).toBe(true)
    expect(await rightOf(office, await connect(office, diary))).toEqual(HELD)
  })

  it('knows the clients of the configuration too', async () => {
    const office = await createOffice()
    const acme = { client: { ...ACME, kind: 'vendor' } as never }
    const tokens = await connect(office, acme, { person: OWNER, scope: 'openid courses:read' })
    expect(await office.administration.disconnectEveryone(MANAGER, ACME.clientId)).toEqual({
      ok: true,
      grants: 1,
    })
    expect(await rightOf(office, tokens)).toBe(401)
    expect(office.events).toEqual([
      {
        type: 'oauth.client.disconnected',
        at: T,
        clientId: 'acme-agents',
        clientName: 'Acme Agents',
        actor: 'mem_ines',
        subject: null,
        grants: 1,
      },
    ])
  })

  it('knows the documents of the configuration too, by the name that stands there', async () => {
    const metadata = { ...NOTES_DOCUMENT, client_name: 'Notes, pinned' }
    const pinnedDocuments = [{ metadata, scopes: null, checkedOn: '2026-11-01' }]
    const office = await createOffice({ pinnedDocuments })
    const disconnection = { clientId: NOTES_URL, subject: NOOR.subject }
    expect(await office.administration.disconnect(MANAGER, disconnection)).toEqual({
      ok: true,
      grants: 0,
    })
    expect(office.events).toMatchObject([{ clientName: 'Notes, pinned', subject: 'mem_noor' }])
  })
})

type Step = readonly [
  step: keyof ClientManagement,
  run: (administration: ClientManagement, clientId: string) => Promise<unknown>,
]

/** Every step that takes a client's identifier, as a member client would undergo it. */
const STEPS: readonly Step[] = [
  ['edit', (a, clientId) => a.edit(MANAGER, { clientId, revision: 1, draft: DRAFT })],
  ['disable', (a, clientId) => a.disable(MANAGER, clientId)],
  ['enable', (a, clientId) => a.enable(MANAGER, clientId)],
  ['rotateSecret', (a, clientId) => a.rotateSecret(MANAGER, { clientId, overlapSeconds: 60 })],
  ['endOldSecret', (a, clientId) => a.endOldSecret(MANAGER, clientId)],
  ['setEnd', (a, clientId) => a.setEnd(MANAGER, { clientId, endsAt: T })],
  ['disconnect', (a, clientId) => a.disconnect(MANAGER, { clientId, subject: 'mem_1' })],
  ['disconnectEveryone', (a, clientId) => a.disconnectEveryone(MANAGER, clientId)],
  ['review', (a, clientId) => a.review(MANAGER, { clientId, digest: 'd', scopes: [] })],
  ['block', (a, clientId) => a.block(MANAGER, clientId)],
  ['unblock', (a, clientId) => a.unblock(MANAGER, clientId)],
  ['fetchAgain', (a, clientId) => a.fetchAgain(MANAGER, clientId)],
  ['remove', (a, clientId) => a.remove(MANAGER, clientId)],
]

describe('a client that is not there', () => {
  it.each(STEPS)('is refused by %s, whatever the identifier is made of', async (_step, run) => {
    const office = await createOffice({ store: storeWithoutNul() })
    for (const clientId of ['nobody', '', 'nobody\u0000', 'Ω', 'a'.repeat(5000)])
      expect(await run(office.administration, clientId)).toEqual(UNKNOWN)
    expect(office.events).toEqual([])
  })
})

describe('the end of a client', () => {
  it('ends its tokens at that second, and is moved and removed [END-06]', async () => {
    const office = await createOffice()
    const { administration, school } = office
    const diary = await createDiary(office)
    const { clientId } = diary.client
    const tokens = await connect(office, diary)
    const setEnd = (endsAt: number | null) => administration.setEnd(MANAGER, { clientId, endsAt })
    expect(granted(await setEnd(T + 60)).client).toMatchObject({ endsAt: T + 60, revision: 2 })
    school.clock.now = T + 59
    expect((await refreshed(office, diary, tokens)).status).toBe(200)
    school.clock.now = T + 60
    expect((await refreshed(office, diary, tokens)).status).toBe(401)
    expect(await reasonAtAuthorize(office, diary.client)).toEqual(['client_ended'])
    granted(await setEnd(null))
    expect((await refreshed(office, diary, tokens)).status).toBe(200)
    granted(await setEnd(0))
    expect((await refreshed(office, diary, tokens)).status).toBe(401)
  })

  it('is a time in seconds [END-06]', async () => {
    const office = await createOffice()
    const { clientId } = (await createDiary(office)).client
    for (const endsAt of [-1, 1.5, Number.NaN, T * 1000, '1' as never])
      expect(await office.administration.setEnd(MANAGER, { clientId, endsAt })).toEqual({
        ok: false,
        error: 'invalid_request',
        reason: 'client_end_malformed',
        description: 'the end of an app must be a time in whole epoch seconds, not milliseconds',
      })
    expect((await office.school.store.findClient(clientId))!.endsAt).toBe(null)
  })

  it('is kept when the client is edited or switched [END-06]', async () => {
    const office = await createOffice()
    const { administration } = office
    const { clientId } = (await createDiary(office)).client
    granted(await administration.setEnd(MANAGER, { clientId, endsAt: T + 60 }))
    granted(await administration.edit(MANAGER, { clientId, revision: 2, draft: DRAFT }))
    granted(await administration.disable(MANAGER, clientId))
    const { client } = granted(await administration.enable(MANAGER, clientId))
    expect(client).toMatchObject({ endsAt: T + 60, disabled: false })
  })
})

describe('changes at the same time', () => {
  it('all happen where they do not depend on what was seen', async () => {
    const office = await createOffice()
    const { administration, school } = office
    const { client } = await createDiary(office)
    const { clientId } = client
    const outcomes = await Promise.all([
      administration.disable(MANAGER, clientId),
      administration.rotateSecret(MANAGER, { clientId, overlapSeconds: 60 }),
      administration.endOldSecret(MANAGER, clientId),
    ])
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true])
    expect(await school.store.findClient(clientId)).toMatchObject({ disabled: true, revision: 4 })
  })

  it('let one of two edits of the same state through', async () => {
    const office = await createOffice()
    const { clientId } = (await createDiary(office)).client
    const edit = (name: string): Promise<unknown> =>
      office.administration.edit(MANAGER, { clientId, revision: 1, draft: { ...DRAFT, name } })
    const [first, second] = await Promise.all([edit('First'), edit('Second')])
    expect(first).toMatchObject({ ok: true, client: { name: 'First', revision: 2 } })
    expect(second).toEqual(CHANGED_MEANWHILE)
  })

  it('end in a conflict where somebody else is always faster, and nothing is ended', async () => {
    const store = createMemoryStore()
    const office = await createOffice({ store })
    const diary = await createDiary(office)
    const tokens = await connect(office, diary)
    office.events.length = 0
    const administration = createClientManagement(
      defineSite({
        ...office.school.siteOptions,
        store: { ...store, replaceClient: async () => 'conflict' },
        onEvent: (event) => office.events.push(event),
      }),
    )
    expect(await administration.remove(MANAGER, diary.client.clientId)).toEqual(CHANGED_MEANWHILE)
    expect(await rightOf(office, tokens)).toEqual(HELD)
    expect(office.events).toEqual([])
  })

  it('find a client gone that was deleted in between', async () => {
    const store = withResult(createMemoryStore(), 'replaceClient', () => 'missing')
    const office = await createOffice({ store })
    const { clientId } = (await createDiary(office)).client
    office.events.length = 0
    expect(await office.administration.disable(MANAGER, clientId)).toEqual(UNKNOWN)
    expect(office.events).toEqual([])
  })
})

describe('what is told of it', () => {
  it('is every step whole, with who did it, and never a secret', async () => {
    const office = await createOffice()
    const { administration, events, school } = office
    const { client, clientSecret } = await createDiary(office)
    const { clientId } = client
    await connect(office, { client, clientSecret })
    const rotation = { clientId, overlapSeconds: 60 }
    const edit = { clientId, revision: 1, draft: { ...DRAFT, name: 'Drawing Diary' } }
    granted(await administration.edit(MANAGER, edit))
    const rotated = granted(await administration.rotateSecret(MANAGER, rotation))
    granted(await administration.endOldSecret(MANAGER, clientId))
    granted(await administration.setEnd(MANAGER, { clientId, endsAt: T + 9 }))
    school.clock.now = T + 7
    granted(await administration.disable(MANAGER, clientId))
    granted(await administration.enable(MANAGER, clientId))
    granted(await administration.disconnect(MANAGER, { clientId, subject: STUDENT.subject }))
    granted(await administration.remove(MANAGER, clientId))

    const told = { clientId, clientName: 'Drawing Diary', actor: 'mem_ines' }
    expect(events).toEqual([
      { type: 'oauth.client.created', at: T, ...told, clientName: 'Sketch Diary' },
      { type: 'oauth.client.updated', at: T, ...told },
      { type: 'oauth.client.secret_rotated', at: T, ...told },
      { type: 'oauth.client.old_secret_ended', at: T, ...told },
      { type: 'oauth.client.end_set', at: T, ...told, endsAt: T + 9 },
      { type: 'oauth.client.disabled', at: T + 7, ...told },
      { type: 'oauth.client.enabled', at: T + 7, ...told },
      { type: 'oauth.client.disconnected', at: T + 7, ...told, subject: 'mem_mei', grants: 1 },
      { type: 'oauth.client.deleted', at: T + 7, ...told },
    ])
    const log = JSON.stringify(events)
    for (const secret of [clientSecret, rotated.clientSecret!]) {
      expect(log).not.toContain(secret)
      expect(log).not.toContain(hashToken(secret))
    }
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('the log is full')
      },
    ],
    ['rejects', (): unknown => Promise.reject(new Error('the log is full'))],
  ] as const)('changes nothing where the listener %s', async (_what, onEvent) => {
    const office = await createOffice({ onEvent })
    const diary = await createDiary(office)
    const { clientId } = diary.client
    const tokens = await connect(office, diary)
    expect(await office.administration.disable(MANAGER, clientId)).toMatchObject({ ok: true })
    expect(await rightOf(office, tokens)).toBe(401)
    expect(await office.administration.remove(MANAGER, clientId)).toMatchObject({ ok: true })
    expect(await peopleOf(office.school.store, clientId, T)).toEqual([])
    expect(office.faults.map(String)).toEqual([1, 2, 3].map(() => 'Error: the log is full'))
  })
})

describe('a storage that fails', () => {
  const FAILURE = {
    name: 'StorageFailure',
    message: expect.stringMatching(/^the storage failed: \w+ threw an exception$/),
    cause: new Error(FAULT_TEXT),
  }

  it.each(STEPS)('makes %s reject, tells nothing and changes nothing', async (_step, run) => {
    const { store, fail } = breakableStore()
    const office = await createOffice({ store })
    const { client } = await createDiary(office)
    office.events.length = 0
    fail('findClient')
    await expect(run(office.administration, client.clientId)).rejects.toMatchObject(FAILURE)
    fail(null)
    expect(await store.findClient(client.clientId)).toEqual(client)
    expect(office.events).toEqual([])
  })

  it('keeps no client that it could not store', async () => {
    const { store, fail } = breakableStore()
    const office = await createOffice({ store })
    const before = await store.listClients(EVERY_MEMBER)
    fail('insertClient')
    await expect(office.administration.create(MANAGER, DRAFT)).rejects.toMatchObject(FAILURE)
    expect(await store.listClients(EVERY_MEMBER)).toEqual(before)
    expect(office.events).toEqual([])
  })

  it('counts an unknown state of the switch as its own fault, and creates nothing', async () => {
    const office = await createOffice({
      memberClients: () => Promise.reject(new Error(FAULT_TEXT)),
    })
    await expect(office.administration.create(MANAGER, DRAFT)).rejects.toMatchObject(FAILURE)
    expect(office.events).toEqual([])
  })

  it('leaves nothing that works of a client whose removal it broke off', async () => {
    const { store, fail } = breakableStore()
    const office = await createOffice({ store })
    const diary = await createDiary(office)
    const tokens = await connect(office, diary)
    const code = await codeFor(office, diary.client)
    fail('revokeGrantsOfClient')
    const removal = office.administration.remove(MANAGER, diary.client.clientId)
    await expect(removal).rejects.toMatchObject(FAILURE)
    fail(null)
    expect(await rightOf(office, tokens)).toBe(401)
    expect((await refreshed(office, diary, tokens)).status).toBe(401)
    expect((await exchange(office, diary, code)).status).toBe(401)
    expect(await store.insertClient(diary.client)).toBe('exists')
  })

  it('leaves people connected whom it could not disconnect, and tells of nothing', async () => {
    const { store, fail } = breakableStore()
    const office = await createOffice({ store })
    const diary = await createDiary(office)
    const tokens = await connect(office, diary)
    office.events.length = 0
    fail('revokeGrantsOfClient')
    await expect(
      office.administration.disconnectEveryone(MANAGER, diary.client.clientId),
    ).rejects.toMatchObject(FAILURE)
    expect(await rightOf(office, tokens)).toEqual(HELD)
    expect(office.events).toEqual([])
  })
})

describe('the grants that a manager ends', () => {
  it('say why they ended', async () => {
    const memory = createMemoryStore()
    const reasons: unknown[] = []
    const store = {
      ...memory,
      revokeGrants(ended: Parameters<typeof memory.revokeGrants>[0]) {
        reasons.push(ended.revokedReason)
        return memory.revokeGrants(ended)
      },
      revokeGrantsOfClient(ended: Parameters<typeof memory.revokeGrantsOfClient>[0]) {
        reasons.push(ended.revokedReason)
        return memory.revokeGrantsOfClient(ended)
      },
    }
    const office = await createOffice({ store })
    const { client } = await createDiary(office)
    const { clientId } = client
    await office.administration.disconnect(MANAGER, { clientId, subject: STUDENT.subject })
    await office.administration.remove(MANAGER, clientId)
    await office.school.fetch(authorizationUrl(NOTES_REQUEST))
    granted(await office.administration.block(MANAGER, NOTES_URL))
    granted(await office.administration.unblock(MANAGER, NOTES_URL))
    granted(await office.administration.unblock(MANAGER, NOTES_URL))
    expect(reasons).toEqual([
      'disconnected_by_manager',
      'client_deleted',
      'client_blocked',
      'client_blocked',
    ])
    expect((await memory.findClient(NOTES_URL))?.disabled).toBe(false)
  })
})
