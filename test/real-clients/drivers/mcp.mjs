// Libraries with which an agent talks to `/mcp`.
import {
  assert,
  callbackOf,
  owner,
  REDIRECT_URI,
  refusal,
  revokeByHand,
  run,
  say,
  SCHOOL,
  step,
  student,
  throwError,
  trial,
} from './trial.mjs'

/** Where the client connects. */
let MCP = trial.mcp
const CALL = { owner: 'list_orders', student: 'list_my_courses' }

/** What the SDKs ask for: where an agent keeps what it has, and how it opens a browser. */
class Provider {
  constructor({ email, clientId }) {
    this.email = email
    this.information = clientId === undefined ? undefined : { client_id: clientId, issuer: SCHOOL }
  }
  redirectUrl = REDIRECT_URI
  clientMetadata = {
    client_name: 'Trial',
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
  state = () => 'state-of-the-trial'
  clientInformation = () => this.information
  saveClientInformation(information) {
    this.information = information
  }
  tokens = () => this.saved
  saveTokens(tokens) {
    this.saved = tokens
  }
  async redirectToAuthorization(url) {
    this.callback = throwError(await callbackOf(url, { email: this.email }))
  }
  saveCodeVerifier(verifier) {
    this.verifier = verifier
  }
  codeVerifier = () => this.verifier
  saveDiscoveryState(state) {
    this.discovered = state
  }
  discoveryState = () => this.discovered
  invalidateCredentials() {
    this.saved = undefined
  }
}

const fail = (result) => {
  if (result?.isError) throw new Error(JSON.stringify(result.content ?? result).slice(0, 300))
  return result
}

/**
 * The life of an agent.
 *
 * @param connect - opens a connection with a provider: `tools` returns names, `call` a result, `finish` takes a
 *   callback, `close` ends it
 * @param signIn - signs in before anything is called, as an agent's "sign in" does
 */
async function life({ connect, signIn }) {
  const tools = {}
  const count = async (provider) => {
    const agent = await connect(provider)
    const names = await agent.tools()
    await agent.close()
    return names.length
  }
  await step('discovery', async () => {
    tools.anonymous = await count(new Provider({ email: owner }))
  })
  const registered = new Provider({ email: owner })
  await step('registration', async () => {
    await signIn(registered)
    say({ clientId: registered.information.client_id })
    tools.owner = await count(registered)
  })
  const provider = new Provider({ email: owner, clientId: registered.information?.client_id })
  let agent
  await step('signIn', async () => {
    agent = await connect(provider)
    await callUntilSignedIn(agent, provider, CALL.owner)
  })
  await step('call', async () => {
    fail(await agent.call(CALL.owner))
    await agent.close()
  })
  await step('member', async () => {
    MCP = trial.mcpOfMembers
    const member = new Provider({ email: student, clientId: trial.id })
    await signIn(member)
    tools.student = await count(member)
    const app = await connect(member)
    fail(await app.call(CALL.student))
    await app.close()
  })
  MCP = trial.mcp
  await step('refresh', async () => {
    provider.saved = { ...provider.saved, access_token: 'spoilt' }
    const again = await connect(provider)
    fail(await again.call(CALL.owner))
    await again.close()
    assert(provider.saved.access_token !== 'spoilt', 'the access token is the same')
  })
  await step('revocation', () =>
    revokeByHand(provider.saved.access_token, provider.information.client_id),
  )
  await refusal('refusal', async () => {
    const stopped = new Provider({ email: owner, clientId: provider.information.client_id })
    stopped.redirectToAuthorization = async () => {
      throw new Error('sign in again')
    }
    stopped.saved = { ...provider.saved, refresh_token: undefined }
    const refused = await connect(stopped)
    return fail(await refused.call(CALL.owner))
  })
  say({ tools })
}

/** Calls, signs in where the call is answered with a challenge, and calls again. */
async function callUntilSignedIn(agent, provider, name) {
  for (let turn = 0; turn < 3; turn++) {
    try {
      return fail(await agent.call(name))
    } catch (error) {
      if (provider.callback === undefined) throw error
      const { callback } = provider
      provider.callback = undefined
      await agent.finish(callback)
    }
  }
  throw new Error('it asked for a sign-in after each sign-in')
}

const sdk1 = async () => {
  const [{ Client }, { StreamableHTTPClientTransport }, { auth }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/client/auth.js'),
  ])
  const signIn = async (provider) => {
    await auth(provider, { serverUrl: MCP })
    const authorizationCode = provider.callback.searchParams.get('code')
    assert((await auth(provider, { serverUrl: MCP, authorizationCode })) === 'AUTHORIZED')
    provider.callback = undefined
  }
  const finish = async (provider, callback) => {
    const authorizationCode = callback.searchParams.get('code')
    await auth(provider, { serverUrl: MCP, authorizationCode })
  }
  return { Client, StreamableHTTPClientTransport, auth, signIn, finish }
}

