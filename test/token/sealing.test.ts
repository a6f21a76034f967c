import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { maintain } from 'hallpass/operations'
import { OptionsError, type SiteEvent } from 'hallpass'
import { createMemoryStore, type KeyRecord, type Store, StorageFailure } from 'hallpass/store'
import { testSite, withLatency } from 'hallpass/testing'
import { createKeyRing, type KeyRing } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { rounds } from '../support/run/rounds.js'
import { T } from '../support/school/school.js'

type KeyRingOptions = Parameters<typeof createKeyRing>[1]

const OLD = 'the old sealing secret, 32 characters or more'
const NEW = 'the new sealing secret, 32 characters or more'
const OTHER = 'another sealing secret, 32 characters or more'
const DAY = 86_400

/** What a process is configured with, at each step of a rotation. */
const STEPS = {
  before: { sealingSecret: OLD },
  known: { sealingSecret: OLD, previousSealingSecrets: [NEW] },
  switched: { sealingSecret: NEW, previousSealingSecrets: [OLD] },
  after: { sealingSecret: NEW },
} satisfies Record<string, KeyRingOptions>

interface Process {
  readonly ring: KeyRing
  readonly events: SiteEvent[]
  readonly run: () => Promise<void>
}

/** A school whose processes come and go, on one store and one clock. */
function createSchool(store: Store = createMemoryStore()): {
  start: (options: KeyRingOptions, its?: Store) => Process
  store: Store
  clock: { now: number }
} {
  const clock = { now: T }
  return {
    store,
    clock,
    start(options, its = store) {
      const events: SiteEvent[] = []
      const { site } = testSite({
        store: its,
        now: () => clock.now,
        onEvent: (event) => events.push(event),
      })
      const ring = createKeyRing(site, { reloadAfterSeconds: 0, ...options })
      return { ring, events, run: async () => void (await maintain(site, { keys: ring })) }
    },
  }
}

async function signsWith({ ring }: Process): Promise<string> {
  const jws = await (await ring.signer())!.sign({ sub: 'mem_mei' })
  const { kid = '' } = decodeProtectedHeader(jws)
  const jwk = (await ring.jwks()).keys.find((key) => key.kid === kid)
  await jwtVerify(jws, await importJWK(jwk!), { algorithms: ['ES256'] })
  return kid
}

const sealsOf = async (store: Store): Promise<(string | null)[]> =>
  (await store.listKeys()).map(({ sealedPrivateKey }) => sealedPrivateKey)

const faultOf = (attempt: Promise<unknown>): Promise<Error> =>
  attempt.then(
    () => new Error('no fault'),
    (fault: Error) => fault,
  )

/** Every message of a fault and of its causes. */
function textOf(fault: unknown): string {
  return fault instanceof Error ? `${fault.message}\n${textOf(fault.cause)}` : String(fault)
}

