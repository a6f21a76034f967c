import { describe, expect, it } from 'vitest'
import {
  changeClient,
  createDocumentSchool,
  documentAnswer,
  later,
  NOTES_CALLBACK,
  NOTES_DOCUMENT,
  NOTES_REQUEST,
  NOTES_URL,
  reviewNotes,
} from '../support/school/metadata-documents.js'
import {
  authorizationUrl,
  type Fields,
  isAlive,
  refresh,
  signIn,
  tokensOf,
} from '../support/school/flow.js'
import { breakableStore, FAULT_TEXT } from '../support/school/stores.js'
import { OWNER, type School, T } from '../support/school/school.js'

const NOTES = { client_id: NOTES_URL, redirect_uri: NOTES_CALLBACK }
const DAY = 86_400

const authorize = (school: School, changes: Fields = {}): Promise<Response> =>
  school.fetch(authorizationUrl({ ...NOTES_REQUEST, ...changes }))
const statusesOf = async (answers: readonly Promise<Response>[]): Promise<readonly number[]> =>
  (await Promise.all(answers)).map(({ status }) => status)
const times = (count: number, status: number): readonly number[] =>
  Array.from({ length: count }, () => status)
const eventsOf = (school: School, type: string): readonly unknown[] =>
  school.events.filter((event) => event.type === type)
const notUtf8 = (): Response =>
  new Response(
    Buffer.from(JSON.stringify({ ...NOTES_DOCUMENT, client_name: 'Not\xe9s' }), 'latin1'),
    {
      headers: { 'content-type': 'application/json' },
    },
  )
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const UNAVAILABLE = {
  page: 'error',
  view: {
    status: 400,
    error: 'invalid_client',
    reason: 'document_unavailable',
    description: 'the client ID metadata document could not be read',
  },
}
const PACED = {
  page: 'error',
  view: {
    status: 429,
    error: 'temporarily_unavailable',
    reason: 'document_fetch_paced',
    description: expect.stringMatching(/try again later$/),
  },
}

describe('fifty authorizations at once', () => {
  it('fetch a document once, and all go on [CIMD-31]', async () => {
    const { school, hosts } = await createDocumentSchool()
    const { promise, resolve } = later<Response>()
    hosts.answer = () => promise
    const answers = Array.from({ length: 50 }, () => authorize(school))
    await settle()
    resolve(documentAnswer())
    expect(await statusesOf(answers)).toEqual(times(50, 303))
    expect(hosts.fetched).toEqual([NOTES_URL])
    expect(eventsOf(school, 'oauth.client.cimd.fetched')).toHaveLength(1)
    expect(await school.store.findClient(NOTES_URL)).toMatchObject({ revision: 1 })
  })

  it('fail together, and the next one fetches again [CIMD-31]', async () => {
    const { school, hosts } = await createDocumentSchool()
    const { promise, reject } = later<Response>()
    hosts.answer = () => promise
    const answers = Array.from({ length: 50 }, () => authorize(school))
    await settle()
    reject(new Error('connection reset'))
    expect(await statusesOf(answers)).toEqual(times(50, 400))
    expect(school.view).toEqual(UNAVAILABLE)
    hosts.answer = () => documentAnswer()
    expect((await authorize(school)).status).toBe(303)
    expect(hosts.fetched).toEqual([NOTES_URL, NOTES_URL])
  })

  it('for documents of two URLs fetch each of them', async () => {
    const { school, hosts } = await createDocumentSchool()
    const other = 'https://notes.example/other.json'
    hosts.answer = (url) => documentAnswer({ ...NOTES_DOCUMENT, client_id: url })
    const answers = [NOTES_URL, other, NOTES_URL, other].map((client_id) =>
      authorize(school, { client_id }),
    )
    expect(await statusesOf(answers)).toEqual(times(4, 303))
    expect(hosts.fetched.toSorted()).toEqual([NOTES_URL, other])
  })

  it('are all told of a storage that is down, and the next one goes on', async () => {
    const { store, fail } = breakableStore()
    const { school } = await createDocumentSchool({ store })
    fail('insertClient')
    expect(await statusesOf([authorize(school), authorize(school)])).toEqual([503, 503])
    expect(school.faults.map(({ fault }) => (fault as Error).cause)).toEqual([
      new Error(FAULT_TEXT),
      new Error(FAULT_TEXT),
    ])
    fail(null)
    expect((await authorize(school)).status).toBe(303)
  })
})

