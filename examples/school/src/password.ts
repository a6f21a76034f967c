import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import pLimit from 'p-limit'

// 32 MiB and about 0.3 s: one of the settings that OWASP's password storage cheat sheet recommends.
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }

// Two at once leave threads for everything else; a queue that grows without end helps nobody.
const slots = pLimit(2)
const MAX_WAITING = 40

/** Too many passwords are being checked at this moment. */
export class PasswordsBusyError extends Error {}

/** The salted scrypt hash of a password, with its settings. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const { N, r, p } = COST
  const key = await derive(password, salt)
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/**
 * Whether a password is the hashed one. Takes the same time without a hash, so that nobody can tell
 * who has an account.
 *
 * @throws PasswordsBusyError
 */
export async function verifyPassword(password: string, hashed: string | null): Promise<boolean> {
  if (slots.pendingCount >= MAX_WAITING) throw new PasswordsBusyError('too many sign-ins at once')
  const [, , , , salt = '', key = ''] = (hashed ?? '').split('$')
  const derived = await derive(password, Buffer.from(salt, 'base64url'))
  const expected = Buffer.from(key, 'base64url')
  return expected.length === derived.length && timingSafeEqual(expected, derived)
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return slots(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(password.normalize('NFKC'), salt, 32, COST, (fault, key) =>
          fault === null ? resolve(key) : reject(fault),
        )
      }),
  )
}
