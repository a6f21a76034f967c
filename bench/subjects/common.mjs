import { createHash } from 'node:crypto'

/** The settings that every subject shares, so that all of them do the same work. */
export const CLIENT_ID = 'bench-client'
export const REDIRECT_URI = 'https://app.example/callback'
export const SCOPE = 'openid profile email'
export const NONCE = 'n-0S6_WzA2Mj-n-0S6_WzA2Mj'
export const PERSON = {
  subject: 'mem_mei',
  name: 'Mei-Ling Chou',
  email: 'mei-ling.chou@example.com',
}

export const CODE_VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const CODE_CHALLENGE = createHash('sha256').update(CODE_VERIFIER).digest('base64url')

/** Returns the form of a code exchange, with the extra parameters of a subject. */
export function exchangeForm(code, more = {}) {
  return new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    client_id: CLIENT_ID,
    code_verifier: CODE_VERIFIER,
    ...more,
  }).toString()
}

/** Returns the form of a refresh, with the extra parameters of a subject. */
export function refreshForm(refreshToken, more = {}) {
  return new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: CLIENT_ID,
    ...more,
  }).toString()
}

/** Calls a function `count` times, one call after the other, and returns the results. */
export async function times(count, make) {
  const made = []
  for (let index = 0; index < count; index++) made.push(await make(index))
  return made
}
