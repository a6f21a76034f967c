import type { Vendor } from 'hallpass/policy'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import {
  createDocumentSchool,
  documentAnswer,
  NOTES_CALLBACK,
  NOTES_DOCUMENT,
  NOTES_REQUEST,
  NOTES_URL,
} from '../support/school/metadata-documents.js'
import {
  approve,
  authorizationUrl,
  type Fields,
  isAlive,
  refresh,
  signIn,
} from '../support/school/flow.js'
import {
  ACME,
  createBrowser,
  createSchool,
  ISSUER,
  OWNER,
  type School,
  STUDY_BUDDY,
  T,
} from '../support/school/school.js'

const NOTES = { client_id: NOTES_URL, redirect_uri: NOTES_CALLBACK }
const REQUEST = { ...NOTES_REQUEST }
const authorize = (school: School, changes: Fields = {}): Promise<Response> =>
  school.fetch(authorizationUrl({ ...REQUEST, ...changes }))

async function expectPage(
  school: School,
  response: Response,
  [status, error, reason, description = expect.stringMatching(/^[\x20-\x7e]+$/)]: readonly [
    number,
    string,
    string,
    string?,
  ],
): Promise<void> {
  expect([response.status, response.headers.get('location')]).toEqual([status, null])
  expect(school.view).toEqual({ page: 'error', view: { status, error, reason, description } })
  expect(school.refusals.at(-1)).toMatchObject({ endpoint: 'authorize', error, reason })
}

/** The consent page for Notes, as the owner sees it. */
async function openConsent(school: School, changes: Fields = {}) {
  school.signedIn = { subject: OWNER.subject, authTime: school.clock.now }
  await createBrowser(school).open(authorizationUrl({ ...REQUEST, ...changes }))
  if (school.view?.page !== 'consent') throw new Error(`the page is ${school.view?.page}`)
  return school.view.view
}

