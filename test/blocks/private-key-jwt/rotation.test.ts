import { describe, expect, it } from 'vitest'
import { waitFor } from '../../support/processes/wait.js'
import { T } from '../../support/school/school.js'
import {
  createDocumentSchool,
  DOCUMENT_URL,
  JWKS_URL,
  makeKey,
  METADATA,
  type OwnKey,
  published,
  setOf,
} from '../../support/school/signing-document.js'

const { jwks_uri: _, ...WITHOUT_KEYS } = METADATA

/** A connected client with one key, whose host counts the requests for its keys. */
async function connected(documents: object = {}) {
  const school = await createDocumentSchool({ documents })
  const { hosts, asked } = school
  const [one, two, three] = [await makeKey('one'), await makeKey('two'), await makeKey('three')]
  hosts.set(DOCUMENT_URL, METADATA)
  const publish = (...keys: readonly OwnKey[]): unknown => hosts.set(JWKS_URL, setOf(...keys))
  publish(one)
  await school.connect()
  const fetches = (): number => asked.filter((url) => url === JWKS_URL).length
  return { ...school, one, two, three, publish, fetches }
}

describe('keys that rotate', () => {
  it('are accepted throughout: the old, both, and the new alone, in 0 refusals [PKJ-04]', async () => {
    const { exchange, publish, one, two, three, refusals, clock } = await connected()
    for (const [published_, signing] of [
      [[one], [one]],
      [
        [one, two],
        [one, two, two],
      ],
      [[two], [two, two]],
      [[two, three], [three]],
      [[three], [three]],
    ] as const) {
      publish(...published_)
      for (const key of signing) expect(await exchange(key)).toEqual([200, null])
      clock.now += 120
    }
    expect(refusals).toEqual([])
  })

  it('are fetched once for many requests at the same time [PKJ-04]', async () => {
    const { exchange, publish, one, two, fetches } = await connected()
    expect(await exchange(one)).toEqual([200, null])
    publish(one, two)
    const all = await Promise.all(
      Array.from({ length: 20 }, (_one, at) => exchange(two, { network: `n${at}` })),
    )
    expect(all.every(([status]) => status === 200)).toBe(true)
    expect(fetches()).toBe(2)
  })

  it('are found by an assertion without kid too [PKJ-04]', async () => {
    const { exchange, publish, one, two } = await connected()
    await exchange(one)
    publish(two)
    expect(await exchange(two, { header: { kid: undefined } })).toEqual([200, null])
  })

  it('within a document are fetched with it [PKJ-04]', async () => {
    const { exchange, hosts, connect, one, two, clock, asked } = await connected()
    hosts.set(DOCUMENT_URL, { ...WITHOUT_KEYS, jwks: setOf(one) })
    clock.now += 7200
    expect(await connect()).toBeNull()
    expect(await exchange(one)).toEqual([200, null])
    hosts.set(DOCUMENT_URL, { ...WITHOUT_KEYS, jwks: setOf(one, two) })
    expect(await exchange(two)).toEqual([200, null])
    hosts.set(DOCUMENT_URL, { ...WITHOUT_KEYS, jwks: setOf(two) })
    clock.now += 3600
    expect(await exchange(one)).toEqual([401, 'assertion_key_unknown'])
    expect(asked).not.toContain(JWKS_URL)
  })

  it('are refused once the document no longer has them [PKJ-04]', async () => {
    const { exchange, hosts, connect, one, clock } = await connected()
    hosts.set(DOCUMENT_URL, { ...WITHOUT_KEYS, jwks: setOf(one) })
    clock.now += 7200
    await connect()
    clock.now += 3600
    for (const [content, reason] of [
      [METADATA, 'client_keys_missing'],
      [{ ...METADATA, token_endpoint_auth_method: 'none' }, 'client_keys_missing'],
      [{ ...WITHOUT_KEYS, jwks: { keys: [] } }, 'client_keys_malformed'],
      [[], 'client_keys_malformed'],
    ] as const) {
      hosts.set(DOCUMENT_URL, content)
      expect(await exchange(one)).toEqual([401, reason])
      clock.now += 3600
    }
  })
})

