import {
  calculateJwkThumbprint,
  CompactEncrypt,
  compactDecrypt,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose'
import { callback, custom, flag, optional, type Rules, whole } from '../options/check.js'
import type { KeyEvent } from '../site/events.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import type { KeyRecord, SigningKeyState } from '../store/records.js'
import { decideKeyMove, isPublished } from './key-lifecycle.js'
import { createJoseSigner, type Signer } from './signer.js'

/** How long verifiers may keep the JWKS, in seconds. */
export const JWKS_MAX_AGE_SECONDS = 600

/** What the authorization server needs of its keys. */
export interface KeySource {
  /** Public keys to publish, as a JWK set (RFC 7517 §5). The same object until it changes. */
  jwks(): Promise<{ readonly keys: readonly JWK[] }>
  /** The key that signs now; `null` = none does, so there is no ID token. */
  signer(): Promise<Signer | null>
}

/** Keys with a life of their own. */
export interface KeyRing extends KeySource {
  /**
   * Does what is due: makes the first key, publishes the next one ahead of its time, lets it take
   * over, and retires the old one. Call it at start-up and every few minutes; several processes may
   * do so at once.
   */
  maintain(): Promise<void>
}

/** Options of {@link createKeyRing} beside its site. */
export interface KeyRingOptions {
  /** Seals private keys at rest: 32 characters of secret at least. */
  readonly sealingSecret: string
  /** `false`: keys are published but none signs, so no ID token is issued. */
  readonly signing?: boolean
  /** How long a key signs, in seconds. */
  readonly rotateAfterSeconds?: number
  /** How long verifiers may keep the JWKS, in seconds. */
  readonly jwksMaxAgeSeconds?: number
  /** How long what was read from the store is used, in seconds. */
  readonly reloadAfterSeconds?: number
  /** Turns a private JWK into a signer. */
  readonly createSigner?: (key: { kid: string; privateKey: JWK }) => Signer | Promise<Signer>
}

const EVENTS: Readonly<Partial<Record<SigningKeyState, KeyEvent['type']>>> = {
  published: 'oauth.key.published',
  active: 'oauth.key.activated',
  retired: 'oauth.key.retired',
}

const DAY_SECONDS = 86_400

const RULES: Rules<KeyRingOptions> = {
  sealingSecret: custom('32 characters of secret at least', (value, name) =>
    typeof value === 'string' && value.length >= 32
      ? []
      : [`${name} must be 32 characters of secret at least`],
  ),
  signing: optional(flag),
  rotateAfterSeconds: optional(whole(1, 3650 * DAY_SECONDS)),
  jwksMaxAgeSeconds: optional(whole(0, DAY_SECONDS)),
  reloadAfterSeconds: optional(whole(0, DAY_SECONDS)),
  createSigner: optional(callback('createNodeSigner of hallpass/node')),
}

interface LoadedKeys {
  readonly jwks: { readonly keys: readonly JWK[] }
  readonly signer: Signer | null
  readonly until: number
}

/**
 * Keeps the ES256 keys of one site in its store, private ones sealed (JWE, A256GCM).
 *
 * @throws OptionsError - naming every mistake at once: options that are unknown, missing, of a wrong kind
 *   or out of range, such as a sealing secret of fewer than 32 characters
 */
export function createKeyRing(site: Site, options: KeyRingOptions): KeyRing {
  const {
    sealingSecret,
    signing = true,
    rotateAfterSeconds = 90 * DAY_SECONDS,
    jwksMaxAgeSeconds = JWKS_MAX_AGE_SECONDS,
    reloadAfterSeconds = 60,
    createSigner = importSigner,
  } = checkOwnOptions('key ring', site, options, RULES)
  const { store, now, onEvent } = site
  const sealingKey = crypto.subtle.digest('SHA-256', new TextEncoder().encode(sealingSecret))
  let loaded: LoadedKeys | null = null
  let loading: Promise<LoadedKeys> | null = null
  let latestLoad = 0
  // Other processes publish what they read a little later, and then verifiers may keep it this long.
  const waitSeconds = jwksMaxAgeSeconds + reloadAfterSeconds

  async function load(): Promise<LoadedKeys> {
    const thisLoad = ++latestLoad
    const keys = await store.listKeys()
    // Between two moves of a rotation no key is active; the one that just left may sign a little longer.
    const active =
      keys.find((key) => key.state === 'active') ??
      keys.find(
        (key) => key.state === 'retiring' && (key.retiringAt ?? 0) + jwksMaxAgeSeconds > now(),
      )
    const kept = loaded?.signer ?? null
    const signer =
      !signing || active === undefined || active.sealedPrivateKey === null
        ? null
        : kept?.kid === active.kid
          ? kept
          : await createSigner({
              kid: active.kid,
              privateKey: await unseal(active.sealedPrivateKey, await sealingKey),
            })
    const jwks = {
      keys: keys
        .filter((key) => isPublished(key.state))
        .map((key) => JSON.parse(key.publicJwk) as JWK),
    }
    const fresh = { jwks, signer, until: now() + reloadAfterSeconds }
    // A slow reader that began earlier has seen less.
    if (thisLoad === latestLoad) loaded = fresh
    return fresh
  }

  function current(): Promise<LoadedKeys> | LoadedKeys {
    if (loaded !== null && now() < loaded.until) return loaded
    loading ??= load().finally(() => {
      loading = null
    })
    return loading
  }

  async function advance(key: KeyRecord): Promise<boolean> {
    const keys = await store.listKeys()
    const at = now()
    const decided = decideKeyMove({ key, keys, jwksMaxAgeSeconds: waitSeconds, now: at })
    if (!decided.ok) return false
    if ((await store.moveKey({ key: decided.key, from: key.state })) !== 'moved') return false
    const type = EVENTS[decided.key.state]
    if (type !== undefined) onEvent({ type, at, kid: key.kid })
    return true
  }

  async function maintain(): Promise<void> {
    // Each pass moves one key one step; a key has four steps and at most three keys are under way.
    for (let pass = 0; pass < 12; pass++) {
      const keys = await store.listKeys()
      const active = keys.find((key) => key.state === 'active')
      const ready = keys.find((key) => key.state === 'published')
      const fresh = keys.find((key) => key.state === 'generated')
      const leaving = keys.find((key) => key.state === 'retiring')
      if (fresh !== undefined) {
        if (await advance(fresh)) continue
        break
      }
      if (leaving !== undefined && (await advance(leaving))) continue
      if (ready === undefined) {
        const age = active?.activatedAt == null ? Infinity : now() - active.activatedAt
        // Published twice its waiting time ahead, so that a late maintenance run does no harm.
        if (age < rotateAfterSeconds - 2 * waitSeconds) break
        if ((await store.insertKey(await generateKey(now(), await sealingKey))) === 'inserted')
          continue
        break
      }
      if (!signing) break
      if (active === undefined) {
        if (await advance(ready)) continue
        break
      }
      const due = active.activatedAt !== null && active.activatedAt + rotateAfterSeconds <= now()
      const waited = ready.publishedAt !== null && ready.publishedAt + waitSeconds < now()
      if (!due || !waited || !(await advance(active))) break
    }
    await load()
  }

  return {
    jwks: async () => (await current()).jwks,
    signer: async () => (await current()).signer,
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
  if (key instanceof Uint8Array) throw new TypeError('an ES256 key is a key pair')
  return createJoseSigner({ kid, privateKey: key })
}

async function generateKey(createdAt: number, sealingKey: ArrayBuffer): Promise<KeyRecord> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const { kty, crv, x, y } = await exportJWK(pair.publicKey)
  const publicJwk: JWK = { kty: kty!, crv: crv!, x: x!, y: y! }
  const kid = await calculateJwkThumbprint(publicJwk)
  return {
    kid,
    state: 'generated',
    publicJwk: JSON.stringify({ ...publicJwk, kid, use: 'sig', alg: 'ES256' }),
    sealedPrivateKey: await seal(await exportJWK(pair.privateKey), sealingKey),
    createdAt,
    publishedAt: null,
    activatedAt: null,
    retiringAt: null,
    retiredAt: null,
  }
}

function seal(privateKey: JWK, sealingKey: ArrayBuffer): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(privateKey)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(new Uint8Array(sealingKey))
}

async function unseal(sealed: string, sealingKey: ArrayBuffer): Promise<JWK> {
  const { plaintext } = await compactDecrypt(sealed, new Uint8Array(sealingKey))
  return JSON.parse(new TextDecoder().decode(plaintext)) as JWK
}
