import {
  auth as newAuth,
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client'
import { auth as oldAuth } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answersToForeignName, MISDIRECTED } from '../support/http/foreign-names.js'
import { createFormBrowser } from '../support/http/form-browser.js'
import { type App, createApp } from '../support/http/mcp-app.js'
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
        environment: {
          PORT: String(port),
          ISSUER: issuer,
          GRADES: grades,
          GRADES_SECRET: 'a-secret-of-the-test',
        },
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

  async function connect(
    resource = grades,
  ): Promise<{ configuration: client.Configuration; token: string }> {
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
      resource,
      state: 's',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    const browser = createFormBrowser(issuer)
    const { left } = await browser.submit(await browser.open(url), {}, 'Allow')
    const checks = { pkceCodeVerifier, expectedState: 's' }
    const { access_token } = await client.authorizationCodeGrant(configuration, left!, checks, {
      resource,
    })
    return { configuration, token: access_token }
  }

  it('answers no page of another site that calls this computer by a name of its own, at either [RUNG-04]', async () => {
    for (const origin of [issuer, grades])
      expect(await answersToForeignName(origin)).toEqual(MISDIRECTED)
  })

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
      `resource_metadata="${grades}/.well-known/oauth-protected-resource"`,
    )
  })

  const INFO = { name: 'grades-agent', version: '1.0.0' }
  const tool = { name: 'list_grades', arguments: {} }
  const CLIENTS = [
    {
      of: '@modelcontextprotocol/sdk',
      signIn: (url: URL, { provider }: App) => oldAuth(provider, { serverUrl: url }),
      finish: (url: URL, { provider }: App, callback: URL) =>
        new OldTransport(url, { authProvider: provider }).finishAuth(
          callback.searchParams.get('code')!,
        ),
      call: async (url: URL, { provider }: App) => {
        const agent = new OldClient(INFO)
        await agent.connect(new OldTransport(url, { authProvider: provider }))
        const result = await agent.callTool(tool)
        await agent.close()
        return result
      },
    },
    {
      of: '@modelcontextprotocol/client',
      signIn: (url: URL, { provider }: App) => newAuth(provider, { serverUrl: url }),
      finish: (url: URL, { provider }: App, callback: URL) =>
        new NewTransport(url, { authProvider: provider }).finishAuth(callback.searchParams),
      call: async (url: URL, { provider }: App) => {
        const agent = new NewClient(INFO, { versionNegotiation: { mode: 'auto' } })
        await agent.connect(new NewTransport(url, { authProvider: provider }))
        const result = await agent.callTool(tool)
        await agent.close()
        return result
      },
    },
  ] as const

  it.each(
    CLIENTS.flatMap((one) =>
      ['/mcp', '/mcp/signed-in'].map((path) => [one.of, path, one] as const),
    ),
  )(
    'connects %s at %s by discovery alone, from a 401 to a call [REM-11]',
    async (_, path, { signIn, finish, call }) => {
      const url = new URL(path, grades)
      // A client that no one has told of the school: it may learn the issuer only from the second process.
      const app = createApp('https://unknown.example', { name: 'Grades agent' })
      await expect(call(url, app)).rejects.toThrow(/unauthorized/i)
      expect(await signIn(url, app)).toBe('REDIRECT')
      const sentTo = app.sentTo.at(-1)!
      expect([sentTo.origin, sentTo.searchParams.get('resource')]).toEqual([issuer, url.href])
      const browser = createFormBrowser(issuer)
      const { left } = await browser.submit(await browser.open(sentTo), {}, 'Allow')
      await finish(url, app, left!)
      expect(await call(url, app)).toMatchObject({ structuredContent: { grades: { Glazing: 3 } } })
      const { access_token: token } = app.tokens()!
      const atSchool = await fetch(`${issuer}/api/oauth/userinfo`, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect(atSchool.status).toBe(401)
    },
  )

  it('refuses a token for the school, and names its own metadata [REM-11]', async () => {
    const { token } = await connect(issuer)
    const refused = await ask(token)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining(`resource_metadata="${grades}/.well-known/oauth-protected-resource"`),
    ])
  })

  it('serves metadata of itself, and none of an address that it does not have', async () => {
    const read = async (path: string) => {
      const response = await fetch(`${grades}/.well-known/oauth-protected-resource${path}`)
      return response.status === 200 ? await response.json() : response.status
    }
    for (const path of ['', '/mcp', '/mcp/member'])
      expect(await read(path)).toMatchObject({
        resource: grades + path,
        authorization_servers: [issuer],
      })
    // The gate of the API answers everything else.
    expect(await read('/account/graphql')).toBe(401)
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
