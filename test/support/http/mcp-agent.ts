import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { createFormBrowser, signInAndAllow } from './form-browser.js'
import { REDIRECT } from './openid-client.js'

type Saved<Method extends 'saveTokens' | 'saveClientInformation' | 'saveDiscoveryState'> =
  Parameters<NonNullable<OAuthClientProvider[Method]>>[0]

/** An agent that has not signed in. With `clientId` it is the app of members; otherwise it registers. */
export async function connectAgent(
  { origin, password }: { origin: string; password: string },
  clientId?: string,
): Promise<{
  readonly listTools: () => Promise<readonly string[]>
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<unknown>
  /** Opens the browser where the agent asked for it, signs in, allows, and gives the agent the code. */
  readonly signIn: (email: string) => Promise<void>
  readonly close: () => Promise<void>
}> {
  let information: Saved<'saveClientInformation'> | undefined =
    clientId === undefined ? undefined : { client_id: clientId, issuer: origin }
  let tokens: Saved<'saveTokens'> | undefined
  let discovered: Saved<'saveDiscoveryState'> | undefined
  let [verifier, sentTo] = ['', new URL(origin)]
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', origin), {
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
      const browser = createFormBrowser(origin)
      const callback = await signInAndAllow(browser, sentTo, { email, password })
      await transport.finishAuth(callback.searchParams)
    },
    close: () => agent.close(),
  }
}
