import type { RefusalReason } from 'hallpass/policy'
import * as jose from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AssertionReason } from '../../../src/policy/client-assertion.js'
import {
  type Fields,
  form,
  ISSUER,
  part,
  TOKEN,
  TYPE,
} from '../../support/school/signing-client.js'
import {
  createDocumentSchool,
  DOCUMENT_URL,
  JWKS_URL,
  makeKey,
  METADATA,
  type OwnKey,
  setOf,
} from '../../support/school/signing-document.js'
import { T } from '../../support/school/school.js'

let key: OwnKey
let foreign: OwnKey
let rsa: OwnKey

beforeAll(async () => {
  key = await makeKey('one')
  foreign = await makeKey('one')
  rsa = await makeKey('rsa', 'RS256')
})

type School = Awaited<ReturnType<typeof createDocumentSchool>>
interface Sent {
  readonly fields: Fields
  readonly headers?: Fields
}
type Make = (school: School) => Sent | Promise<Sent>

const CURVE = { crv: 'p256' }
const OTHER_KEY = { kty: 'EC', ...CURVE, x: 'x', y: 'y' }
const OWN = { iss: DOCUMENT_URL, sub: DOCUMENT_URL }

/** An assertion of the client with these claims, or with another header. */
const claims =
  (change: object, { header = {}, by = () => key, alg = 'ES256' }: Other = {}): Make =>
  async ({ sign }) => ({
    fields: form(
      await sign({ ...OWN, ...change }, by().privateKey, alg, { kid: by().jwk.kid, ...header }),
    ),
  })
interface Other {
  readonly header?: object
  readonly by?: () => OwnKey
  readonly alg?: string
}

/** A right assertion whose text is changed. */
const text =
  (change: (assertion: string) => string): Make =>
  async (school) => {
    const { fields } = await claims({})(school)
    return { fields: { ...fields, client_assertion: change(fields['client_assertion']!) } }
  }
/** A right assertion in a form with other fields. */
const fields =
  (more: Fields, headers: Fields = {}): Make =>
  async (school) => ({ fields: { ...(await claims({})(school)).fields, ...more }, headers })

/** An assertion that anyone can make: no key signed it. */
const unsigned = (header: object, change: object = {}): string => {
  const own = { ...OWN, aud: ISSUER, exp: T + 60, jti: crypto.randomUUID(), ...change }
  return `${part(header)}.${part(own)}.`
}

const basic = { authorization: `Basic ${btoa('notes:x')}` }

type Row = readonly [name: string, reason: AssertionReason | RefusalReason, id: string, make: Make]