describe('the document of a host that is allowed', () => {
  it('is not fetched beyond the allowance, which a page says [CIMD-31]', async () => {
    const { school, hosts } = await createDocumentSchool({
      options: { allowances: { fetchesOfHost: { amount: 1, seconds: 60 } } },
    })
    await authorize(school)
    const response = await authorize(school, { client_id: `${NOTES_URL}?2` })
    const description = 'too many client ID metadata documents were requested: try again later'
    await expectPage(school, response, [429, 'temporarily_unavailable', 'document_fetch_paced', description]) // prettier-ignore
    expect(hosts.fetched).toEqual([NOTES_URL])
  })

  it('makes a client that a person can let in [CIMD-01, CIMD-12]', async () => {
    const { school, hosts } = await createDocumentSchool()
    const { client } = await openConsent(school)
    expect(client).toEqual({
      clientId: NOTES_URL,
      name: 'Notes',
      kind: 'document',
      verified: false,
      links: [],
      logoUri: null,
      createdAt: T,
      redirectHost: 'notes.example',
      redirectIsLoopback: false,
      redirectIsOwn: false,
    })
    const request = { ...REQUEST, scope: 'openid profile email courses:read' }
    const tokens = await signIn(school, request, { person: OWNER })
    expect(tokens.scope).toBe('openid profile email courses:read')
    expect(await isAlive(school, tokens.access_token)).toBe(true)
    expect(hosts.fetched).toEqual([NOTES_URL])
  })

  it('tells of what was fetched, and stores it [LOG-02]', async () => {
    const { school } = await createDocumentSchool()
    expect((await authorize(school)).status).toBe(303)
    expect(school.events).toEqual([
      { type: 'oauth.client.cimd.fetched', at: T, clientId: NOTES_URL, clientName: 'Notes' },
      {
        type: 'oauth.authorization.requested',
        at: T,
        clientId: NOTES_URL,
        scopes: ['openid', 'courses:read'],
      },
    ])
    expect(await school.store.findClient(NOTES_URL)).toMatchObject({
      kind: 'document',
      revision: 1,
      scopes: null,
      createdAt: T,
      document: { firstSeenAt: T, fetchedAt: T, freshUntil: T + 3600, reviewedAt: null },
    })
  })

  it('keeps nothing of what a document grants itself [CIMD-10]', async () => {
    const { school, hosts } = await createDocumentSchool()
    await authorize(school)
    const plain = await school.store.findClient(NOTES_URL)
    hosts.answer = () =>
      documentAnswer({
        ...NOTES_DOCUMENT,
        reviewed: true,
        skip_consent: true,
        disabled: true,
        scopes: ['courses:write'],
        scope: 'courses:write',
        kind: 'vendor',
        usedAt: 1,
        document: { reviewedAt: 1 },
      })
    const other = await createDocumentSchool()
    await authorize(other.school)
    expect(await other.school.store.findClient(NOTES_URL)).toEqual(plain)
  })

  it('may prefer to sign, as long as it can do without [CIMD-09]', async () => {
    const { school, hosts } = await createDocumentSchool()
    hosts.answer = () =>
      documentAnswer({
        ...NOTES_DOCUMENT,
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:x'],
      })
    expect((await signIn(school, REQUEST, { person: OWNER })).scope).toBe('openid courses:read')
  })

  it('is named with a warning where the code goes to this computer [CIMD-36]', async () => {
    const { school } = await createDocumentSchool()
    const redirect_uri = 'http://127.0.0.1:8123/cb'
    expect((await openConsent(school, { redirect_uri })).client).toMatchObject({
      verified: false,
      redirectHost: '127.0.0.1:8123',
      redirectIsLoopback: true,
      redirectIsOwn: false,
    })
  })

  it('asks on a second computer without ending what the first one holds [CIMD-37]', async () => {
    const { school } = await createDocumentSchool()
    const first = await signIn(school, REQUEST, { person: OWNER })
    const second = await signIn(school, REQUEST, { person: OWNER })
    for (const { access_token } of [first, second])
      expect(await isAlive(school, access_token)).toBe(true)
    expect((await refresh(school, first.refresh_token, NOTES)).status).toBe(200)
  })

  it('may name this computer as the site does', async () => {
    const redirect_uri = 'http://computer.test:8123/cb'
    const document = { ...NOTES_DOCUMENT, redirect_uris: ['http://computer.test/cb'] }
    for (const [loopbackHosts, status] of [
      [['computer.test'], 303],
      [['127.0.0.1'], 400],
    ] as const) {
      const { school, hosts } = await createDocumentSchool({ options: { loopbackHosts } })
      hosts.answer = () => documentAnswer(document)
      expect((await authorize(school, { redirect_uri })).status).toBe(status)
    }
  })

  it('gets no redirect to an address that is not in it', async () => {
    const { school } = await createDocumentSchool()
    const response = await authorize(school, { redirect_uri: 'https://notes.example/other' })
    await expectPage(school, response, [400, 'invalid_request', 'redirect_uri_not_registered'])
  })

  it('has its URL as the audience of the ID token [IDT-02]', async () => {
    const { school } = await createDocumentSchool()
    const { id_token } = await signIn(school, REQUEST, { person: OWNER })
    const claims = JSON.parse(Buffer.from(id_token!.split('.')[1]!, 'base64url').toString())
    expect(claims.aud).toBe(NOTES_URL)
  })
})

