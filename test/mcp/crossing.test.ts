import { defineTool, operationTools } from 'hallpass/mcp'
import { toNodeHandler } from 'hallpass/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { listen } from '../node/support.js'
import { rounds } from '../support/run/rounds.js'
import { ISSUER, OWNER, STUDENT } from '../support/school/school.js'
import { waitFor } from '../support/processes/wait.js'
import { ADAPTERS, openMcp, resultOf, SCHOOL_INFO } from './support.js'

const CALLS = rounds(100, { soak: 1000 })
const ABORTS = rounds(50, { soak: 200 })

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

/** Lets everything that is ready happen. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A tool that answers nobody before they are gone, and how many wait in it. */
function createWaiting() {
  const state = { started: 0, aborted: 0, pending: 0 }
  const tool = defineTool({
    name: 'wait',
    title: 'Wait',
    description: 'Waits.',
    input: z.strictObject({}),
    output: z.object({ data: z.string() }),
    async run({ signal }) {
      state.started++
      state.pending++
      await new Promise<void>((resolve) => {
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      state.aborted++
      state.pending--
      return { data: 'late' }
    },
  })
  return { state, tool }
}

describe.each(ADAPTERS)('%s', (_entry, adapter) => {
  it(`answers two people, ${CALLS} calls each at once, with what is theirs [MCP-10]`, async () => {
    const school = await openMcp({ adapter })
    const tokens = [
      [STUDENT.subject, await school.memberToken('account:read')],
      [OWNER.subject, await school.operatorToken('courses:read')],
    ] as const
    const params = { name: 'check_connection', arguments: {} }
    const asked = Array.from({ length: CALLS }).flatMap((_, at) =>
      // The same id at the same time, as two clients have.
      tokens.map(async ([subject, token]) => {
        const response = await school.rpc({ method: 'tools/call', params, token, id: at })
        const body = (await response.json()) as {
          id: number
          result: { structuredContent: { subject: string } }
        }
        return body.id === at && body.result.structuredContent.subject === subject
      }),
    )
    const answers = await Promise.all(asked)
    expect(answers.filter((isOwn) => !isOwn)).toEqual([])
    expect(answers).toHaveLength(2 * CALLS)
    const told = school.events.map(({ subject }) => subject)
    expect(told.filter((subject) => subject === STUDENT.subject)).toHaveLength(CALLS)
    expect(new Set(school.events.map(({ requestId }) => requestId)).size).toBe(2 * CALLS)
    expect([school.faults, unhandled]).toEqual([[], []])
  })

  it('lists for each of two people at once what is theirs [MCP-10]', async () => {
    const school = await openMcp({ adapter })
    const [member, operator] = [
      await school.memberToken('account:read'),
      await school.operatorToken('courses:read'),
    ]
    const lists = await Promise.all(
      Array.from({ length: 200 }).map(async (_, at) => {
        const token = [member, operator, null][at % 3]!
        const { tools } = await resultOf(await school.rpc({ method: 'tools/list', token, id: at }))
        const names = (tools as { name: string }[]).map(({ name }) => name)
        return [names.includes('list_my_courses'), names.includes('get_course')].join()
      }),
    )
    const expected = ['true,false', 'false,true', 'false,false']
    expect(lists).toEqual(lists.map((_, at) => expected[at % 3]))
  })

  it(`tells a tool that its caller has gone, ${ABORTS} times, and keeps nothing [MCP-17]`, async () => {
    const { state, tool } = createWaiting()
    const operator = await openMcp({ adapter })
    const school = await openMcp({
      adapter,
      tools: [SCHOOL_INFO, tool, ...operationTools(operator.operator.api)],
    })
    const controllers = Array.from({ length: ABORTS }, () => new AbortController())
    const params = { name: 'wait', arguments: {} }
    const answers = controllers.map(({ signal }) =>
      school.rpc({ method: 'tools/call', params, signal }),
    )
    await waitFor(() => state.started === ABORTS)
    expect(state).toEqual({ started: ABORTS, aborted: 0, pending: ABORTS })
    for (const controller of controllers) controller.abort()
    await Promise.allSettled(answers.map(async (answer) => (await answer).text()))
    await waitFor(() => state.pending === 0)
    expect(state).toEqual({ started: ABORTS, aborted: ABORTS, pending: 0 })
    expect(await resultOf(await school.rpc({ method: 'ping' }))).toEqual({})
    await settled()
    expect([school.faults, unhandled]).toEqual([[], []])
  })

  it('hears of it over node:http too', async () => {
    const { state, tool } = createWaiting()
    const { mcp, faults } = await openMcp({ adapter, tools: [tool] })
    const port = await listen(toNodeHandler(mcp.endpoint, { origin: ISSUER }))
    const controllers = Array.from({ length: 20 }, () => new AbortController())
    const params = { name: 'wait', arguments: {} }
    const answers = controllers.map(({ signal }) =>
      fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
        signal,
      }).catch(() => null),
    )
    await waitFor(() => state.started === controllers.length)
    for (const controller of controllers) controller.abort()
    await Promise.all(answers)
    await waitFor(() => state.pending === 0)
    expect(state).toEqual({ started: 20, aborted: 20, pending: 0 })
    expect([faults, unhandled]).toEqual([[], []])
  })

  it('does not begin for whoever was gone before', async () => {
    const { state, tool } = createWaiting()
    const school = await openMcp({ adapter, tools: [tool] })
    const controller = new AbortController()
    const params = { name: 'wait', arguments: {} }
    const answer = school.rpc({ method: 'tools/call', params, signal: controller.signal })
    controller.abort()
    await Promise.allSettled([answer])
    await settled()
    expect(state.pending).toBe(0)
    expect(unhandled).toEqual([])
  })
})
