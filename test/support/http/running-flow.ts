import { APPENDIX_B } from '../../vectors/rfc7636.js'
import { encode, type Fields, REDIRECT } from '../school/flow.js'
import { createFormBrowser, signInAndAllow } from './form-browser.js'

/** An authorization request of Study Buddy at a running school, with changes. */
export function authorizeUrl(origin: string, changes: Fields = {}): string {
  const fields = encode({
    response_type: 'code',
    client_id: 'study-buddy',
    redirect_uri: REDIRECT,
    scope: 'openid account:read',
    resource: origin,
    code_challenge: APPENDIX_B.codeChallenge,
    code_challenge_method: 'S256',
    state: 'state-1',
    ...changes,
  })
  return `${origin}/oauth/authorize?${fields.toString()}`
}

/** Redeems a code that a request of {@link authorizeUrl} led to. */
export const redeemAt = (origin: string, code: string, changes: Fields = {}): Promise<Response> =>
  fetch(`${origin}/api/oauth/token`, {
    method: 'POST',
    body: encode({
      grant_type: 'authorization_code',
      code,
      client_id: 'study-buddy',
      redirect_uri: REDIRECT,
      code_verifier: APPENDIX_B.codeVerifier,
      resource: origin,
      ...changes,
    }),
  })

/**
 * Signs a member of the staff in with the desk's app, to read courses: the access token. Each call is a
 * grant of its own.
 *
 * @param resource - `null` = none is named
 */
export async function signInAtDesk(
  origin: string,
  { email, resource = null }: { email: string; resource?: string | null },
): Promise<string> {
  const request = { client_id: 'desk-cli', resource }
  const url = authorizeUrl(origin, { ...request, scope: 'openid courses:read' })
  const callback = await signInAndAllow(createFormBrowser(origin), url, { email })
  const answer = await redeemAt(origin, callback.searchParams.get('code')!, request)
  return ((await answer.json()) as { access_token: string }).access_token
}
