import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { hmacSha256Base64url } from '../encoding/hash.js'
import { callback, custom, flag, optional, type Rules, whole } from '../options/check.js'
import { late } from '../time/late.js'
import type { SiteEvent } from '../site/events.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import type { KeyRecord } from '../store/records.js'
import { isBefore, isNotAfter, secondsSince } from '../time/seconds.js'
import { decideKeyMove, isPublished } from './key-lifecycle.js'
import { createSealing, type Sealing, SealFailure } from './sealing.js'
import { createJoseSigner, type Signer } from './signer.js'

/**
 * How long a verifier may cache the JWKS, in seconds: the `max-age` with which it is served.
 *
 * @group Key rings
 */
export const JWKS_MAX_AGE_SECONDS = 600

/**
 * The keys of an authorization server: those to publish, the one that signs, and the secrets that refresh tokens are
 * derived with. A {@link KeyRing} is one; implement it yourself if your keys are in a KMS.
 *
 * @group Key rings
 */
export interface KeySource {
  /**
   * Returns the public keys to publish, as a JWK set (RFC 7517, section 5). Return the same object until
   * the keys change: it is serialized once for each object.
   */
  jwks(): Promise<{ readonly keys: readonly JWK[] }>
  /** Returns the signer of the active key; `null` if no key signs, and then no ID token is issued. */
  signer(): Promise<Signer | null>
  /**
   * Returns the secrets with which refresh tokens are derived: 1 to 16, each of at least 32 characters, and none of
   * them in the store. The first is for new tokens. The others repeat what they derived before: keep each for as
   * long as a refresh may be repeated, 30 days by default. Every process needs the same ones.
   */
  refreshSecrets(): readonly string[]
  /** `false` if no key is meant to sign. Default: `true`. */
  readonly signing?: boolean
}

/**
 * A key source that creates, publishes, activates and retires its own signing keys. Created by
 * {@link createKeyRing}.
 *
 * @group Key rings
 */
export interface KeyRing extends KeySource {
  /**
   * Advances the key lifecycle: creates the first key, publishes the next one before it is needed,
   * activates it, and retires its predecessor. Seals again with `sealingSecret` what one of
   * `previousSealingSecrets` sealed. Call it at start-up and every few minutes; concurrent calls from several
   * processes are safe.
   *
   * @throws StorageFailure with the name `SealFailure`, whose message names the options, if a key is sealed
   *   with a secret that this process does not have. Then no key was created or moved
   */
  maintain(): Promise<void>
}

/**
 * Options of {@link createKeyRing}, in addition to its site.
 *
 * @inline
 */
export interface KeyRingOptions {
  /**
   * Secret that encrypts the private keys in the store, and with which refresh tokens are derived: at least 32
   * characters.
   */
  readonly sealingSecret: string
  /**
   * Further secrets that open private keys and seal none, newest first: at most 4, each of at least 32
   * characters. `maintain` seals what they open again with `sealingSecret`. To rotate the secret, first add the
   * next one here in every process, then exchange the two. Remove the old one when no refresh that it answered can be
   * repeated. Default: none.
   */
  readonly previousSealingSecrets?: readonly string[]
  /**
   * Whether keys are activated for signing. With `false` they are only published, and no ID token is
   * issued. Default: `true`.
   */
  readonly signing?: boolean
  /**
   * Age at which the active key is replaced, in seconds: an integer from 1 to 315,360,000 (3650 days).
   * Default: 7,776,000 (90 days).
   */
  readonly rotateAfterSeconds?: number
  /**
   * How long a verifier may cache the JWKS, in seconds: an integer from 0 to 86,400. A new key waits at
   * least this long before it signs, except the first. Default: 600, as the JWKS endpoint sends.
   */
  readonly jwksMaxAgeSeconds?: number
  /**
   * How long keys read from the store are cached, in seconds: an integer from 0 to 86,400. A rotation by
   * another process is visible after this time. Default: 60.
   */
  readonly reloadAfterSeconds?: number
  /**
   * Turns a private JWK into a signer, such as `createNodeSigner` from hallpass/node. Default: a signer on
   * WebCrypto.
   */
  readonly createSigner?: (key: { kid: string; privateKey: JWK }) => Signer | Promise<Signer>
}

