import { exportJWK, generateKeyPair } from 'jose'
import { mintIdToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { createJoseSigner } from '../../src/token/signer.js'
import { subjectOfHint } from '../../src/token/id-token-hint.js'
import { ISSUER, T } from '../support/school/school.js'

const [first, second, unknown] = [
  await generateKeyPair('ES256'),
  await generateKeyPair('ES256'),
  await generateKeyPair('ES256'),
]
const published = [
  { ...(await exportJWK(first.publicKey)), kid: 'first' },
  { ...(await exportJWK(second.publicKey)), kid: 'second' },
]
const source = { issuer: ISSUER, keys: { jwks: async () => ({ keys: published }) } }

const hint = async (kid: string, { privateKey }: typeof first, issuer = ISSUER): Promise<string> =>
  mintIdToken({
    signer: createJoseSigner({ kid, privateKey }),
    facts: { issuer, clientId: 'study-buddy', nonce: null, authTime: T, now: T },
    claims: { sub: 'mem_mei' },
  })

describe('the subject of a hint', () => {
  it.each([
    ['first', first],
    ['second', second],
  ])('is read with the key that it names: %s [AUTH-37]', async (kid, key) => {
    expect(await subjectOfHint(await hint(kid, key), source)).toBe('mem_mei')
  })

  it.each([
    ['a key of another name', () => hint('second', first)],
    ['a key that is not published', () => hint('third', unknown)],
    ['another issuer', () => hint('first', first, 'https://other.example')],
    ['no token', () => 'a.b.c'],
  ])('is none with %s [AUTH-37]', async (_, make) => {
    expect(await subjectOfHint(await make(), source)).toBe(null)
  })
})