describe('a key that a previous sealing secret sealed', () => {
  it('signs, is sealed again by the next maintenance, and then needs that secret no more [KEY-01]', async () => {
    const { start, store } = createSchool()
    const before = start(STEPS.before)
    await before.run()
    const kid = await signsWith(before)
    const sealed = await sealsOf(store)

    const switched = start(STEPS.switched)
    expect(await signsWith(switched)).toBe(kid)
    expect(await sealsOf(store)).toEqual(sealed)
    await switched.run()
    expect(await sealsOf(store)).not.toEqual(sealed)
    expect(switched.events).toContainEqual({ type: 'oauth.key.resealed', at: T, kid })

    const after = start(STEPS.after)
    await after.run()
    expect(await signsWith(after)).toBe(kid)
    expect(after.events).toEqual([])
  })

  it('is sealed again in every state in which it has a private part, and only once [KEY-01]', async () => {
    const { start, store, clock } = createSchool()
    const before = start({ ...STEPS.before, rotateAfterSeconds: 90 * DAY })
    await before.run()
    clock.now = T + 90 * DAY - 1200
    await before.run()
    clock.now = T + 90 * DAY
    await before.run()
    clock.now = T + 180 * DAY - 1200
    const switched = start(STEPS.switched)
    await start(STEPS.before).run()
    const states = (await store.listKeys()).map(({ state }) => state)
    expect(states).toEqual(['retired', 'active', 'published'])
    await switched.run()
    const resealed = switched.events.filter(({ type }) => type === 'oauth.key.resealed')
    expect(resealed).toHaveLength(2)
    const sealed = await sealsOf(store)
    await switched.run()
    expect(await sealsOf(store)).toEqual(sealed)
    expect(sealed[0]).toBeNull()
  })

  it('has the same name of its secret in every version, so that an upgrade can open it [KEY-01]', async () => {
    const { start, store } = createSchool()
    await start(STEPS.before).run()
    const [sealed] = await sealsOf(store)
    const name = 'PwKEm0xBIYmv4gmQcVX37-jak1Hj6kHmmfa4AVY8btk'
    expect(decodeProtectedHeader(sealed!).kid).toBe(name)
  })

  it('is opened by the older of two previous secrets too [KEY-01]', async () => {
    const { start } = createSchool()
    const before = start({ sealingSecret: OTHER })
    await before.run()
    const late = start({ sealingSecret: NEW, previousSealingSecrets: [OLD, OTHER] })
    expect(await signsWith(late)).toBe(await signsWith(before))
  })

  it('is opened and given a name if a version without names sealed it [KEY-01]', async () => {
    const { start, store } = createSchool()
    const [key] = UNNAMED
    await store.insertKey(key)
    const process = start({ sealingSecret: NEW, previousSealingSecrets: [OTHER, OLD] })
    expect(await signsWith(process)).toBe(key.kid)
    await process.run()
    const [sealed] = await sealsOf(store)
    expect(decodeProtectedHeader(sealed!).kid).toMatch(/^[\w-]{43}$/)
    expect(await signsWith(start(STEPS.after))).toBe(key.kid)
  })
})

