import * as client from 'openid-client'
import { createFormBrowser, type FormBrowser, signInAndAllow } from './form-browser.js'

/** Where the code is sent to. No program listens there: the browser of a test stops before it. */
export const REDIRECT = 'http://127.0.0.1:7777/callback'

/** An authorization request of openid-client, and the exchange of the code, which verifies the ID token. */
export async function authorize(
  configuration: client.Configuration,
  { origin, scope }: { origin: string; scope: string },
): Promise<{
  readonly url: URL
  readonly exchange: (callback: URL) => ReturnType<typeof client.authorizationCodeGrant>
}> {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT,
    scope,
    resource: origin,
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
  return {
    url,
    exchange: (callback) =>
      client.authorizationCodeGrant(configuration, callback, checks, { resource: origin }),
  }
}

/** Signs a user in, allows what the client asks for, and exchanges the code. */
export async function tokensFor(
  configuration: client.Configuration,
  {
    origin,
    scope,
    browser = createFormBrowser(origin),
    ...user
  }: { origin: string; scope: string; browser?: FormBrowser; email: string; password: string },
): ReturnType<typeof client.authorizationCodeGrant> {
  const { url, exchange } = await authorize(configuration, { origin, scope })
  return exchange(await signInAndAllow(browser, url, user))
}
