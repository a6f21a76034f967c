import * as client from 'openid-client'
import { expect, it } from 'vitest'
import { startChild } from '../support/processes/child.js'
import { accepts, freePorts } from '../support/processes/ports.js'
import { createFormBrowser } from '../support/http/form-browser.js'

it('the minimal example signs its one person in and issues tokens', async () => {
  const port = await freePorts()
  const school = startChild(process.execPath, ['--import=tsx', 'examples/minimal/server.ts'], {
    environment: { PORT: String(port) },
  })
  try {
    const listens = async (): Promise<boolean> =>
      school.output().includes('metadata:') && accepts(port)
    await school.until(listens, { what: 'it listens' })
    const password = /with the password (\S+)/.exec(school.output())?.[1] ?? ''
    const origin = `http://127.0.0.1:${port}`
    const configuration = await client.discovery(
      new URL(origin),
      'study-buddy',
      undefined,
      client.None(),
      { execute: [client.allowInsecureRequests] },
    )
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: 'http://127.0.0.1:7777/callback',
      scope: 'openid profile account:read',
      resource: origin,
      state: 's',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    const browser = createFormBrowser(origin)
    const consent = await browser.submit(await browser.open(url), { password }, 'Sign in')
    const { left } = await browser.submit(consent, {}, 'Allow')
    const tokens = await client.authorizationCodeGrant(
      configuration,
      left!,
      { pkceCodeVerifier, expectedState: 's', idTokenExpected: true },
      { resource: origin },
    )
    expect(tokens.claims()).toMatchObject({ iss: origin, name: 'Mei-Ling Chou' })
  } finally {
    await school.stop()
  }
})
