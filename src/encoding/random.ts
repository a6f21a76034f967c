import { base64url } from './base64url.js'

const POOL_BYTES = 4096
const pool = new Uint8Array(POOL_BYTES)
let used = POOL_BYTES

/**
 * Returns cryptographically secure random bytes from the generator of the platform. They are taken
 * from a pool, so that one system call serves more than a hundred tokens. Bytes that were returned
 * are erased from the pool.
 */
export function randomBytes(length: number): Uint8Array {
  if (length > POOL_BYTES) throw new RangeError(`randomBytes: length must be at most ${POOL_BYTES}`)
  if (used + length > POOL_BYTES) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const bytes = pool.slice(used, used + length)
  pool.fill(0, used, used + length)
  used += length
  return bytes
}

/** A function that returns `length` cryptographically secure random bytes. */
export type RandomBytes = (length: number) => Uint8Array

/** Returns 256 random bits as 43 base64url characters. */
export function randomBase64url(random: RandomBytes): string {
  return base64url(random(32))
}

/** Returns a random number of at least 0 and less than 1, of 32 random bits. */
export function randomFraction(): number {
  const [first = 0, second = 0, third = 0, fourth = 0] = randomBytes(4)
  return (((first * 256 + second) * 256 + third) * 256 + fourth) / 2 ** 32
}
