import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  dataFolder,
  type RunningExample,
  spawnExample,
  startExample,
  startFromSource,
} from '../support/processes/example.js'
import { freePorts, openPort } from '../support/processes/ports.js'
import { createFormBrowser, signInAndAllow } from '../support/http/form-browser.js'
import { demo } from '../support/databases/templates.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

const REDIRECT = 'http://127.0.0.1:7777/callback'

async function discover(origin: string): Promise<client.Configuration> {
  return client.discovery(new URL(origin), 'study-buddy', undefined, client.None(), {
    execute: [client.allowInsecureRequests],
  })
}

interface SignedIn {
  readonly configuration: client.Configuration
  readonly tokens: client.TokenEndpointResponse
  readonly cookies: Map<string, string>
}

async function signIn(origin: string): Promise<SignedIn> {
  const configuration = await discover(origin)
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT,
    scope: 'openid email account:read',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: 's',
    resource: origin,
  })
  const browser = createFormBrowser(origin)
  const callback = await signInAndAllow(browser, url, { email: 'mei-ling.chou@example.com' })
  const tokens = await client.authorizationCodeGrant(
    configuration,
    callback,
    { pkceCodeVerifier, expectedState: 's' },
    { resource: origin },
  )
  return { configuration, tokens, cookies: browser.cookies }
}

async function everythingStillWorks(origin: string, before: SignedIn): Promise<void> {
  const configuration = await discover(origin)
  const userinfo = await client.fetchUserInfo(
    configuration,
    before.tokens.access_token,
    client.skipSubjectCheck,
  )
  expect(userinfo.email).toBe('mei-ling.chou@example.com')
  const refreshed = await client.refreshTokenGrant(configuration, before.tokens.refresh_token!)
  expect(refreshed.access_token).not.toBe(before.tokens.access_token)
  const browser = createFormBrowser(origin)
  for (const [name, value] of before.cookies) browser.cookies.set(name, value)
  expect((await browser.open('/')).text).toContain('Hello,')
}

describe('the example on the embedded database', () => {
  const folder = dataFolder()
  let port: number
  let running: RunningExample

  beforeAll(async () => {
    port = await freePorts()
    // This once from its TypeScript, as `npm start` does; everywhere else from what that compiles to.
    running = await startFromSource({ folder: folder.path, port })
  })
  afterAll(async () => {
    await running.stop()
    folder.remove()
  })

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'loses nothing when it is ended by %s',
    async (signal) => {
      const before = await signIn(running.origin)
      const jwks = await (await fetch(`${running.origin}/.well-known/jwks.json`)).text()
      await running.stop(signal)
      running = await startExample({ folder: folder.path, port })
      expect(await (await fetch(`${running.origin}/.well-known/jwks.json`)).text()).toBe(jwks)
      await everythingStillWorks(running.origin, before)
    },
  )

  it('refuses a second process on its folder [F-48]', async () => {
    const { ended, output } = await spawnExample({
      PORT: String(await freePorts()),
      HALLPASS_DATA_DIR: folder.path,
    })
    expect(await ended).toBe(1)
    expect(output()).toContain(
      `HALLPASS_DATA_DIR: another process has the folder ${folder.path} open: stop it, or use another folder. `,
    )
  })

  it('says which port is taken, and opens no database for that', async () => {
    const other = dataFolder()
    const taken = createServer()
    const free = await openPort(taken, { port: await freePorts() })
    const { ended, output } = await spawnExample({
      PORT: String(free),
      HALLPASS_DATA_DIR: other.path,
    })
    const code = await ended
    taken.close()
    const opened = existsSync(join(other.path, 'pglite'))
    other.remove()
    expect([code, output().trim(), opened]).toEqual([
      1,
      `Port ${free} is in use: stop the program that listens there, or set PORT.`,
      false,
    ])
  })

  it('names everything that is wrong with the environment at once, and none of the values', async () => {
    const { ended, output } = await spawnExample({
      PORT: 'eighty',
      LANTERN_ORIGIN: 'https://school.example/',
      DATABASE_URL: 'mysql://root:hunter2@db',
      HALLPASS_SECRET: 'too short',
      HALLPASS_DEMO: 'yes',
    })
    expect(await ended).toBe(1)
    for (const name of [
      'PORT',
      'LANTERN_ORIGIN',
      'DATABASE_URL',
      'HALLPASS_SECRET',
      'HALLPASS_DEMO',
    ])
      expect(output()).toContain(`  ${name} must `)
    expect(output()).not.toMatch(/hunter2|too short|eighty/)
  })
})

describe('the example on a PostgreSQL server', () => {
  const folder = dataFolder()
  let database: TestDatabase

  beforeAll(async () => {
    database = await startPostgres(demo)
  })
  afterAll(async () => {
    await database.stop()
    folder.remove()
  })

  it('loses nothing, and two processes serve one school', async () => {
    const port = await freePorts()
    const environment = { DATABASE_URL: database.url }
    const first = await startExample({ folder: folder.path, port, environment })
    const before = await signIn(first.origin)
    const second = await startExample({
      folder: folder.path,
      environment: { ...environment, LANTERN_ORIGIN: first.origin },
    })
    const elsewhere = second.kiln.replace(/\d+$/, (kilnPort) => String(Number(kilnPort) - 1))
    const answer = await fetch(`${elsewhere}/api/oauth/userinfo`, {
      headers: { authorization: `Bearer ${before.tokens.access_token}` },
    })
    expect(answer.status).toBe(200)
    await second.stop()
    await first.stop('SIGKILL')
    const again = await startExample({ folder: folder.path, port, environment })
    await everythingStillWorks(again.origin, before)
    await again.stop()
  })
})
