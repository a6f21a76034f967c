import { decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose'
import type { SiteOptions } from 'hallpass'
import { createMemoryStore, type Store } from 'hallpass/store'
import { testSite, withLatency } from 'hallpass/testing'
import { createKeyRing, createRawSigner, type KeyRing } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { rounds } from '../support/run/rounds.js'
import { T } from '../support/school/school.js'
import { split } from '../support/school/bare-server.js'

type KeyRingOptions = Parameters<typeof createKeyRing>[1]

const SECRET = 'a sealing secret of thirty-two characters'
const DAY = 86_400
const MAX_AGE = 600

function createRing(options: Partial<SiteOptions & KeyRingOptions> = {}): {
  ring: KeyRing
  store: Store
  clock: { now: number }
} {
  const clock = { now: T }
  const store = options.store ?? createMemoryStore()
  const { ofSite, own } = split<KeyRingOptions>(options)
  const { site } = testSite({ now: () => clock.now, ...ofSite, store })
  const ring = createKeyRing(site, { sealingSecret: SECRET, reloadAfterSeconds: 0, ...own })
  return { ring, store, clock }
}

const states = async (store: Store): Promise<string[]> =>
  (await store.listKeys()).map(({ state }) => state)
const kids = async (ring: KeyRing): Promise<unknown[]> =>
  (await ring.jwks()).keys.map(({ kid }) => kid)
const signingKid = async (ring: KeyRing): Promise<string | undefined> => (await ring.signer())?.kid

async function verify(ring: KeyRing, jws: string): Promise<unknown> {
  const { kid } = decodeProtectedHeader(jws)
  const jwk = (await ring.jwks()).keys.find((key) => key.kid === kid)
  return (await jwtVerify(jws, await importJWK(jwk!), { algorithms: ['ES256'] })).payload
}

describe('a new key ring', () => {
  it('has nothing to publish or sign with before it is maintained', async () => {
    const { ring } = createRing()
    expect(await ring.jwks()).toEqual({ keys: [] })
    expect(await ring.signer()).toBeNull()
  })

  it('signs at once with its first key, which its own JWKS verifies', async () => {
    const { ring } = createRing()
    await ring.maintain()
    const jws = await (await ring.signer())!.sign({ sub: 'mem_mei' })
    expect(await verify(ring, jws)).toEqual({ sub: 'mem_mei' })
  })

  it('tells of each key that moves on', async () => {
    const events: unknown[] = []
    const { ring, store, clock } = createRing({ onEvent: (event) => events.push(event) })
    await ring.maintain()
    const [first] = await store.listKeys()
    expect(events).toEqual([
      { type: 'oauth.key.published', at: T, kid: first!.kid },
      { type: 'oauth.key.activated', at: T, kid: first!.kid },
    ])
    for (const days of [90, 91, 92]) {
      clock.now = T + days * DAY
      await ring.maintain()
    }
    expect(events).toContainEqual({ type: 'oauth.key.retired', at: T + 92 * DAY, kid: first!.kid })
  })

  it('publishes exactly the public members of an ES256 key', async () => {
    const { ring } = createRing()
    await ring.maintain()
    const text = expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)
    expect(await ring.jwks()).toEqual({
      keys: [{ kty: 'EC', crv: 'P-256', x: text, y: text, kid: text, use: 'sig', alg: 'ES256' }],
    })
  })

  it('changes nothing when it is maintained again', async () => {
    const { ring, store } = createRing()
    await ring.maintain()
    const before = await store.listKeys()
    for (let turn = 0; turn < 5; turn++) await ring.maintain()
    expect(await store.listKeys()).toEqual(before)
  })

  it('publishes a key but never signs where signing is off', async () => {
    const { ring, store, clock } = createRing({ signing: false })
    for (let day = 0; day < 200; day += 20) {
      clock.now = T + day * DAY
      await ring.maintain()
      expect(await ring.signer()).toBeNull()
      expect(await kids(ring)).toHaveLength(1)
    }
    expect(await states(store)).toEqual(['published'])
  })

  it('never signs where signing is off, even with the key that another process signs with', async () => {
    const { ring, store } = createRing()
    await ring.maintain()
    const { ring: silent } = createRing({ store, signing: false })
    await silent.maintain()
    expect([await silent.signer(), await states(store)]).toEqual([null, ['active']])
  })

  it('signs with the key that was published before signing was switched on', async () => {
    const { ring, store } = createRing({ signing: false })
    await ring.maintain()
    const published = await kids(ring)
    const { ring: signing } = createRing({ store })
    await signing.maintain()
    expect([await signingKid(signing)]).toEqual(published)
  })

  it.each(['', 'x'.repeat(31), 1e32, Array(32).fill('x')])(
    'refuses a sealing secret that is too short, or no text: %j',
    (secret) => {
      expect(() => createRing({ sealingSecret: secret as string })).toThrow(
        'key ring: sealingSecret must be a secret of at least 32 characters',
      )
    },
  )
})