describe('a key that is withdrawn', () => {
  it('works for an hour at most, whatever the headers say [PKJ-05]', async () => {
    const { exchange, hosts, one, two, clock, fetches } = await connected()
    const headers = { 'cache-control': 'max-age=86400' }
    hosts.set(JWKS_URL, () => published(setOf(one), headers))
    expect(await exchange(one)).toEqual([200, null])
    hosts.set(JWKS_URL, () => published(setOf(two), headers))
    clock.now = T + 3599
    expect(await exchange(one)).toEqual([200, null])
    expect(fetches()).toBe(1)
    clock.now = T + 3600
    expect(await exchange(one)).toEqual([401, 'assertion_key_unknown'])
  })

  it('works no longer than the headers permit, and at least 30 seconds [PKJ-05]', async () => {
    const { exchange, hosts, one, two, clock } = await connected()
    hosts.set(JWKS_URL, () => published(setOf(one), { 'cache-control': 'no-store' }))
    expect(await exchange(one)).toEqual([200, null])
    hosts.set(JWKS_URL, setOf(two))
    clock.now = T + 29
    expect(await exchange(one)).toEqual([200, null])
    clock.now = T + 30
    expect(await exchange(one)).toEqual([401, 'assertion_key_unknown'])
  })

  it('stops at once when the new one is used [PKJ-05]', async () => {
    const { exchange, publish, one, two } = await connected()
    expect(await exchange(one)).toEqual([200, null])
    publish(two)
    expect(await exchange(two)).toEqual([200, null])
    expect(await exchange(one)).toEqual([401, 'assertion_key_unknown'])
  })
})