describe('a process that knows none of the secrets with which a key was sealed', () => {
  it('says which option to correct, and nothing of a key or a secret [KEY-02]', async () => {
    const { start, store } = createSchool()
    await start(STEPS.before).run()
    const [key] = await store.listKeys()
    const wrong = start({ sealingSecret: OTHER, previousSealingSecrets: [NEW] })
    const faults = [await faultOf(wrong.ring.signer()), await faultOf(wrong.run())]
    for (const fault of faults) {
      expect(fault).toBeInstanceOf(StorageFailure)
      expect(fault.message).toBe(
        `key ring: cannot decrypt the stored key ${key!.kid}: sealingSecret is not the secret that it was stored with, and previousSealingSecrets does not contain it`,
      )
      for (const secret of [OLD, NEW, OTHER, key!.sealedPrivateKey!])
        expect(textOf(fault)).not.toContain(secret)
      expect(fault.name).toBe('SealFailure')
    }
  })

  it('says so of a key without a name, too, and of one that was changed since [KEY-02]', async () => {
    const { start, store } = createSchool()
    const [key] = UNNAMED
    await store.insertKey(key)
    expect((await faultOf(start({ sealingSecret: OTHER }).ring.signer())).message).toContain(
      'sealingSecret is not the secret',
    )
    await start({ sealingSecret: OLD }).run()
    const [found] = await store.listKeys()
    const parts = found!.sealedPrivateKey!.split('.')
    const changed = [...parts.slice(0, 3), 'AAAA', parts[4]].join('.')
    await store.moveKey({ key: { ...found!, sealedPrivateKey: changed }, from: 'active' })
    expect((await faultOf(start({ sealingSecret: OLD }).ring.signer())).message).toBe(
      `key ring: cannot decrypt the stored key ${key.kid}: it was changed after sealingSecret or one of previousSealingSecrets sealed it`,
    )
  })

  it('keeps the cause, for the log [KEY-02]', async () => {
    for (const sealedPrivateKey of ['not a sealed key', UNNAMED[0].sealedPrivateKey]) {
      const { start, store } = createSchool()
      await store.insertKey({ ...UNNAMED[0], sealedPrivateKey })
      const fault = await faultOf(start({ sealingSecret: OTHER }).ring.signer())
      expect([fault.name, fault.cause]).toEqual(['SealFailure', expect.any(Error)])
    }
  })

  it('publishes the public keys nevertheless [KEY-02]', async () => {
    const { start } = createSchool()
    const right = start(STEPS.before)
    await right.run()
    expect(await start({ sealingSecret: OTHER }).ring.jwks()).toEqual(await right.ring.jwks())
  })

  it('creates, moves and destroys no key [KEY-04]', async () => {
    const { start, store, clock } = createSchool()
    await start(STEPS.before).run()
    const keys = await store.listKeys()
    const wrong = start({ sealingSecret: OTHER })
    for (const days of [0, 89.99, 90, 200]) {
      clock.now = T + days * DAY
      expect(await faultOf(wrong.run())).toBeInstanceOf(StorageFailure)
      expect(await store.listKeys()).toEqual(keys)
    }
    const right = start(STEPS.before)
    await right.run()
    expect(await signsWith(right)).toBe(keys[0]!.kid)
  })

  it('goes on signing with the key that it opened before [KEY-05]', async () => {
    const { start } = createSchool()
    const before = start(STEPS.before)
    await before.run()
    await start(STEPS.switched).run()
    const kid = await signsWith(before)
    expect(await signsWith(start(STEPS.after))).toBe(kid)
  })

  it('retires a key that has stopped signing, whoever sealed it', async () => {
    const { start, store, clock } = createSchool()
    const before = start({ ...STEPS.before, rotateAfterSeconds: 7200 })
    for (; clock.now <= T + 7200; clock.now += 600) await before.run()
    const [first, second] = await store.listKeys()
    expect([first!.state, second!.state]).toEqual(['retiring', 'active'])
    await start(STEPS.switched).run()
    const foreign = { ...first!, sealedPrivateKey: UNNAMED[0].sealedPrivateKey }
    await store.moveKey({ key: foreign, from: 'retiring' })
    await start(STEPS.after).run()
    expect((await store.listKeys())[0]).toEqual(foreign)
    clock.now = T + DAY
    await start(STEPS.after).run()
    expect((await store.listKeys())[0]!.state).toBe('retired')
  })
})

describe('processes at two steps of a rotation', () => {
  it.each([
    ['known', 'switched'],
    ['switched', 'after'],
  ] as const)(
    '%s and %s maintain at the same time and lose no key [KEY-05]',
    async (one, other) => {
      for (let round = 0; round < rounds(1, { soak: 40 }); round++) {
        const { start, store, clock } = createSchool()
        const slow = (seed: number): Store => withLatency(store, { maxMilliseconds: 1, seed })
        const first = start(STEPS[one === 'known' ? 'before' : 'switched'])
        await first.run()
        const options = { rotateAfterSeconds: 7200 }
        const processes = [
          start({ ...STEPS[one], ...options }, slow(round * 2 + 1)),
          start({ ...STEPS[other], ...options }, slow(round * 2 + 2)),
        ]
        for (; clock.now < T + 3 * 7200; clock.now += 600) {
          await Promise.all(processes.map(({ run }) => run()))
          const kids = await Promise.all(processes.map(signsWith))
          expect(new Set(kids).size).toBe(1)
        }
        const states = (await store.listKeys()).map(({ state }) => state)
        expect(states.filter((state) => state === 'active')).toHaveLength(1)
        expect(states.length).toBeGreaterThan(2)
      }
    },
  )

  it('never undo the seal of another, whichever of a move and a seal is first [KEY-05]', async () => {
    const { start, store, clock } = createSchool()
    const before = start({ ...STEPS.before, rotateAfterSeconds: 7200 })
    for (; clock.now < T + 7200; clock.now += 600) await before.run()
    expect((await store.listKeys()).map(({ state }) => state)).toEqual(['active', 'published'])

    // It has read the keys, and moves them after another process has sealed them again.
    let isFirst = true
    const moveKey: Store['moveKey'] = async (move) => {
      if (isFirst) {
        isFirst = false
        await start(STEPS.switched).run()
      }
      return store.moveKey(move)
    }
    await start({ ...STEPS.known, rotateAfterSeconds: 7200 }, { ...store, moveKey }).run()
    expect(isFirst).toBe(false)
    expect((await store.listKeys()).map(({ state }) => state)).toEqual(['retiring', 'active'])
    const names = (await sealsOf(store)).map((sealed) => decodeProtectedHeader(sealed!).kid)
    expect(new Set(names).size).toBe(1)
    const after = start(STEPS.after)
    await after.run()
    await signsWith(after)
  })

  it('leave a key as it is that was moved while it was sealed again', async () => {
    const { start, store } = createSchool()
    await start(STEPS.before).run()
    const [active] = await store.listKeys()
    const retired = { ...active!, state: 'retired', sealedPrivateKey: null, retiredAt: T } as const
    const moveKey: Store['moveKey'] = async (move) => {
      await store.moveKey({ key: retired, from: 'active' })
      return store.moveKey(move)
    }
    const { events, run } = start(STEPS.switched, { ...store, moveKey })
    await faultOf(run())
    expect((await store.listKeys())[0]).toEqual(retired)
    expect(events.filter(({ type }) => type === 'oauth.key.resealed')).toEqual([])
  })
})