describe('a URL that is not resolved', () => {
  const HOST_REFUSED = [400, 'invalid_client', 'document_host_not_allowed'] as const

  it.each([
    'https://other.example/client.json',
    'https://sub.notes.example/client.json',
    'https://notes.example.evil.test/client.json',
  ])('gets a page and no fetch: %s [CIMD-02]', async (client_id) => {
    const { school, hosts } = await createDocumentSchool()
    const response = await authorize(school, { client_id })
    await expectPage(school, response, HOST_REFUSED)
    expect(hosts.fetched).toEqual([])
    expect(school.events).toEqual([])
    expect(await school.store.findClient(client_id)).toBeNull()
  })

  it.each([
    ['https://notes.example', 'document_url_malformed'],
    ['https://notes.example/a/../client.json', 'document_url_malformed'],
    ['https://u@notes.example/client.json', 'document_url_malformed'],
    ['https://notes.example/client.json#', 'document_url_malformed'],
    ['https://notes.example\\client.json', 'document_url_malformed'],
    ['https://127.0.0.1/client.json', 'document_host_not_public'],
    ['https://localhost/client.json', 'document_host_not_public'],
    ['https://notes.example:8443/client.json', 'document_port_not_allowed'],
  ])('gets a page and no fetch even where every host is let in: %s', async (client_id, reason) => {
    const { school, hosts } = await createDocumentSchool({ documents: { openRegistration: true } })
    const response = await authorize(school, { client_id })
    await expectPage(school, response, [400, 'invalid_client', reason])
    expect(hosts.fetched).toEqual([])
  })

  it('is resolved on any public host where open registration is on [CIMD-03]', async () => {
    const { school, hosts } = await createDocumentSchool({ documents: { openRegistration: true } })
    const url = 'https://anybody.example/oauth'
    const redirect_uri = 'https://anybody.example/cb'
    hosts.answer = () =>
      documentAnswer({ client_id: url, client_name: 'Any', redirect_uris: [redirect_uri] })
    expect((await authorize(school, { client_id: url, redirect_uri })).status).toBe(303)
    expect(hosts.fetched).toEqual([url])
  })

  it('is resolved no more once its host is taken from the list', async () => {
    const { school, hosts } = await createDocumentSchool()
    const { access_token, refresh_token } = await signIn(school, REQUEST, { person: OWNER })
    const later = await createDocumentSchool({
      store: school.store,
      documents: { allowedHosts: ['other.example'] },
    })
    await expectPage(later.school, await authorize(later.school), HOST_REFUSED)
    expect([...hosts.fetched, ...later.hosts.fetched]).toEqual([NOTES_URL])
    // What people allowed stays until somebody blocks the client or they disconnect it.
    expect(await isAlive(later.school, access_token)).toBe(true)
    expect((await refresh(later.school, refresh_token, NOTES)).status).toBe(200)
  })

  it('says so where the site resolves none', async () => {
    const school = await createSchool()
    const response = await authorize(school)
    await expectPage(school, response, [400, 'invalid_client', 'documents_not_supported'])
  })
})

