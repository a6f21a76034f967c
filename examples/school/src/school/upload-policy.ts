import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { type Problem, refuseWith } from 'hallpass/admin'

/** What files are for. */
export const PURPOSES = ['image', 'lecture', 'digital_product', 'page_bundle'] as const
/** What a file is for. */
export type UploadPurpose = (typeof PURPOSES)[number]

const MB = 1024 * 1024

// No SVG among the pictures: it can hold scripts.
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
    // The Account API tells sizes in 32 bits.
    size: 2047 * MB,
  },
  page_bundle: { types: ['application/zip'], size: 5 * MB },
}

/**
 * Whether a file may be uploaded for a purpose.
 *
 * @param file - `contentType`: in lower case, without parameters; `size`: bytes
 * @returns `null` = yes; problems: `unprocessable` for another type, and for too large a file
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
    return refuseWith('unprocessable', `for ${purpose} it must be one of ${rule.types.join(', ')}`)
  return size > rule.size
    ? refuseWith('unprocessable', `for ${purpose} it has at most ${rule.size / MB} MB`)
    : null
}

/** The key that signs targets: the same in every process that has the secret, and of no other use. */
export const targetKeyOf = (sealingSecret: string): string =>
  Buffer.from(hkdfSync('sha256', sealingSecret, '', 'school upload targets', 32)).toString(
    'base64url',
  )

/** What a signature stands for: one file at one site, until a moment. */
interface Target {
  readonly site: string
  readonly id: string
  /** Epoch seconds. */
  readonly expiresAt: number
}

/** Signs where a file is to be sent, so that nobody sends another one, or later. */
export const signTarget = (key: string, { site, id, expiresAt }: Target): string =>
  createHmac('sha256', key)
    .update(JSON.stringify(['upload', site, id, expiresAt]))
    .digest('base64url')

/** Whether a file may be sent there now. For whatever takes the bytes. */
export function isTargetSigned(
  key: string,
  { signature, now, ...target }: Target & { signature: string; now: number },
): boolean {
  if (target.expiresAt <= now) return false
  const [sent, made] = [signature, signTarget(key, target)].map((text) => Buffer.from(text))
  return sent!.length === made!.length && timingSafeEqual(sent!, made!)
}
