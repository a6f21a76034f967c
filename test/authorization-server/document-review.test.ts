import { describe, expect, it } from 'vitest'
import {
  changeClient,
  createDocumentSchool,
  type DocumentHosts,
  documentAnswer,
  NOTES_CALLBACK,
  NOTES_DOCUMENT,
  NOTES_REQUEST,
  NOTES_URL,
  reviewNotes,
} from '../support/school/metadata-documents.js'
import {
  approve,
  authorizationUrl,
  type Fields,
  isAlive,
  redeem,
  refresh,
  signIn,
  STATE,
  tokensOf,
} from '../support/school/flow.js'
import { recordingStore } from '../support/school/stores.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  OWNER,
  type School,
  T,
} from '../support/school/school.js'

const NOTES = { client_id: NOTES_URL, redirect_uri: NOTES_CALLBACK }
const WRITE = 'openid courses:read events:write'
const DAY = 86_400

/** Opens an authorization of Notes: what came of it. */
async function open(
  school: School,
  changes: Fields = {},
): Promise<Readonly<Record<string, string>>> {
  school.signedIn = { subject: OWNER.subject, authTime: school.clock.now }
  school.view = null
  const response = await createBrowser(school).open(
    authorizationUrl({ ...NOTES_REQUEST, ...changes }),
  )
  const location = response.headers.get('location')
  if (location !== null) return Object.fromEntries(new URL(location).searchParams)
  const { page, view } = (school.view as School['view'])!
  return page === 'error' ? { page, error: view.error } : { page }
}

const publish = (hosts: DocumentHosts, fields: Readonly<Record<string, unknown>>): void => {
  hosts.answer = () => documentAnswer({ ...NOTES_DOCUMENT, ...fields })
}
const CONSENT = { page: 'consent' }
/** A person sees the refusal of a document that no one has reviewed. A reviewed one receives it. */
const STOPPED = { page: 'error', error: 'invalid_scope' }
const NOT_ALLOWED = {
  error: 'invalid_scope',
  error_description: expect.any(String),
  state: STATE,
  iss: ISSUER,
}

/** Notes after a review, with a person who has let it write. */
async function reviewed(): Promise<Awaited<ReturnType<typeof createDocumentSchool>>> {
  const opened = await createDocumentSchool()
  await open(opened.school)
  await reviewNotes(opened.school, 'events:write')
  await signIn(opened.school, { ...NOTES_REQUEST, scope: WRITE }, { person: OWNER })
  return opened
}

describe('a document that nobody has reviewed', () => {
  it('may not write, and a page says so [CIMD-11]', async () => {
    const { school } = await createDocumentSchool()
    expect(await open(school, { scope: WRITE })).toEqual(STOPPED)
    expect(school.refusals).toMatchObject([
      { error: 'invalid_scope', reason: 'scope_not_allowed_for_client' },
    ])
  })

  it.each<[string, Fields, string, string]>([
    ['a scope that writes', { scope: WRITE }, 'invalid_scope', 'scope_not_allowed_for_client'],
    ['prompt=none', { prompt: 'none' }, 'login_required', 'person_signed_out'],
    ['prompt=none with a fault', { prompt: 'none', scope: 'nothing' }, 'invalid_scope', 'scope_unknown'],
    ['a fault, on loopback', { redirect_uri: 'http://127.0.0.1:8123/cb', scope: 'nothing' }, 'invalid_scope', 'scope_unknown'],
  ])('gets a page, one notice and nothing stored for %s [AUTH-26]', async (_, changes, error, reason) => {
    const { store, calls } = recordingStore()
    const { school } = await createDocumentSchool({ store })
    const response = await school.fetch(authorizationUrl({ ...NOTES_REQUEST, ...changes }))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(school.view).toMatchObject({ page: 'error', view: { status: 400, error, reason } })
    expect(school.refusals).toEqual([
      { at: T, endpoint: 'authorize', error, reason, clientId: NOTES_URL },
    ])
    expect(calls.filter(({ method }) => method === 'savePending')).toEqual([])
  }) // prettier-ignore

  it('moves no browser for a document that is kept in the configuration either [AUTH-26]', async () => {
    const pinned = { metadata: NOTES_DOCUMENT, scopes: null, checkedOn: '2026-11-20' }
    const school = await createSchool({ options: { pinnedDocuments: [pinned] } })
    const url = authorizationUrl({ ...NOTES_REQUEST, scope: 'nothing' })
    expect((await school.fetch(url)).headers.get('location')).toBe(null)
  })

  it('may be signed in to without a fault [AUTH-26]', async () => {
    const { school } = await createDocumentSchool()
    await createBrowser(school).open(authorizationUrl(NOTES_REQUEST))
    expect(school.view).toMatchObject({ page: 'signIn', view: { client: { name: 'Notes' } } })
    expect(school.refusals).toEqual([])
  })

  it('asks every time [UX-08, UX-09]', async () => {
    const { school } = await createDocumentSchool()
    await approve(school, NOTES_REQUEST, OWNER)
    expect(await open(school)).toEqual(CONSENT)
    expect(await open(school, { prompt: 'none' })).toEqual({ page: 'error', error: 'consent_required' }) // prettier-ignore
  })

  it('narrows at the refresh and does not widen afterwards [CIMD-13]', async () => {
    const { school } = await createDocumentSchool()
    const { refresh_token } = await signIn(school, NOTES_REQUEST, { person: OWNER })
    const narrowed = await tokensOf(
      await refresh(school, refresh_token, { ...NOTES, scope: 'openid' }),
    )
    expect(narrowed.scope).toBe('openid')
    for (const scope of [WRITE, 'openid courses:read orders:read']) {
      const widened = await refresh(school, narrowed.refresh_token, { ...NOTES, scope })
      expect([widened.status, await widened.json()]).toMatchObject([
        400,
        { error: 'invalid_scope' },
      ])
    }
    expect((await refresh(school, narrowed.refresh_token, NOTES)).status).toBe(200)
  })

  it('has no review to lose when it changes', async () => {
    const { school, hosts } = await createDocumentSchool()
    await open(school)
    school.clock.now = T + 3600
    publish(hosts, { client_name: 'Notes Pro' })
    await open(school)
    expect(school.events.filter(({ type }) => type === 'oauth.client.cimd.changed')).toEqual([
      {
        type: 'oauth.client.cimd.changed',
        at: T + 3600,
        clientId: NOTES_URL,
        clientName: 'Notes Pro',
        reviewLost: false,
      },
    ])
  })
})

