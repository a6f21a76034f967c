import { type Client, type ClientFields, defineClient } from 'hallpass/policy'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { STUDY_BUDDY, T } from '../support/school.js'

const FIELDS: ClientFields = {
  clientId: 'study-app',
  kind: 'member',
  name: 'Study App',
  redirectUris: ['https://study.example/callback'],
  createdAt: T,
}
const SECRET = { hash: hashToken('a secret'), expiresAt: null }
const RECORD = {
  firstSeenAt: T,
  fetchedAt: T,
  freshUntil: T + 60,
  digest: 'digest',
  reviewedAt: null,
  changedAt: T,
}

/** What the one message says. */
function faultsOf(changes: object, allowed?: Parameters<typeof defineClient>[1]): string {
  try {
    defineClient({ ...FIELDS, ...changes }, allowed)
    return 'none'
  } catch (fault) {
    expect(fault).toBeInstanceOf(TypeError)
    return (fault as TypeError).message.replace('defineClient: ', '')
  }
}

const unfit = (uri: string): string =>
  `redirectUris must be https, http on loopback, or of an app's own scheme, such as https://app.example/callback, http://127.0.0.1/callback or com.example.app:/callback, not "${uri}"`
const TIME = 'must be whole seconds since 1970 such as 1795165200, not milliseconds'
const TIME_OR_NULL = 'must be null or whole seconds since 1970 such as 1795165200, not milliseconds'
const NAME = 'name must be 1 to 100 printable characters such as "Study App"'
const REDIRECTS = 'redirectUris must be 1 to 10 addresses such as ["https://app.example/callback"]'
const CLIENT_ID = 'clientId must be printable ASCII such as "study-app"'
const SECRETS = 'secrets must be at most two such as [{ hash: hashToken(secret), expiresAt: null }]'
const confidential = { tokenEndpointAuthMethod: 'client_secret_post' }

