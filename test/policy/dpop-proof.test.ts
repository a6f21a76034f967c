import { decideDpopProof } from 'hallpass/blocks'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { decideCodeKey } from '../../src/policy/dpop-proof.js'
import { parseFormParameters } from 'hallpass/policy'
import { T } from '../support/school/school.js'

/** The key of RFC 8037, appendix A.3, and that of RFC 7638, section 3.1. */
const JWK = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }
const JKT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
const RSA = {
  kty: 'RSA',
  n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
  e: 'AQAB',
}
const URI = 'https://school.example/api/oauth/userinfo'
const TOKEN = `hpa_${'A'.repeat(43)}`

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEADER = { typ: 'dpop+jwt', alg: 'Ed25519', jwk: JWK }
const CLAIMS = { jti: 'one', htm: 'GET', htu: URI, iat: T, ath: hashToken(TOKEN) }
const proofOf = (
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
): string => `${encode({ ...HEADER, ...header })}.${encode({ ...CLAIMS, ...claims })}.c2lnbmF0dXJl`

type Request = Parameters<typeof decideDpopProof>[0]
const REQUEST: Request = {
  proof: proofOf(),
  method: 'GET',
  url: URI,
  accessToken: TOKEN,
  boundTo: JKT,
  algorithms: ['ES256', 'Ed25519'],
  nonces: null,
  now: T,
}
const NONCES = { values: ['now', 'before', 'soon'], until: T + 450 }
const decide = (changes: Partial<Request> = {}) => decideDpopProof({ ...REQUEST, ...changes })
const reasonOf = (changes: Partial<Request>): string | null => {
  const decided = decide(changes)
  return decided.ok ? null : `${decided.error} ${decided.reason}`
}
const ofProof = (claims: object, header: object = {}): string | null =>
  reasonOf({ proof: proofOf({ ...claims }, { ...header }) })

/** Claims that are right but for a letter that is not UTF-8. */
const LATIN = Buffer.from(JSON.stringify({ ...CLAIMS, jti: '\u00ff' }), 'latin1').toString(
  'base64url',
)

