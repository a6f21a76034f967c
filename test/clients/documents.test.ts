import type { ClientManagement } from 'hallpass/clients'
import type { Client } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import {
  documentAnswer,
  later,
  NOTES_CALLBACK,
  NOTES_DOCUMENT,
  NOTES_REQUEST,
  NOTES_URL,
} from '../support/school/metadata-documents.js'
import {
  authorizationUrl,
  generic,
  notAuthenticated,
  redeem,
  reasonsOf,
  refresh,
  refusalOf,
  signIn,
  type Tokens,
  tokensOf,
} from '../support/school/flow.js'
import { breakableStore, FAULT_TEXT } from '../support/school/stores.js'
import { createBrowser, OWNER, STUDY_BUDDY, T } from '../support/school/school.js'
import {
  codeFor,
  createOffice,
  granted,
  isAsked,
  MANAGER,
  type Office,
  peopleOf,
  rightOf,
} from './support.js'

const READ = 'openid courses:read'
const WRITE = 'openid courses:read courses:write'
const TOLD = { clientId: NOTES_URL, actor: 'mem_ines' }

/** The client of Notes as it is stored. */
async function stored({ school }: Office): Promise<Client> {
  const client = await school.store.findClient(NOTES_URL)
  if (client === null) throw new Error('Notes has not been seen yet')
  return client
}

const connectNotes = ({ school }: Office, scope = READ): Promise<Tokens> =>
  signIn(school, { ...NOTES_REQUEST, scope }, { person: OWNER })

const refreshNotes = ({ school }: Office, { refresh_token }: Tokens): Promise<Response> =>
  refresh(school, refresh_token, { client_id: NOTES_URL })

/** A reviewer who opens the page, ticks and sends it. */
async function review(office: Office, ...scopes: readonly string[]) {
  const { digest } = (await stored(office)).document!
  return office.administration.review(MANAGER, { clientId: NOTES_URL, digest, scopes })
}

/** Serves another document from now on, and lets the copy in the store grow old. */
async function publish(office: Office, changes: Readonly<Record<string, unknown>>): Promise<void> {
  const { freshUntil } = (await stored(office)).document!
  office.hosts.answer = () => documentAnswer({ ...NOTES_DOCUMENT, ...changes })
  office.school.clock.now = freshUntil
}

async function reasonAtAuthorize({ school }: Office, scope: string): Promise<readonly string[]> {
  school.signedIn = { subject: OWNER.subject, authTime: school.clock.now }
  school.refusals.length = 0
  await createBrowser(school).open(authorizationUrl({ ...NOTES_REQUEST, scope }))
  return reasonsOf(school)
}

describe('blocking a document', () => {
  it('ends every grant and code, and lets it in no more; unblocking revives none of them', async () => {
    const office = await createOffice()
    const { administration, school } = office
    const tokens = await connectNotes(office)
    const code = await codeFor(office, await stored(office), { person: OWNER, scope: READ })

    const { client } = granted(await administration.block(MANAGER, NOTES_URL))
    expect(client).toMatchObject({ disabled: true, scopes: null })
    const redemption = { client_id: NOTES_URL, redirect_uri: NOTES_CALLBACK }
    expect(await rightOf(office, tokens)).toBe(401)
    expect(await refusalOf(await refreshNotes(office, tokens))).toEqual(
      notAuthenticated('no secret'),
    )
    expect(await reasonAtAuthorize(office, READ)).toEqual(['client_blocked'])
    expect(await peopleOf(school.store, NOTES_URL, T)).toEqual([])

    granted(await administration.unblock(MANAGER, NOTES_URL))
    expect(await rightOf(office, tokens)).toBe(401)
    expect(await refusalOf(await refreshNotes(office, tokens))).toEqual(generic('invalid_grant'))
    expect(await refusalOf(await redeem(school, code, redemption))).toEqual(
      generic('invalid_grant'),
    )
    expect(await rightOf(office, await connectNotes(office))).toEqual(['openid', 'courses:read'])
  })

  it('is not undone by whatever the document says next', async () => {
    const office = await createOffice()
    await connectNotes(office)
    granted(await office.administration.block(MANAGER, NOTES_URL))
    await publish(office, { client_name: 'Notes, harmless' })
    expect(await reasonAtAuthorize(office, READ)).toEqual(['client_blocked'])
    granted(await office.administration.fetchAgain(MANAGER, NOTES_URL))
    expect(await stored(office)).toMatchObject({ name: 'Notes, harmless', disabled: true })
  })

  it('keeps what a reviewer allowed, and people are asked', async () => {
    const office = await createOffice()
    await connectNotes(office)
    granted(await review(office, 'courses:write'))
    const notes = await stored(office)
    const person = { person: OWNER, scope: WRITE }
    await connectNotes(office, WRITE)
    granted(await office.administration.block(MANAGER, NOTES_URL))
    granted(await office.administration.unblock(MANAGER, NOTES_URL))
    expect(await stored(office)).toMatchObject({ scopes: ['courses:write'] })
    expect(await isAsked(office, notes, person)).toBe(true)
  })

  it('can be sent again where the storage failed half way, and ends the grants then', async () => {
    const { store, fail } = breakableStore()
    const office = await createOffice({ store })
    const tokens = await connectNotes(office)
    fail('revokeGrantsOfClient')
    await expect(office.administration.block(MANAGER, NOTES_URL)).rejects.toMatchObject({
      name: 'StorageFailure',
      cause: new Error(FAULT_TEXT),
    })
    fail(null)
    expect(await rightOf(office, tokens)).toBe(401)
    granted(await office.administration.block(MANAGER, NOTES_URL))
    granted(await office.administration.unblock(MANAGER, NOTES_URL))
    expect(await rightOf(office, tokens)).toBe(401)
  })
})

