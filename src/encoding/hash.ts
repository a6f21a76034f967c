import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { base64url } from './base64url.js'

const encoder = new TextEncoder()

/** SHA-256 of a string's UTF-8 bytes, as 43 base64url characters. Synchronous on every runtime. */
export function sha256Base64url(text: string): string {
  return base64url(sha256(encoder.encode(text)))
}

/** HMAC-SHA-256 (RFC 2104) of two strings' UTF-8 bytes, as 43 base64url characters. */
export function hmacSha256Base64url({ key, message }: { key: string; message: string }): string {
  return base64url(hmac(sha256, encoder.encode(key), encoder.encode(message)))
}
