import { OptionsError } from 'hallpass'
import { defineClient } from 'hallpass/clients'
import type { Client, ClientFields } from 'hallpass/policy'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { STUDY_BUDDY, T } from '../support/school/school.js'

const ABOUT = {
  clientUri: 'https://study.example/',
  policyUri: null,
  tosUri: null,
  logoUri: null,
  contacts: ['help@study.example'],
}
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
const REVIEWED = { name: 'Notes', redirectUris: ['https://notes.example/cb'], about: ABOUT }

/** Every mistake that is named. */
function mistakesOf(
  changes: object,
  allowed?: Parameters<typeof defineClient>[1],
): readonly string[] {
  try {
    defineClient({ ...FIELDS, ...changes }, allowed)
    return []
  } catch (fault) {
    expect(fault).toBeInstanceOf(OptionsError)
    return (fault as OptionsError).mistakes
  }
}

const unfit = (index: number, uri: string): string =>
  `redirectUris[${index}] must be an https URI, an http URI on a loopback host or a URI with a scheme of the app's own, such as https://app.example/callback, http://127.0.0.1/callback or com.example.app:/callback, not "${uri}"`
const TIME = 'must be epoch seconds such as 1795165200, not milliseconds'
const NAME = 'name must be 1 to 100 printable characters such as "Study App"'
const REDIRECTS =
  'redirectUris must be at most 10 redirect URIs such as ["https://app.example/callback"], or [] for a device or a service'
const CLIENT_ID = 'clientId must be printable ASCII such as "study-app"'
const A_SECRET = 'a secret such as { hash: hashToken(secret), expiresAt: null }'
const confidential = { tokenEndpointAuthMethod: 'client_secret_post' }

