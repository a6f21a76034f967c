import { type RealClient, realClients } from 'hallpass-lab'
import { describe, expect, it } from 'vitest'
import {
  type Configuration,
  connectForReal,
  predict,
} from '../../../test/support/school/real-client.js'

const zed = realClients.find(({ name }) => name === 'Zed')!

describe('a client of one’s own', () => {
  const own = (changes: Partial<RealClient>): RealClient => ({
    ...zed,
    name: 'Own',
    document: null,
    ...changes,
  })
  const document = (url: string, content: object = {}): Partial<RealClient> => ({
    registrations: [],
    document: {
      ...zed.document!,
      url,
      content: { ...zed.document!.content, client_id: url, ...content },
    },
  })
  const authorize = (
    changes: Partial<NonNullable<RealClient['authorize']>>,
  ): Partial<RealClient> => ({
    authorize: { ...zed.authorize!, ...changes },
  })
  const OPEN: Configuration = { documents: { openRegistration: true } }
  const URL_OF_OWN = 'https://own.example/client.json'
  const registered = (...redirect_uris: string[]): Partial<RealClient> => ({
    registrations: [{ client_name: 'Own', redirect_uris }],
  })
  const knownVendor = (...redirectUris: string[]): Configuration => ({
    vendors: [
      { clientId: 'own', name: 'Own', redirectUris, scopes: null, reviewedOn: '2026-11-20' },
    ],
  })

  const pinned = (...redirect_uris: string[]): Configuration => ({
    pinnedDocuments: [
      {
        metadata: { client_id: URL_OF_OWN, client_name: 'Own', redirect_uris },
        scopes: null,
        checkedOn: '2026-11-20',
      },
    ],
  })

  const REFUSED: readonly (readonly [
    what: string,
    configuration: Configuration,
    changes: Partial<RealClient>,
    reason: string,
    advice: string | null,
    advised: Configuration | null,
  ])[] = [
    [
      'a document alone, where none are resolved',
      {},
      document(URL_OF_OWN),
      'documents_not_supported',
      `pass documents with 'own.example' in allowedHosts`,
      { documents: { allowedHosts: ['own.example'] } },
    ],
    [
      'a document on another port',
      OPEN,
      document('https://own.example:8443/client.json'),
      'document_port_not_allowed',
      'add 8443 to documents.ports',
      { documents: { openRegistration: true, ports: [443, 8443] } },
    ],
    [
      'a document at an address',
      OPEN,
      document('https://127.0.0.1/client.json'),
      'document_host_not_public',
      null,
      null,
    ],
    [
      'a document that wants to sign',
      OPEN,
      document(URL_OF_OWN, { token_endpoint_auth_method: 'private_key_jwt' }),
      'document_auth_method_not_supported',
      'keep a corrected copy of its document in pinnedDocuments',
      pinned('http://127.0.0.1/callback'),
    ],
    [
      'a vendor entry that lacks one of its addresses',
      knownVendor('https://own.example/cb'),
      {
        ...registered('https://own.example/cb', 'own://cb'),
        ...authorize({ redirectUri: 'https://own.example/cb' }),
      },
      'redirect_uri_not_loopback',
      `add these redirect URIs to the vendor entry 'own': own://cb`,
      knownVendor('https://own.example/cb', 'own://cb'),
    ],
    [
      'no address and a name nobody knows',
      {},
      { ...registered(), ...authorize({ redirectUri: 'https://own.example/cb' }) },
      'client_name_not_a_vendor',
      `add a vendor entry named 'Own' with these redirect URIs: https://own.example/cb`,
      knownVendor('https://own.example/cb'),
    ],
    [
      'a loopback name that the site does not count as one',
      { loopbackHosts: ['127.0.0.1'] },
      {
        ...registered('http://localhost:49517/callback'),
        ...authorize({ redirectUri: 'http://localhost:49517/callback' }),
      },
      'redirect_uri_not_loopback',
      `add 'localhost' to loopbackHosts`,
      { loopbackHosts: ['127.0.0.1', 'localhost'] },
    ],
    [
      'such a loopback name beside an address on the web',
      { loopbackHosts: ['127.0.0.1'] },
      {
        ...registered('https://own.example/cb', 'http://localhost:49517/callback'),
        ...authorize({ redirectUri: 'https://own.example/cb' }),
      },
      'redirect_uri_not_loopback',
      `add a vendor entry named 'Own' with these redirect URIs: https://own.example/cb http://localhost:49517/callback`,
      {
        loopbackHosts: ['127.0.0.1'],
        ...knownVendor('https://own.example/cb', 'http://localhost:49517/callback'),
      },
    ],
    [
      'no state',
      {},
      authorize({ state: false }),
      'state_missing',
      'set requireState to false',
      { requireState: false },
    ],
    [
      'another address than it registered',
      {},
      authorize({ redirectUri: 'http://127.0.0.1:49517/other' }),
      'redirect_uri_not_registered',
      null,
      null,
    ],
    [
      'another address than its vendor entry has',
      knownVendor('http://127.0.0.1/callback'),
      {
        ...registered(),
        ...authorize({ redirectUri: 'http://127.0.0.1:49517/other' }),
      },
      'redirect_uri_not_registered',
      'add http://127.0.0.1:49517/other to the redirect URIs of its vendor entry',
      knownVendor('http://127.0.0.1/callback', 'http://127.0.0.1:49517/other'),
    ],
    [
      'another address than the copy of its document has',
      pinned('http://127.0.0.1/callback'),
      { ...document(URL_OF_OWN), ...authorize({ redirectUri: 'http://127.0.0.1:49517/other' }) },
      'redirect_uri_not_registered',
      'add http://127.0.0.1:49517/other to the redirect URIs of the copy of its document in pinnedDocuments',
      pinned('http://127.0.0.1/callback', 'http://127.0.0.1:49517/other'),
    ],
    [
      'no scope, as nothing is recommended',
      { baselineScopes: [] },
      {},
      'scope_missing',
      'set baselineScopes, because it requests no scope',
      { baselineScopes: ['openid'] },
    ],
    [
      'no scope ever',
      {},
      authorize({ scopes: ['nothing'] }),
      'scope_missing',
      'set defaultScopes, because it requests no scope',
      { defaultScopes: ['openid'] },
    ],
    [
      'no scope, and default scopes of members',
      { defaultScopes: ['account:read'] },
      authorize({ scopes: ['nothing'] }),
      'scope_missing',
      'list in defaultScopes a scope that this client may request',
      { defaultScopes: ['account:read', 'openid'] },
    ],
    [
      'a document, and recommended scopes that write',
      { ...OPEN, baselineScopes: ['courses:write'] },
      document(URL_OF_OWN),
      'scope_not_allowed_for_client',
      'list in baselineScopes only scopes that this client may request',
      { ...OPEN, baselineScopes: ['courses:read'] },
    ],
    [
      'every scope there is',
      {},
      authorize({ scopes: ['everything'] }),
      'scope_of_other_audience',
      'it requests every scope',
      null,
    ],
    [
      'a second shape of registration that wants to sign',
      {},
      {
        registrations: [
          ...zed.registrations,
          { ...zed.registrations[0], token_endpoint_auth_method: 'private_key_jwt' },
        ],
      },
      'auth_method_not_supported',
      null,
      null,
    ],
    [
      'a document in the name of a vendor elsewhere',
      { ...OPEN, ...knownVendor('https://vendor.example/cb') },
      document(URL_OF_OWN, { client_name: 'Own' }),
      'document_name_resembles_vendor',
      'keep a corrected copy of its document in pinnedDocuments',
      pinned('http://127.0.0.1/callback'),
    ],
    [
      'a document in the name of the site',
      { ...OPEN, name: 'Hill School' },
      document(URL_OF_OWN, { client_name: 'Hill School' }),
      'document_name_resembles_vendor',
      'keep a corrected copy of its document in pinnedDocuments',
      pinned('http://127.0.0.1/callback'),
    ],
    [
      'a document with a loopback name that the site does not count as one',
      { ...OPEN, loopbackHosts: ['127.0.0.1'] },
      {
        ...document(URL_OF_OWN, {
          redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
        }),
        ...authorize({ redirectUri: 'http://localhost:49517/callback' }),
      },
      'document_redirect_uri_of_other_host',
      `add 'localhost' to loopbackHosts`,
      { ...OPEN, loopbackHosts: ['127.0.0.1', 'localhost'] },
    ],
    [
      'a document with addresses of two other hosts',
      OPEN,
      document(URL_OF_OWN, {
        redirect_uris: ['http://127.0.0.1/callback', 'https://a.example/cb', 'own://cb'],
      }),
      'document_redirect_uri_of_other_host',
      'keep a copy of its document in pinnedDocuments, without https://a.example/cb and own://cb',
      pinned('http://127.0.0.1/callback'),
    ],
    [
      'a name that nobody may have',
      {},
      { registrations: [{ client_name: 'a\nb', redirect_uris: ['http://127.0.0.1/callback'] }] },
      'client_name_malformed',
      null,
      null,
    ],
  ]

  it.each(REFUSED)('is refused with %s', async (_, configuration, changes, reason, advice) => {
    const real = own(changes)
    const outcome = await connectForReal(configuration, real)
    expect(outcome).toMatchObject({ connects: false, reason })
    expect(predict(configuration, real)).toEqual({ ...outcome, client: 'Own', scopes: [], advice })
  })

  it.each(REFUSED.filter(([, , , , , advised]) => advised !== null))(
    'connects once the advice is followed: %s',
    async (_, _before, changes, _reason, _advice, advised) => {
      expect(predict(advised!, own(changes))).toMatchObject({ connects: true, reason: null })
      expect(await connectForReal(advised!, own(changes))).toMatchObject({ connects: true })
    },
  )

  it('may use another port of a host that the site counts as this computer', async () => {
    const real = own({
      ...registered('http://app.localhost:1/callback'),
      ...authorize({ redirectUri: 'http://app.localhost:2/callback' }),
    })
    const configuration = { loopbackHosts: ['app.localhost'] }
    expect(predict(configuration, real)).toMatchObject({ connects: true, by: 'registration' })
    expect(await connectForReal(configuration, real)).toMatchObject({ connects: true })
  })

  it('is a vendor where an entry has the URL of its document', () => {
    const [entry] = knownVendor('https://own.example/cb').vendors!
    const real = own({
      ...document(URL_OF_OWN),
      ...authorize({ redirectUri: 'https://own.example/cb' }),
    })
    const connection = predict({ ...OPEN, vendors: [{ ...entry!, clientId: URL_OF_OWN }] }, real)
    expect(connection).toMatchObject({ connects: true, by: 'vendor', clientId: URL_OF_OWN })
  })
})