const EVENTS: Readonly<
  Partial<Record<KeyRecord['state'], Extract<SiteEvent, { kid: string }>['type']>>
> = {
  published: 'oauth.key.published',
  active: 'oauth.key.activated',
  retired: 'oauth.key.retired',
}

const DAY_SECONDS = 86_400
const ROTATE_SECONDS = 90 * DAY_SECONDS
/** How long keys are cached, unless the options say otherwise. */
const RELOAD_SECONDS = 60
/** The age of an active key from which on `maintain` may have to create the next one, with the default options. */
export const NEXT_KEY_SECONDS: number = ROTATE_SECONDS - 2 * (JWKS_MAX_AGE_SECONDS + RELOAD_SECONDS)
/** How often {@link KeySource.signer} reports that no key signs. */
const NONE_ACTIVE_SECONDS = 3600
/**
 * Most passes of one maintenance. Each pass moves one key by one state, or another process does. A key has
 * four moves, and each of several processes that start together creates one.
 */
const PASSES = 64

/** Most secrets that open keys, in addition to the current one. */
const MAX_PREVIOUS_SECRETS = 4

const byKid = (one: KeyRecord, other: KeyRecord): number => (one.kid < other.kid ? -1 : 1)

const PREVIOUS_SECRETS = `a list of at most ${MAX_PREVIOUS_SECRETS} secrets of at least 32 characters each`

const isSecret = (value: unknown): boolean => typeof value === 'string' && value.length >= 32

/** The rule of each option of a key ring. */
export const KEY_RING_RULES: Rules<KeyRingOptions> = {
  sealingSecret: custom('a secret of at least 32 characters', (value, name) =>
    isSecret(value) ? [] : [`${name} must be a secret of at least 32 characters`],
  ),
  previousSealingSecrets: optional(
    custom(PREVIOUS_SECRETS, (value, name) =>
      Array.isArray(value) && value.length <= MAX_PREVIOUS_SECRETS && value.every(isSecret)
        ? []
        : [`${name} must be ${PREVIOUS_SECRETS}`],
    ),
  ),
  signing: optional(flag),
  rotateAfterSeconds: optional(whole(1, 3650 * DAY_SECONDS)),
  jwksMaxAgeSeconds: optional(whole(0, DAY_SECONDS)),
  reloadAfterSeconds: optional(whole(0, DAY_SECONDS)),
  createSigner: optional(callback('createNodeSigner from hallpass/node')),
}

interface SealedKey {
  readonly kid: string
  readonly sealed: string
}

interface LoadedKeys {
  readonly jwks: { readonly keys: readonly JWK[] }
  /** The key that signs, if its private part is in the store. */
  readonly active: SealedKey | null
  readonly until: number
}

/**
 * Creates a key ring, which stores, rotates and publishes the ES256 signing keys of one site. Private
 * keys are encrypted in the store with `sealingSecret` (JWE, A256GCM). Only `signer` and `maintain` decrypt
 * them: `jwks` works with any secret.
 *
 * @param site - the site whose store holds the keys
 * @returns a key ring without keys in memory: call `maintain` before the first request, because it
 *   creates the first key
 * @throws OptionsError that lists every mistake: options that are unknown, missing, of a wrong type or out
 *   of range, such as a sealing secret of fewer than 32 characters
 * @see [RFC 7517, section 5](https://www.rfc-editor.org/rfc/rfc7517#section-5)
 * @group Key rings
 * @example
 * ```ts
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * await keys.maintain() // at start-up, then every few minutes
 * const jwks = await keys.jwks()
 * jwks.keys.map(({ kty, crv, alg }) => [kty, crv, alg]) // => [['EC', 'P-256', 'ES256']]
 *
 * createKeyRing(site, { sealingSecret: 'too short' }) // throws OptionsError
 * ```
 */
