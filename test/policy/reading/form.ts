import * as jose from 'jose'
import type { Json } from './watch.js'

/** What someone else serializes, and what is decided about it. */
export interface Form {
  readonly name: string
  /** What is read in turn, such as header and claims. At least one example; others reach what the first does not. */
  readonly examples: readonly (readonly Json[])[]
  /** Sends the texts, and says what came of it. The same for the same texts, however often. */
  readonly ask: (texts: readonly string[]) => Promise<string>
}

/** Signs texts as they are, so that a header or a claim can be anything. */
export async function signed(
  [header, claims]: readonly string[],
  key: jose.CryptoKey,
): Promise<string> {
  const encode = (text: string): string => jose.base64url.encode(text)
  const input = `${encode(header!)}.${encode(claims!)}`
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
  const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(input))
  return `${input}.${jose.base64url.encode(new Uint8Array(signature))}`
}
