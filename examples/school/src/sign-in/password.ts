import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import pLimit from 'p-limit'

/** The cost parameters of scrypt (RFC 7914, section 2). */
export interface PasswordCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

// 32 MiB and about 0.3 s: one of the settings that OWASP's password storage cheat sheet recommends.
const COST: PasswordCost = { N: 2 ** 15, r: 8, p: 3 }
const MAX_MEMORY = 64 * 1024 * 1024

// Two hashes at a time leave threads for other work. The queue is bounded, because a caller at its end would wait too long.
const slots = pLimit(2)
const MAX_WAITING = 40

/** Thrown when too many passwords are waiting to be verified. */
export class PasswordsBusyError extends Error {}

/** Returns the salted scrypt hash of a password, with its parameters. */
export async function hashPassword(
  password: string,
  { N, r, p }: PasswordCost = COST,
): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, { N, r, p })
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/**
 * Verifies a password against a hash, with the parameters of the hash. Without a hash it takes just as
 * long, so that the response time does not reveal whether an account exists.
 *
 * @throws PasswordsBusyError if too many passwords are waiting to be verified
 */
export async function verifyPassword(password: string, hashed: string | null): Promise<boolean> {
  if (slots.pendingCount >= MAX_WAITING)
    throw new PasswordsBusyError('too many sign-ins at the same time')
  const [, N, r, p, salt = '', key = ''] = (hashed ?? '').split('$')
  const cost = key === '' ? COST : { N: Number(N), r: Number(r), p: Number(p) }
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost)
  const expected = Buffer.from(key, 'base64url')
  return expected.length === derived.length && timingSafeEqual(expected, derived)
}

function derive(password: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> {
  return slots(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(
          password.normalize('NFKC'),
          salt,
          32,
          { ...cost, maxmem: MAX_MEMORY },
          (fault, key) => (fault === null ? resolve(key) : reject(fault)),
        )
      }),
  )
}