const BAD: readonly Row[] = [
  [
    'iss is another client',
    'assertion_of_other_client',
    'PKJ-11',
    claims({ iss: 'https://other.example/c' }),
  ],
  [
    'iss is the issuer of the server',
    'assertion_of_other_client',
    'PKJ-11',
    claims({ iss: ISSUER }),
  ],
  ['iss is absent', 'assertion_malformed', 'PKJ-11', claims({ iss: undefined })],
  ['iss is a list', 'assertion_malformed', 'PKJ-11', claims({ iss: [DOCUMENT_URL] })],
  ['iss is empty', 'assertion_malformed', 'PKJ-11', claims({ iss: '' })],
  [
    'sub is a client that no one knows',
    'client_unknown',
    'PKJ-12',
    claims({ sub: 'https://other.example/c' }),
  ],
  ['sub is another spelling', 'client_unknown', 'PKJ-12', claims({ sub: `${DOCUMENT_URL}/` })],
  ['sub is absent', 'assertion_malformed', 'PKJ-12', claims({ sub: undefined })],
  ['sub is a number', 'assertion_malformed', 'PKJ-12', claims({ sub: 7 })],
  [
    'sub is another client than client_id',
    'assertion_of_other_client',
    'PKJ-12',
    async (school) => ({
      fields: {
        ...(await claims({ sub: 'https://x.example/' })(school)).fields,
        client_id: DOCUMENT_URL,
      },
    }),
  ],
  [
    'aud is another server',
    'assertion_for_other_audience',
    'PKJ-13',
    claims({ aud: 'https://other.example' }),
  ],
  [
    'aud is the revocation endpoint',
    'assertion_for_other_audience',
    'PKJ-13',
    claims({ aud: `${ISSUER}/api/oauth/revoke` }),
  ],
  [
    'aud is the issuer with a slash',
    'assertion_for_other_audience',
    'PKJ-13',
    claims({ aud: `${ISSUER}/` }),
  ],
  [
    'aud is in capitals',
    'assertion_for_other_audience',
    'PKJ-13',
    claims({ aud: ISSUER.toUpperCase() }),
  ],
  ['aud is the client', 'assertion_for_other_audience', 'PKJ-13', claims({ aud: DOCUMENT_URL })],
  ['aud is absent', 'assertion_malformed', 'PKJ-13', claims({ aud: undefined })],
  [
    'aud is an object',
    'assertion_for_other_audience',
    'PKJ-13',
    claims({ aud: { [ISSUER]: true } }),
  ],
  ['aud is an empty list', 'assertion_malformed', 'PKJ-13', claims({ aud: [] })],
  [
    'aud has another server too',
    'assertion_for_other_audience',
    'PKJ-14',
    claims({ aud: [ISSUER, 'https://other.example'] }),
  ],
  [
    'aud has both names of this server',
    'assertion_for_other_audience',
    'PKJ-14',
    claims({ aud: [ISSUER, TOKEN] }),
  ],
  ['exp was 30 seconds ago', 'assertion_expired', 'PKJ-15', claims({ exp: T - 30 })],
  ['exp was a year ago', 'assertion_expired', 'PKJ-15', claims({ exp: T - 31_536_000 })],
  ['exp is in milliseconds', 'assertion_expired', 'PKJ-15', claims({ exp: (T + 60) * 1000 })],
  ['exp is in more than an hour', 'assertion_too_long_lived', 'PKJ-16', claims({ exp: T + 3631 })],
  ['exp is in a day', 'assertion_too_long_lived', 'PKJ-16', claims({ exp: T + 86_400 })],
  ['exp is absent', 'assertion_malformed', 'PKJ-17', claims({ exp: undefined })],
  [
    'exp is a text',
    'assertion_malformed',
    'PKJ-17',
    async () => ({ fields: form(unsigned({ alg: 'ES256' }, { exp: `${T + 60}` })) }),
  ],
  [
    'exp is null',
    'assertion_malformed',
    'PKJ-17',
    async () => ({ fields: form(unsigned({ alg: 'ES256' }, { exp: null })) }),
  ],
  ['nbf is ahead', 'assertion_not_yet_valid', 'PKJ-18', claims({ nbf: T + 31 })],
  [
    'nbf is a text',
    'assertion_malformed',
    'PKJ-18',
    async () => ({ fields: form(unsigned({ alg: 'ES256' }, { nbf: '0' })) }),
  ],
  ['iat is ahead', 'assertion_not_yet_valid', 'PKJ-19', claims({ iat: T + 31 })],
  ['iat is in milliseconds', 'assertion_not_yet_valid', 'PKJ-19', claims({ iat: T * 1000 })],
  ['jti is absent', 'assertion_malformed', 'PKJ-20', claims({ jti: undefined })],
  ['jti is empty', 'assertion_malformed', 'PKJ-20', claims({ jti: '' })],
  ['jti is a number', 'assertion_malformed', 'PKJ-20', claims({ jti: 7 })],
  [
    'jti is longer than 256 characters',
    'assertion_malformed',
    'PKJ-20',
    claims({ jti: 'x'.repeat(257) }),
  ],
  [
    'the key is of someone else, with the same kid',
    'assertion_signature_wrong',
    'PKJ-23',
    claims({}, { by: () => foreign }),
  ],
  [
    'the key is of someone else, without kid',
    'assertion_signature_wrong',
    'PKJ-23',
    claims({}, { by: () => foreign, header: { kid: undefined } }),
  ],
  [
    'the signature is absent',
    'assertion_signature_wrong',
    'PKJ-23',
    text((one) => `${one.split('.').slice(0, 2).join('.')}.`),
  ],
  ['the signature is cut', 'assertion_signature_wrong', 'PKJ-23', text((one) => one.slice(0, -10))],
  [
    'the claims were changed',
    'assertion_signature_wrong',
    'PKJ-23',
    text((one) => {
      const [head, , signature] = one.split('.')
      return `${head}.${unsigned({}).split('.')[1]}.${signature}`
    }),
  ],
  [
    'the header was changed',
    'assertion_signature_wrong',
    'PKJ-23',
    text((one) => {
      const [, ...rest] = one.split('.')
      return [part({ alg: 'ES256', kid: 'one', typ: 'JWT' }), ...rest].join('.')
    }),
  ],
  [
    'it has more than 8192 characters',
    'assertion_malformed',
    'PKJ-25',
    claims({ more: 'x'.repeat(8192) }),
  ],
  ...['e30x', '{}', 'W10', 'Ingi', 'bnVsbA', '%%', 'A'].map((header): Row => [
    `the header is ${header}`,
    'assertion_malformed',
    'PKJ-25',
    text((one) => [header, ...one.split('.').slice(1)].join('.')),
  ]),
  [
    'the key comes in the header',
    'assertion_signature_wrong',
    'PKJ-23',
    claims({}, { by: () => foreign, header: { jwk: OTHER_KEY } }),
  ],
  [
    'the header demands what no one knows',
    'assertion_malformed',
    'PKJ-23',
    async (school) => ({
      fields: form(
        (await claims({})(school)).fields['client_assertion']!.replace(
          /^[^.]+/,
          part({ alg: 'ES256', kid: 'one', crit: ['x'], x: 1 }),
        ),
      ),
    }),
  ],
  [
    'the kid is one that was never published',
    'assertion_key_unknown',
    'PKJ-36',
    claims({}, { header: { kid: 'two' } }),
  ],
  [
    'the kid is a path',
    'assertion_key_unknown',
    'PKJ-36',
    claims({}, { header: { kid: '../../dev/null' } }),
  ],
  [
    'alg is none',
    'assertion_alg_not_accepted',
    'PKJ-24',
    async () => ({ fields: form(unsigned({ alg: 'none' })) }),
  ],
  [
    'alg is None',
    'assertion_alg_not_accepted',
    'PKJ-24',
    async () => ({ fields: form(unsigned({ alg: 'None' })) }),
  ],
  [
    'alg is absent',
    'assertion_alg_not_accepted',
    'PKJ-24',
    async () => ({ fields: form(unsigned({})) }),
  ],
  [
    'alg is HS256 with the public key as the secret',
    'assertion_alg_not_accepted',
    'PKJ-24',
    async () => {
      const secret = new TextEncoder().encode(JSON.stringify(key.jwk))
      const own = { ...OWN, aud: ISSUER, exp: T + 60, jti: 'a' }
      return {
        fields: form(await new jose.SignJWT(own).setProtectedHeader({ alg: 'HS256' }).sign(secret)),
      }
    },
  ],
  [
    'alg is RS256, which the server does not list',
    'assertion_alg_not_accepted',
    'PKJ-24',
    claims({}, { by: () => rsa, alg: 'RS256' }),
  ],
  ['it is no JWT', 'assertion_malformed', 'PKJ-25', () => ({ fields: form('no.jwt') })],
  ['it is empty', 'assertion_malformed', 'PKJ-25', () => ({ fields: form('') })],
  [
    'it is absent',
    'assertion_malformed',
    'PKJ-25',
    () => ({ fields: { client_id: DOCUMENT_URL, client_assertion_type: TYPE } }),
  ],
  [
    'its claims are a list',
    'assertion_malformed',
    'PKJ-25',
    () => ({ fields: form(`${part({ alg: 'ES256' })}.${part([])}.x`) }),
  ],
  [
    'its claims are not JSON',
    'assertion_malformed',
    'PKJ-25',
    () => ({ fields: form(`${part({ alg: 'ES256' })}.e30x.x`) }),
  ],
  ['it is encrypted', 'assertion_malformed', 'PKJ-25', () => ({ fields: form('a.b.c.d.e') })],
  [
    'its type is that of SAML',
    'client_auth_method_mismatch',
    'PKJ-26',
    fields({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
      client_id: DOCUMENT_URL,
    }),
  ],
  [
    'its type is absent',
    'client_auth_method_mismatch',
    'PKJ-26',
    fields({ client_assertion_type: '', client_id: DOCUMENT_URL }),
  ],
  [
    'client_id is another client',
    'client_unknown',
    'PKJ-27',
    fields({ client_id: 'https://other.example/c' }),
  ],
  ['client_secret is there too', 'client_auth_ambiguous', 'PKJ-28', fields({ client_secret: 'x' })],
  ['HTTP Basic is there too', 'client_auth_ambiguous', 'PKJ-28', fields({}, basic)],
]

