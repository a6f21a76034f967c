import fc from 'fast-check'
import { decodeProtectedHeader, generateKeyPair, jwtVerify } from 'jose'
import { ID_TOKEN_SECONDS, mintIdToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { ISSUER, T } from '../support/school/school.js'
import { NO_SECONDS } from '../time/support.js'
import { createJoseSigner } from '../../src/token/signer.js'

const { privateKey, publicKey } = await generateKeyPair('ES256')
const other = await generateKeyPair('ES256')
const signer = createJoseSigner({ kid: 'key-1', privateKey })

const FACTS: Parameters<typeof mintIdToken>[0]['facts'] = {
  issuer: ISSUER,
  clientId: 'study-buddy',
  nonce: 'n-0S6_WzA2Mj',
  authTime: T - 30,
  now: T,
}
const IDENTITY = { sub: 'mem_mei', org_id: 'site_lantern', name: 'Mei-Ling Chou' }
const PROTOCOL = { iss: ISSUER, aud: 'study-buddy', iat: T, exp: T + 600 }

const verify = (
  idToken: string,
  { now = T, key = publicKey, clientId = 'study-buddy', issuer = ISSUER } = {},
): Promise<Record<string, unknown>> =>
  jwtVerify(idToken, key, {
    algorithms: ['ES256'],
    issuer,
    audience: clientId,
    currentDate: new Date(now * 1000),
  }).then(({ payload }) => payload)

const mint = async (
  changes: Partial<Parameters<typeof mintIdToken>[0]['facts']> = {},
  claims: Readonly<Record<string, unknown>> = IDENTITY,
): Promise<string> => mintIdToken({ signer, facts: { ...FACTS, ...changes }, claims })

describe('mintIdToken', () => {
  it('signs issuer, audience, times, nonce and identity so that jose verifies them', async () => {
    expect(await verify(await mint())).toEqual({
      ...IDENTITY,
      ...PROTOCOL,
      nonce: 'n-0S6_WzA2Mj',
      auth_time: T - 30,
    })
  })

  it('names ES256 and the key in the header', async () => {
    expect(decodeProtectedHeader(await mint())).toEqual({
      alg: 'ES256',
      typ: 'JWT',
      kid: 'key-1',
    })
  })

  it('lives ten minutes and not a second longer', async () => {
    const idToken = await mint()
    expect(ID_TOKEN_SECONDS).toBe(10 * 60)
    await verify(idToken, { now: T + 599 })
    await expect(verify(idToken, { now: T + 600 })).rejects.toThrow(/"exp"/)
  })

  it('says nonce and auth_time only where there is one', async () => {
    expect(await verify(await mint({ nonce: null, authTime: null }))).toEqual({
      ...IDENTITY,
      ...PROTOCOL,
    })
    expect(await verify(await mint({ nonce: '', authTime: 0 }))).toEqual({
      ...IDENTITY,
      ...PROTOCOL,
      nonce: '',
      auth_time: 0,
    })
  })

  it('fails at a verifier for another key, client or issuer', async () => {
    const idToken = await mint()
    await expect(verify(idToken, { key: other.publicKey })).rejects.toThrow(/signature/)
    await expect(verify(idToken, { clientId: 'desk-cli' })).rejects.toThrow(/"aud"/)
    await expect(verify(idToken, { issuer: 'https://kiln.example' })).rejects.toThrow(/"iss"/)
  })

  it('lets no claim override, add or remove a protocol claim', async () => {
    const names = 'iss aud exp iat nbf nonce auth_time azp acr amr at_hash c_hash jti'.split(' ')
    const claims = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 1 }))
    await fc.assert(
      fc.asyncProperty(claims, fc.boolean(), async (claims, bare) => {
        const changes = bare ? { nonce: null, authTime: null } : {}
        expect(await verify(await mint(changes, { ...claims, ...IDENTITY }))).toEqual(
          await verify(await mint(changes)),
        )
      }),
    )
  })

  it('carries any other claim of the host, text outside ASCII too', async () => {
    const claims = { sub: 'mem_zoe', name: 'Zoë 👩‍🏫', roles: ['student'], 'https://x.example/a': 1 }
    expect(await verify(await mint({}, claims))).toMatchObject(claims)
  })
})

describe('what mintIdToken is given', () => {
  it('is seconds and a sub that is a string, or a TypeError', async () => {
    const times = 'now and authTime of an ID token must be whole epoch seconds'
    for (const wrong of NO_SECONDS as readonly number[]) {
      await expect(mint({ now: wrong })).rejects.toThrow(new TypeError(times))
      if (wrong !== null)
        await expect(mint({ authTime: wrong })).rejects.toThrow(new TypeError(times))
    }
    const sub = 'the sub of an ID token must be a string, such as String(row.id)'
    for (const wrong of [3, 3n, null, undefined, '', ['mem_1']])
      await expect(mint({}, { sub: wrong })).rejects.toThrow(new TypeError(sub))
  })
})
