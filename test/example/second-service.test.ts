import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFormBrowser } from '../support/http/form-browser.js'
import { type Child, startChild } from '../support/processes/child.js'
import { freePorts } from '../support/processes/ports.js'
import { waitFor } from '../support/processes/wait.js'
import { ROOT } from '../support/source/root.js'

describe('a school of two processes', () => {
  let issuer = ''
  let grades = ''
  let processes: readonly Child[] = []
  beforeAll(async () => {
    const [schoolPort, gradesPort] = [await freePorts(), await freePorts()]
    issuer = `http://127.0.0.1:${schoolPort}`
    grades = `http://127.0.0.1:${gradesPort}`
    const start = (name: string, port: number): Child =>
      startChild(process.execPath, ['--import', 'tsx', `examples/second-service/${name}.ts`], {
        cwd: ROOT,
        environment: { PORT: String(port), ISSUER: issuer, GRADES_SECRET: 'a-secret-of-the-test' },
      })
    processes = [start('school', schoolPort), start('grades', gradesPort)]
    for (const one of processes)
      await one.until(() => one.output().includes(' at http'), { what: 'it listens' })
  })
  afterAll(async () => {
    for (const one of processes) await one.stop()
  })

  const ask = async (accessToken: string): Promise<Response> =>
    fetch(grades, { headers: { authorization: `Bearer ${accessToken}` } })

  async function connect(): Promise<{ configuration: client.Configuration; token: string }> {
    const redirect_uri = 'http://127.0.0.1:7777/callback'
    const registered = await fetch(`${issuer}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Course Desk', redirect_uris: [redirect_uri] }),
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const configuration = await client.discovery(new URL(issuer), client_id, undefined, client.None(), { execute: [client.allowInsecureRequests] }) // prettier-ignore
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri,
      scope: 'courses:read',
      state: 's',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    const browser = createFormBrowser(issuer)
    const { left } = await browser.submit(await browser.open(url), {}, 'Allow')
    const checks = { pkceCodeVerifier, expectedState: 's' }
    const { access_token } = await client.authorizationCodeGrant(configuration, left!, checks)
    return { configuration, token: access_token }
  }

  it('sees at the second what was revoked at the first [REM-10]', async () => {
    const { configuration, token } = await connect()
    const allowed = await ask(token)
    expect([allowed.status, await allowed.json()]).toEqual([
      200,
      { for: 'mem_1', grades: { Glazing: 3, Throwing: 5 } },
    ])
    await client.tokenRevocation(configuration, token)
    // The exact second is asserted with a clock that stands still: test/protected-resource/remote-gate.test.ts.
    await waitFor(async () => (await ask(token)).status === 401, {
      what: 'the second process refuses the token',
      patienceMilliseconds: 30_000,
    })
    const refused = await ask(token)
    expect(refused.headers.get('www-authenticate')).toContain(
      `resource_metadata="${issuer}/.well-known/oauth-protected-resource"`,
    )
  })

  it('responds with 503 while the first is away, and never with 401 [REM-07]', async () => {
    const { token } = await connect()
    await processes[0]!.stop()
    const refused = await ask(token)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(processes[1]!.output()).toContain('introspection did not respond')
    expect(processes[1]!.output()).not.toContain(token)
  })
})
