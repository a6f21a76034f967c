import { NativeBuffer } from './native.js'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const CODES: readonly number[] = [...ALPHABET].map((character) => character.charCodeAt(0))

/** A `Buffer` over so few bytes takes longer than encoding them: the engine has to move them out of its heap first. */
const FEW_BYTES = 48

/** Encodes bytes as base64url without padding (RFC 4648 §5). */
export function base64url(bytes: Uint8Array): string {
  return NativeBuffer === undefined || bytes.length <= FEW_BYTES
    ? portableBase64url(bytes)
    : NativeBuffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url')
}

/** The same as {@link base64url}, without native code and without `btoa`, which needs the bytes as a string. */
export function portableBase64url(bytes: Uint8Array): string {
  const codes: number[] = []
  let index = 0
  for (; index + 2 < bytes.length; index += 3) {
    const group = (bytes[index]! << 16) | (bytes[index + 1]! << 8) | bytes[index + 2]!
    codes.push(
      CODES[group >> 18]!,
      CODES[(group >> 12) & 63]!,
      CODES[(group >> 6) & 63]!,
      CODES[group & 63]!,
    )
  }
  const left = bytes.length - index
  if (left === 1) {
    const group = bytes[index]!
    codes.push(CODES[group >> 2]!, CODES[(group << 4) & 63]!)
  } else if (left === 2) {
    const group = (bytes[index]! << 8) | bytes[index + 1]!
    codes.push(CODES[group >> 10]!, CODES[(group >> 4) & 63]!, CODES[(group << 2) & 63]!)
  }
  // In chunks, because the number of arguments of a call is limited.
  let text = ''
  for (let start = 0; start < codes.length; start += 8192)
    text += String.fromCharCode(...codes.slice(start, start + 8192))
  return text
}