describe('a client that a host defines', () => {
  it('has every field that is not said at its default', () => {
    expect(defineClient(FIELDS)).toEqual({
      ...FIELDS,
      tokenEndpointAuthMethod: 'none',
      secrets: [],
      scopes: null,
      disabled: false,
      description: null,
      icon: null,
      revision: 1,
      usedAt: null,
      deletedAt: null,
      document: null,
    })
  })

  it('keeps every field that is said', () => {
    const client: Client = {
      ...STUDY_BUDDY,
      tokenEndpointAuthMethod: 'client_secret_post',
      secrets: [SECRET, { ...SECRET, expiresAt: T + 3600 }],
      scopes: [],
      disabled: true,
      description: 'Keeps your notes\nbeside each lecture.',
      icon: 'pencil',
      revision: 7,
      usedAt: T,
      deletedAt: T,
      document: RECORD,
    }
    expect(defineClient(client)).toEqual(client)
  })

  it.each([
    ['javascript:alert(1)'],
    ['http://study.example/callback'],
    ['data:text/html,hello'],
    ['https://study.example@evil.example/'],
    ['https://study.example/callback#done'],
    ['study:/callback'],
    ['/callback'],
  ])('may not have the redirect URI %s', (uri) => {
    expect(faultsOf({ redirectUris: ['https://study.example/callback', uri] })).toBe(unfit(uri))
  })

  it('may be on loopback and have schemes as the site says', () => {
    const redirectUris = ['http://devbox.test:7777/callback', 'study:/callback']
    const allowed = { loopbackHosts: ['devbox.test'], appSchemes: ['study'] }
    expect(faultsOf({ redirectUris }, allowed)).toBe('none')
    expect(faultsOf({ redirectUris: ['http://127.0.0.1/cb', 'cursor://cb'] }, allowed)).toBe(
      `${unfit('http://127.0.0.1/cb')}; ${unfit('cursor://cb')}`,
    )
  })

  it.each<[string, object, string]>([
    ['a time in milliseconds', { createdAt: T * 1000 }, `createdAt ${TIME}`],
    ['a time in fractions', { createdAt: T + 0.5 }, `createdAt ${TIME}`],
    ['a time before 1970', { createdAt: -1 }, `createdAt ${TIME}`],
    ['a time as a text', { createdAt: '2026-11-20' }, `createdAt ${TIME}`],
    ['a use in milliseconds', { usedAt: T * 1000 }, `usedAt ${TIME_OR_NULL}`],
    ['an end in milliseconds', { deletedAt: T * 1000 }, `deletedAt ${TIME_OR_NULL}`],
    [
      'a secret that ends in milliseconds',
      { ...confidential, secrets: [{ ...SECRET, expiresAt: T * 1000 }] },
      `secrets[0]: expiresAt ${TIME_OR_NULL}`,
    ],
    [
      'a secret that is no hash',
      { ...confidential, secrets: [SECRET, { ...SECRET, hash: 'a secret' }] },
      'secrets[1]: hash must be hashToken(secret)',
    ],
    [
      'a misspelt field of a secret',
      { ...confidential, secrets: [{ ...SECRET, expires: T }] },
      'secrets[0]: unknown field "expires"',
    ],
    [
      'a secret without a method for it',
      { secrets: [SECRET] },
      'secrets must be [] where tokenEndpointAuthMethod is not "client_secret_post"',
    ],
    [
      'a method without its secret',
      confidential,
      'secrets must hold one such as { hash: hashToken(secret), expiresAt: null }',
    ],
    ['three secrets', { ...confidential, secrets: [SECRET, SECRET, SECRET] }, SECRETS],
    ['secrets as texts', { ...confidential, secrets: ['a secret'] }, SECRETS],
    ['no list of secrets', { secrets: null }, SECRETS],
    [
      'a method of another kind',
      { tokenEndpointAuthMethod: 'client_secret_basic' },
      'tokenEndpointAuthMethod must be "none" or "client_secret_post"',
    ],
    ['a misspelt field', { scope: ['account:read'] }, 'unknown field "scope"'],
    ['what is never stored', { offBy: 'member_clients_off' }, 'unknown field "offBy"'],
    ['no identifier', { clientId: '' }, CLIENT_ID],
    ['an identifier beyond ASCII', { clientId: 'étude' }, CLIENT_ID],
    ['no kind', { kind: 'operator' }, 'kind must be "loopback", "vendor", "document" or "member"'],
    ['an empty name', { name: ' ' }, NAME],
    ['a long name', { name: 'a'.repeat(101) }, NAME],
    ['a name that turns text around', { name: 'a\u202eb' }, NAME],
    ['no address', { redirectUris: [] }, REDIRECTS],
    ['one address without a list', { redirectUris: 'https://study.example/' }, REDIRECTS],
    [
      'eleven addresses',
      { redirectUris: Array.from({ length: 11 }, (_, index) => `https://study.example/${index}`) },
      REDIRECTS,
    ],
    [
      'scopes in one text',
      { scopes: 'openid account:read' },
      'scopes must be null or scopes such as ["account:read"]',
    ],
    ['a switch in words', { disabled: 'yes' }, 'disabled must be true or false'],
    [
      'a long description',
      { description: 'a'.repeat(301) },
      'description must be null or at most 300 printable characters such as "Keeps your notes."',
    ],
    [
      'an address for an icon',
      { icon: 'https://study.example/icon.png' },
      'icon must be null or a word such as "pencil"',
    ],
    ['revision 0', { revision: 0 }, 'revision must be a whole number above 0 such as 1'],
    ['half a revision', { revision: 1.5 }, 'revision must be a whole number above 0 such as 1'],
    [
      'a document that is none',
      { document: 'https://study.example/client.json' },
      'document must be null, or what is known of a metadata document',
    ],
    [
      'a record of a document at fault',
      { document: { ...RECORD, fetchedAt: T * 1000, digest: '', changed: T } },
      `document: unknown field "changed"; document: fetchedAt ${TIME}; document: digest must be documentDigest(document)`,
    ],
    [
      'a field that is there and undefined',
      { description: undefined },
      'description must be null or at most 300 printable characters such as "Keeps your notes."',
    ],
  ])('may not have %s', (_what, changes, message) => {
    expect(faultsOf(changes)).toBe(message)
  })

  it('says every fault at once, and never a secret', () => {
    const fields = { clientID: 'a', name: 'A', secrets: [{ hash: 'hunter2', expiresAt: null }] }
    expect(() => defineClient(fields as unknown as ClientFields)).toThrow(
      new TypeError(
        [
          'defineClient: unknown field "clientID"',
          CLIENT_ID,
          'kind must be "loopback", "vendor", "document" or "member"',
          REDIRECTS,
          `createdAt ${TIME}`,
          'secrets[0]: hash must be hashToken(secret)',
          'secrets must be [] where tokenEndpointAuthMethod is not "client_secret_post"',
        ].join('; '),
      ),
    )
  })
})