describe('an identifier that is a URL', () => {
  const request = { client_id: NOTES_URL, redirect_uri: STUDY_BUDDY.redirectUris[0]! }

  it('stands for the client that is stored under it, and nothing is fetched [CIMD-35]', async () => {
    const { school, hosts } = await createDocumentSchool()
    await school.store.insertClient({ ...STUDY_BUDDY, clientId: NOTES_URL })
    expect(await approve(school, request)).toMatch(/^hpc_/)
    expect(hosts.fetched).toEqual([])
    expect(await school.store.findClient(NOTES_URL)).toMatchObject({
      name: 'Study Buddy',
      kind: 'member',
      document: null,
    })
  })

  it('stands for the stored client even where no documents are resolved [CIMD-35]', async () => {
    const school = await createSchool()
    await school.store.insertClient({ ...STUDY_BUDDY, clientId: NOTES_URL })
    expect(await approve(school, request)).toMatch(/^hpc_/)
  })

  const VENDOR: Vendor = {
    ...ACME,
    clientId: NOTES_URL,
    name: 'Notes Platform',
    redirectUris: [NOTES_CALLBACK],
  }
  const PINNED = {
    metadata: { ...NOTES_DOCUMENT, client_name: 'Pinned Notes' },
    scopes: ['events:write'],
    checkedOn: '2026-11-01',
  }

  it('stands for the vendor that has it, and nothing is fetched', async () => {
    const { school, hosts } = await createDocumentSchool({ options: { vendors: [VENDOR] } })
    expect((await openConsent(school)).client).toMatchObject({
      name: 'Notes Platform',
      kind: 'vendor',
    })
    expect(hosts.fetched).toEqual([])
  })

  it('stands for the pinned document, whatever is published or stored, for ever', async () => {
    const stored = await createDocumentSchool()
    await authorize(stored.school)
    const { school, hosts } = await createDocumentSchool({
      store: stored.school.store,
      documents: { allowedHosts: [] },
      options: { pinnedDocuments: [PINNED] },
    })
    school.clock.now = T + 400 * 86_400
    const scope = 'openid events:write'
    const view = await openConsent(school, { scope })
    expect(view.client).toMatchObject({ name: 'Pinned Notes', kind: 'document', verified: true })
    const tokens = await signIn(school, { ...REQUEST, scope }, { person: OWNER })
    expect(tokens.scope).toBe(scope)
    expect(await isAlive(school, tokens.access_token)).toBe(true)
    expect((await refresh(school, tokens.refresh_token, NOTES)).status).toBe(200)
    expect(hosts.fetched).toEqual([])
  })

  it('stands for the pinned document where no others are resolved', async () => {
    const school = await createSchool({ options: { pinnedDocuments: [PINNED] } })
    expect((await openConsent(school)).client.name).toBe('Pinned Notes')
    const response = await authorize(school, { client_id: 'https://other.example/client.json' })
    await expectPage(school, response, [400, 'invalid_client', 'documents_not_supported'])
  })

  it('stands for the vendor where a pinned document has it as well', async () => {
    const school = await createSchool({
      options: { vendors: [VENDOR], pinnedDocuments: [PINNED] },
    })
    expect((await openConsent(school)).client.name).toBe('Notes Platform')
  })

  it('is no client at the token endpoint until somebody has authorized it', async () => {
    const { school, hosts } = await createDocumentSchool()
    const response = await refresh(school, 'hpr_guess', NOTES)
    expect(response.status).toBe(401)
    expect(school.refusals.at(-1)).toMatchObject({ reason: 'client_unknown' })
    expect(hosts.fetched).toEqual([])
  })
})

describe('the metadata of a site', () => {
  it.each<[boolean, Parameters<typeof createDocumentSchool>[0]]>([
    [true, { documents: { allowedHosts: ['notes.example'] } }],
    [true, { documents: { openRegistration: true } }],
    // No URL can resolve.
    [false, { documents: {} }],
    [false, { documents: { allowedHosts: [], openRegistration: false } }],
  ])('says %s of documents with %j [DISC-08]', async (supported, options) => {
    const { school } = await createDocumentSchool(options)
    for (const path of ['oauth-authorization-server', 'openid-configuration']) {
      const metadata = await (await school.fetch(`${ISSUER}/.well-known/${path}`)).json()
      expect(metadata).toMatchObject({ client_id_metadata_document_supported: supported })
    }
  })

  it.each([
    [false, []],
    [true, [{ metadata: NOTES_DOCUMENT, scopes: null, checkedOn: '2026-11-01' }]],
  ])('says %s where the pinned documents are %j', async (supported, pinnedDocuments) => {
    const school = await createSchool({ options: { pinnedDocuments } })
    const metadata = await school.fetch(`${ISSUER}/.well-known/oauth-authorization-server`)
    expect(await metadata.json()).toMatchObject({
      client_id_metadata_document_supported: supported,
    })
  })
})

describe('a code for a document', () => {
  it('is kept for the redirect URI that was asked, with its port', async () => {
    const { school } = await createDocumentSchool()
    const redirect_uri = 'http://127.0.0.1:8123/cb'
    const code = await approve(school, { ...REQUEST, redirect_uri }, OWNER)
    expect(await school.store.findCode(hashToken(code))).toMatchObject({
      clientId: NOTES_URL,
      redirectUri: redirect_uri,
      scopes: ['openid', 'courses:read'],
    })
  })
})