export function createKeyRing(site: Site, options: KeyRingOptions): KeyRing {
  const {
    sealingSecret,
    previousSealingSecrets = [],
    signing = true,
    rotateAfterSeconds = ROTATE_SECONDS,
    jwksMaxAgeSeconds = JWKS_MAX_AGE_SECONDS,
    reloadAfterSeconds = RELOAD_SECONDS,
    createSigner = importSigner,
  } = checkOwnOptions('key ring', site, options, KEY_RING_RULES)
  const { store, now, clock, onEvent, announce } = site
  const sealing = createSealing({ current: sealingSecret, previous: previousSealingSecrets })
  let loaded: LoadedKeys | null = null
  let loading: Promise<LoadedKeys> | null = null
  let opened: Signer | null = null
  let opening: { readonly kid: string; readonly signer: Promise<Signer> } | null = null
  let latestLoad = 0
  let toldAt = -Infinity
  // Other processes may publish a new key this much later, and verifiers may then cache the JWKS without
  // it.
  const waitSeconds = jwksMaxAgeSeconds + reloadAfterSeconds

  async function load(): Promise<LoadedKeys> {
    const thisLoad = ++latestLoad
    const keys = await store.listKeys()
    // Between two moves of a rotation no key is active. Until then, the retiring key continues to sign.
    const active =
      keys.find((key) => key.state === 'active') ??
      keys.find(
        (key) =>
          key.state === 'retiring' &&
          isBefore(secondsSince(key.retiringAt, now()), jwksMaxAgeSeconds),
      )
    const jwks = {
      keys: keys
        .filter((key) => isPublished(key.state))
        .map((key) => JSON.parse(key.publicJwk) as JWK),
    }
    const sealed = active?.sealedPrivateKey ?? null
    const fresh = {
      jwks,
      active:
        !signing || active === undefined || sealed === null ? null : { kid: active.kid, sealed },
      until: now() + reloadAfterSeconds,
    }
    // A load that began earlier but ended later has read older keys.
    if (thisLoad === latestLoad) loaded = fresh
    return fresh
  }

  function current(): Promise<LoadedKeys> | LoadedKeys {
    if (loaded !== null && isBefore(now(), loaded.until)) return loaded
    loading ??= load().finally(() => {
      loading = null
    })
    return loading
  }

  async function signer(): Promise<Signer | null> {
    const { active } = await current()
    if (active === null && signing) tellNoneActive()
    return active === null ? null : open(active)
  }

  /** Decrypts a key once, for all who ask for it at the same time. After a failure, the next one tries again. */
  function open({ kid, sealed }: SealedKey): Signer | Promise<Signer> {
    if (opened?.kid === kid) return opened
    if (opening?.kid === kid) return opening.signer
    const attempt = { kid, signer: make() }
    opening = attempt
    return attempt.signer

    async function make(): Promise<Signer> {
      try {
        opened = await createSigner({ kid, privateKey: await sealing.open(kid, sealed) })
        return opened
      } finally {
        if (opening === attempt) opening = null
      }
    }
  }

  function tellNoneActive(): void {
    const at = now()
    // A clock that was set back must not silence the event until it has caught up.
    if (isBefore(Math.abs(at - toldAt), NONE_ACTIVE_SECONDS)) return
    toldAt = at
    onEvent({ type: 'oauth.key.none_active', at })
  }

  /** Returns whether the keys are to be looked at again: the key moved, by this process or by another. */
  async function advance(key: KeyRecord): Promise<boolean> {
    const keys = await store.listKeys()
    const at = now()
    const decided = decideKeyMove({ key, keys, jwksMaxAgeSeconds: waitSeconds, now: at })
    if (!decided.ok) return false
    const move = { key: decided.key, from: key.state, sealed: key.sealedPrivateKey }
    const type = EVENTS[decided.key.state]
    const { events, tell } = announce(...(type === undefined ? [] : [{ type, at, kid: key.kid }]))
    if ((await store.moveKey(move, events)) === 'moved') tell()
    return true
  }

  /** Seals every key with the current secret. A key that another process has changed is left to it. */
  async function sealAgain(): Promise<void> {
    for (const key of await store.listKeys()) {
      const sealed = key.sealedPrivateKey
      if (sealed === null || sealing.isCurrent(sealed)) continue
      const privateKey = await sealing.open(key.kid, sealed).catch((fault: unknown) => {
        // It signs no more, and its private part is about to be destroyed.
        if (fault instanceof SealFailure && key.state === 'retiring') return null
        throw fault
      })
      if (privateKey === null) continue
      const again = { ...key, sealedPrivateKey: await sealing.seal(privateKey) }
      const { events, tell } = announce({ type: 'oauth.key.resealed', at: now(), kid: key.kid })
      if ((await store.moveKey({ key: again, from: key.state, sealed }, events)) === 'moved') tell()
    }
  }

  async function maintain(): Promise<void> {
    // A process with a wrong secret stops here, before it creates a key that no other process can open.
    await sealAgain()
    // The times in the records would be wrong.
    const passes = (await clock.agrees()) ? PASSES : 0
    for (let pass = 0; pass < passes; pass++) {
      const keys = await store.listKeys()
      const active = keys.find((key) => key.state === 'active')
      const ready = keys.filter((key) => key.state === 'published').toSorted(byKid)[0]
      const fresh = keys.find((key) => key.state === 'generated')
      const leaving = keys.find((key) => key.state === 'retiring')
      if (fresh !== undefined) {
        if (await advance(fresh)) continue
        break
      }
      if (leaving !== undefined && (await advance(leaving))) continue
      if (ready === undefined) {
        const age = secondsSince(active?.activatedAt ?? null, now())
        // Published twice its waiting time in advance, so that a late maintenance run does no harm.
        if (isBefore(age, rotateAfterSeconds - 2 * waitSeconds)) break
        if ((await store.insertKey(await generateKey(now(), sealing))) === 'inserted') continue
        break
      }
      if (!signing) break
      if (active === undefined) {
        if (await advance(ready)) continue
        break
      }
      const due = isNotAfter(rotateAfterSeconds, secondsSince(active.activatedAt, now()))
      const waited = isBefore(waitSeconds, secondsSince(ready.publishedAt, now()))
      if (!due || !waited || !(await advance(active))) break
    }
    const { active } = await load()
    if (active !== null) await open(active)
  }

  // Not the sealing secrets themselves, so that each secret has one use.
  const refreshSecrets = late(() =>
    [sealingSecret, ...previousSealingSecrets].map((key) =>
      hmacSha256Base64url({ key, message: 'hallpass refresh tokens' }),
    ),
  )
  return {
    jwks: async () => (await current()).jwks,
    signer,
    signing,
    refreshSecrets,
    maintain,
  }
}

async function importSigner({
  kid,
  privateKey,
}: {
  kid: string
  privateKey: JWK
}): Promise<Signer> {
  const key = await importJWK(privateKey, 'ES256')
  if (key instanceof Uint8Array)
    throw new TypeError('the private key must be an elliptic curve key, for ES256')
  return createJoseSigner({ kid, privateKey: key })
}

async function generateKey(createdAt: number, { seal }: Sealing): Promise<KeyRecord> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const { kty, crv, x, y } = await exportJWK(pair.publicKey)
  const publicJwk: JWK = { kty: kty!, crv: crv!, x: x!, y: y! }
  const kid = await calculateJwkThumbprint(publicJwk)
  return {
    kid,
    state: 'generated',
    publicJwk: JSON.stringify({ ...publicJwk, kid, use: 'sig', alg: 'ES256' }),
    sealedPrivateKey: await seal(await exportJWK(pair.privateKey)),
    createdAt,
    publishedAt: null,
    activatedAt: null,
    retiringAt: null,
    retiredAt: null,
  }
}