describe('the copy of a document', () => {
  it('is not fetched again while it is fresh, and is from then on [CIMD-30]', async () => {
    const { school, hosts } = await createDocumentSchool()
    hosts.answer = () => documentAnswer(NOTES_DOCUMENT, { 'cache-control': 'max-age=600' })
    await authorize(school)
    school.clock.now = T + 599
    await authorize(school)
    expect(hosts.fetched).toHaveLength(1)
    school.clock.now = T + 600
    expect((await authorize(school)).status).toBe(303)
    expect(hosts.fetched).toHaveLength(2)
    expect(await school.store.findClient(NOTES_URL)).toMatchObject({
      revision: 2,
      document: { firstSeenAt: T, fetchedAt: T + 600, freshUntil: T + 1200 },
    })
    expect(eventsOf(school, 'oauth.client.cimd.changed')).toEqual([])
  })

  it('counts for half a minute where its host wants it kept for no time [CIMD-30]', async () => {
    const { school, hosts } = await createDocumentSchool()
    hosts.answer = () => documentAnswer(NOTES_DOCUMENT, { 'cache-control': 'no-store' })
    await authorize(school)
    school.clock.now = T + 29
    await authorize(school)
    expect(hosts.fetched).toHaveLength(1)
    school.clock.now = T + 30
    await authorize(school)
    expect(hosts.fetched).toHaveLength(2)
  })

  it.each<[string, () => Response | Promise<Response>, string]>([
    [
      'refuses connections',
      () => Promise.reject(new Error('connect ECONNREFUSED 93.184.215.14:443')),
      'connect ECONNREFUSED 93.184.215.14:443',
    ],
    ['answers 500', () => new Response(null, { status: 500 }), 'document_status_not_200: 500'],
    ['answers 503', () => new Response('x', { status: 503 }), 'document_status_not_200: 503'],
    ['answers 429', () => new Response('x', { status: 429 }), 'document_status_not_200: 429'],
    [
      'breaks off',
      () =>
        new Response(new ReadableStream({ pull: (stream) => stream.error(new Error('cut off')) }), {
          headers: { 'content-type': 'application/json' },
        }),
      'cut off',
    ],
  ])('serves up to seven days while its host %s [CIMD-34, F-13]', async (_, answer, reason) => {
    const { school, hosts } = await createDocumentSchool()
    await authorize(school)
    const kept = await school.store.findClient(NOTES_URL)
    hosts.answer = answer
    school.clock.now = T + 7 * DAY - 1
    expect((await authorize(school)).status).toBe(303)
    school.clock.now = T + 7 * DAY
    expect((await authorize(school)).status).toBe(400)
    expect(school.view).toEqual(UNAVAILABLE)
    expect(await school.store.findClient(NOTES_URL)).toEqual(kept)
    expect(eventsOf(school, 'oauth.client.cimd.fetch_failed')).toEqual(
      [T + 7 * DAY - 1, T + 7 * DAY].map((at) => ({
        type: 'oauth.client.cimd.fetch_failed',
        at,
        clientId: NOTES_URL,
        reason,
      })),
    )
  })

  it.each<[string, () => Response]>([
    ['is gone', () => new Response(null, { status: 404 })],
    ['has moved', () => Response.redirect('https://notes.example/new.json', 301)],
    ['is no document any more', () => documentAnswer({ hello: 'world' })],
    ['is not UTF-8', notUtf8],
    ['is a page', () => new Response('<p>', { headers: { 'content-type': 'text/html' } })],
  ])('does not serve once the document %s [CIMD-15, CIMD-34]', async (_, answer) => {
    const { school, hosts } = await createDocumentSchool()
    await authorize(school)
    hosts.answer = answer
    school.clock.now = T + DAY
    const response = await authorize(school)
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(school.view).toMatchObject({ page: 'error', view: { error: 'invalid_client' } })
  })

  it('serves what people have allowed already, and nothing asks the host [CIMD-34]', async () => {
    const { school, hosts } = await createDocumentSchool()
    const tokens = await signIn(school, NOTES_REQUEST, { person: OWNER })
    hosts.answer = () => Promise.reject(new Error('no route'))
    let held = tokens
    for (const day of [1, 8, 20, 40]) {
      school.clock.now = T + day * DAY
      held = await tokensOf(await refresh(school, held.refresh_token, NOTES))
      expect(await isAlive(school, held.access_token)).toBe(true)
    }
    expect(hosts.fetched).toEqual([NOTES_URL])
  })

  it('holds what an operator decided while it was fetched again', async () => {
    const { school, hosts } = await createDocumentSchool()
    await authorize(school)
    const { promise, resolve } = later<Response>()
    hosts.answer = () => promise
    school.clock.now = T + DAY
    const answer = authorize(school)
    await settle()
    await reviewNotes(school, 'events:write')
    resolve(documentAnswer({ ...NOTES_DOCUMENT, client_name: 'Notes 2' }))
    expect((await answer).status).toBe(303)
    expect(await school.store.findClient(NOTES_URL)).toMatchObject({
      name: 'Notes',
      revision: 2,
      scopes: ['events:write'],
      document: { fetchedAt: T },
    })
    // What the operator did not see is seen at the next request.
    hosts.answer = () => documentAnswer({ ...NOTES_DOCUMENT, client_name: 'Notes 2' })
    await authorize(school)
    expect(await school.store.findClient(NOTES_URL)).toMatchObject({
      name: 'Notes 2',
      scopes: null,
    })
  })

  it.each<[string, () => Response | Promise<Response>]>([
    ['is fetched', () => documentAnswer()],
    ['cannot be fetched', () => Promise.reject(new Error('timed out'))],
  ])('lets nobody in that was blocked while it %s', async (_, outcome) => {
    const { school, hosts } = await createDocumentSchool()
    await authorize(school)
    const wait = later<void>()
    hosts.answer = () => wait.promise.then(outcome)
    school.clock.now = T + DAY
    const answer = authorize(school, { prompt: 'none' })
    await settle()
    await changeClient(school, NOTES_URL, () => ({ disabled: true }))
    wait.resolve()
    expect((await answer).status).toBe(400)
    expect(school.view).toMatchObject({ view: { reason: 'client_blocked' } })
  })

  it('is gone for good where the client was deleted while it was fetched', async () => {
    const { school, hosts } = await createDocumentSchool()
    await authorize(school)
    const { promise, resolve } = later<Response>()
    hosts.answer = () => promise
    school.clock.now = T + DAY
    const answer = authorize(school)
    await settle()
    await changeClient(school, NOTES_URL, () => ({ deletedAt: T + DAY, disabled: true }))
    resolve(documentAnswer())
    expect((await answer).status).toBe(400)
    expect(school.view).toEqual(UNAVAILABLE)
    hosts.answer = () => documentAnswer()
    expect((await authorize(school)).status).toBe(400)
    expect(school.view).toEqual(UNAVAILABLE)
    expect(await school.store.findClient(NOTES_URL)).toBeNull()
  })
})

