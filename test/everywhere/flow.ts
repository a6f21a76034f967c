import { deepEqual, equal, ok } from 'node:assert/strict'
import * as client from 'openid-client'
import { createFormBrowser } from '../support/http/form-browser.js'
import { connectAgent } from '../support/http/mcp-agent.js'
import { tokensFor } from '../support/http/openid-client.js'
import { twelveChecks } from '../support/http/server-checks.js'

/** A school that runs somewhere, and how its two people sign in. */
export interface Running {
  readonly origin: string
  readonly password: string
  /** The path of a route whose gate asks for `courses:read`. Default: `/courses` */
  readonly route?: string
}

const OWNER = 'owner@example.com'
const STUDENT = 'student@example.com'
const MEMBER_CLIENT = 'study-buddy'

/**
 * Uses a school over HTTP as apps and agents do: the twelve checks of a server, then the Account API and `/mcp` as
 * anonymous, operator and member, and what is left after a revocation.
 *
 * @returns the names of the steps, in their order
 * @throws Error with the name of the step that failed
 */
export async function flow({
  origin,
  password,
  route = '/courses',
}: Running): Promise<readonly string[]> {
  const credentials = { email: OWNER, password }
  const steps = [...(await twelveChecks({ origin, credentials, route }))]
  const step = async (name: string, run: () => Promise<void>): Promise<void> => {
    await run().catch((cause: unknown) => {
      throw new Error(`step ${steps.length + 1}, ${name}: ${String(cause)}`, { cause })
    })
    steps.push(name)
  }
  const query = (token?: string): Promise<Response> =>
    fetch(`${origin}/account/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ query: '{ viewer { name } }' }),
    })

  const app = await client.discovery(new URL(origin), MEMBER_CLIENT, undefined, client.None(), {
    execute: [client.allowInsecureRequests],
  })
  client.enableNonRepudiationChecks(app)
  const member = await tokensFor(app, {
    origin,
    scope: 'openid account:read',
    email: STUDENT,
    password,
    browser: createFormBrowser(origin),
  })
  await step('Account API', async () => {
    equal((await query()).status, 401)
    const answer = await query(member.access_token)
    deepEqual(await answer.json(), { data: { viewer: { name: 'Mei-Ling Chou' } } })
    const schema = await fetch(`${origin}/account/schema.graphql`)
    equal(schema.status, 200)
    ok((await schema.text()).includes('type Viewer'))
  })
  await step('/mcp without a token', async () => {
    const agent = await connectAgent({ origin, password })
    deepEqual(await agent.listTools(), ['check_connection'])
    await agent.close()
  })
  await step('/mcp as an operator', async () => {
    const agent = await connectAgent({ origin, password })
    const listStudents = (): Promise<unknown> => agent.call('list_students')
    await challenged(listStudents())
    await agent.signIn(OWNER)
    deepEqual(dataOf(await listStudents()), [{ name: 'Mei-Ling Chou' }])
    await agent.close()
  })
  await step('/mcp as a member', async () => {
    const agent = await connectAgent({ origin, password }, MEMBER_CLIENT)
    const readProfile = (): Promise<unknown> => agent.call('get_my_profile')
    await challenged(readProfile())
    await agent.signIn(STUDENT)
    equal((dataOf(await readProfile()) as { name: string }).name, 'Mei-Ling Chou')
    ok(!(await agent.listTools()).includes('list_students'))
    await agent.close()
  })
  await step('revocation ends both', async () => {
    await client.tokenRevocation(app, member.refresh_token!)
    equal((await query(member.access_token)).status, 401)
    const listed = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${member.access_token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    equal(listed.status, 401)
  })
  return steps
}

const dataOf = (result: unknown): unknown =>
  (result as { structuredContent: { data: unknown } }).structuredContent.data

/** The call fails, because its client was asked to sign in. */
async function challenged(call: Promise<unknown>): Promise<void> {
  const fault: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  equal((fault as Error | null)?.name, 'UnauthorizedError')
}
