import { equal, ok } from 'node:assert/strict'
import * as client from 'openid-client'
import { createFormBrowser } from './form-browser.js'
import { authorize, REDIRECT } from './openid-client.js'

/**
 * Registers a client at a server and signs a person in.
 *
 * @param options - `credentials`: what the sign-in form takes
 * @returns a check that all of it still works after a restart: the client, the grant, both tokens and the signing key
 */
export async function signInBeforeRestart({
  origin,
  credentials,
}: {
  origin: string
  credentials: Readonly<Record<string, string>>
}): Promise<() => Promise<void>> {
  const app = await client.dynamicClientRegistration(
    new URL(origin),
    { client_name: 'Course Desk', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
    client.None(),
    { execute: [client.allowInsecureRequests] },
  )
  client.enableNonRepudiationChecks(app)
  const browser = createFormBrowser(origin)
  const { url, exchange } = await authorize(app, { origin, scope: 'openid courses:read' })
  const consent = await browser.submit(await browser.open(url), credentials, 'Sign in')
  const { left } = await browser.submit(consent, {}, 'Allow')
  const tokens = await exchange(left!)
  const { access_token: accessToken, refresh_token: refreshToken } = tokens
  const { sub } = tokens.claims()!
  const keys = async (): Promise<string> => (await fetch(`${origin}/.well-known/jwks.json`)).text()
  const keysBefore = await keys()

  return async () => {
    equal(await keys(), keysBefore)
    equal((await client.fetchUserInfo(app, accessToken, sub)).sub, sub)
    const next = await client.refreshTokenGrant(app, refreshToken!, { resource: origin })
    ok(next.refresh_token !== refreshToken)
    equal((await client.fetchUserInfo(app, next.access_token, sub)).sub, sub)
  }
}