describe('reviewing a document', () => {
  it('lets it write what was ticked, and nothing else', async () => {
    const office = await createOffice()
    await connectNotes(office)
    expect(await reasonAtAuthorize(office, WRITE)).toEqual(['scope_not_allowed_for_client'])

    office.school.clock.now = T + 9
    const { client } = granted(await review(office, 'courses:write'))
    expect(client).toMatchObject({ scopes: ['courses:write'], document: { reviewedAt: T + 9 } })
    expect(await rightOf(office, await connectNotes(office, WRITE))).toEqual([
      'openid',
      'courses:read',
      'courses:write',
    ])
    expect(await reasonAtAuthorize(office, 'openid posts:write')).toEqual([
      'scope_not_allowed_for_client',
    ])
  })

  it('takes back at once what a later review does not tick', async () => {
    const office = await createOffice()
    await connectNotes(office)
    granted(await review(office, 'courses:write'))
    const tokens = await connectNotes(office, WRITE)
    granted(await review(office))
    expect(await rightOf(office, tokens)).toEqual(['openid', 'courses:read'])
    expect((await tokensOf(await refreshNotes(office, tokens))).scope).toBe(READ)
  })

  it.each([
    ['name', { client_name: 'Notes Pro' }],
    ['redirect URIs', { redirect_uris: [NOTES_CALLBACK, 'https://notes.example/other'] }],
  ])(
    'counts no more once the %s changed: grants are cut to reading, people asked again [CIMD-14]',
    async (_what, changes) => {
      const office = await createOffice()
      const shortLived = { 'cache-control': 'max-age=300' }
      office.hosts.answer = () => documentAnswer(NOTES_DOCUMENT, shortLived)
      await connectNotes(office)
      granted(await review(office, 'courses:write'))
      const tokens = await connectNotes(office, WRITE)
      const reading = { person: OWNER, scope: READ }

      await publish(office, changes)
      expect(await isAsked(office, await stored(office), reading)).toBe(true)
      expect(await stored(office)).toMatchObject({
        scopes: null,
        document: { reviewedAt: null, changedAt: office.school.clock.now },
      })
      expect(await rightOf(office, tokens)).toEqual(['openid', 'courses:read'])
      expect(await reasonAtAuthorize(office, WRITE)).toEqual(['scope_not_allowed_for_client'])
    },
  )

  it('keeps counting where something else changed', async () => {
    const office = await createOffice()
    await connectNotes(office)
    granted(await review(office, 'courses:write'))
    await publish(office, { contacts: ['help@notes.example'] })
    expect(await reasonAtAuthorize(office, WRITE)).toEqual([])
    expect(await stored(office)).toMatchObject({ scopes: ['courses:write'] })
  })

  it('refuses a document that changed since the page was opened', async () => {
    const office = await createOffice()
    await connectNotes(office)
    const { digest } = (await stored(office)).document!
    await publish(office, { client_name: 'Notes Pro' })
    granted(await office.administration.fetchAgain(MANAGER, NOTES_URL))
    const { administration } = office
    const page = { clientId: NOTES_URL, digest, scopes: ['courses:write'] }
    expect(await administration.review(MANAGER, page)).toEqual({
      ok: false,
      error: 'invalid_request',
      reason: 'document_changed_meanwhile',
      description: 'the client metadata document has changed since you opened it: review it again',
    })
    expect(await stored(office)).toMatchObject({ name: 'Notes Pro', scopes: null })
  })
})