describe('a whole rotation, a minute at a time', () => {
  it('signs only with keys every verifier knows, and verifies everything that still counts', async () => {
    const { ring, store, clock } = createRing({ rotateAfterSeconds: 7200 })
    const firstSeen = new Map<unknown, number>()
    const signers: string[] = []
    const tokens: string[] = []
    for (; clock.now < T + 4 * 7200; clock.now += 60) {
      await ring.maintain()
      for (const kid of await kids(ring)) if (!firstSeen.has(kid)) firstSeen.set(kid, clock.now)
      const signer = (await ring.signer())!
      if (signers.at(-1) !== signer.kid) signers.push(signer.kid)
      if (signers.length > 1)
        expect(clock.now - firstSeen.get(signer.kid)!).toBeGreaterThan(MAX_AGE)
      tokens.push(await signer.sign({ at: clock.now }))
      const [oldest] = tokens.slice(-10)
      expect(await verify(ring, oldest!)).toEqual({ at: Math.max(T, clock.now - 540) })
    }
    expect(signers).toHaveLength(4)
    expect(new Set(signers).size).toBe(4)
    expect((await states(store)).slice(0, 4)).toEqual(['retired', 'retired', 'retired', 'active'])
  })

  it('walks through the stages at their times', async () => {
    const { ring, store, clock } = createRing({ rotateAfterSeconds: 90 * DAY })
    const at = async (seconds: number): Promise<string[]> => {
      clock.now = T + seconds
      await ring.maintain()
      return states(store)
    }
    expect(await at(0)).toEqual(['active'])
    expect(await at(90 * DAY - 1201)).toEqual(['active'])
    expect(await at(90 * DAY - 1200)).toEqual(['active', 'published'])
    expect(await at(90 * DAY - 1)).toEqual(['active', 'published'])
    expect(await at(90 * DAY)).toEqual(['retiring', 'active'])
    expect(await at(90 * DAY + 1200)).toEqual(['retiring', 'active'])
    expect(await at(90 * DAY + 1201)).toEqual(['retired', 'active'])
  })

  it('waits with the change where the next key was published late', async () => {
    const { ring, store, clock } = createRing({ rotateAfterSeconds: 90 * DAY })
    await ring.maintain()
    const first = await signingKid(ring)
    clock.now = T + 200 * DAY
    await ring.maintain()
    expect(await states(store)).toEqual(['active', 'published'])
    clock.now += MAX_AGE
    await ring.maintain()
    expect(await signingKid(ring)).toBe(first)
    clock.now += 1
    await ring.maintain()
    expect(await states(store)).toEqual(['retiring', 'active'])
    expect(await signingKid(ring)).not.toBe(first)
  })

  it('goes on signing with the key that stopped until the next one may sign', async () => {
    const { ring, store, clock } = createRing()
    await ring.maintain()
    const [active] = await store.listKeys()
    const retiring = { ...active!, state: 'retiring', retiringAt: clock.now } as const
    await store.moveKey({ key: retiring, from: 'active' })
    clock.now += MAX_AGE - 1
    expect(await signingKid(ring)).toBe(active!.kid)
    clock.now += 1
    expect(await ring.signer()).toBeNull()
  })
})