describe('a document that was reviewed', () => {
  it.each<[Fields, string]>([
    [{ scope: 'nothing' }, 'invalid_scope'],
    [{ prompt: 'none' }, 'login_required'],
  ])('is told its fault at its own address, signed in or not: %j', async (changes, error) => {
    const { school } = await createDocumentSchool()
    await open(school)
    await reviewNotes(school, 'events:write')
    school.signedIn = null
    const response = await school.fetch(authorizationUrl({ ...NOTES_REQUEST, ...changes }))
    const url = new URL(response.headers.get('location')!)
    expect([url.origin + url.pathname, url.searchParams.get('error')]).toEqual([
      NOTES_CALLBACK,
      error,
    ])
  })

  it('may write what the reviewer ticked, and nothing else', async () => {
    const { school } = await createDocumentSchool()
    await open(school)
    await reviewNotes(school, 'events:write')
    expect(await open(school, { scope: 'courses:write' })).toEqual(NOT_ALLOWED)
    const tokens = await signIn(school, { ...NOTES_REQUEST, scope: WRITE }, { person: OWNER })
    expect(tokens.scope).toBe(WRITE)
    expect(school.view).toMatchObject({ view: { client: { verified: true } } })
  })

  it('may read as before where the reviewer ticked nothing', async () => {
    const { school } = await createDocumentSchool()
    await open(school)
    await reviewNotes(school)
    expect(await open(school, { scope: WRITE })).toEqual(NOT_ALLOWED)
    expect(await open(school)).toEqual(CONSENT)
  })

  it('stays reviewed while it is fetched again without a change', async () => {
    const { school, hosts } = await reviewed()
    school.clock.now = T + DAY
    publish(hosts, { contacts: ['a@notes.example'], jwks_uri: 'https://notes.example/jwks.json' })
    expect(await open(school, { scope: WRITE })).toEqual(CONSENT)
    expect(school.view).toMatchObject({ view: { client: { verified: true } } })
    expect(hosts.fetched).toHaveLength(2)
  })

  it('asks every time all the same [UX-08]', async () => {
    const { school } = await reviewed()
    for (const redirect_uri of [NOTES_CALLBACK, 'http://127.0.0.1:8123/cb']) {
      const request = { ...NOTES_REQUEST, redirect_uri }
      await approve(school, request, OWNER)
      expect(await open(school, request)).toEqual(CONSENT)
      expect(await open(school, { ...request, prompt: 'none' })).toMatchObject({
        error: 'consent_required',
      })
    }
  })
})

