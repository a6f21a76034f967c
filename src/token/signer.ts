import { type CryptoKey, SignJWT } from 'jose'
import { base64url } from '../encoding/base64url.js'
import { callback, checkOptions, made, type Rules, text } from '../options/check.js'

/**
 * Signs ID tokens with one ES256 key. It has a single method, so that it can also wrap a key in a KMS or
 * an HSM: see {@link createRawSigner}.
 *
 * @group Signers
 */
export interface Signer {
  /** Identifier of the key, as the JWKS lists it. */
  readonly kid: string
  /**
   * Signs the claims of one token.
   *
   * @returns a compact JWS with the header `{ "alg": "ES256", "typ": "JWT", "kid": … }`
   */
  sign(payload: Readonly<Record<string, unknown>>): Promise<string> | string
}

/**
 * Creates a signer on jose, for every runtime that has WebCrypto. On Node, `createNodeSigner` from
 * hallpass/node needs less CPU time.
 *
 * @param key - `kid`: its identifier in the JWKS; `privateKey`: an ECDSA key on the curve P-256
 * @returns a signer whose `sign` resolves to a compact JWS
 * @throws OptionsError that lists every mistake
 * @see [RFC 7518, section 3.4](https://www.rfc-editor.org/rfc/rfc7518#section-3.4)
 *
 * @example
 * ```ts
 * import { createJoseSigner } from 'hallpass/token'
 *
 * const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
 * const { privateKey } = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
 * const signer = createJoseSigner({ kid: 'key-1', privateKey })
 * const token = await signer.sign({ sub: 'per_1' })
 * JSON.parse(atob(token.split('.')[0]!)) // => { alg: 'ES256', typ: 'JWT', kid: 'key-1' }
 * ```
 * @group Signers
 */
export function createJoseSigner(key: { kid: string; privateKey: CryptoKey }): Signer {
  const { kid, privateKey } = checkOptions('createJoseSigner', key, JOSE_RULES)
  return {
    kid,
    sign: (payload) =>
      new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid }).sign(privateKey),
  }
}

/**
 * Creates a signer from a function that computes ES256 signatures, such as the client of a KMS or an HSM.
 *
 * @param key - `kid`: its identifier in the JWKS; `sign`: receives the JWS signing input and returns the
 *   64 bytes r‖s. Convert the signature of a service that returns DER.
 * @throws OptionsError that lists every mistake
 * @returns a signer whose `sign` throws a `TypeError` if the signature does not have 64 bytes
 * @see [RFC 7518, section 3.4](https://www.rfc-editor.org/rfc/rfc7518#section-3.4)
 * @group Signers
 * @example
 * ```ts
 * import { createRawSigner } from 'hallpass/token'
 *
 * const kms = { sign: async () => new Uint8Array(64) } // yours
 * const signer = createRawSigner({ kid: 'key-1', sign: () => kms.sign() })
 * const token = await signer.sign({ sub: 'per_1' })
 * token.split('.').length // => 3
 *
 * const inDer = createRawSigner({ kid: 'key-1', sign: () => new Uint8Array(71) })
 * inDer.sign({ sub: 'per_1' }) // throws TypeError
 * ```
 */
export function createRawSigner(key: {
  kid: string
  sign: (signingInput: Uint8Array) => Uint8Array | Promise<Uint8Array>
}): Signer {
  const { kid, sign } = checkOptions('createRawSigner', key, RAW_RULES)
  const encoder = new TextEncoder()
  const header = base64url(encoder.encode(JSON.stringify({ alg: 'ES256', typ: 'JWT', kid })))
  const finish = (input: string, signature: Uint8Array): string => {
    if (signature.length !== 64)
      throw new TypeError('an ES256 signature must have 64 bytes: r followed by s')
    return `${input}.${base64url(signature)}`
  }
  return {
    kid,
    sign(payload) {
      const input = `${header}.${base64url(encoder.encode(JSON.stringify(payload)))}`
      const signature = sign(encoder.encode(input))
      return signature instanceof Uint8Array
        ? finish(input, signature)
        : signature.then((bytes) => finish(input, bytes))
    },
  }
}

const kid = text('"key-1"')

const JOSE_RULES: Rules<Parameters<typeof createJoseSigner>[0]> = {
  kid,
  privateKey: made('an ECDSA key of Web Crypto', { type: 'string', algorithm: 'object' }),
}
const RAW_RULES: Rules<Parameters<typeof createRawSigner>[0]> = {
  kid,
  sign: callback('(signingInput) => kms.sign(signingInput)'),
}
