import { generateKeyPairSync, sign as cryptoSign } from 'node:crypto'
import fc from 'fast-check'
import { decodeProtectedHeader, generateKeyPair, importJWK, jwtVerify } from 'jose'
import { createRawSigner } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../support/http/characters.js'
import { createJoseSigner } from '../../src/token/signer.js'

const pair = await generateKeyPair('ES256')
const inKms = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const publicKey = await importJWK(inKms.publicKey.export({ format: 'jwk' }), 'ES256')

const signRaw = (signingInput: Uint8Array): Uint8Array =>
  cryptoSign('sha256', signingInput, { key: inKms.privateKey, dsaEncoding: 'ieee-p1363' })
const SIGNERS = [
  ['createJoseSigner', createJoseSigner({ kid: 'k', privateKey: pair.privateKey }), pair.publicKey],
  ['createRawSigner, at once', createRawSigner({ kid: 'k', sign: signRaw }), publicKey],
  [
    'createRawSigner, over a network',
    createRawSigner({ kid: 'k', sign: async (signingInput) => signRaw(signingInput) }),
    publicKey,
  ],
] as const

describe.each(SIGNERS)('%s', (_, signer, key) => {
  it('makes a JWS that jose verifies, with exactly the three header members', async () => {
    const jws = await signer.sign({ sub: 'mem_mei' })
    const { payload, protectedHeader } = await jwtVerify(jws, key, { algorithms: ['ES256'] })
    expect(payload).toEqual({ sub: 'mem_mei' })
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: 'k' })
    expect(signer.kid).toBe('k')
  })

  it('signs the payload as its JSON text in UTF-8', async () => {
    const payloads = fc.dictionary(
      fc.string().filter((name) => name !== '__proto__'),
      fc.oneof(fc.string({ unit: anyCharacter }), fc.integer(), fc.array(fc.string())),
    )
    await fc.assert(
      fc.asyncProperty(payloads, async (claims) => {
        const payload = { ...claims, iat: 1, exp: 2, nbf: 0 }
        const [, body = ''] = (await signer.sign(payload)).split('.')
        expect(body).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(Buffer.from(body, 'base64url').toString('utf8')).toBe(JSON.stringify(payload))
      }),
    )
  })

  it('does not verify once a character of the payload changed', async () => {
    const [header, , signature] = (await signer.sign({ sub: 'mem_mei' })).split('.')
    const body = Buffer.from('{"sub":"mem_ann"}').toString('base64url')
    await expect(jwtVerify(`${header}.${body}.${signature}`, key)).rejects.toThrow(/signature/)
  })
})

describe('createRawSigner', () => {
  it('hands the JWS signing input over as bytes, once', async () => {
    const inputs: Uint8Array[] = []
    const signer = createRawSigner({
      kid: 'k',
      sign: (signingInput) => {
        inputs.push(signingInput)
        return new Uint8Array(64)
      },
    })
    const jws = await signer.sign({ iss: 'https://lantern.example' })
    expect(inputs.map((input) => new TextDecoder().decode(input))).toEqual([
      jws.slice(0, jws.lastIndexOf('.')),
    ])
    expect(jws.endsWith(`.${'A'.repeat(86)}`)).toBe(true)
  })

  it('answers without a promise where the key is at hand', () => {
    expect(createRawSigner({ kid: 'k', sign: signRaw }).sign({})).toBeTypeOf('string')
  })

  it('keeps a kid with quotes and letters outside ASCII intact', async () => {
    const kid = 'arn:aws:kms:"ключ"/1'
    const jws = await createRawSigner({ kid, sign: signRaw }).sign({})
    expect(decodeProtectedHeader(jws).kid).toBe(kid)
  })

  it.each([0, 63, 65, 70, 72])('refuses a signature of %i bytes, DER for one', async (length) => {
    const message = 'an ES256 signature must have 64 bytes: r followed by s'
    const bytes = new Uint8Array(length)
    expect(() => createRawSigner({ kid: 'k', sign: () => bytes }).sign({})).toThrow(
      new TypeError(message),
    )
    const remote = createRawSigner({ kid: 'k', sign: async () => bytes })
    await expect(remote.sign({})).rejects.toThrow(new TypeError(message))
  })

  it('passes on the failure of the service that holds the key', async () => {
    const signer = createRawSigner({
      kid: 'k',
      sign: async () => {
        throw new Error('KMS is down')
      },
    })
    await expect(signer.sign({})).rejects.toThrow('KMS is down')
  })
})
