import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { decodeProtectedHeader, exportJWK, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { OptionsError } from 'hallpass'
import { createNodeSigner } from '../../src/node.js'
import { rounds } from '../support/run/rounds.js'

const AT_LEAST = rounds(200, { soak: 2000 })
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

describe('createNodeSigner', () => {
  test('jose verifies each of many signatures, short r and s among them', async () => {
    const signer = createNodeSigner({ kid: 'k1', privateKey })
    let short = 0
    // One in 128 begins with a zero byte; none in 5,000 happens once in 10^17 runs.
    for (let index = 0; index < 5000 && (index < AT_LEAST || short === 0); index++) {
      const jws = await signer.sign({ sub: 'person-1', index })
      const signature = Buffer.from(jws.split('.')[2]!, 'base64url')
      expect(signature.length).toBe(64)
      if (signature[0] === 0 || signature[32] === 0) short++
      const { payload } = await jwtVerify(jws, publicKey, { algorithms: ['ES256'] })
      expect(payload).toEqual({ sub: 'person-1', index })
    }
    expect(short).toBeGreaterThan(0)
  })

  test('names the algorithm, the type and the key in the header', async () => {
    const jws = await createNodeSigner({ kid: 'key/1"', privateKey }).sign({})
    expect(decodeProtectedHeader(jws)).toEqual({ alg: 'ES256', typ: 'JWT', kid: 'key/1"' })
  })

  test('carries claims outside ASCII unchanged', async () => {
    const jws = await createNodeSigner({ kid: 'k1', privateKey }).sign({ name: 'Zoë 👩‍🏫' })
    expect((await jwtVerify(jws, publicKey)).payload).toEqual({ name: 'Zoë 👩‍🏫' })
  })

  test('takes the key as a JWK as well', async () => {
    const signer = createNodeSigner({ kid: 'k1', privateKey: await exportJWK(privateKey) })
    await jwtVerify(await signer.sign({ sub: 'person-1' }), publicKey)
  })

  test.each([
    ['a public key', publicKey],
    ['a key on another curve', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey],
    ['an RSA key', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
    ['an Ed25519 key', generateKeyPairSync('ed25519').privateKey],
    ['the public half of a key', createPublicKey(privateKey)],
  ])('refuses %s when it is made', (_, key) => {
    expect(() => createNodeSigner({ kid: 'k1', privateKey: key })).toThrow(OptionsError)
  })
})
