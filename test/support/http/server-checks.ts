import { deepEqual, equal, match, ok } from 'node:assert/strict'
import * as client from 'openid-client'
import { createFormBrowser, type FormBrowser } from './form-browser.js'
import { authorize, REDIRECT } from './openid-client.js'

/** One server, used as a client and a browser use it. */
export interface Subject {
  readonly origin: string
  /** What the sign-in form takes from a member of staff. */
  readonly credentials: Readonly<Record<string, string>>
  /** The path of a route whose gate asks for `courses:read`. Default: `/courses`. */
  readonly route?: string
}

/**
 * Uses a server that runs in another process as a client from another vendor would: twelve checks, each
 * of which needs those before it.
 *
 * @returns the names of the checks, in their order
 * @throws AssertionError, or an error of the client, with the name of the check in `cause`
 */
export async function twelveChecks(subject: Subject): Promise<readonly string[]> {
  const { origin, credentials, route = '/courses' } = subject
  const passed: string[] = []
  async function check<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
    try {
      const result = await run()
      passed.push(name)
      return result
    } catch (error) {
      throw new Error(`check ${passed.length + 1}, ${name}: ${String(error)}`, { cause: error })
    }
  }
  const read = async (path: string): Promise<Record<string, unknown>> => {
    const response = await fetch(origin + path)
    equal(response.status, 200, path)
    return (await response.json()) as Record<string, unknown>
  }
  const call = (accessToken?: string): Promise<Response> =>
    fetch(origin + route, {
      headers: accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` },
    })

  await check('metadata', async () => {
    const metadata = await read('/.well-known/oauth-authorization-server')
    equal(metadata['issuer'], origin)
    const openid = await read('/.well-known/openid-configuration')
    deepEqual([openid['issuer'], openid['token_endpoint']], [origin, metadata['token_endpoint']])
    const resource = await read('/.well-known/oauth-protected-resource')
    deepEqual([resource['resource'], resource['authorization_servers']], [origin, [origin]])
    const token = String(metadata['token_endpoint'])
    const preflight = await fetch(token, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    })
    deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, '*'])
    // Frameworks that refuse forms of other sites must not refuse this one.
    const foreign = await fetch(token, {
      method: 'POST',
      headers: { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ grant_type: 'none' }),
    })
    deepEqual([foreign.status, foreign.headers.get('access-control-allow-origin')], [400, '*'])
    const head = await fetch(`${origin}/.well-known/oauth-authorization-server`, { method: 'HEAD' })
    equal(head.status, 200)
  })
  await check('JWKS', async () => {
    const metadata = await read('/.well-known/openid-configuration')
    const { keys } = (await read(new URL(String(metadata['jwks_uri'])).pathname)) as {
      keys: readonly Record<string, string>[]
    }
    ok(keys.length > 0)
    for (const { alg, d } of keys) deepEqual([alg, d], ['ES256', undefined])
  })
  const configuration = await check('registration', async () => {
    const registered = await client.dynamicClientRegistration(
      new URL(origin),
      {
        client_name: 'Twelve Checks',
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: 'none',
      },
      client.None(),
      { execute: [client.allowInsecureRequests] },
    )
    client.enableNonRepudiationChecks(registered)
    return registered
  })

  const begin = async (scope: string, browser: FormBrowser) => {
    const { url, exchange } = await authorize(configuration, { origin, scope })
    return { page: await browser.open(url), exchange }
  }

  const browser = createFormBrowser(origin)
  const { page, exchange } = await check('sign-in page', async () => {
    const begun = await begin('openid profile courses:read', browser)
    equal(begun.page.status, 200)
    match(begun.page.text, /type="password"/)
    return begun
  })
  const callback = await check('sign-in and consent', async () => {
    const consent = await browser.submit(page, credentials, 'Sign in')
    match(consent.text, /Twelve Checks/)
    const { left } = await browser.submit(consent, {}, 'Allow')
    ok(left, 'the browser is back at the client')
    equal(left.searchParams.get('iss'), origin)
    return left
  })
  const tokens = await check('code exchange, ID token verified', async () => {
    const issued = await exchange(callback)
    equal(issued.claims()?.iss, origin)
    ok(issued.refresh_token)
    return issued
  })
  await check('UserInfo', async () => {
    const { sub } = tokens.claims()!
    const claims = await client.fetchUserInfo(configuration, tokens.access_token, sub)
    equal(typeof claims.name, 'string')
  })
  await check('gate: 200', async () => {
    const response = await call(tokens.access_token)
    equal(response.status, 200)
    await response.json()
  })
  await check('gate: 401', async () => {
    const response = await call()
    equal(response.status, 401)
    const challenge = response.headers.get('www-authenticate') ?? ''
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
    equal(((await (await fetch(metadata)).json()) as { resource: string }).resource, origin)
  })
  await check('gate: 403, and a code that is used twice', async () => {
    const narrow = await begin('openid', browser)
    const { left } = await browser.submit(narrow.page, {}, 'Allow')
    const { access_token } = await narrow.exchange(left!)
    const response = await call(access_token)
    equal(response.status, 403)
    match(response.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/)
    await refusal(() => narrow.exchange(left!), 'invalid_grant')
    // Within five seconds that ends nothing.
    equal((await call(access_token)).status, 403)
  })
  const refreshed = await check('refresh', async () => {
    const next = await client.refreshTokenGrant(configuration, tokens.refresh_token!, {
      resource: origin,
    })
    ok(next.refresh_token !== tokens.refresh_token)
    equal((await call(next.access_token)).status, 200)
    return next
  })
  await check('revocation, and 401 after it', async () => {
    await client.tokenRevocation(configuration, refreshed.refresh_token!)
    equal((await call(refreshed.access_token)).status, 401)
    const again = (): Promise<unknown> =>
      client.refreshTokenGrant(configuration, refreshed.refresh_token!, { resource: origin })
    await refusal(again, 'invalid_grant')
  })
  return passed
}

async function refusal(run: () => Promise<unknown>, code: string): Promise<void> {
  const error = await run().then(
    () => null,
    (thrown: unknown) => thrown,
  )
  ok(error instanceof client.ResponseBodyError, `${String(error)} is a refusal`)
  equal(error.error, code)
}
