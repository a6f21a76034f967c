import { createServer as createHttpServer } from 'node:http'
import {
  Client,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import * as sdk from '@modelcontextprotocol/server'
import { createServer, defineSite } from 'hallpass'
import { clientSecretBasic, identityAssertion } from 'hallpass/blocks'
import { createMcpEndpoint, defineTool, serverAdapter } from 'hallpass/mcp'
import { serve, toNodeHandler } from 'hallpass/node'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { endpointFrom } from '../../../src/http/exchange.js'
import { agent, findInes, SECRET } from '../../support/school/asserting-client.js'
import { createIdentityProvider } from '../../support/school/identity-provider.js'
import { INTERACT, SEALING } from '../../support/school/signing-client.js'
import { freePorts, openPort } from '../../support/processes/ports.js'

// oxlint-disable-next-line no-restricted-properties -- the SDK has no other clock
const now = (): number => Math.floor(Date.now() / 1000)

const WHO = defineTool({
  name: 'who_am_i',
  title: 'Who am I',
  description: 'Returns the subject of the person who calls.',
  scopes: ['courses:read'],
  effect: 'read',
  input: z.strictObject({}),
  output: z.object({ subject: z.string().regex(/^[a-z_]+$/) }),
  run: async ({ caller }) => ({
    subject: caller.kind === 'anonymous' ? 'nobody' : caller.access.person.subject,
  }),
})

/** A school and an identity provider, each at a port of its own. */
async function openBoth() {
  const port = await freePorts()
  const [issuer, idpIssuer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`]
  const idp = await createIdentityProvider({ issuer: idpIssuer, now })
  idp.clients.set('agent-at-idp', 'agent')
  const listener = createHttpServer(
    toNodeHandler(
      endpointFrom((incoming) => idp.handle(incoming.request())),
      { origin: idpIssuer },
    ),
  )
  await openPort(listener, { port: port + 1 })
  const store = createMemoryStore()
  await store.insertClient(agent({ createdAt: now() }))
  const subjects = new Map([['u-ines', 'per_ines']])
  const site = defineSite({
    issuer,
    name: 'School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: findInes,
    blocks: [
      clientSecretBasic(),
      identityAssertion({
        providers: {
          [idpIssuer]: {
            jwksUri: `${idpIssuer}/jwks`,
            clients: ['agent'],
            personOf: ({ sub }) => subjects.get(sub) ?? null,
          },
        },
        fetchKeys: (url) => fetch(url, { redirect: 'error' }),
      }),
    ],
  })
  const mcp = createMcpEndpoint(site, { tools: [WHO], adapter: serverAdapter(sdk) })
  const server = createServer(site, {
    ...SEALING,
    interact: INTERACT,
    baselineScopes: ['courses:read'],
    routes: {
      'POST /mcp/signed-in': (request) => mcp.endpoint(request),
      'GET /mcp/signed-in': (request) => mcp.endpoint(request),
    },
  })
  const serving = await serve(server)
  onTestFinished(async () => {
    listener.closeAllConnections()
    listener.close()
    await serving.stop({ deadlineMilliseconds: 1 })
  })
  return { issuer, idp }
}

describe('CrossAppAccessProvider of the official SDK', () => {
  it('gets a token by an ID-JAG of the provider, and calls a tool at /mcp [IDJ-09]', async () => {
    const { issuer, idp } = await openBoth()
    const authProvider = new CrossAppAccessProvider({
      clientId: 'agent',
      clientSecret: SECRET,
      expectedIssuer: issuer,
      assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
        const exchanged = await discoverAndRequestJwtAuthGrant({
          idpUrl: idp.issuer,
          audience: authorizationServerUrl,
          resource: resourceUrl,
          idToken: await idp.idToken('u-ines', 'agent-at-idp'),
          clientId: 'agent-at-idp',
          ...(scope !== undefined && { scope }),
          ...(fetchFn !== undefined && { fetchFn }),
        })
        return exchanged.jwtAuthGrant
      },
    })
    const client = new Client({ name: 'agent', version: '1.0.0' })
    const transport = new StreamableHTTPClientTransport(new URL('/mcp/signed-in', issuer), {
      authProvider,
    })
    await client.connect(transport)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('who_am_i')
    const { structuredContent } = await client.callTool({ name: 'who_am_i', arguments: {} })
    expect(structuredContent).toEqual({ subject: 'per_ines' })
    expect(authProvider.tokens()).not.toHaveProperty('refresh_token')
    await client.close()
    const exchanges = idp.requests.filter(({ path }) => path === '/token')
    expect(exchanges[0]!.form).toMatchObject({
      audience: issuer,
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    })
  })

  it('gets no token for a person who is off at the provider [IDJ-09]', async () => {
    const { issuer, idp } = await openBoth()
    const request = async () =>
      discoverAndRequestJwtAuthGrant({
        idpUrl: idp.issuer,
        audience: issuer,
        resource: `${issuer}/mcp`,
        idToken: await idp.idToken('u-ines', 'agent-at-idp'),
        clientId: 'agent-at-idp',
        scope: 'courses:read',
      })
    expect((await request()).jwtAuthGrant).toMatch(/^ey/)
    idp.people.get('u-ines')!.isActive = false
    await expect(request()).rejects.toThrow('invalid_grant')
  })
})
