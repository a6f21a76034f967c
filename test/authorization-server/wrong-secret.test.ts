import { createHealthEndpoints } from 'hallpass/operations'
import { defineSite, type Site } from 'hallpass'
import type { AuthorizationServerOptions } from 'hallpass/authorization-server'
import { createMemoryStore, StorageFailure } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { createKeyRing, type KeyRing, type KeySource } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { approve, isAlive, redeem, refresh, signIn, tokensOf } from '../support/school/flow.js'
import { createSchool, ISSUER, type School } from '../support/school/school.js'

type KeyRingOptions = Parameters<typeof createKeyRing>[1]

/** That of `createSchool`. */
const RIGHT = 'a sealing secret of thirty-two characters'
const WRONG = 'another secret of thirty-two characters'
const NEXT = 'the next secret of thirty-two characters'

/** Another process of the school, whose key ring has these secrets. */
async function besides(
  school: School,
  options: KeyRingOptions,
): Promise<School & { keys: KeyRing }> {
  const site = defineSite(school.siteOptions)
  const keys = createKeyRing(site, { reloadAfterSeconds: 0, ...options })
  const server: Partial<AuthorizationServerOptions> = { keys }
  const other = await createSchool({ store: school.store, options: server })
  return Object.assign(other, { keys })
}

const withWrongSecret = async (): Promise<{
  right: School
  wrong: School & { keys: KeyRing }
}> => {
  const right = await createSchool()
  return { right, wrong: await besides(right, { sealingSecret: WRONG }) }
}

const get = async (school: School, path: string): Promise<readonly [number, unknown]> => {
  const response = await school.fetch(ISSUER + path)
  return [response.status, await response.json()]
}

/** The status of `/readyz`, and the checks that fail. */
async function readinessOf(site: Site, keys: KeySource): Promise<readonly [number, unknown]> {
  const { readyz } = createHealthEndpoints(site, { keys })
  const response = await readyz(new Request(`${ISSUER}/readyz`))
  return [response.status, ((await response.json()) as { failing: unknown }).failing]
}

describe('a process with a wrong sealing secret', () => {
  it('publishes the same metadata and JWKS as any other [KEY-02]', async () => {
    const { right, wrong } = await withWrongSecret()
    for (const path of [
      '/.well-known/jwks.json',
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource',
    ]) {
      const [status, body] = await get(right, path)
      expect(await get(wrong, path)).toEqual([status, body])
      expect(status).toBe(200)
    }
    expect(wrong.faults).toEqual([])
  })

  it('checks tokens, refreshes, and exchanges codes that need no ID token [KEY-02]', async () => {
    const { right, wrong } = await withWrongSecret()
    const tokens = await signIn(right)
    expect(await isAlive(wrong, tokens.access_token)).toBe(true)
    await tokensOf(await refresh(wrong, tokens.refresh_token))
    const code = await approve(wrong, { scope: 'account:read' })
    expect(await tokensOf(await redeem(wrong, code))).not.toHaveProperty('id_token')
    expect(wrong.faults).toEqual([])
  })

  it('answers 503 instead of an ID token, names the option, and leaves the code usable [KEY-02]', async () => {
    const { right, wrong } = await withWrongSecret()
    const code = await approve(wrong)
    const response = await redeem(wrong, code)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await response.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'the service is temporarily unavailable: try again shortly',
    })
    const [{ endpoint, fault } = { endpoint: '', fault: null }] = wrong.faults
    expect(endpoint).toBe('token')
    expect((fault as Error).message).toMatch(
      /^key ring: cannot decrypt the stored key \S+: sealingSecret is not the secret that it was stored with, and previousSealingSecrets does not contain it$/,
    )
    expect(await tokensOf(await redeem(right, code))).toHaveProperty('id_token')
  })

  it('is not ready, and says why [KEY-03]', async () => {
    const { right, wrong } = await withWrongSecret()
    expect(await readinessOf(right.site, wrong.keys)).toEqual([503, ['key']])
    expect(right.faults.map(({ endpoint }) => endpoint)).toEqual(['readyz', 'readyz'])
    const said = right.faults.map(({ fault }) => (fault as Error).message).join('\n')
    expect(said).toContain('sealingSecret is not the secret')
    // The store of a test.
    expect(said).toContain('lost with the process')
  })

  it('is ready again with the secret among the previous ones [KEY-03]', async () => {
    const { right } = await withWrongSecret()
    const repaired = await besides(right, { sealingSecret: WRONG, previousSealingSecrets: [RIGHT] })
    expect(await readinessOf(right.site, repaired.keys)).toEqual([200, []])
  })

  it('is told from a storage that fails [KEY-03]', async () => {
    const down = async (): Promise<never> => Promise.reject(new StorageFailure(new Error('down')))
    const keys = { jwks: async () => ({ keys: [] }), signer: down, refreshSecrets: () => [] }
    const { site } = testSite({ store: { ...createMemoryStore(), findClock: down } })
    expect(await readinessOf(site, keys)).toEqual([503, ['database']])
  })
})

