import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as client from 'openid-client'
import { expect, it } from 'vitest'
import { freePorts } from '../support/processes/ports.js'
import { createFormBrowser } from '../support/http/form-browser.js'
import { ROOT } from '../support/source/root.js'

it('the minimal example signs its one person in and issues tokens', async () => {
  const port = await freePorts()
  const child = spawn(process.execPath, ['--import=tsx', 'examples/minimal/server.ts'], {
    cwd: ROOT,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    for (let wait = 0; wait < 200 && !output.includes('metadata:'); wait++)
      await new Promise((resolve) => setTimeout(resolve, 50))
    const password = /with the password (\S+)/.exec(output)?.[1] ?? ''
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
    child.kill()
    await once(child, 'exit')
  }
})