describe('a document that cannot be read', () => {
  const json = (body: BodyInit | null, headers: Readonly<Record<string, string>> = {}) =>
    new Response(body, { headers: { 'content-type': 'application/json', ...headers } })
  const text = JSON.stringify(NOTES_DOCUMENT)

  it.each<[string, () => Response | Promise<Response>, string]>([
    ['204', () => new Response(null, { status: 204 }), 'document_status_not_200: 204'],
    ['206', () => new Response(text, { status: 206 }), 'document_status_not_200: 206'],
    [
      '301',
      () => Response.redirect('http://169.254.169.254/', 301),
      'document_status_not_200: 301',
    ],
    ['302', () => Response.redirect('https://other.example/', 302), 'document_status_not_200: 302'],
    ['304', () => new Response(null, { status: 304 }), 'document_status_not_200: 304'],
    ['404', () => new Response(text, { status: 404 }), 'document_status_not_200: 404'],
    ['500', () => new Response(text, { status: 500 }), 'document_status_not_200: 500'],
    [
      'HTML',
      () => new Response(text, { headers: { 'content-type': 'text/html' } }),
      'document_media_type_not_json: 200',
    ],
    [
      'gzip',
      () => json(text, { 'content-encoding': 'gzip' }),
      'document_content_encoding_not_identity: 200',
    ],
    ['5 KiB and a byte', () => json(text.padEnd(5121)), 'document_too_large'],
    ['nothing', () => json(null), 'json_malformed'],
    ['no JSON', () => json('{'), 'json_malformed'],
    ['Latin-1', notUtf8, 'json_malformed'],
    ['a byte order mark', () => json(`\ufeff${text}`), 'json_malformed'],
    ['a name twice', () => json(`{"client_id":"x",${text.slice(1)}`), 'json_key_repeated'],
    ['a depth bomb', () => json('['.repeat(5000)), 'json_malformed'],
    [
      'no answer',
      () => Promise.reject(new Error('10.0.0.7 is not a public address')),
      '10.0.0.7 is not a public address',
    ],
    ['a fault that is no Error', () => Promise.reject('timeout'), 'timeout'],
  ])(
    'is a page that says no more than that, and the reason is for the operator: %s [CIMD-15, CIMD-20, CIMD-33]',
    async (_, answer, reason) => {
      const { school, hosts } = await createDocumentSchool()
      hosts.answer = answer
      const response = await authorize(school)
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
      expect(await response.json()).toEqual(UNAVAILABLE)
      expect(school.events).toEqual([
        { type: 'oauth.client.cimd.fetch_failed', at: T, clientId: NOTES_URL, reason },
      ])
      expect(school.faults).toEqual([])
      // Once, wherever a redirect leads, and nothing of it is kept.
      expect(hosts.fetched).toEqual([NOTES_URL])
      expect(await school.store.findClient(NOTES_URL)).toBeNull()
      hosts.answer = () => documentAnswer()
      expect((await authorize(school)).status).toBe(303)
    },
  )

  it.each<[string, unknown, string]>([
    ['an array', [NOTES_DOCUMENT], 'document_not_an_object'],
    ['null', null, 'document_not_an_object'],
    ['a document behind __proto__', { ['__proto__']: NOTES_DOCUMENT }, 'document_not_an_object'],
    [
      'another client_id',
      { ...NOTES_DOCUMENT, client_id: `${NOTES_URL}/` },
      'document_client_id_mismatch',
    ],
    [
      "a vendor's name",
      { ...NOTES_DOCUMENT, client_name: 'Acme Agents' },
      'document_name_resembles_vendor',
    ],
    [
      'the name of the site',
      { ...NOTES_DOCUMENT, client_name: 'Lantern Street Drawing School' },
      'document_name_resembles_vendor',
    ],
  ])('says what its maker has to mend: %s [CIMD-20, CIMD-39]', async (_, document, reason) => {
    const { school, hosts } = await createDocumentSchool()
    hosts.answer = () => documentAnswer(document)
    expect((await authorize(school)).status).toBe(400)
    expect(school.view).toMatchObject({ view: { error: 'invalid_client', reason } })
    expect(school.events).toMatchObject([{ type: 'oauth.client.cimd.fetch_failed', reason }])
    expect(await school.store.findClient(NOTES_URL)).toBeNull()
  })

  it('may have 5 KiB', async () => {
    const { school, hosts } = await createDocumentSchool()
    hosts.answer = () => json(text.padEnd(5120))
    expect((await authorize(school)).status).toBe(303)
  })
})

