import { createServer } from 'node:http'
import {
  Client as NewClient,
  ClientCredentialsProvider as NewSecretProvider,
  PrivateKeyJwtProvider as NewKeyProvider,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client'
import {
  ClientCredentialsProvider as OldSecretProvider,
  PrivateKeyJwtProvider as OldKeyProvider,
} from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createAdminApi } from 'hallpass/admin'
import { createMcpEndpoint, operationTools, sdkAdapter } from 'hallpass/mcp'
import { toNodeHandler } from 'hallpass/node'
import * as jose from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { describe, expect, it } from 'vitest'
import { courseOf, operationsOn } from '../../admin/support.js'
import { openServer } from '../../support/http/open-server.js'
import { createServiceSchool, SECRET, serviceClient } from './support.js'
import { SDK_1 } from '../../support/school/mcp-sdk.js'

/** A school with services on a port of this computer: authorization server, admin API and `/mcp`. */
async function listen() {
  let answer = async (_request: Request): Promise<Response> => new Response()
  let handle: ReturnType<typeof toNodeHandler> = () => {}
  const port = await openServer(createServer((request, response) => handle(request, response)))
  const origin = `http://127.0.0.1:${port}`
  const school = await createServiceSchool({
    issuer: origin,
    clients: [
      serviceClient(),
      serviceClient({
        clientId: 'signer',
        tokenEndpointAuthMethod: 'private_key_jwt',
        secrets: [],
      }),
    ],
  })
  school.services.set('signer', 'srv_payroll')
  // oxlint-disable-next-line no-restricted-properties -- these clients check and sign times by the real clock
  school.clock.now = Math.floor(Date.now() / 1000)
  const table = { rows: new Map([1, 2].map((n) => [`crs_${n}`, courseOf(n)])), runs: [] }
  const admin = createAdminApi(school.site, { operations: operationsOn(table) as never })
  const mcp = createMcpEndpoint(school.site, {
    tools: operationTools(admin),
    adapter: sdkAdapter(SDK_1),
  })
  answer = async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/mcp')) return mcp.endpoint(request)
    return pathname.startsWith('/api/v1') ? admin.endpoint(request) : school.router(request)
  }
  handle = toNodeHandler((request) => answer(request), { origin })
  /** The status of the admin API, which runs once for a read that is allowed. */
  const reads = async (accessToken: string): Promise<number> => {
    const headers = { authorization: `Bearer ${accessToken}` }
    return (await fetch(`${origin}/api/v1/courses`, { headers })).status
  }
  const pem = await jose.exportPKCS8(school.privateKey)
  return { ...school, origin, table, reads, pem }
}
type Listening = Awaited<ReturnType<typeof listen>>

const scope = 'courses:read'
const insecure = { execute: [openid.allowInsecureRequests] }

/** Calls a tool of `/mcp/signed-in`, which challenges a request without a token. */
async function callByNewSdk(
  { origin }: Listening,
  authProvider: NewSecretProvider | NewKeyProvider,
): Promise<readonly string[]> {
  const client = new NewClient({ name: 'nightly', version: '1' })
  await client.connect(new NewTransport(new URL(`${origin}/mcp/signed-in`), { authProvider }))
  const { tools } = await client.listTools()
  const { isError } = await client.callTool({ name: 'get_course', arguments: { id: 'crs_1' } })
  await client.close()
  expect(isError ?? false).toBe(false)
  return tools.map(({ name }) => name)
}

async function callByOldSdk(
  { origin }: Listening,
  authProvider: OldSecretProvider | OldKeyProvider,
): Promise<readonly string[]> {
  const client = new OldClient({ name: 'nightly', version: '1' })
  const transport = new OldTransport(new URL(`${origin}/mcp/signed-in`), { authProvider })
  await client.connect(transport)
  const { tools } = await client.listTools()
  const { isError } = await client.callTool({ name: 'get_course', arguments: { id: 'crs_1' } })
  await client.close()
  expect(isError ?? false).toBe(false)
  return tools.map(({ name }) => name)
}

describe('clients that other people wrote, as a service', () => {
  it.each([
    ['ClientCredentialsProvider of SDK 2', NewSecretProvider, callByNewSdk],
    ['ClientCredentialsProvider of SDK 1', OldSecretProvider, callByOldSdk],
  ] as const)('%s [SVC-29]', async (_, Provider, call) => {
    const school = await listen()
    const provider = new Provider({
      clientId: 'payroll',
      clientSecret: SECRET,
      expectedIssuer: school.origin,
      scope,
    })
    const tools = await (call as typeof callByNewSdk)(school, provider as NewSecretProvider)
    expect(tools).toContain('get_course')
    expect(tools.some((name) => name.startsWith('create'))).toBe(false)
    const { access_token } = provider.tokens()!
    expect(provider.tokens()).not.toHaveProperty('refresh_token')
    expect(await school.reads(access_token)).toBe(200)
    expect(school.table.runs).toEqual(['courses.get', 'courses.list'])
  })

  it.each([
    ['PrivateKeyJwtProvider of SDK 2', NewKeyProvider, callByNewSdk],
    ['PrivateKeyJwtProvider of SDK 1', OldKeyProvider, callByOldSdk],
  ] as const)('%s [SVC-29]', async (_, Provider, call) => {
    const school = await listen()
    const provider = new Provider({
      clientId: 'signer',
      privateKey: school.pem,
      algorithm: 'ES256',
      expectedIssuer: school.origin,
      scope,
    })
    await (call as typeof callByNewSdk)(school, provider as NewKeyProvider)
    expect(await school.reads(provider.tokens()!.access_token)).toBe(200)
  })

  it.each([
    ['ClientSecretPost', openid.ClientSecretPost(SECRET), 'payroll'],
    ['ClientSecretBasic', openid.ClientSecretBasic(SECRET), 'payroll'],
    ['PrivateKeyJwt', null, 'signer'],
  ] as const)(
    'clientCredentialsGrant of openid-client with %s [SVC-29]',
    async (_, byName, clientId) => {
      const school = await listen()
      const by = byName ?? openid.PrivateKeyJwt(school.privateKey)
      const configuration = await openid.discovery(
        new URL(school.origin),
        clientId,
        undefined,
        by,
        insecure,
      )
      const tokens = await openid.clientCredentialsGrant(configuration, {
        scope,
        resource: school.origin,
      })
      expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope })
      expect(tokens).not.toHaveProperty('refresh_token')
      expect(await school.reads(tokens.access_token)).toBe(200)
      const refused = openid.clientCredentialsGrant(configuration, { scope: 'openid' })
      await expect(refused).rejects.toMatchObject({
        error: 'invalid_scope',
        error_description:
          'scope openid is about a person who signed in: leave it out, because a service has no person',
      })
    },
  )

  it('clientCredentialsGrantRequest of oauth4webapi [SVC-29]', async () => {
    const school = await listen()
    const options = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(school.origin)
    const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options })
    const as = await oauth.processDiscoveryResponse(issuer, discovery)
    const client = { client_id: 'payroll' }
    const response = await oauth.clientCredentialsGrantRequest(
      as,
      client,
      oauth.ClientSecretBasic(SECRET),
      { scope },
      options,
    )
    const tokens = await oauth.processClientCredentialsResponse(as, client, response)
    expect(await school.reads(tokens.access_token)).toBe(200)
  })
})
