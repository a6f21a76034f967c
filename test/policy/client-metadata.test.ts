import { decideDocument, decideDocumentUrl, decideRegistration } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { TAGGED_FLAGS, UNSEEN } from '../support/http/characters.js'

const LOOPBACK = 'http://127.0.0.1/callback'
const URL_OF_NOTES = 'https://notes.example/client.json'
const NOTES = { client_id: URL_OF_NOTES, client_name: 'Notes', redirect_uris: [LOOPBACK] }
const allowed = decideDocumentUrl({
  clientId: URL_OF_NOTES,
  policy: { allowedHosts: ['notes.example'], openRegistration: false, ports: [443] },
})
if (!allowed.ok) throw new Error(allowed.reason)
const { url } = allowed

/** The members that both kinds of metadata have, each with a fault, in the order in which they are judged. */
const FAULTS: readonly (readonly [
  member: string,
  value: unknown,
  registration: string,
  document: string,
])[] = [
  ['redirect_uris', 7, 'redirect_uris_malformed', 'document_redirect_uris_malformed'],
  ['client_name', 'a\nb', 'client_name_malformed', 'document_name_malformed'],
  ['redirect_uris', ['#'], 'redirect_uri_malformed', 'document_redirect_uri_malformed'],
  [
    'redirect_uris',
    ['https://evil.example/'],
    'redirect_uri_not_loopback',
    'document_redirect_uri_of_other_host',
  ],
  [
    'token_endpoint_auth_method',
    'private_key_jwt',
    'auth_method_not_supported',
    'document_auth_method_not_supported',
  ],
  ['grant_types', ['implicit'], 'grant_types_not_supported', 'document_grant_types_not_supported'],
  [
    'response_types',
    ['token'],
    'response_types_not_supported',
    'document_response_types_not_supported',
  ],
  ['logo_uri', 'x', 'link_malformed', 'document_link_malformed'],
]
const PAIRS = FAULTS.flatMap((first, index) =>
  FAULTS.slice(index + 1)
    .filter(([member]) => member !== first[0])
    .map((second) => ({
      reasons: first.slice(2),
      second: second[2],
      metadata: { ...NOTES, [first[0]]: first[1], [second[0]]: second[1] },
    })),
)

function reasonsOf(metadata: unknown): readonly (string | null)[] {
  const decided = [
    decideRegistration({ metadata, vendors: [] }),
    decideDocument({ url, metadata, vendors: [] }),
  ]
  return decided.map((one) => (one.ok ? null : one.reason))
}

describe('marks on one letter', () => {
  it.each([
    ['90, which paint over the line beneath', `App${'\u030d'.repeat(90)}`],
    ['five above and below', 'a\u0301\u0316\u0301\u0316\u0301'],
    ['five around', `a${'\u20dd'.repeat(5)}`],
    ['five, two of which are part of the letter', '\u1ed9\u0301\u0302\u0303'],
    ['nine, with joiners that nothing shows between them', `a${'\u0301\u0301\u034f'.repeat(9)}`],
  ])('are no name: %s [REG-20, CIMD-07]', (_, client_name) => {
    expect(reasonsOf({ ...NOTES, client_name })).toEqual([
      'client_name_malformed',
      'document_name_malformed',
    ])
  })

  it.each([
    'Notes',
    'Ứng dụng vẽ',
    'a\u0301\u0302\u0303\u0304',
    'ᾧ',
    'ที่นี่',
    'שָׁלוֹם',
    'བསྒྲུབས',
    '1\ufe0f\u20e3 Notes',
  ])('are spelling: %s [REG-20]', (client_name) => {
    expect(reasonsOf({ ...NOTES, client_name })).toEqual([null, null])
  })
})

describe('a registration and a metadata document', () => {
  it('may be the same', () => {
    expect(reasonsOf(NOTES)).toEqual([null, null])
  })

  it.each(PAIRS)(
    'with two faults are refused for the same one: $reasons.0, not $second',
    (pair) => {
      expect(reasonsOf(pair.metadata)).toEqual(pair.reasons)
    },
  )

  it.each(['client_uri', 'logo_uri', 'tos_uri', 'policy_uri', 'jwks_uri'])(
    'are refused for a %s that is no web address',
    (member) => {
      expect(reasonsOf({ ...NOTES, [member]: 'x' })).toEqual([
        'link_malformed',
        'document_link_malformed',
      ])
    },
  )

  it('with two redirect URIs at fault are refused for the malformed one', () => {
    expect(reasonsOf({ ...NOTES, redirect_uris: ['https://evil.example/', '#'] })).toEqual([
      'redirect_uri_malformed',
      'document_redirect_uri_malformed',
    ])
  })
})

describe('a name', () => {
  const isAccepted = (client_name: string): boolean =>
    reasonsOf({ ...NOTES, client_name }).every((reason) => reason === null)

  it.each([
    'می\u200cخواهم',
    'کتاب\u200cهای من',
    'क्\u200dष',
    'श्रीमान्\u200cजी',
    'র\u200d্যাম',
    'ශ්\u200dරී',
    '👨\u200d👩\u200d👧 Family',
    '🏳️\u200d🌈 Notes',
    '👩🏽\u200d💻',
    '🤷\u200d♀️',
  ])('may be spelled with joiners: %j', (name) => {
    expect(isAccepted(name)).toBe(true)
  })

  it.each([
    ...TAGGED_FLAGS.map((flag) => `Notes ${flag}`),
    '葛\u{e0100}城',
    '☂\ufe0f',
    '\u1820\u180b',
  ])('may be spelled with what its script needs: %j', (name) => {
    expect(isAccepted(name)).toBe(true)
  })

  it.each(UNSEEN)('is refused for what nothing shows: %j', (name) => {
    expect(isAccepted(name)).toBe(false)
  })

  it.each([
    'Cur\u200dsor',
    'Cur\u200csor',
    '\u200cمی',
    'می\u200c',
    'می\u200c\u200cخواهم',
    'a\u200dम',
    'म\u200da',
    '\u200d',
    '👨\u200d',
    '\u180e\u200d\u1820',
    '1\u200d2',
    '👨\u200b👩',
    'می\u200fخواهم',
  ])('is refused for a joiner that joins nothing: %j', (name) => {
    expect(isAccepted(name)).toBe(false)
  })
})