describe('the pace of fetches', () => {
  const down = () => Promise.reject(new Error('no route'))

  it('is six a minute for one document [CIMD-32]', async () => {
    const { school, hosts } = await createDocumentSchool()
    hosts.answer = down
    for (let round = 0; round < 6; round++) {
      await authorize(school)
      expect(school.view).toEqual(UNAVAILABLE)
    }
    const { status, headers } = await authorize(school)
    expect([status, headers.get('location'), headers.get('retry-after')]).toEqual([429, null, '10'])
    expect(school.view).toEqual(PACED)
    expect(hosts.fetched).toHaveLength(6)
    expect(eventsOf(school, 'oauth.client.cimd.fetch_failed')).toHaveLength(6)
    school.clock.now = T + 10
    await authorize(school)
    expect([hosts.fetched.length, school.view]).toEqual([7, UNAVAILABLE])
  })

  it('is forty a minute for the new documents of one host, and other hosts go on [CIMD-32]', async () => {
    const { school, hosts } = await createDocumentSchool({ documents: { openRegistration: true } })
    hosts.answer = down
    for (let index = 0; index < 1000; index++)
      await authorize(school, { client_id: `https://many.example/${index}` })
    expect([hosts.fetched.length, school.view]).toEqual([40, PACED])
    await authorize(school, { client_id: 'https://other.example/client.json' })
    expect([hosts.fetched.length, school.view]).toEqual([41, UNAVAILABLE])
  })

  it('is a hundred and eighty a minute for the new documents of the site, however many hosts there are [CIMD-32]', async () => {
    const { school, hosts } = await createDocumentSchool({ documents: { openRegistration: true } })
    hosts.answer = down
    for (let index = 0; index < 300; index++)
      await authorize(school, { client_id: `https://h${index}.many.example/client.json` })
    expect([hosts.fetched.length, school.view]).toEqual([180, PACED])
  })

  it('lets the last good copy serve meanwhile', async () => {
    const { school, hosts } = await createDocumentSchool()
    await authorize(school)
    hosts.answer = down
    school.clock.now = T + DAY
    for (let index = 0; index < 20; index++) expect((await authorize(school)).status).toBe(303)
    expect(hosts.fetched).toHaveLength(1 + 6)
    // Whoever reads the events sees that the copy is an old one.
    const reasons = eventsOf(school, 'oauth.client.cimd.fetch_failed')
    expect(reasons.map((event) => (event as { reason: string }).reason)).toEqual([
      ...times(6, 0).map(() => 'no route'),
      ...times(14, 0).map(() => 'document_fetch_paced'),
    ])
  })

  it('does not count who waits for a fetch that is under way', async () => {
    const { school, hosts } = await createDocumentSchool()
    const { promise, reject } = later<Response>()
    hosts.answer = () => promise
    const answers = Array.from({ length: 20 }, () => authorize(school))
    await settle()
    reject(new Error('no route'))
    await Promise.all(answers)
    hosts.answer = down
    for (let index = 0; index < 5; index++) {
      await authorize(school)
      expect(school.view).toEqual(UNAVAILABLE)
    }
    await authorize(school)
    expect(school.view).toEqual(PACED)
  })
})
