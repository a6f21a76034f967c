import { privateKeyJwt } from 'hallpass/blocks'
import type { MemberClientDraft } from 'hallpass/clients'
import { createMemoryStore } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { createOffice, DRAFT, granted, MANAGER } from '../../clients/support.js'
import {
  documentAnswer,
  NOTES_DOCUMENT,
  NOTES_URL,
} from '../../support/school/metadata-documents.js'
import {
  createDocumentSchool,
  JWKS_URL,
  makeKey,
  setOf,
} from '../../support/school/signing-document.js'

const ADDRESS = 'https://keys.diary.example/jwks.json'
const SIGNING: MemberClientDraft = { ...DRAFT, tokenEndpointAuthMethod: 'private_key_jwt' }

async function createSigningOffice(documents: boolean = true) {
  const store = createMemoryStore()
  return createOffice({
    store,
    blocks: [privateKeyJwt()],
    ...(!documents && { documents: undefined as never }),
  })
}

describe('a client of a manager that signs', () => {
  it('has an address of keys, or keys, in place of a secret [PKJ-09]', async () => {
    const { administration } = await createSigningOffice()
    const { jwk } = await makeKey('one')
    const keys = { keys: [jwk] }
    const byAddress = granted(
      await administration.create(MANAGER, { ...SIGNING, keys: ` ${ADDRESS} ` }),
    )
    expect(byAddress.clientSecret).toBeNull()
    expect(byAddress.client).toMatchObject({
      secrets: [],
      tokenEndpointAuthMethod: 'private_key_jwt',
      keys: { jwks: null, jwksUri: ADDRESS, signingAlg: null },
    })
    const pasted = granted(
      await administration.create(MANAGER, { ...SIGNING, keys: JSON.stringify(keys) }),
    )
    expect(pasted.client.keys).toEqual({ jwks: keys, jwksUri: null, signingAlg: null })
  })

  it('gets others by an edit, and keeps those that it has if none are entered [PKJ-09]', async () => {
    const { administration } = await createSigningOffice()
    const created = granted(await administration.create(MANAGER, { ...SIGNING, keys: ADDRESS }))
    const { clientId } = created.client
    const edit = async (revision: number, draft: MemberClientDraft) =>
      granted(await administration.edit(MANAGER, { clientId, revision, draft })).client
    const renamed = await edit(1, { ...SIGNING, name: 'Diary' })
    expect([renamed.name, renamed.keys?.jwksUri]).toEqual(['Diary', ADDRESS])
    const other = 'https://keys.diary.example/next.json'
    expect((await edit(2, { ...SIGNING, keys: other })).keys?.jwksUri).toBe(other)
    const secret = granted(await administration.create(MANAGER, DRAFT)).client
    const kept = granted(
      await administration.edit(MANAGER, {
        clientId: secret.clientId,
        revision: 1,
        draft: { ...SIGNING, keys: ADDRESS },
      }),
    ).client
    expect([kept.tokenEndpointAuthMethod, kept.keys]).toEqual(['client_secret_post', undefined])
  })

  it.each([
    [undefined, 'Enter the address of its public keys, or the keys.'],
    ['', 'Enter the address of its public keys, or the keys.'],
    [
      'https://10.0.0.1/jwks',
      'The address of the keys, jwks_uri, must be an https URL of a public host from which this site accepts documents.',
    ],
    [
      'https://localhost/jwks',
      'The address of the keys, jwks_uri, must be an https URL of a public host from which this site accepts documents.',
    ],
    [
      'http://diary.example/jwks',
      'The keys must be a JWK Set of 1 to 16 public keys of type EC, RSA or OKP, one of them for signatures.',
    ],
    [
      '{"keys":[]}',
      'The keys must be a JWK Set of 1 to 16 public keys of type EC, RSA or OKP, one of them for signatures.',
    ],
    [
      '{"keys":[{"kty":"EC"',
      'The keys must be a JWK Set of 1 to 16 public keys of type EC, RSA or OKP, one of them for signatures.',
    ],
    [
      '{"keys":[{"kty":"EC","crv":"P-256","x":"x","y":"y","d":"d"}]}',
      'The keys must be public: replace the one that was published.',
    ],
    [
      '{"keys":[{"kty":"oct","k":"secret"}]}',
      'The keys must be public: replace the one that was published.',
    ],
    [
      JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x'.repeat(16_384) }] }),
      'The keys must be a JWK Set of 1 to 16 public keys of type EC, RSA or OKP, one of them for signatures.',
    ],
  ])('is not created with the keys %j', async (keys, description) => {
    const { administration } = await createSigningOffice()
    const draft = keys === undefined ? SIGNING : { ...SIGNING, keys }
    expect(await administration.create(MANAGER, draft)).toMatchObject({
      ok: false,
      reason: 'keys_malformed',
      faults: [{ field: 'keys', value: null, reason: 'keys_malformed', description }],
    })
  })

  it('needs the block', async () => {
    const { administration } = await createOffice()
    expect(await administration.create(MANAGER, { ...SIGNING, keys: ADDRESS })).toMatchObject({
      ok: false,
      reason: 'auth_method_not_supported',
    })
  })

  it('authenticates with keys of any public host, since a manager allowed it', async () => {
    const key = await makeKey('one')
    const school = await createDocumentSchool({
      documents: { openRegistration: false, allowedHosts: ['notes.example'] },
    })
    const { store, hosts, exchange, asked } = school
    const notes = (await store.findClient('notes'))!
    const keys = { jwks: null, jwksUri: ADDRESS, signingAlg: null }
    await store.insertClient({ ...notes, clientId: 'member_1', keys })
    hosts.set(ADDRESS, setOf(key))
    expect(await exchange(key, { clientId: 'member_1' })).toEqual([200, null])
    expect(asked).toEqual([ADDRESS])
    await store.insertClient({
      ...notes,
      clientId: 'member_2',
      keys: { ...keys, jwks: setOf(key), jwksUri: null },
    })
    expect(await exchange(key, { clientId: 'member_2' })).toEqual([200, null])
    expect(await exchange(await makeKey('one'), { clientId: 'member_2' })).toEqual([
      401,
      'assertion_signature_wrong',
    ])
    await store.insertClient({ ...notes, clientId: 'member_3' })
    expect(await exchange(key, { clientId: 'member_3' })).toEqual([401, 'client_keys_missing'])
  })

  it('is fetched nothing for at a site without documents', async () => {
    const key = await makeKey('one')
    const { store, exchange } = await createDocumentSchool({
      site: { documents: undefined as never },
    })
    const notes = (await store.findClient('notes'))!
    const keys = { jwks: null, jwksUri: ADDRESS, signingAlg: null }
    await store.insertClient({ ...notes, clientId: 'member_1', keys })
    expect(await exchange(key, { clientId: 'member_1' })).toEqual([
      401,
      'client_keys_uri_not_allowed',
    ])
  })
})

describe('fetchAgain', () => {
  it.each([true, false])('accepts a document that signs if the block is on: %s', async (isOn) => {
    const office = isOn ? await createSigningOffice() : await createOffice()
    const { administration, hosts, school } = office
    await school.store.insertClient({
      ...(await school.store.findClient('study-buddy'))!,
      clientId: NOTES_URL,
      kind: 'document',
      document: {
        firstSeenAt: 0,
        fetchedAt: 0,
        freshUntil: 0,
        digest: 'x',
        reviewedAt: null,
        changedAt: null,
      },
    })
    const signing = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: JWKS_URL }
    hosts.answer = () => documentAnswer({ ...NOTES_DOCUMENT, ...signing })
    const fetched = await administration.fetchAgain(MANAGER, NOTES_URL)
    expect(fetched.ok ? fetched.client.keys?.jwksUri : fetched.reason).toBe(
      isOn ? JWKS_URL : 'document_auth_method_not_supported',
    )
  })
})
