import * as jose from 'jose'
import { describe, expect, it } from 'vitest'
import {
  createSigningSchool,
  form,
  type SigningSchool,
} from '../../support/school/signing-client.js'
import { T } from '../../support/school/school.js'

/** Revokes with an assertion, and returns what the client reads. */
const answerTo = async ({ post }: SigningSchool, assertion: string): Promise<unknown> => {
  const response = await post('revoke', { token: 'x', ...form(assertion) })
  const { error_description: words } = (await response.json()) as { error_description: string }
  return [response.status, words]
}
const UNPROVED = [
  401,
  'the client is unknown, may not use this method, or has no key that made the signature: check client_id, kid, alg, and the public key that it publishes',
]

describe('the words about a refused assertion', () => {
  it.each<[RegExp, object]>([
    [/^exp of the assertion was 30 seconds ago or earlier/, { exp: T - 30 }],
    [/^exp of the assertion must be at most 3600 seconds ahead, the bound/, { exp: T + 3631 }],
    [/^nbf or iat of the assertion is more than 30 seconds ahead/, { iat: T + 31 }],
    [/^aud of the assertion must be one of these, and nothing else: https:/, { aud: 'x' }],
    [/^iss and sub of the assertion must both be the client_id$/, { iss: 'other' }],
    [/^client_assertion must be a JWT .* jti of at most 256 characters$/, { jti: 'j'.repeat(257) }],
  ])(
    'say what is wrong with a claim, to known and unknown clients alike: %s [PKJ-38]',
    async (words, claims) => {
      const school = await createSigningSchool()
      const known = await answerTo(school, await school.sign(claims))
      expect(known).toEqual([401, expect.stringMatching(words)])
      const unknown =
        'iss' in claims ? { ...claims, sub: 'nobody' } : { iss: 'nobody', sub: 'nobody', ...claims }
      expect(await answerTo(school, await school.sign(unknown))).toEqual(known)
    },
  )

  it('are the same for an unknown client, an unknown kid and a wrong signature [PKJ-38]', async () => {
    const school = await createSigningSchool()
    const { privateKey } = await jose.generateKeyPair('ES256')
    const { sign } = school
    expect(await answerTo(school, await sign({ iss: 'nobody', sub: 'nobody' }))).toEqual(UNPROVED)
    expect(await answerTo(school, await sign({}, privateKey))).toEqual(UNPROVED)
    expect(await answerTo(school, await sign({}, undefined, 'ES256', { kid: 'other' }))).toEqual(
      UNPROVED,
    )
    const other = await jose.generateKeyPair('ES384')
    const alg = [401, 'alg of the assertion must be one of ES256, PS256, Ed25519, EdDSA']
    for (const claims of [{}, { iss: 'nobody', sub: 'nobody' }])
      expect(await answerTo(school, await sign(claims, other.privateKey, 'ES384'))).toEqual(alg)
  })

  it('says that an assertion was used before', async () => {
    const school = await createSigningSchool()
    const assertion = await school.sign()
    expect((await school.post('revoke', { token: 'x', ...form(assertion) })).status).toBe(200)
    expect(await answerTo(school, assertion)).toEqual([
      401,
      'an assertion with this jti was used before: create one for each request',
    ])
  })
})

describe('assertionSeconds', () => {
  it('is how far ahead an assertion may expire: an hour, or another bound [PKJ-16]', async () => {
    const accepts = async (options: object, seconds: number): Promise<boolean> => {
      const school = await createSigningSchool({ options })
      const assertion = await school.sign({ exp: T + seconds })
      return (await school.post('revoke', { token: 'x', ...form(assertion) })).status === 200
    }
    for (const seconds of [600, 3600, 3630]) expect(await accepts({}, seconds)).toBe(true)
    expect(await accepts({ assertionSeconds: 60 }, 90)).toBe(true)
    expect(await accepts({ assertionSeconds: 60 }, 91)).toBe(false)
    expect(await accepts({ assertionSeconds: 86_400 }, 86_430)).toBe(true)
  })

  it.each([59, 86_401, 60.5])('is not %s', async (assertionSeconds) => {
    await expect(createSigningSchool({ options: { assertionSeconds } })).rejects.toThrow(
      `privateKeyJwt: assertionSeconds must be a whole number from 60 to 86400`,
    )
  })
})
