const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Returns 43 random base64url characters, for a verifier, a state or a nonce. */
export const randomText = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)))

/** Returns the S256 challenge of a verifier (RFC 7636, section 4.2). */
export async function challengeOf(verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return base64url(new Uint8Array(hash))
}

/** Decodes base64url text. */
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))

/** Returns the current time in seconds since the epoch. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000)
