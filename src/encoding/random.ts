import { base64url } from './base64url.js'

const POOL_BYTES = 4096
const pool = new Uint8Array(POOL_BYTES)
let used = POOL_BYTES

/**
 * Cryptographically random bytes from the platform's generator.
 *
 * Drawn from a refilled pool: one system call serves over a hundred tokens. Bytes are wiped from the
 * pool as they leave it.
 */
export function randomBytes(length: number): Uint8Array {
  if (length > POOL_BYTES) throw new RangeError(`at most ${POOL_BYTES} random bytes at a time`)
  if (used + length > POOL_BYTES) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const bytes = pool.slice(used, used + length)
  pool.fill(0, used, used + length)
  used += length
  return bytes
}

/** A function that returns `length` random bytes. */
export type RandomBytes = (length: number) => Uint8Array

/** 256 random bits as 43 base64url characters. */
export function randomBase64url(random: RandomBytes): string {
  return base64url(random(32))
}