describe('a rotation of the sealing secret', () => {
  it('gives a refresh that is repeated after it the same tokens [KEY-08]', async () => {
    const before = await createSchool()
    const { refresh_token } = await signIn(before)
    const first = await tokensOf(await refresh(before, refresh_token))
    const switched = await besides(before, {
      sealingSecret: NEXT,
      previousSealingSecrets: [RIGHT],
    })
    await switched.keys.maintain()
    expect(await tokensOf(await refresh(switched, refresh_token))).toEqual(first)
    const second = await tokensOf(await refresh(switched, first.refresh_token))
    // A process that has only announced the next secret repeats what the others answered with it.
    const announced = await besides(before, {
      sealingSecret: RIGHT,
      previousSealingSecrets: [NEXT],
    })
    expect(await tokensOf(await refresh(announced, first.refresh_token))).toEqual(second)
    expect(await tokensOf(await refresh(announced, refresh_token))).toEqual(second)
    const after = await besides(before, { sealingSecret: NEXT })
    await after.keys.maintain()
    expect(await tokensOf(await refresh(after, first.refresh_token))).toEqual(second)
    const next = await tokensOf(await refresh(after, second.refresh_token))
    expect(await isAlive(after, next.access_token)).toBe(true)
  })

  it('answers 503 to a repetition whose secret is gone, names the options, and ends nothing [KEY-08]', async () => {
    const before = await createSchool()
    const { refresh_token } = await signIn(before)
    const first = await tokensOf(await refresh(before, refresh_token))
    const after = await besides(before, { sealingSecret: NEXT })
    expect((await refresh(after, refresh_token)).status).toBe(503)
    expect(after.faults.map(({ fault }) => (fault as Error).message)).toEqual([
      'cannot repeat a refresh: sealingSecret is not the secret that it was answered with, and previousSealingSecrets does not contain it',
    ])
    expect(await tokensOf(await refresh(before, refresh_token))).toEqual(first)
    expect(await isAlive(after, first.access_token)).toBe(true)
    await tokensOf(await refresh(after, first.refresh_token))
  })
})

it.each([
  ['no list', 'a secret that is longer than thirty-two characters', 'a string'],
  ['an empty list', [], 'an array'],
  ['a short secret', [RIGHT, 'short'], 'an array'],
  ['more than sixteen', Array<string>(17).fill(RIGHT), 'an array'],
])(
  'a key source that returns %s issues nothing, and keeps the token',
  async (_, returned, kind) => {
    const right = await createSchool()
    const { refresh_token } = await signIn(right)
    const keys = {
      jwks: async () => ({ keys: [] }),
      signer: async () => null,
      refreshSecrets: () => returned as readonly string[],
    }
    const wrong = await createSchool({ store: right.store, options: { keys } })
    expect((await refresh(wrong, refresh_token)).status).toBe(503)
    expect(wrong.faults.map(({ fault }) => (fault as Error).message)).toEqual([
      `keys.refreshSecrets returned ${kind}: it must be 1 to 16 secrets of at least 32 characters each`,
    ])
    await tokensOf(await refresh(right, refresh_token))
  },
)