describe('an assertion is refused, and its code remains valid: ', () => {
  it.each(BAD)('%s: %s [%s]', async (_name, reason, _id, make) => {
    const school = await createDocumentSchool()
    const { hosts, connect, issue, redeem, faults } = school
    hosts.set(DOCUMENT_URL, METADATA).set(JWKS_URL, setOf(key, rsa))
    await connect()
    await issue('a', DOCUMENT_URL)
    const bad = await make(school)
    const status = reason === 'client_auth_ambiguous' ? 400 : 401
    expect(await redeem('a', bad.fields, bad.headers)).toEqual([status, reason])
    const good = await claims({ jti: 'good' })(school)
    expect(await redeem('a', good.fields)).toEqual([200, null])
    expect(faults).toEqual([])
  })

  it('is a table of at least forty', () => {
    expect(BAD.length).toBeGreaterThanOrEqual(40)
    expect(new Set(BAD.map(([name]) => name)).size).toBe(BAD.length)
  })
})

describe('an assertion is accepted', () => {
  it.each<[string, Make]>([
    ['the issuer as aud', claims({ aud: ISSUER })],
    ['the token endpoint as aud', claims({ aud: TOKEN })],
    ['a list of one aud', claims({ aud: [ISSUER] })],
    ['claims that no one knows', claims({ scope: 'x', nested: { a: 1 } })],
    ['exp 29 seconds ago', claims({ exp: T - 29 })],
    ['nbf and iat in 30 seconds', claims({ nbf: T + 30, iat: T + 30 })],
    ['the type of rfc7523bis', claims({}, { header: { typ: 'client-authentication+jwt' } })],
    ['its own client_id', fields({ client_id: DOCUMENT_URL })],
  ])('with %s', async (_name, make) => {
    const school = await createDocumentSchool()
    school.hosts.set(DOCUMENT_URL, METADATA).set(JWKS_URL, setOf(key))
    await school.connect()
    await school.issue('a', DOCUMENT_URL)
    expect(await school.redeem('a', (await make(school)).fields)).toEqual([200, null])
  })

  it('once for each client and jti, of which another client may have the same [PKJ-21]', async () => {
    const school = await createDocumentSchool()
    const { hosts, connect, exchange, store } = school
    hosts.set(DOCUMENT_URL, METADATA).set(JWKS_URL, setOf(key))
    await connect()
    const same = { claims: { jti: 'same' } }
    expect(await exchange(key, same)).toEqual([200, null])
    expect(await exchange(key, same)).toEqual([401, 'assertion_used_before'])
    const other = 'https://other.example/client.json'
    const client = (await store.findClient(DOCUMENT_URL))!
    await store.insertClient({ ...client, clientId: other, revision: 1 })
    expect(await exchange(key, { ...same, clientId: other })).toEqual([200, null])
  })

  it('only of a client with this method [PKJ-29]', async () => {
    const { hosts, connect, exchange } = await createDocumentSchool()
    hosts.set(DOCUMENT_URL, { ...METADATA, token_endpoint_auth_method: 'none' })
    hosts.set(JWKS_URL, setOf(key))
    await connect()
    expect(await exchange(key)).toEqual([401, 'client_auth_method_mismatch'])
  })

  it('with the one algorithm that the client names, and no other [PKJ-35]', async () => {
    const ed = await makeKey('ed', 'Ed25519')
    const { hosts, connect, exchange } = await createDocumentSchool()
    hosts.set(DOCUMENT_URL, { ...METADATA, token_endpoint_auth_signing_alg: 'Ed25519' })
    hosts.set(JWKS_URL, setOf(key, ed))
    await connect()
    expect(await exchange(ed, { alg: 'Ed25519' })).toEqual([200, null])
    expect(await exchange(key)).toEqual([401, 'assertion_alg_not_accepted'])
  })

  it('with a key that was published after the last fetch [PKJ-37]', async () => {
    const { hosts, connect, exchange } = await createDocumentSchool()
    const two = await makeKey('two')
    hosts.set(DOCUMENT_URL, METADATA).set(JWKS_URL, setOf(key))
    await connect()
    expect(await exchange(key)).toEqual([200, null])
    hosts.set(JWKS_URL, setOf(two))
    expect(await exchange(two)).toEqual([200, null])
  })
})