describe('fetching a document again', () => {
  it('does not wait for its copy to grow old, and tells what was found', async () => {
    const office = await createOffice()
    await connectNotes(office)
    granted(await review(office, 'courses:write'))
    office.hosts.answer = () => documentAnswer({ ...NOTES_DOCUMENT, client_name: 'Notes Pro' })
    office.school.clock.now = T + 1
    office.events.length = 0
    const { client } = granted(await office.administration.fetchAgain(MANAGER, NOTES_URL))
    expect(client).toMatchObject({
      name: 'Notes Pro',
      scopes: null,
      document: { fetchedAt: T + 1 },
    })
    expect(await stored(office)).toEqual(client)
    const told = { at: T + 1, clientId: NOTES_URL, clientName: 'Notes Pro' }
    expect(office.events).toEqual([
      { type: 'oauth.client.cimd.fetched', ...told },
      { type: 'oauth.client.cimd.changed', ...told, reviewLost: true },
    ])
  })

  const UNAVAILABLE = {
    ok: false,
    error: 'invalid_client',
    reason: 'document_unavailable',
    description: 'the client ID metadata document could not be read',
  }

  it.each([
    ['is down', () => new Response(null, { status: 503 }), 'document_status_not_200: 503'],
    ['does not answer', () => Promise.reject(new Error('no answer')), 'no answer'],
    ['has no document', () => new Response(null, { status: 404 }), 'document_status_not_200: 404'],
  ])('says no where the host %s, and keeps the last good copy', async (_what, answer, reason) => {
    const office = await createOffice()
    await connectNotes(office)
    const before = await stored(office)
    office.hosts.answer = answer
    expect(await office.administration.fetchAgain(MANAGER, NOTES_URL)).toEqual(UNAVAILABLE)
    expect(await stored(office)).toEqual(before)
    expect(office.events).toEqual([
      { type: 'oauth.client.cimd.fetch_failed', at: T, clientId: NOTES_URL, reason },
    ])
  })

  it('gives what somebody else stored while the host was answering', async () => {
    const office = await createOffice()
    await connectNotes(office)
    const answer = later<Response>()
    office.hosts.answer = () => answer.promise
    const fetching = office.administration.fetchAgain(MANAGER, NOTES_URL)
    await Promise.resolve()
    const { client } = granted(await office.administration.block(MANAGER, NOTES_URL))
    answer.resolve(documentAnswer({ ...NOTES_DOCUMENT, client_name: 'Notes Pro' }))
    expect(await fetching).toEqual({ ok: true, client })
  })

  it.each([
    [
      'no documents are let in',
      {},
      'documents_not_supported',
      'client_id cannot be a URL at this site',
    ],
    [
      'its host may serve documents no more',
      { documents: { allowedHosts: [], fetchDocument: () => Promise.reject(new Error()) } },
      'document_host_not_allowed',
      'client ID metadata documents from this host are not accepted: a manager must allow the host',
    ],
  ])('is refused where %s', async (_what, options, reason, description) => {
    const seen = await createOffice()
    await connectNotes(seen)
    const { administration } = await createOffice({
      store: seen.school.store,
      documents: undefined as never,
      ...options,
    })
    expect(await administration.fetchAgain(MANAGER, NOTES_URL)).toEqual({
      ok: false,
      error: 'invalid_client',
      reason,
      description,
    })
  })
})

describe('a client that has no document', () => {
  type Step = (administration: ClientManagement, clientId: string) => Promise<unknown>
  const steps: readonly (readonly [string, Step])[] = [
    ['block', (a, clientId) => a.block(MANAGER, clientId)],
    ['unblock', (a, clientId) => a.unblock(MANAGER, clientId)],
    ['fetchAgain', (a, clientId) => a.fetchAgain(MANAGER, clientId)],
  ]

  it.each(steps)('is refused by %s', async (_step, run) => {
    const office = await createOffice()
    expect(await run(office.administration, STUDY_BUDDY.clientId)).toEqual({
      ok: false,
      error: 'invalid_request',
      reason: 'client_not_a_document',
      description: 'this app has no client metadata document',
    })
    expect(await office.school.store.findClient(STUDY_BUDDY.clientId)).toEqual(STUDY_BUDDY)
    expect(office.events).toEqual([])
  })
})

describe('a client that a document describes', () => {
  it.each([['disable'], ['enable']] as const)('is not switched by %s', async (step) => {
    const office = await createOffice()
    await connectNotes(office)
    expect(await office.administration[step](MANAGER, NOTES_URL)).toEqual({
      ok: false,
      error: 'invalid_request',
      reason: 'client_is_a_document',
      description:
        'an app with a client metadata document is blocked and unblocked, not disabled and enabled',
    })
  })
})

describe('what is told of it', () => {
  it('is who blocked, unblocked and reviewed, and what they allowed', async () => {
    const office = await createOffice()
    await connectNotes(office)
    granted(await review(office, 'courses:write'))
    granted(await office.administration.block(MANAGER, NOTES_URL))
    granted(await office.administration.unblock(MANAGER, NOTES_URL))
    const told = { at: T, ...TOLD, clientName: 'Notes' }
    expect(office.events).toEqual([
      { type: 'oauth.client.cimd.reviewed', ...told, scopes: ['courses:write'] },
      { type: 'oauth.client.cimd.blocked', ...told },
      { type: 'oauth.client.cimd.unblocked', ...told },
    ])
  })
})
