import { createHash } from 'node:crypto'
import type { SiteOptions } from 'hallpass'
import { ANONYMOUS, defineTool, toolError, type McpAdapter, type Tool } from 'hallpass/mcp'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { OWNER, T } from '../support/school/school.js'
import { ADAPTERS, answerOf, openMcp, resultOf, SCHOOL_INFO } from './support.js'
import { FREE_TEXT_NOTICE } from '../../src/mcp/run.js'

const digestOf = (args: unknown): string =>
  createHash('sha256').update(JSON.stringify(args)).digest('base64url')

/** A public tool that does this. */
const toolThat = (run: () => Promise<never>, output = z.object({ data: z.int() })): Tool =>
  defineTool({
    name: 'try_it', title: 'Try', description: 'Tries.', input: z.strictObject({}), output, run,
  }) // prettier-ignore

const SECRET = 'postgres://hallpass:secret@10.0.0.7'

describe.each(ADAPTERS)('%s', (_entry, adapter) => {
  const call = (name: string, args: unknown = {}) => ({
    method: 'tools/call',
    params: { name, arguments: args },
  })

  it('answers with structured content, the same as text, and says what people wrote', async () => {
    const { rpc, faults } = await openMcp({ adapter })
    const result = await resultOf(await rpc(call('get_school_info', { language: 'pt' })))
    const data = { data: { name: 'Rua da Lanterna', courses: 6 } }
    expect(result).toMatchObject({
      content: [
        { type: 'text', text: JSON.stringify(data) },
        { type: 'text', text: FREE_TEXT_NOTICE },
      ],
      structuredContent: data,
      _meta: { 'hallpass/free_text': ['/data/name'] },
    })
    expect(result).not.toHaveProperty('isError')
    expect(faults).toEqual([])
  })

  it('gives no notice where nobody wrote anything', async () => {
    const tool = toolThat(async () => ({ data: 7 }) as never)
    const { rpc } = await openMcp({ adapter, tools: [tool] })
    const result = await resultOf(await rpc(call('try_it')))
    expect(result['content']).toEqual([{ type: 'text', text: '{"data":7}' }])
    expect(result['_meta'] ?? {}).not.toHaveProperty('hallpass/free_text')
  })

  it('says of a call who made it, of what, and what came of it [MCP-13]', async () => {
    const { rpc, operatorToken, events } = await openMcp({ adapter })
    const token = await operatorToken('courses:read')
    const args = { id: 'crs_1' }
    const response = await rpc({ ...call('get_course', args), token })
    await rpc({ ...call('get_course', { id: 'crs_9' }), token })
    await rpc({ method: 'tools/call', params: { name: 'get_school_info' } })
    const known = { clientId: 'app_desk', subject: OWNER.subject }
    const told = { type: 'mcp.tool_called', at: T, requestId: expect.any(String) as unknown }
    expect(events).toEqual([
      {
        ...told, ...known, tool: 'get_course', argumentsDigest: digestOf(args), outcome: 'done',
        requestId: response.headers.get('x-request-id'),
      },
      {
        ...told, ...known, tool: 'get_course', argumentsDigest: digestOf({ id: 'crs_9' }),
        outcome: 'NOT_FOUND',
      },
      {
        ...told, clientId: null, subject: null, tool: 'get_school_info',
        argumentsDigest: digestOf({}), outcome: 'done',
      },
    ]) // prettier-ignore
  })

  it('says whose token it was where a call is refused', async () => {
    const heard: unknown[] = []
    const onRefusal: SiteOptions['onRefusal'] = ({ reason, clientId }) =>
      heard.push([reason, clientId])
    const { rpc, operatorToken } = await openMcp({ adapter, onRefusal })
    await rpc({ ...call('get_course', { id: 'crs_1' }), token: await operatorToken('openid') })
    await rpc({ ...call('get_course', { id: 'crs_1' }) })
    expect(heard).toEqual([
      ['scope_not_granted', 'app_desk'],
      ['access_token_missing', null],
    ])
  })

  it('tells of nothing but calls and refusals', async () => {
    const { rpc, events } = await openMcp({ adapter })
    await rpc({ method: 'tools/list' })
    await rpc({ method: 'ping' })
    await rpc({ ...call('get_school_info'), id: null })
    expect(events).toEqual([])
  })

  it('has no tool of an unknown name, whatever every object has', async () => {
    const { rpc, operatorToken, events } = await openMcp({ adapter })
    for (const token of [null, await operatorToken('courses:read')])
      for (const name of ['no_such', 'constructor', 'toString', '__proto__', '']) {
        const { body } = await answerOf(await rpc({ ...call(name), token }))
        expect(body, name).toMatchObject({ id: 1, error: { code: -32602 } })
        expect(JSON.stringify(body)).toContain(`unknown tool ${name}`)
      }
    expect(events).toEqual([])
  })

  it.each([
    ['throws', toolThat(() => Promise.reject(new Error(SECRET)))],
    ['throws no error', toolThat(() => Promise.reject(SECRET))],
    ['answers what its schema does not have', toolThat(async () => ({ data: SECRET }) as never)],
    ['answers nothing', toolThat(async () => null as never)],
  ])('says of a tool that %s no more than where to ask', async (_, tool) => {
    const { rpc, faults, events } = await openMcp({ adapter, tools: [tool] })
    const response = await rpc(call('try_it'))
    const requestId = response.headers.get('x-request-id')
    const text = await response.text()
    const { result } = JSON.parse(text) as { result: { content: { text: string }[] } }
    expect(result).toMatchObject({ isError: true })
    expect(JSON.parse(result.content[0]!.text)).toEqual({
      code: 'UPSTREAM',
      message: 'the tool failed because of an internal error',
      recovery:
        'Call the tool again shortly. If it keeps failing, give the request_id to the school.',
      request_id: requestId,
    })
    expect(text).not.toContain('postgres')
    expect(faults).toEqual([{ fault: expect.anything() as unknown, requestId }])
    expect(events).toMatchObject([{ type: 'mcp.tool_called', outcome: 'UPSTREAM' }])
  })

  it.each([
    ['an unknown one', { x: 1 }, '/x: unknown parameter or member'],
    ['a wrong one', { language: 'xx' }, '/language: Invalid option: expected one of "en"|"pt"'],
    [
      'dry_run, where nothing is changed',
      { dry_run: true },
      '/dry_run: unknown parameter or member',
    ],
  ])('says which argument is at fault: %s', async (_, args, message) => {
    const { rpc, faults } = await openMcp({ adapter })
    const { content } = await resultOf(await rpc(call('get_school_info', args)))
    const [{ text }] = content as [{ text: string }]
    expect(JSON.parse(text)).toMatchObject({ code: 'INVALID_INPUT', message })
    expect(faults).toEqual([])
  })

  it('chooses an action by its argument, and names the choices otherwise', async () => {
    const school = await openMcp({ adapter })
    const told: unknown[] = []
    const action = (value: string) => ({
      ...SCHOOL_INFO.actions[0],
      value,
      scopes: ['courses:write'],
      effect: 'write' as const,
      dryRun: true,
      run: async ({ dryRun }: { dryRun: boolean }, args: unknown) => {
        told.push([value, dryRun, args])
        return toolError('CONFLICT', value)
      },
    })
    const tool: Tool = {
      ...SCHOOL_INFO,
      name: 'try_it',
      selector: 'action',
      actions: [action('one'), action('two')],
    }
    const { rpc } = await openMcp({ adapter, tools: [tool], store: school.operator.store })
    const token = await school.operatorToken('courses:write')
    const codes: unknown[] = []
    for (const args of [
      { action: 'two' },
      { action: 'one', dry_run: true, x: 1 },
      { action: 'two', dry_run: 'yes' },
      { action: 'three' },
      {},
    ]) {
      // prettier-ignore
      const { content } = await resultOf(await rpc({ ...call('try_it', args), token }))
      codes.push(
        (JSON.parse((content as [{ text: string }])[0].text) as { message: string }).message,
      )
    }
    const unchosen = 'action must be one of one, two'
    expect(codes).toEqual(['two', 'one', 'two', unchosen, unchosen])
    expect(told).toEqual([
      ['two', false, {}],
      ['one', true, { x: 1 }],
      ['two', false, { dry_run: 'yes' }],
    ])
  })

  it('tells a tool who calls, when, and never of a dry run that it does not know', async () => {
    const told: unknown[] = []
    const [action] = SCHOOL_INFO.actions
    const run: typeof action.run = async ({ signal, ...context }, args) => {
      told.push([context, signal.aborted, args])
      return toolError('NOT_FOUND', 'nothing')
    }
    const tool: Tool = { ...SCHOOL_INFO, actions: [{ ...action, run }] }
    const { rpc } = await openMcp({ adapter, tools: [tool] })
    const response = await rpc(call('get_school_info', { dry_run: true }))
    const requestId = response.headers.get('x-request-id')
    const context = { caller: ANONYMOUS, dryRun: false, now: T, requestId }
    expect(told).toEqual([[context, false, { dry_run: true }]])
  })

  it('is 500 where the adapter fails, early or late', async () => {
    const broken = new ReadableStream({ start: (to) => to.error(new Error(SECRET)) })
    const adapters: readonly McpAdapter[] = [
      () => () => Promise.reject(new Error(SECRET)),
      () => async () => new Response(broken),
    ]
    for (const one of adapters) {
      const { rpc, faults } = await openMcp({ adapter: one })
      const response = await rpc({ method: 'tools/list' })
      expect(await answerOf(response)).toEqual({
        status: 500,
        body: {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32603, message: 'an unexpected error occurred' },
        },
      })
      expect(faults).toMatchObject([{ requestId: response.headers.get('x-request-id') }])
    }
  })
})