describe('a reviewed document that changes', () => {
  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['name', { client_name: 'Notes Pro' }],
    [
      'redirect URIs',
      { redirect_uris: [...(NOTES_DOCUMENT['redirect_uris'] as string[]), 'http://[::1]/cb'] },
    ],
    ['links', { policy_uri: 'https://notes.example/privacy-2' }],
    ['logo', { logo_uri: 'https://notes.example/new.png' }],
  ])('loses its review with its %s, and people are asked again [CIMD-14]', async (_, fields) => {
    const { school, hosts } = await reviewed()
    const tokens = await signIn(school, { ...NOTES_REQUEST, scope: WRITE, prompt: 'consent' }, { person: OWNER }) // prettier-ignore
    school.clock.now = T + 3600
    publish(hosts, fields)
    const before = school.events.length
    expect(await open(school, { scope: WRITE })).toEqual(STOPPED)
    expect(school.events.slice(before, before + 2)).toEqual([
      expect.objectContaining({ type: 'oauth.client.cimd.fetched' }),
      {
        type: 'oauth.client.cimd.changed',
        at: T + 3600,
        clientId: NOTES_URL,
        clientName: fields['client_name'] ?? 'Notes',
        reviewLost: true,
      },
    ])
    expect(await open(school)).toEqual(CONSENT)
    expect(school.view).toMatchObject({ view: { client: { verified: false } } })
    // A grant from before writes no more, and reads on.
    const narrowed = await tokensOf(await refresh(school, tokens.refresh_token, NOTES))
    expect(narrowed.scope).toBe('openid courses:read')
    expect(await isAlive(school, narrowed.access_token)).toBe(true)
  })

  /** The consent page is open when the document changes, and somebody else's request fetches it. */
  async function changedMeanwhile(
    { school, hosts }: Awaited<ReturnType<typeof reviewed>>,
    scope: string,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<Response> {
    school.signedIn = { subject: OWNER.subject, authTime: T }
    const browser = createBrowser(school)
    await browser.open(authorizationUrl({ ...NOTES_REQUEST, scope, prompt: 'consent' }))
    if (school.view?.page !== 'consent') throw new Error(`the page is ${school.view?.page}`)
    const { action, csrfToken } = school.view.view
    await changeClient(school, NOTES_URL, ({ document }) => ({
      document: { ...document!, freshUntil: T },
    }))
    publish(hosts, fields)
    await open(school)
    expect(hosts.fetched).toHaveLength(2)
    return browser.post(action, { csrf_token: csrfToken, decision: 'allow' })
  }

  it.each([
    ['what it may not write any more', WRITE, { client_name: 'Notes Pro' }],
    ['an address that it has given up', NOTES_REQUEST['scope'] as string, { redirect_uris: ['https://notes.example/new'] }],
    // What was shown must be what the code is for.
    ['a name that the person has not read [F-13]', NOTES_REQUEST['scope'] as string, { client_name: 'Gradebook' }],
  ])('while a person reads gets no code for %s', async (_, scope, fields) => {
    const opened = await reviewed()
    const response = await changedMeanwhile(opened, scope, fields)
    expect([response.ok, response.headers.get('location')]).toEqual([false, null])
    expect(opened.school.view).toMatchObject({ page: 'error' })
  }) // prettier-ignore

  it('while a person reads still gets a code where nothing of it was shown', async () => {
    const response = await changedMeanwhile(await reviewed(), WRITE, {
      contacts: ['a@notes.example'],
    })
    expect(response.headers.get('location')).toMatch(/^https:\/\/notes\.example\/cb\?code=hpc_/)
  })
})

describe('a blocked document', () => {
  it('gets a page and no fetch, for reading as for writing, however old its copy is', async () => {
    const { school, hosts } = await reviewed()
    const { access_token, refresh_token } = await signIn(
      school,
      { ...NOTES_REQUEST, prompt: 'consent' },
      { person: OWNER },
    )
    const code = await approve(school, { ...NOTES_REQUEST, prompt: 'consent' }, OWNER)
    await changeClient(school, NOTES_URL, () => ({ disabled: true }))
    const before = hosts.fetched.length
    for (const now of [T, T + DAY, T + 30 * DAY]) {
      school.clock.now = now
      expect(await open(school)).toEqual({ page: 'error', error: 'invalid_client' })
      expect(school.view).toMatchObject({
        view: { status: 400, error: 'invalid_client', reason: 'client_blocked' },
      })
    }
    expect(hosts.fetched).toHaveLength(before)
    school.clock.now = T
    expect(await isAlive(school, access_token)).toBe(false)
    expect((await refresh(school, refresh_token, NOTES)).status).toBe(401)
    expect((await redeem(school, code, NOTES)).status).toBe(401)
  })

  it('is fetched again when it is let in, and what it says then counts', async () => {
    const { school, hosts } = await reviewed()
    await changeClient(school, NOTES_URL, () => ({ disabled: true }))
    publish(hosts, { client_name: 'Notes Pro' })
    school.clock.now = T + DAY
    await open(school)
    await changeClient(school, NOTES_URL, () => ({ disabled: false }))
    expect(await open(school, { scope: WRITE })).toEqual(STOPPED)
    expect(await open(school)).toEqual(CONSENT)
    expect(school.view).toMatchObject({ view: { client: { name: 'Notes Pro', verified: false } } })
  })
})
