import type { RefusalReason } from 'hallpass/policy'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { CLIENT_KEYS, DOCUMENT } from '../../../src/site/fetch-document.js'
import type { AssertionReason } from '../../../src/policy/client-assertion.js'
import {
  createDocumentSchool,
  DOCUMENT_URL,
  JWKS_URL,
  makeKey,
  METADATA,
  published,
  setOf,
} from '../../support/school/signing-document.js'
import { T } from '../../support/school/school.js'

const { jwks_uri: _, ...WITHOUT_KEYS } = METADATA

describe('a document with private_key_jwt', () => {
  it('connects with keys at jwks_uri, and its client signs [PKJ-01]', async () => {
    const key = await makeKey('one')
    const { hosts, asked, connect, exchange, store, faults } = await createDocumentSchool()
    hosts.set(DOCUMENT_URL, METADATA).set(JWKS_URL, setOf(key))
    expect(await connect()).toBeNull()
    expect(asked).toEqual([DOCUMENT_URL])
    expect(await exchange(key)).toEqual([200, null])
    expect(await exchange(key)).toEqual([200, null])
    expect(asked).toEqual([DOCUMENT_URL, JWKS_URL])
    expect(await store.findClient(DOCUMENT_URL)).toMatchObject({
      tokenEndpointAuthMethod: 'private_key_jwt',
      keys: { jwks: null, jwksUri: JWKS_URL, signingAlg: null },
    })
    expect(faults).toEqual([])
  })

  it('has its keys fetched, and no other address that it names [OUT-02]', async () => {
    const key = await makeKey('one')
    const asked: unknown[] = []
    const links = ['client_uri', 'policy_uri', 'tos_uri', 'logo_uri', 'initiate_login_uri'].map(
      (name) => [name, `https://notes.example/${name}`],
    )
    const { connect, exchange } = await createDocumentSchool({
      documents: {
        fetchDocument: async (url, what) => {
          asked.push([url, what])
          return published(
            url === JWKS_URL ? setOf(key) : { ...METADATA, ...Object.fromEntries(links) },
          )
        },
      },
    })
    expect(await connect()).toBeNull()
    expect(await exchange(key)).toEqual([200, null])
    expect(asked).toEqual([
      [DOCUMENT_URL, DOCUMENT],
      [JWKS_URL, CLIENT_KEYS],
    ])
  })

  it('connects with inline jwks, which are fetched with it [PKJ-01]', async () => {
    const key = await makeKey('one')
    const { hosts, asked, connect, exchange } = await createDocumentSchool()
    hosts.set(DOCUMENT_URL, { ...WITHOUT_KEYS, jwks: setOf(key) })
    expect(await connect()).toBeNull()
    expect(await exchange(key)).toEqual([200, null])
    expect(asked).toEqual([DOCUMENT_URL])
  })

  it('is confidential: without an assertion it is refused [PKJ-01]', async () => {
    const key = await makeKey('one')
    const { hosts, connect, issue, redeem } = await createDocumentSchool()
    hosts.set(DOCUMENT_URL, METADATA).set(JWKS_URL, setOf(key))
    await connect()
    await issue('a', DOCUMENT_URL)
    const refused = [401, 'client_auth_method_mismatch']
    expect(await redeem('a', { client_id: DOCUMENT_URL })).toEqual(refused)
    expect(await redeem('a', { client_id: DOCUMENT_URL, client_secret: 'x' })).toEqual(refused)
  })

  it('signs with RS256 alone if it names that, as ChatGPT does [PKJ-01]', async () => {
    const [rsa, ec] = [await makeKey('rsa', 'RS256'), await makeKey('ec')]
    const { hosts, connect, exchange } = await createDocumentSchool({
      options: { algorithms: ['ES256', 'RS256'] },
    })
    hosts
      .set(DOCUMENT_URL, { ...METADATA, token_endpoint_auth_signing_alg: 'RS256' })
      .set(JWKS_URL, setOf(rsa, ec))
    expect(await connect()).toBeNull()
    expect(await exchange(rsa, { alg: 'RS256' })).toEqual([200, null])
    expect(await exchange(ec)).toEqual([401, 'assertion_alg_not_accepted'])
  })

  it('is refused at a server without the block, as before [PKJ-01]', async () => {
    const { hosts, connect } = await createDocumentSchool({ withBlock: false })
    hosts.set(DOCUMENT_URL, METADATA)
    expect(await connect()).toBe('document_auth_method_not_supported')
  })

  it.each<[string, object, AssertionReason | RefusalReason]>([
    ['no keys', { jwks_uri: undefined }, 'client_keys_missing'],
    ['keys twice', { jwks: { keys: [{ kty: 'EC' }] } }, 'client_keys_ambiguous'],
    [
      'an address of http',
      { jwks_uri: 'http://notes.example/jwks' },
      'client_keys_uri_not_allowed',
    ],
    [
      'an address of this computer',
      { jwks_uri: 'https://127.0.0.1/jwks' },
      'client_keys_uri_not_allowed',
    ],
    [
      'an address of a local network',
      { jwks_uri: 'https://keys.internal/jwks' },
      'client_keys_uri_not_allowed',
    ],
    [
      'an address of another port',
      { jwks_uri: 'https://notes.example:8443/j' },
      'client_keys_uri_not_allowed',
    ],
    [
      'an address of another host than allowed',
      { jwks_uri: 'https://other.example/j' },
      'client_keys_uri_not_allowed',
    ],
    [
      'an algorithm of no one',
      { token_endpoint_auth_signing_alg: 'RS256' },
      'client_keys_alg_not_supported',
    ],
    [
      'an algorithm of secrets',
      { token_endpoint_auth_signing_alg: 'HS256' },
      'client_keys_alg_not_supported',
    ],
    [
      'an algorithm that is none',
      { token_endpoint_auth_signing_alg: 'none' },
      'client_keys_alg_not_supported',
    ],
    ['a secret beside the method', { client_secret: 'x' }, 'document_secret_published'],
    [
      'another method',
      { token_endpoint_auth_method: 'client_secret_jwt' },
      'document_auth_method_not_supported',
    ],
    [
      'a method of certificates',
      { token_endpoint_auth_method: 'tls_client_auth' },
      'document_auth_method_not_supported',
    ],
  ])('with %s is refused by name [PKJ-02]', async (_name, change, reason) => {
    const { hosts, connect, asked } = await createDocumentSchool({
      documents: { openRegistration: false, allowedHosts: ['notes.example'] },
    })
    hosts.set(DOCUMENT_URL, { ...METADATA, ...change })
    expect(await connect()).toBe(reason)
    expect(asked).toEqual([DOCUMENT_URL])
  })

  it.each<[string, unknown, AssertionReason | RefusalReason]>([
    ['a text', 'keys', 'client_keys_malformed'],
    ['a list', [{ kty: 'EC' }], 'client_keys_malformed'],
    ['no list of keys', { keys: { kty: 'EC' } }, 'client_keys_malformed'],
    ['an empty list', { keys: [] }, 'client_keys_malformed'],
    ['a key that is a text', { keys: ['key'] }, 'client_keys_malformed'],
    ['a key without its numbers', { keys: [{ kty: 'EC', crv: 'P-256' }] }, 'client_keys_malformed'],
    [
      'a modulus that is a number',
      { keys: [{ kty: 'RSA', n: 3, e: 'AQAB' }] },
      'client_keys_malformed',
    ],
    ['only types that no one knows', { keys: [{ kty: 'AKP', pub: 'x' }] }, 'client_keys_malformed'],
    ['a symmetric key', { keys: [{ kty: 'oct', alg: 'HS256' }] }, 'document_secret_published'],
    [
      'a symmetric key with its value',
      { keys: [{ kty: 'oct', k: 'x' }] },
      'document_secret_published',
    ],
    [
      'a private key',
      { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' }] },
      'document_secret_published',
    ],
    [
      'a factor of a private key',
      { keys: [{ kty: 'RSA', n: 'n', e: 'AQAB', qi: 'x' }] },
      'document_secret_published',
    ],
    [
      '17 keys',
      { keys: Array.from({ length: 17 }, () => ({ kty: 'OKP', crv: 'Ed25519', x: 'x' })) },
      'client_keys_malformed',
    ],
  ])('with inline keys that are %s is refused by name [PKJ-02]', async (_name, jwks, reason) => {
    const { hosts, connect } = await createDocumentSchool()
    hosts.set(DOCUMENT_URL, { ...WITHOUT_KEYS, jwks })
    expect(await connect()).toBe(reason)
  })

  it('may have 16 keys, and one of a type that no one knows [PKJ-02]', async () => {
    const keys = await Promise.all(Array.from({ length: 15 }, (_one, at) => makeKey(`k${at}`)))
    const { hosts, connect, exchange } = await createDocumentSchool()
    const jwks = { keys: [{ kty: 'AKP', pub: 'x' }, ...setOf(...keys).keys] }
    hosts.set(DOCUMENT_URL, { ...WITHOUT_KEYS, jwks })
    expect(await connect()).toBeNull()
    expect(await exchange(keys[14]!)).toEqual([200, null])
  })
})

describe('a document that lists several methods', () => {
  it.each<[string, object, 'none' | 'private_key_jwt' | AssertionReason]>([
    [
      'the choices of ChatGPT',
      { token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] },
      'private_key_jwt',
    ],
    [
      'none first',
      {
        token_endpoint_auth_method: 'none',
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      },
      'none',
    ],
    [
      'only the list, with none',
      {
        token_endpoint_auth_method: undefined,
        token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
      },
      'none',
    ],
    [
      'only the list, without none',
      {
        token_endpoint_auth_method: undefined,
        token_endpoint_auth_methods_supported: ['private_key_jwt'],
      },
      'private_key_jwt',
    ],
    ['no method', { token_endpoint_auth_method: undefined }, 'none'],
    [
      'none as well, and no keys',
      { token_endpoint_auth_methods_supported: ['none'], jwks_uri: undefined },
      'none',
    ],
  ])('has its first: %s [PKJ-01]', async (_name, change, method) => {
    const { hosts, connect, store } = await createDocumentSchool()
    hosts.set(DOCUMENT_URL, { ...METADATA, ...change })
    expect(await connect()).toBeNull()
    const client = await store.findClient(DOCUMENT_URL)
    expect(client?.tokenEndpointAuthMethod).toBe(method)
    expect((client?.keys ?? null) === null).toBe(method === 'none')
  })

  it('may sign if it is pinned, and is public as well, as the site accepts it', async () => {
    const key = await makeKey('one')
    const metadata = {
      ...METADATA,
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    }
    const pinned = { metadata, scopes: null, checkedOn: '2026-11-20' }
    const { hosts, exchange, issue, redeem } = await createDocumentSchool({
      site: { pinnedDocuments: [pinned] },
    })
    hosts.set(JWKS_URL, setOf(key))
    expect(await exchange(key)).toEqual([200, null])
    expect(await exchange(await makeKey('one'))).toEqual([401, 'assertion_signature_wrong'])
    await issue('a', DOCUMENT_URL)
    expect(await redeem('a', { client_id: DOCUMENT_URL })).toEqual([200, null])
  })
})

