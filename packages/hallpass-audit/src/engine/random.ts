import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits, in 43 characters. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** The S256 challenge of a verifier. */
export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url')
