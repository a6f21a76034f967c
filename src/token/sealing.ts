import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, type JWK } from 'jose'
import { hmacSha256Base64url } from '../encoding/hash.js'
import { late } from '../time/late.js'
import { StorageFailure } from '../store/guard.js'

/** Encrypts and decrypts the private keys of one key ring. */
export interface Sealing {
  /** Encrypts a private key with the current secret. */
  readonly seal: (privateKey: JWK) => Promise<string>
  /** Whether the current secret sealed this text. Decrypts nothing. */
  readonly isCurrent: (sealed: string) => boolean
  /**
   * Decrypts the private key of a stored key.
   *
   * @throws SealFailure if none of the secrets can
   */
  readonly open: (kid: string, sealed: string) => Promise<JWK>
}

/**
 * Thrown if a stored private key cannot be decrypted. Its message is for the host application, and names the options.
 * The response is 503, as for every failure of the storage.
 */
export class SealFailure extends StorageFailure {
  constructor(kid: string, { isKnown, cause }: { isKnown: boolean; cause: unknown }) {
    super(cause)
    const reason = isKnown
      ? 'it was changed after sealingSecret or one of previousSealingSecrets sealed it'
      : 'sealingSecret is not the secret that it was stored with, and previousSealingSecrets does not contain it'
    this.message = `key ring: cannot decrypt the stored key ${kid}: ${reason}`
    this.name = 'SealFailure'
  }
}

/**
 * Creates the sealing of one key ring: JWE with A256GCM. The protected header names the secret by a hash, as
 * `kid`, so that the right one is known without a trial. A text without a name is tried with each secret.
 */
export function createSealing(secrets: { current: string; previous: readonly string[] }): Sealing {
  const all = late((): readonly [Secret, ...Secret[]] => [
    secretOf(secrets.current),
    ...secrets.previous.map(secretOf),
  ])
  return {
    async seal(privateKey) {
      const [current] = all()
      return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(privateKey)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: current.name })
        .encrypt(await current.key)
    },
    isCurrent: (sealed) => nameIn(sealed) === all()[0].name,
    async open(kid, sealed) {
      const named = nameIn(sealed)
      const known = all()
      const candidates = named === null ? known : known.filter(({ name }) => name === named)
      let cause: unknown
      for (const { key } of candidates) {
        try {
          const { plaintext } = await compactDecrypt(sealed, await key)
          return JSON.parse(new TextDecoder().decode(plaintext)) as JWK
        } catch (fault) {
          cause = fault
        }
      }
      throw new SealFailure(kid, { isKnown: named !== null && candidates.length > 0, cause })
    },
  }
}

interface Secret {
  readonly name: string
  readonly key: Promise<Uint8Array>
}

const secretOf = (secret: string): Secret => ({
  name: hmacSha256Base64url({ key: secret, message: 'hallpass sealing secret' }),
  key: crypto.subtle
    .digest('SHA-256', new TextEncoder().encode(secret))
    .then((digest) => new Uint8Array(digest)),
})

/** Returns the name of the secret in the header of a sealed text, or `null` if there is none. */
function nameIn(sealed: string): string | null {
  try {
    return decodeProtectedHeader(sealed).kid ?? null
  } catch {
    return null
  }
}