describe('an address that does not respond', () => {
  const down = (): Response => new Response('down', { status: 503 })

  it('leaves its last keys valid for four hours, and is asked again after 30 seconds [PKJ-06]', async () => {
    const { exchange, hosts, one, clock, fetches, events, publish } = await connected()
    expect(await exchange(one)).toEqual([200, null])
    hosts.set(JWKS_URL, down)
    clock.now = T + 3600
    expect(await exchange(one)).toEqual([200, null])
    expect(await exchange(one)).toEqual([200, null])
    expect(fetches()).toBe(2)
    clock.now = T + 3630
    expect(await exchange(one)).toEqual([200, null])
    expect(fetches()).toBe(3)
    clock.now = T + 4 * 3600 - 1
    expect(await exchange(one)).toEqual([200, null])
    clock.now = T + 4 * 3600
    expect(await exchange(one)).toEqual([429, 'client_keys_unavailable'])
    expect(events.filter(({ type }) => type === 'oauth.client.cimd.fetch_failed')[0]).toMatchObject(
      {
        clientId: DOCUMENT_URL,
        reason: 'document_status_not_200: 503',
      },
    )
    publish(one)
    expect(await exchange(one)).toEqual([200, null])
  })

  it.each<[string, () => Response | Promise<Response>]>([
    ['responds with 503', down],
    ['responds with 429', () => new Response('slower', { status: 429 })],
    ['throws', () => Promise.reject(new Error('no route'))],
    ['returns no response', () => null as never],
  ])('is told to wait if there are no keys and it %s [PKJ-06]', async (_name, answer) => {
    const { exchange, hosts, one, post, issue, sign, faults } = await connected()
    hosts.set(JWKS_URL, answer)
    expect(await exchange(one)).toEqual([429, 'client_keys_unavailable'])
    await issue('b', DOCUMENT_URL)
    const claims = { iss: DOCUMENT_URL, sub: DOCUMENT_URL }
    const response = await post('revoke', {
      token: 'x',
      client_assertion: await sign(claims, one.privateKey),
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '30'])
    expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' })
    expect(faults).toEqual([])
  })

  it.each<[string, () => Response, string]>([
    ['404', () => new Response('none', { status: 404 }), 'client_keys_malformed'],
    [
      'a redirect',
      () => Response.redirect('https://other.example/jwks.json', 302),
      'client_keys_malformed',
    ],
    [
      'HTML',
      () => new Response('<p>', { headers: { 'content-type': 'text/html' } }),
      'client_keys_malformed',
    ],
    [
      'JSON that is none',
      () => new Response('{', { headers: { 'content-type': 'application/json' } }),
      'client_keys_malformed',
    ],
    [
      'more than 16 kB',
      () => published({ keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x'.repeat(16_400) }] }),
      'client_keys_malformed',
    ],
    ['a document', () => published(METADATA), 'client_keys_malformed'],
    [
      'a private key',
      () => published({ keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x', d: 'd' }] }),
      'client_keys_private',
    ],
    ['a symmetric key', () => published({ keys: [{ kty: 'oct', k: 'k' }] }), 'client_keys_private'],
  ])(
    'and one that responds with %s has no keys, for 30 seconds [PKJ-06]',
    async (_name, answer, reason) => {
      const { exchange, hosts, one, clock, fetches, publish } = await connected()
      hosts.set(JWKS_URL, answer)
      expect(await exchange(one)).toEqual([401, reason])
      publish(one)
      expect(await exchange(one)).toEqual([401, reason])
      expect(fetches()).toBe(1)
      clock.now += 30
      expect(await exchange(one)).toEqual([200, null])
    },
  )

  it('never answers: the request ends within five seconds, and within one if there are keys [PKJ-06]', async () => {
    const { exchange, hosts, one, clock, faults } = await connected()
    hosts.set(JWKS_URL, () => new Promise<never>(() => {}))
    const results: unknown[] = []
    void exchange(one).then((result) => results.push(result))
    await waitFor(() => results.length === 1, { what: 'an answer without keys' })
    expect(results).toEqual([[429, 'client_keys_unavailable']])
    hosts.set(JWKS_URL, setOf(one))
    expect(await exchange(one)).toEqual([200, null])
    hosts.set(JWKS_URL, () => new Promise<never>(() => {}))
    clock.now += 3600
    expect(await exchange(one)).toEqual([200, null])
    expect(faults).toEqual([])
  })
})

describe('a stranger with bad assertions', () => {
  it('causes one fetch a minute from one network, and the client rotates meanwhile [PKJ-07]', async () => {
    const { exchange, publish, one, two, fetches, clock } = await connected()
    const thief = await makeKey('thief')
    expect(await exchange(one)).toEqual([200, null])
    for (let turn = 0; turn < 30; turn++)
      expect(await exchange(thief, { network: 'evil' })).toEqual([401, 'assertion_key_unknown'])
    expect(fetches()).toBe(2)
    // The client signs with a new key at once: its own network has its own fetch.
    publish(one, two)
    expect(await exchange(two)).toEqual([200, null])
    expect(fetches()).toBe(3)
    clock.now += 60
    for (let turn = 0; turn < 5; turn++) await exchange(thief, { network: 'evil' })
    expect(fetches()).toBe(4)
  })

  it('of many networks causes six fetches a minute of one address [PKJ-07]', async () => {
    const { exchange, one, fetches, refusals } = await connected()
    const thief = await makeKey('one')
    expect(await exchange(one)).toEqual([200, null])
    for (let turn = 0; turn < 40; turn++) await exchange(thief, { network: `evil ${turn}` })
    expect(fetches()).toBe(6)
    expect(new Set(refusals.map(({ reason }) => reason))).toEqual(
      new Set(['assertion_signature_wrong']),
    )
    expect(await exchange(one)).toEqual([200, null])
  })

  it('pays for the keys of each client that has none yet [PKJ-07]', async () => {
    const { exchange, hosts, connect, one, fetches, clock } = await connected()
    const urls = Array.from({ length: 12 }, (_one, at) => `https://app${at}.example/client.json`)
    for (const [at, url] of urls.entries()) {
      const keys = { jwks_uri: `https://app${at}.example/jwks.json` }
      hosts.set(url, {
        ...METADATA,
        client_id: url,
        redirect_uris: [`https://app${at}.example/cb`],
        ...keys,
      })
      hosts.set(keys.jwks_uri, setOf(one))
      await connect(url)
      clock.now += 60
    }
    const results = []
    for (const clientId of urls)
      results.push((await exchange(one, { clientId, network: 'evil' }))[1])
    expect(results.filter((reason) => reason === 'client_keys_unavailable')).toHaveLength(2)
    expect(await exchange(one)).toEqual([200, null])
    expect(fetches()).toBe(1)
  })

  it('cannot put the document of another client in the place of its keys [PKJ-07]', async () => {
    const { exchange, hosts, connect, one, clock } = await connected()
    hosts.set(DOCUMENT_URL, { ...WITHOUT_KEYS, jwks: setOf(one) })
    clock.now += 7200
    await connect()
    const other = 'https://other.example/client.json'
    hosts.set(other, {
      ...METADATA,
      client_id: other,
      redirect_uris: ['https://other.example/cb'],
      jwks_uri: DOCUMENT_URL,
    })
    await connect(other)
    clock.now += 3600
    expect(await exchange(one, { clientId: other })).toEqual([401, 'client_keys_malformed'])
    expect(await exchange(one)).toEqual([200, null])
  })

  it('finds no keys at a host that is no longer allowed [PKJ-07]', async () => {
    const allowedHosts = ['notes.example']
    const { exchange, one, clock, hosts } = await connected({
      openRegistration: false,
      allowedHosts,
    })
    expect(await exchange(one)).toEqual([200, null])
    allowedHosts.pop()
    clock.now += 3600
    expect(await exchange(one)).toEqual([401, 'client_keys_uri_not_allowed'])
    expect(hosts.has(JWKS_URL)).toBe(true)
  })

  it('forgets the least recent of more than a thousand copies [PKJ-07]', async () => {
    const { exchange, store, one, hosts, fetches, clock } = await connected()
    await exchange(one)
    const client = (await store.findClient(DOCUMENT_URL))!
    for (let at = 0; at < 1000; at++) {
      const clientId = `https://app.example/${at}`
      const jwksUri = `https://app${at}.example/jwks.json`
      hosts.set(jwksUri, setOf(one))
      await store.insertClient({
        ...client,
        clientId,
        revision: 1,
        keys: { ...client.keys!, jwksUri },
      })
      await exchange(one, { clientId, network: `n${at}` })
      clock.now += 1
    }
    expect(await exchange(one)).toEqual([200, null])
    expect(fetches()).toBe(2)
  })
})
