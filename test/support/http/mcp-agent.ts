import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createFormBrowser, signInAndAllow } from './form-browser.js'
import { createApp } from './mcp-app.js'

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
  const { provider, sentTo } = createApp(origin, { name: 'Desk agent', clientId })
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', origin), {
    authProvider: provider,
  })
  const agent = new Client(
    { name: 'desk-agent', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  )
  await agent.connect(transport)
  return {
    listTools: async () => (await agent.listTools()).tools.map(({ name }) => name),
    call: (name, args = {}) => agent.callTool({ name, arguments: args }),
    async signIn(email) {
      const browser = createFormBrowser(origin)
      const callback = await signInAndAllow(browser, sentTo.at(-1)!, { email, password })
      await transport.finishAuth(callback.searchParams)
    },
    close: () => agent.close(),
  }
}