await run({
  async '@modelcontextprotocol/sdk'() {
    const { Client, StreamableHTTPClientTransport, signIn } = await sdk1()
    await life({
      signIn,
      async connect(authProvider) {
        // region: @modelcontextprotocol/sdk
        const transport = new StreamableHTTPClientTransport(new URL(MCP), { authProvider })
        const client = new Client({ name: 'trial', version: '1.0.0' })
        await client.connect(transport)
        // endregion
        return {
          tools: async () => (await client.listTools()).tools.map(({ name }) => name),
          call: (name) => client.callTool({ name, arguments: {} }),
          finish: (callback) => transport.finishAuth(callback.searchParams.get('code')),
          close: () => client.close(),
        }
      },
    })
  },

  async '@modelcontextprotocol/client'() {
    const { Client, StreamableHTTPClientTransport, auth } =
      await import('@modelcontextprotocol/client')
    await life({
      async signIn(provider) {
        await auth(provider, { serverUrl: MCP })
        const { searchParams } = provider.callback
        provider.callback = undefined
        const authorizationCode = searchParams.get('code')
        const iss = searchParams.get('iss')
        assert((await auth(provider, { serverUrl: MCP, authorizationCode, iss })) === 'AUTHORIZED')
      },
      async connect(authProvider) {
        // region: @modelcontextprotocol/client
        const transport = new StreamableHTTPClientTransport(new URL(MCP), { authProvider })
        const client = new Client({ name: 'trial', version: '1.0.0' })
        await client.connect(transport)
        // endregion
        return {
          tools: async () => (await client.listTools()).tools.map(({ name }) => name),
          call: (name) => client.callTool({ name, arguments: {} }),
          finish: ({ searchParams }) => transport.finishAuth(searchParams),
          close: () => client.close(),
        }
      },
    })
  },

  async '@ai-sdk/mcp'() {
    const { createMCPClient, auth } = await import('@ai-sdk/mcp')
    const finish = (provider, { searchParams }) =>
      auth(provider, {
        serverUrl: MCP,
        authorizationCode: searchParams.get('code'),
        callbackState: searchParams.get('state'),
      })
    await life({
      async signIn(provider) {
        await auth(provider, { serverUrl: MCP })
        const { callback } = provider
        provider.callback = undefined
        assert((await finish(provider, callback)) === 'AUTHORIZED')
      },
      async connect(authProvider) {
        // region: @ai-sdk/mcp
        const transport = { type: 'http', url: MCP, authProvider }
        const client = await createMCPClient({ transport })
        // endregion
        const tools = await client.tools()
        return {
          tools: async () => Object.keys(tools),
          call: async (name) => {
            const all = await client.tools()
            const options = { toolCallId: '1', messages: [] }
            // A tool that it does not see is called by the request that it would send.
            return all[name]
              ? all[name].execute({}, options)
              : client.request({
                  request: { method: 'tools/call', params: { name, arguments: {} } },
                  resultSchema: (await import('zod')).z.any(),
                })
          },
          finish: (callback) => finish(authProvider, callback),
          close: () => client.close(),
        }
      },
    })
  },

  async '@openai/agents'() {
    const { MCPServerStreamableHttp } = await import('@openai/agents')
    const { signIn, finish } = await sdk1()
    await life({
      signIn,
      async connect(authProvider) {
        const open = async () => {
          // region: @openai/agents
          const server = new MCPServerStreamableHttp({ url: MCP, name: 'school', authProvider })
          await server.connect()
          // endregion
          return server
        }
        let server = await open()
        return {
          tools: async () => (await server.listTools()).map(({ name }) => name),
          call: (name) => server.callTool(name, {}),
          async finish(callback) {
            await finish(authProvider, callback)
            await server.close()
            server = await open()
          },
          close: () => server.close(),
        }
      },
    })
  },

  async '@langchain/mcp-adapters'() {
    const { MultiServerMCPClient } = await import('@langchain/mcp-adapters')
    const { signIn, finish } = await sdk1()
    await life({
      signIn,
      async connect(authProvider) {
        const open = () => {
          // region: @langchain/mcp-adapters
          const client = new MultiServerMCPClient({
            throwOnLoadError: true,
            mcpServers: { school: { transport: 'http', url: MCP, authProvider } },
          })
          // endregion
          return client
        }
        let client = open()
        await client.getTools()
        return {
          tools: async () => (await client.getTools()).map(({ name }) => name),
          async call(name) {
            const session = await client.getClient('school')
            return session.callTool({ name, arguments: {} })
          },
          async finish(callback) {
            await finish(authProvider, callback)
            await client.close()
            client = open()
          },
          close: () => client.close(),
        }
      },
    })
  },
})