describe('keys of a client that a host defines', () => {
  const signs = { tokenEndpointAuthMethod: 'private_key_jwt' }
  it.each<[string, unknown, readonly string[]]>([
    [
      'a word',
      'jwks.json',
      [
        'keys must be keys such as { jwks: null, jwksUri: "https://study.example/jwks.json", signingAlg: null }, not a string',
      ],
    ],
    [
      'members of other types',
      { jwks: null, jwksUri: 5, signingAlg: 5 },
      [
        'keys.jwksUri must be an https URL such as "https://study.example/jwks.json"',
        'keys.signingAlg must be a string such as "ES256", not a number',
      ],
    ],
  ])('are checked: %s', (_, keys, mistakes) => {
    expect(mistakesOf({ ...signs, keys })).toEqual(mistakes)
  })
})

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
      about: null,
      revision: 1,
      usedAt: null,
      deletedAt: null,
      endsAt: null,
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
      about: ABOUT,
      revision: 7,
      usedAt: T,
      deletedAt: T,
      document: { ...RECORD, reviewed: REVIEWED },
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
    expect(mistakesOf({ redirectUris: ['https://study.example/callback', uri] })).toEqual([
      unfit(1, uri),
    ])
  })

  it('may be on loopback and have schemes as the site says', () => {
    const redirectUris = ['http://devbox.test:7777/callback', 'study:/callback']
    const allowed = { loopbackHosts: ['devbox.test'], appSchemes: ['study'] }
    expect(mistakesOf({ redirectUris }, allowed)).toEqual([])
    expect(mistakesOf({ redirectUris: ['http://127.0.0.1/cb', 'cursor://cb'] }, allowed)).toEqual([
      unfit(0, 'http://127.0.0.1/cb'),
      unfit(1, 'cursor://cb'),
    ])
  })

  it.each<[string, object, ...string[]]>([
    ['a time in milliseconds', { createdAt: T * 1000 }, `createdAt ${TIME}`],
    ['a time in fractions', { createdAt: T + 0.5 }, `createdAt ${TIME}`],
    ['a time before 1970', { createdAt: -1 }, `createdAt ${TIME}`],
    ['a time as a text', { createdAt: '2026-11-20' }, `createdAt ${TIME}`],
    ['a use in milliseconds', { usedAt: T * 1000 }, `usedAt ${TIME}`],
    ['an end in milliseconds', { deletedAt: T * 1000 }, `deletedAt ${TIME}`],
    [
      'a secret that ends in milliseconds',
      { ...confidential, secrets: [{ ...SECRET, expiresAt: T * 1000 }] },
      `secrets[0].expiresAt ${TIME}`,
    ],
    [
      'a secret that is no hash',
      { ...confidential, secrets: [SECRET, { ...SECRET, hash: 'a secret' }] },
      'secrets[1].hash must be hashToken(secret)',
    ],
    [
      'a misspelt field of a secret',
      { ...confidential, secrets: [{ ...SECRET, expires: T }] },
      'secrets[0].expires is not an option: did you mean expiresAt?',
    ],
    [
      'a secret without a method for it',
      { secrets: [SECRET] },
      'secrets must be [] unless tokenEndpointAuthMethod is "client_secret_post"',
    ],
    [
      'a method without its secret',
      confidential,
      'secrets must contain a secret such as { hash: hashToken(secret), expiresAt: null }',
    ],
    [
      'three secrets',
      { ...confidential, secrets: [SECRET, SECRET, SECRET] },
      'secrets must contain at most two secrets: the current one and the previous one',
    ],
    [
      'secrets as texts',
      { ...confidential, secrets: ['a secret'] },
      `secrets[0] must be ${A_SECRET}, not a string`,
    ],
    [
      'no list of secrets',
      { secrets: null },
      `secrets must be an array in which each item is ${A_SECRET}, not null`,
    ],
    [
      'a method of another kind',
      { tokenEndpointAuthMethod: 'client_secret_basic' },
      'tokenEndpointAuthMethod must be none or client_secret_post or private_key_jwt, not "client_secret_basic"',
    ],
    [
      'a misspelt field',
      { scope: ['account:read'] },
      'scope is not an option: did you mean scopes?',
    ],
    [
      'what is never stored',
      { disabledBy: 'member_clients_off' },
      'disabledBy is not an option: did you mean disabled?',
    ],
    ['no identifier', { clientId: '' }, `${CLIENT_ID}, not ""`],
    ['an identifier beyond ASCII', { clientId: 'étude' }, `${CLIENT_ID}, not "étude"`],
    [
      'no kind',
      { kind: 'operator' },
      'kind must be loopback or vendor or document or member, not "operator"',
    ],
    ['an empty name', { name: ' ' }, NAME],
    ['a name that shows nothing', { name: '\u3164' }, NAME],
    ['a name in a list', { name: ['Study App'] }, NAME],
    ['an icon in a list', { icon: ['pencil'] }, 'icon must be a word such as "pencil"'],
    [
      'a description in a list',
      { description: ['Keeps your notes.'] },
      'description must be at most 300 printable characters such as "Keeps your notes."',
    ],
    ['a long name', { name: 'a'.repeat(101) }, NAME],
    ['a name that turns text around', { name: 'a\u202eb' }, NAME],
    ['no address in an object', { redirectUris: {} }, REDIRECTS],
    ['one address without a list', { redirectUris: 'https://study.example/' }, REDIRECTS],
    [
      'eleven addresses',
      { redirectUris: Array.from({ length: 11 }, (_, index) => `https://study.example/${index}`) },
      REDIRECTS,
    ],
    [
      'scopes in one text',
      { scopes: 'openid account:read' },
      'scopes must be an array in which each item is a string such as "account:read", not a string',
    ],
    ['a switch in words', { disabled: 'yes' }, 'disabled must be true or false, not "yes"'],
    [
      'a long description',
      { description: 'a'.repeat(301) },
      'description must be at most 300 printable characters such as "Keeps your notes."',
    ],
    [
      'an address for an icon',
      { icon: 'https://study.example/icon.png' },
      'icon must be a word such as "pencil"',
    ],
    ['revision 0', { revision: 0 }, 'revision must be a whole number of at least 1, not 0'],
    [
      'half a revision',
      { revision: 1.5 },
      'revision must be a whole number of at least 1, not 1.5',
    ],
    [
      'a document that is none',
      { document: 'https://study.example/client.json' },
      'document must be the record of a client metadata document, not a string',
    ],
    [
      'links at fault',
      { about: { ...ABOUT, clientUri: 'javascript:alert(1)', contacts: ['a\u202eb'], site: '' } },
      'about.site is not an option',
      'about.clientUri must be an http or https URL such as "https://app.example/about", without user name and password',
      'about.contacts must be at most 5 printable strings such as ["help@app.example"]',
    ],
    [
      'a record of a document at fault',
      { document: { ...RECORD, fetchedAt: T * 1000, digest: '', changed: T } },
      'document.changed is not an option: did you mean changedAt?',
      `document.fetchedAt ${TIME}`,
      'document.digest must be a string such as documentDigest(document), not a blank one',
    ],
    [
      'a review without what it covered',
      { document: { ...RECORD, reviewed: true } },
      'document.reviewed must be what the review covered, { name, redirectUris, about }, not a boolean',
    ],
  ])('may not have %s', (_what, changes, ...mistakes) => {
    expect(mistakesOf(changes)).toEqual(mistakes)
  })

  it('may be as old as the count of seconds, and its times go no further than seconds can mean', () => {
    const made = (createdAt: number) => () => defineClient({ ...FIELDS, createdAt })
    expect(made(0)().createdAt).toBe(0)
    expect(made(1e11 - 1)().createdAt).toBe(1e11 - 1)
    for (const wrong of [-1, 1e11, 1.5])
      expect(made(wrong)).toThrow('createdAt must be epoch seconds')
  })

  it.each([
    'x'.repeat(42),
    'x'.repeat(44),
    `${'x'.repeat(43)}\n`,
    ` ${'x'.repeat(43)}`,
    43,
    ['x'.repeat(43)],
  ])('has no secret whose hash is %j', (hash) => {
    const fields = { ...FIELDS, tokenEndpointAuthMethod: 'client_secret_post' }
    const secrets = [{ hash, expiresAt: null }]
    expect(() => defineClient({ ...fields, secrets } as never)).toThrow(
      'secrets[0].hash must be hashToken(secret)',
    )
  })

  it('has its default where a field is there and undefined', () => {
    const left = { description: undefined, secrets: undefined }
    expect(defineClient({ ...FIELDS, ...left } as never)).toMatchObject({
      description: null,
      secrets: [],
    })
  })

  it('says every mistake at once, and never a secret', () => {
    const fields = { clientID: 'a', name: 'A', secrets: [{ hash: 'hunter2', expiresAt: null }] }
    expect(() => defineClient(fields as unknown as ClientFields)).toThrow(
      new OptionsError('defineClient', [
        'clientID is not an option: did you mean clientId?',
        'clientId is missing: printable ASCII such as "study-app"',
        'redirectUris is missing: at most 10 redirect URIs such as ["https://app.example/callback"], or [] for a device or a service',
        'kind is missing: loopback or vendor or document or member',
        'secrets[0].hash must be hashToken(secret)',
        'createdAt is missing: epoch seconds such as 1795165200, not milliseconds',
      ]),
    )
  })
})