describe('what lies in the store', () => {
  it('holds no private key in the clear, at any stage of a rotation', async () => {
    const { ring, store, clock } = createRing({ rotateAfterSeconds: 7200 })
    const seen = new Set<string>()
    const privateKeys: JWK[] = []
    const spying = createRing({
      store,
      createSigner: ({ kid, privateKey }) => {
        privateKeys.push(privateKey)
        return createRawSigner({ kid, sign: () => new Uint8Array(64) })
      },
    })
    for (; clock.now < T + 10_000; clock.now += 300) {
      await ring.maintain()
      await spying.ring.signer()
      for (const key of await store.listKeys()) {
        seen.add(key.state)
        expect(Object.keys(JSON.parse(key.publicJwk) as object)).not.toContain('d')
        if (key.state === 'retired') expect(key.sealedPrivateKey).toBeNull()
      }
      const dump = JSON.stringify(await store.listKeys())
      for (const { d } of privateKeys) expect(dump).not.toContain(d)
      expect(dump).not.toMatch(/"d\\*"/)
    }
    expect(privateKeys.every(({ d }) => d !== undefined && d.length === 43)).toBe(true)
    expect(privateKeys.length).toBeGreaterThan(1)
    expect([...seen].sort()).toEqual(['active', 'published', 'retired', 'retiring'])
  })

  it('is of no use with another sealing secret', async () => {
    const { ring, store } = createRing()
    await ring.maintain()
    const thief = createRing({ store, sealingSecret: 'another secret of thirty-two characters' })
    await expect(thief.ring.signer()).rejects.toThrow(
      /cannot decrypt the stored key \S+: sealingSecret is not/,
    )
  })

  it('may leave the private half elsewhere: published, but not signed with', async () => {
    const { ring, store } = createRing()
    await ring.maintain()
    const [key] = await store.listKeys()
    const elsewhere = createMemoryStore()
    await elsewhere.insertKey({ ...key!, sealedPrivateKey: null })
    const { ring: bare } = createRing({ store: elsewhere })
    expect(await kids(bare)).toEqual([key!.kid])
    expect(await bare.signer()).toBeNull()
  })
})

/** Key rings of one new site, as processes that start together: each has its own way to one store. */
function ringsOf(count: number, seed: number): { rings: KeyRing[]; store: Store } {
  const store = createMemoryStore()
  const rings = Array.from({ length: count }, (_, index) => {
    const slow = withLatency(store, { maxMilliseconds: 2, seed: seed * 100 + index })
    return createRing({ store: slow, reloadAfterSeconds: 60 }).ring
  })
  return { rings, store }
}

describe('processes that start together on a new site', () => {
  it.each([2, 3, 4, 5, 6])('%i of them sign at once, all with one key [F-11]', async (count) => {
    for (let round = 0; round < rounds(6, { soak: 36 }); round++) {
      const { rings, store } = ringsOf(count, round + 1)
      await Promise.all(rings.map((ring) => ring.maintain()))
      const signing = await Promise.all(rings.map(signingKid))
      const [active, ...more] = (await store.listKeys()).filter(({ state }) => state === 'active')
      expect(more).toEqual([])
      expect(signing).toEqual(rings.map(() => active?.kid ?? 'no active key'))
    }
  })
})

describe('a site without a key that signs', () => {
  const NONE = { type: 'oauth.key.none_active' }

  it('says so at the first request for a signer, and once an hour from then on', async () => {
    const events: unknown[] = []
    const { ring, clock } = createRing({ onEvent: (event) => events.push(event) })
    expect(await ring.signer()).toBeNull()
    expect(events).toEqual([{ ...NONE, at: T }])
    clock.now = T + 3599
    await ring.signer()
    expect(events).toHaveLength(1)
    clock.now = T + 3600
    await Promise.all([ring.signer(), ring.signer()])
    expect(events).toEqual([
      { ...NONE, at: T },
      { ...NONE, at: T + 3600 },
    ])
  })

  it('says nothing while a key signs, or where signing is off', async () => {
    const events: { type: string }[] = []
    const onEvent = (event: { type: string }): number => events.push(event)
    const { ring, store } = createRing({ onEvent })
    await ring.maintain()
    await ring.signer()
    await createRing({ onEvent, signing: false }).ring.signer()
    await createRing({ store, onEvent }).ring.signer()
    expect(events.map(({ type }) => type)).toEqual(['oauth.key.published', 'oauth.key.activated'])
  })
})

describe('two processes on one store', () => {
  it('agree on one signing key when both begin at once', async () => {
    const { ring: one, store } = createRing()
    const { ring: two } = createRing({ store })
    await Promise.all([one.maintain(), two.maintain()])
    await Promise.all([one.maintain(), two.maintain()])
    expect((await states(store)).filter((state) => state === 'active')).toHaveLength(1)
    expect(await signingKid(one)).toBe(await signingKid(two))
  })

  it('rotate together and never show two signing keys', async () => {
    const { ring: one, store, clock } = createRing({ rotateAfterSeconds: 7200 })
    const { ring: two } = createRing({ store, rotateAfterSeconds: 7200, now: () => clock.now })
    const signers = new Set<string>()
    for (; clock.now <= T + 3 * 7200; clock.now += 300) {
      await Promise.all([one.maintain(), two.maintain(), one.maintain()])
      expect((await states(store)).filter((state) => state === 'active')).toHaveLength(1)
      const signer = (await one.signer())!
      expect(await signingKid(two)).toBe(signer.kid)
      await verify(two, await signer.sign({}))
      signers.add(signer.kid)
    }
    expect(signers.size).toBeGreaterThan(2)
  })
})

