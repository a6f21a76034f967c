import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataFolder } from '../support/example-process.js'
import { createFormBrowser, signInAndAllow } from '../support/form-browser.js'
import { passwordOf, REDIRECT, type RunningRung, startRung } from '../support/rung.js'

type Saved<Method extends 'saveTokens' | 'saveClientInformation' | 'saveDiscoveryState'> =
  Parameters<NonNullable<OAuthClientProvider[Method]>>[0]

describe('examples/agents', () => {
  const folder = dataFolder()
  let rung: RunningRung
  beforeAll(async () => {
    rung = await startRung('agents', { folder: folder.path })
  })
  afterAll(async () => {
    await rung.stop()
    folder.remove()
  })

  /** An agent that has not signed in. With `clientId` it is the app of members; otherwise it registers. */
  async function connect(clientId?: string): Promise<{
    readonly listTools: () => Promise<readonly string[]>
    readonly call: (name: string, args?: Record<string, unknown>) => Promise<unknown>
    /** Opens the browser where the agent asked for it, signs in, allows, and gives the agent the code. */
    readonly signIn: (email: string) => Promise<void>
    readonly close: () => Promise<void>
  }> {
    let information: Saved<'saveClientInformation'> | undefined =
      clientId === undefined ? undefined : { client_id: clientId, issuer: rung.origin }
    let tokens: Saved<'saveTokens'> | undefined
    let discovered: Saved<'saveDiscoveryState'> | undefined
    let [verifier, sentTo] = ['', new URL(rung.origin)]
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', rung.origin), {
      authProvider: {
        redirectUrl: REDIRECT,
        clientMetadata: { client_name: 'Desk agent', redirect_uris: [REDIRECT] },
        state: () => 'state-of-the-agent',
        clientInformation: () => information,
        saveClientInformation: (saved) => void (information = saved),
        tokens: () => tokens,
        saveTokens: (saved) => void (tokens = saved),
        redirectToAuthorization: (url) => void (sentTo = url),
        saveCodeVerifier: (saved) => void (verifier = saved),
        codeVerifier: () => verifier,
        saveDiscoveryState: (saved) => void (discovered = saved),
        discoveryState: () => discovered,
      },
    })
    const agent = new Client({ name: 'desk-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } }) // prettier-ignore
    await agent.connect(transport)
    return {
      listTools: async () => (await agent.listTools()).tools.map(({ name }) => name),
      call: (name, args = {}) => agent.callTool({ name, arguments: args }),
      async signIn(email) {
        const user = { email, password: passwordOf(rung) }
        const callback = await signInAndAllow(createFormBrowser(rung.origin), sentTo, user)
        await transport.finishAuth(callback.searchParams)
      },
      close: () => agent.close(),
    }
  }

  it('lists and calls the public tools without a sign-in', async () => {
    const agent = await connect()
    expect(await agent.listTools()).toEqual(['check_connection', 'list_courses'])
    expect(await agent.call('list_courses')).toMatchObject({
      structuredContent: {
        data: [
          { slug: 'glazing', title: 'Glazing' },
          { slug: 'throwing', title: 'Throwing' },
        ],
      },
    })
    await agent.close()
  })

  it('challenges a call that needs a scope, and runs it after the sign-in', async () => {
    const agent = await connect()
    const listStudents = (): Promise<unknown> => agent.call('list_students', { course: 'glazing' })
    await expect(listStudents()).rejects.toThrow(UnauthorizedError)
    await agent.signIn('owner@example.com')
    expect(await listStudents()).toMatchObject({
      structuredContent: {
        data: [
          { id: 'usr_1', name: 'Ada Okafor' },
          { id: 'usr_2', name: 'Mei-Ling Chou' },
        ],
      },
    })
    expect(await agent.listTools()).toEqual(['check_connection', 'list_courses', 'list_students'])
    await agent.close()
  })

  it('gives members the tools for their own account', async () => {
    const agent = await connect('study-buddy')
    await expect(agent.call('get_my_profile')).rejects.toThrow(UnauthorizedError)
    await agent.signIn('student@example.com')
    expect(await agent.call('get_my_profile')).toMatchObject({
      structuredContent: { data: { name: 'Mei-Ling Chou' } },
    })
    expect(await agent.listTools()).not.toContain('list_students')
    await agent.close()
  })
})
