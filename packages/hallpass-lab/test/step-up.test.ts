import * as sdk from '@modelcontextprotocol/server'
import { createMcpEndpoint, defineTool, directAdapter, serverAdapter } from 'hallpass/mcp'
import { type RealClient, realClients } from 'hallpass-lab'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { documentHosts, pinnedDocuments, vendors } from '../../../examples/school/testing.js'
import {
  type Configuration,
  type ConnectedClient,
  connectForReal,
  predict,
} from '../../../test/support/school/real-client.js'
import { createBrowser, ISSUER, OWNER } from '../../../test/support/school/school.js'

const SCHOOL: Configuration = {
  vendors,
  documents: { allowedHosts: documentHosts },
  pinnedDocuments,
  stepUpLinks: true,
}
/** The same, after someone reviewed the copies of documents in the configuration. */
const REVIEWED: Configuration = {
  ...SCHOOL,
  pinnedDocuments: pinnedDocuments.map((one) => ({ ...one, scopes: ['courses:write'] })),
}

const saveNote = defineTool({
  name: 'save_note',
  title: 'Save a note',
  description: 'Saves a note.',
  scopes: ['courses:write'],
  effect: 'write',
  input: z.strictObject({}),
  output: z.object({ saved: z.boolean() }),
  run: async () => ({ saved: true }),
})

/** The clients whose requests are public. The people who use it set the scopes of one that requests too many. */
const CLIENTS: readonly RealClient[] = realClients.flatMap((real) => {
  if (real.authorize === null) return []
  const set = { ...real, authorize: { ...real.authorize, scopes: ['recommended' as const] } }
  return [predict(SCHOOL, real).connects ? real : set]
})

/** Whether the client authorizes again with the scopes of a challenge, as far as is known. */
const honours = ({ stepUp, authorize }: RealClient): boolean =>
  stepUp === undefined && authorize?.scopes[0] === 'recommended'

async function connect(
  configuration: Configuration,
  real: RealClient,
): Promise<ConnectedClient & { readonly by: string | null }> {
  let connected: ConnectedClient | null = null
  const { by } = await connectForReal(configuration, real, (one) => (connected = one))
  return { ...connected!, by }
}

/** The write tool of a school, and how often it was called. */
function toolOf({ school }: ConnectedClient) {
  const { endpoint } = createMcpEndpoint(school.site, {
    tools: [saveNote],
    adapter: directAdapter(serverAdapter(sdk)),
  })
  const counted = { calls: 0 }
  const call = async (
    token: string,
  ): Promise<{ status: number; challenge: string; body: string }> => {
    counted.calls++
    const response = await endpoint(
      new Request(`${ISSUER}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'save_note', arguments: {} },
        }),
      }),
    )
    const challenge = response.headers.get('www-authenticate') ?? ''
    return { status: response.status, challenge, body: await response.text() }
  }
  return { call, counted }
}

const linkIn = (text: string): string | null => /Open (https:\S+) to allow/.exec(text)?.[1] ?? null

/** Lets the owner open a link and press a button. */
async function decide({ school }: ConnectedClient, link: string, decision: string): Promise<void> {
  school.signedIn = { subject: OWNER.subject, authTime: school.clock.now }
  const browser = createBrowser(school)
  await browser.open(link)
  if (school.view?.page !== 'consent') throw new Error(`the page is ${school.view?.page}`)
  const { action, csrfToken } = school.view.view
  await browser.post(action, { csrf_token: csrfToken, decision })
}

it.each(CLIENTS.map((real) => [real.name, real] as const))(
  '%s reaches a tool that writes, also if it ignores the challenge [STEP-08]',
  async (_, real) => {
    let client = await connect(SCHOOL, real)
    const readsOnly = client.by === 'document' || client.by === 'pinned_document'
    if (readsOnly) {
      const { call } = toolOf(client)
      const refused = await call(client.tokens.access_token)
      expect(refused.status).toBe(403)
      expect(refused.challenge).toContain('error="insufficient_scope"')
      expect(linkIn(refused.body)).toBe(null)
      expect(refused.body).toContain('Someone who manages the apps of this site can change that.')
      client = await review(client, real)
    }
    const { tokens } = client
    const { call, counted } = toolOf(client)
    const refused = await call(tokens.access_token)
    expect(refused.status).toBe(403)
    const link = linkIn(refused.body)!
    expect(linkIn(refused.challenge)).toBe(link)
    await decide(client, link, 'deny')
    expect(await call(tokens.access_token)).toEqual(refused)
    await decide(client, link, 'allow')
    const written = await call(tokens.access_token)
    expect(written.status).toBe(200)
    expect(JSON.parse(written.body)).toMatchObject({
      result: { structuredContent: { saved: true } },
    })
    expect(counted.calls).toBe(3)
  },
)

it.each(CLIENTS.filter(honours).map((real) => [real.name, real] as const))(
  '%s reaches a tool that writes with the scopes of the challenge [STEP-08, STEP-01]',
  async (_, real) => {
    let client = await connect(SCHOOL, real)
    if (client.by === 'document' || client.by === 'pinned_document')
      client = await review(client, real)
    const { call, counted } = toolOf(client)
    const { challenge } = await call(client.tokens.access_token)
    // As clients of version 1 of the MCP SDK read it.
    const [, scope] = /scope=(?:"([^"]+)"|[^\s,]+)/.exec(challenge)!
    const { access_token } = await client.authorizeAgain(scope!.split(' '))
    expect((await call(access_token)).status).toBe(200)
    expect(counted.calls).toBe(2)
  },
)

/** Lets a reviewer allow a client of a document to write. */
async function review(client: ConnectedClient & { by: string | null }, real: RealClient) {
  if (client.by === 'pinned_document') return connect(REVIEWED, real)
  const { store } = client.school
  const stored = (await store.findClient(client.clientId))!
  const scopes = ['courses:write']
  expect(await store.replaceClient({ ...stored, revision: stored.revision + 1, scopes })).toBe(
    'replaced',
  )
  return client
}

it('covers every client whose requests are public [STEP-08]', () => {
  expect(CLIENTS.length).toBeGreaterThan(20)
  expect(CLIENTS.filter((real) => !predict(SCHOOL, real).connects)).toEqual([])
})