describe('a DPoP proof', () => {
  it('belongs to its request, whose key it names and which it is once [DPOP-05]', () => {
    const decided = decide()
    expect(decided).toEqual({
      ok: true,
      jkt: JKT,
      once: { key: expect.stringMatching(/^[\w-]{43}$/), until: T + 60 },
      nonce: null,
    })
    const key = (claims: object, header: object = {}) => {
      const other = decide({ proof: proofOf({ ...claims }, { ...header }), accessToken: null })
      return other.ok && other.once.key
    }
    expect(key({})).toBe(decided.ok && decided.once.key)
    expect(key({ jti: 'two' })).not.toBe(key({}))
    expect(key({}, { jwk: { ...JWK, x: 'AAAA' } })).not.toBe(key({}))
  })

  it.each<[string, Partial<Request>]>([
    ['the DPoP header is missing', { proof: null }],
    ['send one DPoP header', { proof: `${proofOf()}, ${proofOf()}` }],
    ['the DPoP header is not a signed JWT of at most 8192 characters', { proof: '' }],
    ['the DPoP header is not a signed JWT of at most 8192 characters', { proof: ` ${proofOf()}` }],
    ['typ of the proof must be dpop+jwt', { proof: proofOf({}, { typ: 'JWT' }) }],
    ['alg of the proof must be ES256, Ed25519', { proof: proofOf({}, { alg: 'none' }) }],
    [
      'jwk of the proof must be a public key of type EC, OKP or RSA',
      { proof: proofOf({}, { jwk: 1 }) },
    ],
    [
      'jwk of the proof must be a public key of type EC, OKP or RSA',
      { proof: proofOf({}, { jwk: { ...JWK, kty: ['OKP'] } }) },
    ],
    [
      'jwk of the proof must be a public key of type EC, OKP or RSA',
      { proof: proofOf({}, { jwk: null }) },
    ],
    [
      'jwk of the proof must have no private key',
      { proof: proofOf({}, { jwk: { ...JWK, d: 'd' } }) },
    ],
    [
      'the proof needs jti of at most 256 characters, htm, htu and iat, and ath',
      { proof: proofOf({ jti: '' }) },
    ],
    [
      'the proof needs jti of at most 256 characters, htm, htu and iat',
      { proof: proofOf({ jti: '' }), accessToken: null },
    ],
    ['htm of the proof must be the method', { method: 'POST' }],
    ['htu of the proof must be the URI without query and fragment', { url: `${URI}/` }],
    [
      'htu of the proof must be the URI without query and fragment',
      { url: 'urn:one', proof: proofOf({ htu: 'urn:two' }) },
    ],
    ['ath of the proof must be that of the token', { accessToken: 'other' }],
    ['sign the proof again, with the nonce of the DPoP-Nonce header', { nonces: NONCES }],
    ['iat of the proof is more than 30 seconds ahead of the clock of the server', { now: T - 31 }],
    ['iat of the proof is at least 60 seconds ago by the clock of the server', { now: T + 60 }],
  ])('is told what it lacks: %s', (description, changes) => {
    expect(decide(changes)).toMatchObject({ ok: false, description })
  })

  it('has at most 8192 characters', () => {
    const rest = proofOf({ jti: '' }).length
    const longest = proofOf({ jti: 'x'.repeat(250) })
    const padded = longest + 'A'.repeat(8192 - longest.length)
    expect(padded.length).toBeGreaterThan(rest)
    expect(reasonOf({ proof: padded })).toBeNull()
    expect(reasonOf({ proof: `${padded}A` })).toBe('invalid_dpop_proof dpop_proof_malformed')
  })

  it('is read from base64url of any bytes', () => {
    const jti = '\u{3ff}\u{3fe}~~~???'
    const text = encode({ ...CLAIMS, jti })
    expect(text).toMatch(/-/)
    expect(text).toMatch(/_/)
    expect(reasonOf({ proof: proofOf({ jti }) })).toBeNull()
  })

  it('is one header [DPOP-06]', () => {
    expect(reasonOf({ proof: `${proofOf()}, ${proofOf()}` })).toBe(
      'invalid_dpop_proof dpop_proof_repeated',
    )
    expect(reasonOf({ proof: null })).toBe('invalid_dpop_proof dpop_proof_missing')
  })

  it.each([
    ['', 'empty'],
    ['a.b', 'two parts'],
    [`${proofOf()}.`, 'four parts'],
    [`${encode([])}.${encode(CLAIMS)}.c2ln`, 'a list as header'],
    [`${encode(HEADER)}.${encode(7)}.c2ln`, 'a number as claims'],
    [`${encode(HEADER)}.e30x.c2ln`, 'no JSON'],
    [`${encode(HEADER)}.${LATIN}.c2ln`, 'no UTF-8'],
    [proofOf({ jti: 'x'.repeat(8192) }), 'more than 8192 characters'],
    [`${proofOf()} `, 'a space'],
  ])('is a well-formed JWT: %#, %s [DPOP-07]', (proof) => {
    expect(reasonOf({ proof })).toBe('invalid_dpop_proof dpop_proof_malformed')
  })

  it.each([
    [{ jti: undefined }],
    [{ jti: '' }],
    [{ jti: 7 }],
    [{ jti: 'x'.repeat(257) }],
    [{ htm: undefined }],
    [{ htm: '' }],
    [{ htu: null }],
    [{ htu: '' }],
    [{ htu: ['https://school.example'] }],
    [{ iat: undefined }],
    [{ iat: String(T) }],
    [{ ath: undefined }],
    [{ ath: 1 }],
  ])('has every claim: %o [DPOP-08]', (claims) => {
    expect(ofProof(claims)).toBe('invalid_dpop_proof dpop_proof_claim_missing')
  })

  it('needs no ath without an access token, and has a jti of 256 characters [DPOP-08]', () => {
    const proof = proofOf({ ath: undefined, jti: 'x'.repeat(256) })
    expect(reasonOf({ proof, accessToken: null })).toBeNull()
  })

  it.each([['JWT'], [undefined], ['DPOP+JWT'], ['dpop+jwt ']])(
    'is of the type dpop+jwt, not %s [DPOP-09]',
    (typ) => {
      expect(ofProof({}, { typ })).toBe('invalid_dpop_proof dpop_proof_type_wrong')
    },
  )

  it.each([['none'], ['HS256'], ['RS256'], [undefined], [['Ed25519']], ['ed25519']])(
    'has an accepted algorithm, not %s [DPOP-10]',
    (alg) => {
      expect(ofProof({}, { alg })).toBe('invalid_dpop_proof dpop_proof_algorithm_wrong')
    },
  )

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])(
    'has no private key: %s [DPOP-12]',
    (member) => {
      expect(ofProof({}, { jwk: { ...JWK, [member]: 'AQAB' } })).toBe(
        'invalid_dpop_proof dpop_proof_has_private_key',
      )
      expect(ofProof({}, { jwk: { ...JWK, [member]: null } })).toBeNull()
    },
  )

  it.each([
    [undefined],
    ['key'],
    [[JWK]],
    [{ ...JWK, kty: 'constructor' }],
    [{ ...JWK, x: undefined }],
    [{ kty: 'EC', crv: 'P-256', x: 'AA' }],
    [{ kty: 'RSA', n: 'AA', e: 3 }],
  ])('has a public key: not %o [DPOP-04]', (jwk) => {
    expect(ofProof({}, { jwk })).toBe('invalid_dpop_proof dpop_proof_key_malformed')
  })

  it('names its key by the thumbprint of RFC 7638, whatever else its JWK has [DPOP-04]', () => {
    const jktOf = (jwk: object): string | null => {
      const decided = decide({ proof: proofOf({}, { jwk }), accessToken: null })
      return decided.ok ? decided.jkt : null
    }
    expect(jktOf(RSA)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
    expect(jktOf({ use: 'sig', kid: 'mine', ...JWK, alg: 'Ed25519' })).toBe(JKT)
  })

  it.each([['POST'], ['get']])('is for the method, not %s [DPOP-13]', (htm) => {
    expect(ofProof({ htm })).toBe('invalid_dpop_proof dpop_proof_for_other_method')
  })

  it.each([
    ['http://school.example/api/oauth/userinfo'],
    ['https://school.example:8443/api/oauth/userinfo'],
    ['https://other.example/api/oauth/userinfo'],
    ['https://school.example/api/oauth/userinfo/'],
    ['https://school.example/api/oauth/UserInfo'],
    ['https://school.example/api/oauth%2Fuserinfo'],
    ['https://mei@school.example/api/oauth/userinfo'],
    ['https://:secret@school.example/api/oauth/userinfo'],
    ['/api/oauth/userinfo'],
    ['urn:school'],
  ])('is for the URI, not %s [DPOP-14]', (htu) => {
    expect(ofProof({ htu })).toBe('invalid_dpop_proof dpop_proof_for_other_uri')
  })

  it.each([
    [URI, `${URI}?schema=openid`],
    [`${URI}?a=b#c`, URI],
    ['HTTPS://SCHOOL.example:443/api/oauth/userinfo', URI],
    ['https://school.example/api/./x/../oauth/userinfo', URI],
    ['https://school.example/api/oauth/%75serinf%6f', URI],
    ['https://school.example/caf%c3%a9', 'https://school.example/caf%C3%A9'],
    ['https://school.example/%7emei', 'https://school.example/~mei'],
    ['https://school.example', 'https://school.example/'],
  ])('is for the URI, spelled as %s, of a request to %s [DPOP-15]', (htu, url) => {
    expect(reasonOf({ proof: proofOf({ htu }), url })).toBeNull()
  })

  it.each([
    ['nonces of the server', { nonce: 'other' }, 'dpop_nonce_unknown'],
    ['a nonce at all', {}, 'dpop_nonce_missing'],
    ['a text', { nonce: ['now'] }, 'dpop_nonce_unknown'],
  ])('has one of the %s [DPOP-16]', (_, claims, reason) => {
    const proof = proofOf({ ...claims })
    expect(reasonOf({ proof, nonces: NONCES })).toBe(`use_dpop_nonce ${reason}`)
  })

  it('has a time within a minute, and half a minute ahead [DPOP-17]', () => {
    const times = [-60, -59, 0, 30, 31].map((seconds) => ofProof({ iat: T + seconds }))
    expect(times).toEqual([
      'invalid_dpop_proof dpop_proof_stale',
      null,
      null,
      null,
      'invalid_dpop_proof dpop_proof_of_future',
    ])
    for (const iat of [T * 1000, -T, 2 ** 60]) expect(ofProof({ iat })).not.toBeNull()
  })

  it('has the time of its nonce, whatever its clock says [DPOP-16]', () => {
    const decided = decide({ proof: proofOf({ nonce: 'soon', iat: 7 }), nonces: NONCES })
    expect(decided).toMatchObject({ ok: true, once: { until: T + 450 } })
  })

  it('is for the access token [DPOP-18]', () => {
    const accessToken = `hpa_${'B'.repeat(43)}`
    expect(reasonOf({ accessToken })).toBe('invalid_dpop_proof dpop_proof_for_other_token')
  })

  it('has the key to which the access token is bound [DPOP-19]', () => {
    expect(reasonOf({ boundTo: 'A'.repeat(43) })).toBe('invalid_token access_token_of_other_key')
    expect(reasonOf({ boundTo: null })).toBe('invalid_token access_token_not_bound')
    expect(reasonOf({ boundTo: null, accessToken: null })).toBeNull()
  })
})

describe('the key of a code', () => {
  it('is a thumbprint, or none [DPOP-36]', () => {
    const named = (query: string) => decideCodeKey(parseFormParameters(query))
    expect(named('')).toEqual({ ok: true, boundTo: null })
    expect(named(`dpop_jkt=${JKT}`)).toEqual({ ok: true, boundTo: JKT })
    for (const jkt of [JKT.slice(1), `${JKT}=`, `${JKT}A`, '*'.repeat(43)])
      expect(named(`dpop_jkt=${encodeURIComponent(jkt)}`)).toMatchObject({
        error: 'invalid_request',
        reason: 'dpop_jkt_malformed',
        description: 'dpop_jkt must be the SHA-256 thumbprint of a key, 43 characters in base64url',
      })
  })
})
