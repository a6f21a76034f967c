const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Encodes bytes as base64url without padding (RFC 4648 §5).
 *
 * Written out because `Buffer` is Node's alone and `btoa` needs a string of bytes first.
 */
export function base64url(bytes: Uint8Array): string {
  let text = ''
  let index = 0
  for (; index + 2 < bytes.length; index += 3) {
    const group = (bytes[index]! << 16) | (bytes[index + 1]! << 8) | bytes[index + 2]!
    text +=
      ALPHABET[group >> 18]! +
      ALPHABET[(group >> 12) & 63]! +
      ALPHABET[(group >> 6) & 63]! +
      ALPHABET[group & 63]!
  }
  const left = bytes.length - index
  if (left === 1) {
    const group = bytes[index]!
    text += ALPHABET[group >> 2]! + ALPHABET[(group << 4) & 63]!
  } else if (left === 2) {
    const group = (bytes[index]! << 8) | bytes[index + 1]!
    text += ALPHABET[group >> 10]! + ALPHABET[(group >> 4) & 63]! + ALPHABET[(group << 2) & 63]!
  }
  return text
}