describe('a verifier that reads the JWKS of another process', () => {
  it('knows the next key before it signs, also where that was published late', async () => {
    const { ring: one, store, clock } = createRing({ reloadAfterSeconds: 60 })
    const { ring: two } = createRing({ store, reloadAfterSeconds: 60, now: () => clock.now })
    await one.maintain()
    clock.now += 200 * DAY
    await two.jwks()
    const before = await signingKid(two)
    await one.maintain()
    clock.now += 59
    const known = await kids(two)
    clock.now += MAX_AGE - 10
    await one.maintain()
    expect(known).toContain(await signingKid(one))
    clock.now -= MAX_AGE - 12
    const later = await kids(two)
    clock.now += MAX_AGE + 61
    await one.maintain()
    expect(await signingKid(one)).not.toBe(before)
    expect(later).toContain(await signingKid(one))
  })
})

describe('what was read from the store', () => {
  it('is used until its time is over, and loaded once for many callers', async () => {
    const memory = createMemoryStore()
    let reads = 0
    const listKeys: typeof memory.listKeys = () => {
      reads++
      return memory.listKeys()
    }
    const store = { ...memory, listKeys }
    const { ring, clock } = createRing({ store, reloadAfterSeconds: 60 })
    await ring.maintain()
    reads = 0
    const jwks = await ring.jwks()
    clock.now = T + 59
    expect(await ring.jwks()).toBe(jwks)
    expect(reads).toBe(0)
    clock.now = T + 60
    await Promise.all([ring.jwks(), ring.signer(), ring.jwks()])
    expect(reads).toBe(1)
  })

  it('imports a signing key once', async () => {
    let made = 0
    const { ring, clock } = createRing({
      createSigner: ({ kid }) => {
        made++
        return createRawSigner({ kid, sign: () => new Uint8Array(64) })
      },
    })
    await ring.maintain()
    for (; clock.now < T + 10; clock.now++) await ring.signer()
    expect(made).toBe(1)
  })

  it('is a key that is opened once for all who ask at the same time, and again after a failure', async () => {
    const { ring: first, store } = createRing()
    await first.maintain()
    let made = 0
    const { ring } = createRing({
      store,
      createSigner: async ({ kid }) => {
        if (++made === 1) throw new Error('the key service is away')
        return createRawSigner({ kid, sign: () => new Uint8Array(64) })
      },
    })
    const ask = () => Promise.allSettled([ring.signer(), ring.signer(), ring.signer()])
    expect((await ask()).map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
    expect(made).toBe(1)
    expect((await ask()).map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'))
    expect(made).toBe(2)
  })

  it('is a key that maintenance opens, so that one which cannot be opened is known at start-up', async () => {
    const { ring: first, store } = createRing()
    await first.maintain()
    const createSigner = () => Promise.reject(new Error('the key service is away'))
    const { ring } = createRing({ store, createSigner })
    await expect(ring.maintain()).rejects.toThrow('the key service is away')
  })

  it('is read again after a store that failed', async () => {
    const memory = createMemoryStore()
    let down = true
    const listKeys: typeof memory.listKeys = async () => {
      if (down) throw new Error('store is down')
      return memory.listKeys()
    }
    const { ring } = createRing({ store: { ...memory, listKeys } })
    await expect(ring.jwks()).rejects.toThrow('the storage failed')
    down = false
    expect(await ring.jwks()).toEqual({ keys: [] })
  })

  it('is what maintenance left, also where a slow reader began before it', async () => {
    const memory = createMemoryStore()
    let letGo = (): void => {}
    const slow = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let reads = 0
    const listKeys: typeof memory.listKeys = async () => {
      const keys = await memory.listKeys()
      if (reads++ === 0) await slow
      return keys
    }
    const { ring } = createRing({ store: { ...memory, listKeys }, reloadAfterSeconds: 60 })
    const early = ring.jwks()
    const maintained = ring.maintain()
    for (let turn = 0; turn < 1000 && (await states(memory))[0] !== 'active'; turn++)
      await new Promise(setImmediate)
    letGo()
    await Promise.all([early, maintained])
    expect(await kids(ring)).toHaveLength(1)
  })
})