describe('previousSealingSecrets', () => {
  it('is a list of at most four secrets, of which no error shows one [KEY-01]', () => {
    const { site } = testSite()
    const rule =
      'previousSealingSecrets must be a list of at most 4 secrets of at least 32 characters each'
    for (const wrong of [
      OLD,
      ['short secret'],
      [OLD, 'short secret'],
      Array.from({ length: 5 }, () => OLD),
      [7],
    ] as never[])
      expect(() =>
        createKeyRing(site, { sealingSecret: NEW, previousSealingSecrets: wrong }),
      ).toThrow(new OptionsError('key ring', [rule]))
    const previousSealingSecrets = [OLD, NEW, OTHER, OLD]
    createKeyRing(site, { sealingSecret: NEW, previousSealingSecrets })
  })
})

/** A key as a version sealed it that gave seals no name, with {@link OLD}. */
const UNNAMED: readonly [KeyRecord] = [
  {
    kid: 'wAhKxuCr0iU_DpQm0p740GX6GLdde7qW5R6ksF9jinc',
    state: 'active',
    publicJwk:
      '{"kty":"EC","crv":"P-256","x":"TBCn8pX1EUWh-uwZJaccQm3lOhD4xx-7yMv7BQDHh5I","y":"0c2Taq8bZ2ZCC4OgkkPJQAOXJxuaTpx7Cb0POJK09Ns","kid":"wAhKxuCr0iU_DpQm0p740GX6GLdde7qW5R6ksF9jinc","use":"sig","alg":"ES256"}',
    sealedPrivateKey:
      'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..ChMT5vxyMjZpGwTS.H0TBmRdLBZ4e5h0xFlc-a3tLLdLlU12HbkeIRmKZisrd4mEtY7GEtyCTCBD0Zcq0jsetcjSIZW7d_A85o3_XLWIToc_uZ_QkDTdtrqHW-BiygCX-I1piTFs4S72NVsSsmpU23ER-mMQJ7vwtVjpWk7Vy5fTQX5KbB5ixb2hDh7dnrH0-DJNKrEvUT59eBiHinYNNr6I6xIjzGLTfu3L_pdrw3UF1T4JX2jJQks-HF1E.rZ9SPC0BUwKJpmXgvxbU8w',
    createdAt: T - 1000,
    publishedAt: T - 1000,
    activatedAt: T - 1000,
    retiringAt: null,
    retiredAt: null,
  },
]