describe('the review of a document that signs', () => {
  const reviewed = async () => {
    const school = await createDocumentSchool()
    const key = await makeKey('one')
    school.hosts.set(DOCUMENT_URL, METADATA).set(JWKS_URL, setOf(key))
    await school.connect()
    const client = (await school.store.findClient(DOCUMENT_URL))!
    const { name, redirectUris, about } = client
    const document = { ...client.document!, reviewedAt: T, reviewed: { name, redirectUris, about } }
    await school.store.replaceClient({
      ...client,
      scopes: ['courses:write'],
      document,
      revision: 2,
    })
    const scopesAfter = async (metadata: object): Promise<readonly string[] | null> => {
      school.clock.now += 7200
      school.hosts.set(DOCUMENT_URL, metadata)
      await school.connect()
      return (await school.store.findClient(DOCUMENT_URL))!.scopes
    }
    return { ...school, key, scopesAfter }
  }

  it('outlives new keys and another address of keys [PKJ-03]', async () => {
    const { scopesAfter, key, store } = await reviewed()
    const moved = { ...METADATA, jwks_uri: 'https://keys.notes.example/jwks.json' }
    expect(await scopesAfter(moved)).toEqual(['courses:write'])
    expect(await scopesAfter({ ...WITHOUT_KEYS, jwks: setOf(key) })).toEqual(['courses:write'])
    expect(await scopesAfter({ ...WITHOUT_KEYS, jwks: setOf(await makeKey('two')) })).toEqual([
      'courses:write',
    ])
    expect((await store.findClient(DOCUMENT_URL))!.keys!.jwks!.keys[0]!['kid']).toBe('two')
  })

  it('ends when the client stops to sign, and not when it begins [PKJ-03]', async () => {
    const { scopesAfter, store, events } = await reviewed()
    expect(await scopesAfter({ ...METADATA, token_endpoint_auth_method: 'none' })).toBeNull()
    const client = (await store.findClient(DOCUMENT_URL))!
    expect([client.tokenEndpointAuthMethod, client.keys ?? null]).toEqual(['none', null])
    expect(events.filter(({ type }) => type === 'oauth.client.cimd.changed')).toMatchObject([
      { clientId: DOCUMENT_URL, reviewLost: true },
    ])
    const again = { ...client, scopes: ['courses:write'], revision: client.revision + 1 }
    await store.replaceClient(again)
    expect(await scopesAfter(METADATA)).toEqual(['courses:write'])
    expect((await store.findClient(DOCUMENT_URL))!.tokenEndpointAuthMethod).toBe('private_key_jwt')
  })
})

describe('the algorithms of keys', () => {
  it.each(['ES256', 'PS256', 'Ed25519', 'EdDSA'])(
    '%s is accepted by default [PKJ-01]',
    async (alg) => {
      const pair = await generateKeyPair(alg === 'EdDSA' ? 'Ed25519' : alg)
      const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one' }
      const { hosts, connect, exchange } = await createDocumentSchool()
      hosts.set(DOCUMENT_URL, METADATA).set(JWKS_URL, () => published({ keys: [jwk] }))
      await connect()
      expect(await exchange({ privateKey: pair.privateKey, jwk }, { alg })).toEqual([200, null])
    },
  )
})