describe('the endpoints of a server', () => {
  it('accept an assertion of a document each: token, revocation and introspection [PKJ-08]', async () => {
    const school = await createDocumentSchool()
    const { hosts, connect, issue, post, store } = school
    hosts.set(DOCUMENT_URL, METADATA).set(JWKS_URL, setOf(key))
    await connect()
    await issue('a', DOCUMENT_URL)
    const send = async (path: string, more: Fields): Promise<Response> =>
      post(path, { ...more, ...(await claims({})(school)).fields })
    const exchanged = await send('token', {
      grant_type: 'authorization_code',
      code: 'a',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      redirect_uri: METADATA.redirect_uris[0]!,
      resource: ISSUER,
    })
    const tokens = (await exchanged.json()) as { access_token: string; refresh_token: string }
    const refreshed = await send('token', {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    })
    expect(refreshed.status).toBe(200)
    const { access_token: token } = (await refreshed.json()) as { access_token: string }
    const active = async (): Promise<unknown> => {
      const response = await send('introspect', { token })
      return ((await response.json()) as { active?: boolean }).active
    }
    expect(await active()).toBe(true)
    expect((await send('revoke', { token })).status).toBe(200)
    expect(await active()).toBe(false)
    const [grant] = await store.listGrants({
      of: { clientId: DOCUMENT_URL },
      after: null,
      limit: 2,
      now: T,
    })
    expect(grant?.grant.clientId).toBe(DOCUMENT_URL)
    const unknown = await post('introspect', { token, client_id: DOCUMENT_URL })
    expect(unknown.status).toBe(401)
  })
})
