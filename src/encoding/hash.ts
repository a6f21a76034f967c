import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { base64url } from './base64url.js'
import { NativeBuffer, nativeCrypto as native } from './native.js'

/**
 * Returns the SHA-256 of bytes, or of a string's UTF-8 bytes, as 43 base64url characters. Synchronous on
 * every runtime.
 */
export function sha256Base64url(data: string | Uint8Array): string {
  if (native === undefined) return portableSha256(data)
  // `hash` avoids a `Hash` object, whose creation takes three times as long as hashing a token.
  return typeof native.hash === 'function'
    ? native.hash('sha256', data, 'base64url')
    : native.createHash('sha256').update(data).digest('base64url')
}

/** Returns the HMAC-SHA-256 (RFC 2104) of two strings' UTF-8 bytes, as 43 base64url characters. */
export function hmacSha256Base64url(text: { key: string; message: string }): string {
  if (native === undefined) return portableHmacSha256(text)
  const { createHmac, hash } = native
  // An `Hmac` object takes five times as long as two hashes of a few bytes.
  return typeof hash === 'function' &&
    NativeBuffer !== undefined &&
    NativeBuffer.byteLength(text.key) <= BLOCK
    ? hmacOf(text, { hash, Buffer: NativeBuffer })
    : createHmac('sha256', text.key).update(text.message).digest('base64url')
}

/** Bytes of a block of SHA-256. */
const BLOCK = 64

function hmacOf(
  { key, message }: { key: string; message: string },
  {
    hash,
    Buffer,
  }: Pick<typeof import('node:crypto'), 'hash'> & { Buffer: typeof NativeBuffer & {} },
): string {
  const inner = Buffer.alloc(BLOCK + Buffer.byteLength(message))
  const outer = Buffer.alloc(BLOCK + 32)
  inner.write(key)
  for (let index = 0; index < BLOCK; index++) {
    outer[index] = inner[index]! ^ 0x5c
    inner[index] = inner[index]! ^ 0x36
  }
  inner.write(message, BLOCK)
  outer.set(hash('sha256', inner, 'buffer'), BLOCK)
  return hash('sha256', outer, 'base64url')
}

const encoder = /* @__PURE__ */ new TextEncoder()

/** The same as {@link sha256Base64url}, without native code. */
export function portableSha256(data: string | Uint8Array): string {
  return base64url(sha256(typeof data === 'string' ? encoder.encode(data) : data))
}

/** The same as {@link hmacSha256Base64url}, without native code. */
export function portableHmacSha256({ key, message }: { key: string; message: string }): string {
  return base64url(hmac(sha256, encoder.encode(key), encoder.encode(message)))
}
