import { createHmac, timingSafeEqual } from 'node:crypto'
import { secretFor } from '../platform/secret-for.js'
import { type Problem, refuseWith } from 'hallpass/admin'

/** The purposes that a file can have. */
export const PURPOSES = ['image', 'lecture', 'digital_product', 'page_bundle'] as const
/** The purpose of a file. */
export type UploadPurpose = (typeof PURPOSES)[number]

const MB = 1024 * 1024

// SVG is not allowed, because it can contain scripts.
const RULES: Readonly<Record<UploadPurpose, { types: readonly string[]; size: number }>> = {
  image: { types: ['image/avif', 'image/jpeg', 'image/png', 'image/webp'], size: 10 * MB },
  lecture: {
    types: ['video/mp4', 'video/webm', 'audio/mpeg', 'audio/mp4', 'application/pdf'],
    size: 4096 * MB,
  },
  digital_product: {
    types: [
      'application/pdf',
      'application/zip',
      'application/epub+zip',
      'audio/mpeg',
      'video/mp4',
    ],
    // The Account API reports sizes as 32-bit integers.
    size: 2047 * MB,
  },
  page_bundle: { types: ['application/zip'], size: 5 * MB },
}

/**
 * Decides whether a file may be uploaded for a purpose.
 *
 * @param file - `contentType`: in lower case, without parameters; `size`: in bytes
 * @returns `null` if the file is accepted. Problem: `unprocessable` for a type that is not allowed for
 *   the purpose, and for a file that is too large
 */
export function refuseUpload({
  purpose,
  contentType,
  size,
}: {
  purpose: UploadPurpose
  contentType: string
  size: number
}): Problem | null {
  const rule = RULES[purpose]
  if (!rule.types.includes(contentType))
    return refuseWith(
      'unprocessable',
      `content_type for ${purpose} must be one of ${rule.types.join(', ')}`,
    )
  return size > rule.size
    ? refuseWith('unprocessable', `size for ${purpose} must be at most ${rule.size / MB} MB`)
    : null
}

/** Derives the key that signs targets. Every process with the same secret derives the same key, for this use only. */
export const targetKeyOf = (sealingSecret: string): string =>
  secretFor(sealingSecret, 'school upload targets')

/** The content of a signature: one file at one site, until a point in time. */
interface Target {
  readonly site: string
  readonly id: string
  /** Epoch seconds. */
  readonly expiresAt: number
}

/** Signs a target, so that no other file can be sent to it, and not later. */
export const signTarget = (key: string, { site, id, expiresAt }: Target): string =>
  createHmac('sha256', key)
    .update(JSON.stringify(['upload', site, id, expiresAt]))
    .digest('base64url')

/**
 * Whether a file may be sent to a target now. For the server that receives the bytes.
 *
 * @param keys - those of the sealing secret and of the previous ones
 */
export function isTargetSigned(
  keys: readonly string[],
  { signature, now, ...target }: Target & { signature: string; now: number },
): boolean {
  if (target.expiresAt <= now) return false
  const sent = Buffer.from(signature)
  return keys.some((key) => {
    const made = Buffer.from(signTarget(key, target))
    return sent.length === made.length && timingSafeEqual(sent, made)
  })
}
