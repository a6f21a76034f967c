import { deviceGrant } from 'hallpass/blocks'
import { decideDocument, decideRegistration } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { needsRedirects } from '../../src/policy/client-metadata.js'
import { isForSignatures, readPublicKey } from '../../src/policy/public-key.js'
import { memberOf } from '../../src/policy/reading.js'

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const NATIVE = { client_name: 'Desk', redirect_uris: ['http://127.0.0.1/cb'] }
const register = (changes: object) =>
  decideRegistration({ metadata: { ...NATIVE, ...changes }, vendors: [] })

describe('a registration by default', () => {
  it.each([
    ['none', { ok: true }],
    ['client_secret_post', { ok: true }],
    ['client_secret_basic', { ok: false, reason: 'auth_method_not_supported' }],
    ['', { ok: true }],
  ])('with the method "%s"', (token_endpoint_auth_method, decided) => {
    expect(register({ token_endpoint_auth_method })).toMatchObject(decided)
  })

  it('of a client that redirects nowhere is refused by its grant', () => {
    expect(register({ redirect_uris: [], grant_types: [DEVICE_GRANT] })).toMatchObject({
      error: 'invalid_client_metadata',
      reason: 'grant_types_not_supported',
    })
  })
})

it('a client needs redirect URIs also if its codes are one way of two', () => {
  const needs = (...grant_types: readonly string[]): boolean =>
    needsRedirects({ grant_types }, { grants: [DEVICE_GRANT] })
  expect([needs(DEVICE_GRANT), needs('authorization_code', DEVICE_GRANT), needs('x')]).toEqual([
    false,
    true,
    true,
  ])
})

it.each([
  [undefined, 'contain the method none'],
  [() => null, 'contain the method none or private_key_jwt'],
])('a document is told which methods there are', (signing, words) => {
  const url = 'https://notes.example/client.json' as Parameters<typeof decideDocument>[0]['url']
  const metadata = { client_id: url, client_name: 'Notes', redirect_uris: ['https://notes.example/cb'], token_endpoint_auth_method: 'client_secret_post' } // prettier-ignore
  const decided = decideDocument({ url, metadata, ...(signing && { signing }) })
  expect(decided.ok || decided.description).toMatch(new RegExp(`${words}$`))
})

it('a list is read without items of nothing', () => {
  const list = { some: ['', 'a', null, []], none: ['', null] }
  expect([memberOf(list, 'some'), memberOf(list, 'none')]).toEqual([['a'], undefined])
})

it.each([
  [{}, true],
  [{ use: 'sig' }, true],
  [{ use: 'enc' }, false],
  [{ key_ops: ['verify'] }, true],
  [{ key_ops: ['sign', 'verify'] }, true],
  [{ key_ops: ['encrypt'] }, false],
])('a key with %j is for signatures: %s', (members, isOfSignatures) => {
  expect(isForSignatures(members)).toBe(isOfSignatures)
})

it('a public key keeps what is read, and nothing else', () => {
  const key = { kty: 'OKP', crv: 'Ed25519', x: 'AA', kid: 'a', use: 'sig', key_ops: ['verify'], alg: 'EdDSA' } // prettier-ignore
  expect(readPublicKey({ ...key, x5c: ['AA'] })).toEqual(key)
})

it.each([
  ['/oauth/device', true],
  ['/oauth/device?user_code=WDJB-MJHT', true],
  ['x/oauth/device', false],
  ['/oauth/device?user_code=WDJB-MJHTx', false],
])('a sign-in leads back to the device page: %s, %s', (path, leads) => {
  expect(deviceGrant({ page: () => new Response() }).returns!.test(path)).toBe(leads)
})
