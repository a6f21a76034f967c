import { ANONYMOUS, toolError, isToolError } from 'hallpass/mcp'
import { defineOperation, refuseWith } from 'hallpass/admin'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { eventOf, LECTURER, openTools, type TestTools } from './operation-tools.js'
import { operatorWith } from './values.js'
import type { RateState } from '../../src/admin/configuration.js'

describe('the version of a tool', () => {
  const versionOf = async ({ callTool }: TestTools) =>
    ((await callTool('get_course', { id: 'crs_1' })) as { version: string }).version

  it.each([
    ['update_course', { title: 'Ink' }],
    ['reorder_curriculum', { lecture_ids: [] }],
    ['delete_course', {}],
  ])('lets %s happen while nobody else was faster', async (name, args) => {
    const school = await openTools()
    const answer = await school.callTool(name, {
      id: 'crs_1',
      ...args,
      version: await versionOf(school),
    })
    expect(isToolError(answer)).toBe(false)
    const again = await openTools()
    const version = await versionOf(again)
    await again.callTool('update_course', { id: 'crs_1', title: 'Faster' })
    expect(await again.callTool(name, { id: 'crs_1', ...args, version })).toEqual(
      toolError('CONFLICT', 'the object has changed: read it again'),
    )
    expect(again.events.at(-1)).toMatchObject({ type: 'api.denied', reason: 'precondition_failed' })
  })

  it('is needed where the API needs If-Match', async () => {
    const { callTool, events } = await openTools()
    expect(await callTool('reorder_curriculum', { id: 'crs_1', lecture_ids: [] })).toEqual(
      toolError('INVALID_INPUT', '/version: send the version of the object that you read'),
    )
    expect(events).toEqual([eventOf('api.denied', 'curriculum.reorder', 'precondition_required')])
  })

  it.each([
    ['update_course', 1, '/version: must be a string'],
    ['update_course', 'not a tag', 'If-Match must be an ETag exactly as received'],
    ['get_course', '"a"', '/version: unknown parameter or member'],
  ])('%s refuses the version %j', async (name, version, message) => {
    const { callTool, table } = await openTools()
    expect(await callTool(name, { id: 'crs_1', version })).toEqual(
      toolError('INVALID_INPUT', message),
    )
    expect(table.runs).toEqual([])
  })
})

describe('a tool of an operation that says no', () => {
  it.each([
    [
      'get_course',
      { id: 'crs_9' },
      'courses.get',
      'NOT_FOUND',
      'there is no such course',
      'not_found',
    ],
    [
      'create_course',
      { title: 'Taken' },
      'courses.create',
      'CONFLICT',
      'there is a course of this title',
      'conflict',
    ],
    [
      'get_course',
      { id: 'crs_1', x: 1 },
      'courses.get',
      'INVALID_INPUT',
      '/x: unknown parameter or member',
      'invalid_request',
    ],
  ] as const)('%s with %j', async (name, args, id, code, message, reason) => {
    const { callTool, events } = await openTools()
    expect(await callTool(name, args)).toEqual(toolError(code, message))
    expect(events).toEqual([eventOf('api.denied', id, reason)])
  })

  it.each([
    ['the operation keeps to other roles', 'set_course_state', LECTURER],
    [
      'the ceiling is below it',
      'create_course',
      operatorWith(['courses:write'], { role: 'assistant' }),
    ],
  ])('checks the role again, where %s', async (_, name, caller) => {
    const { callTool, table, events } = await openTools()
    const value = name === 'set_course_state' ? 'archive' : ''
    expect(await callTool(name, { id: 'crs_1' }, { caller, value })).toEqual(
      toolError('FORBIDDEN_ROLE', "the person's role does not allow this operation"),
    )
    expect(table.runs).toEqual([])
    expect(events.map(({ type, reason }) => [type, reason])).toEqual([
      ['api.denied', 'forbidden_role'],
    ])
  })

  it('waits where the limit of the API says so', async () => {
    const rateLimit = async () => ({ ok: false, remaining: 0, resetSeconds: 9 }) as RateState
    const { callTool, table } = await openTools({ rateLimit: rateLimit })
    expect(await callTool('get_course', { id: 'crs_1' })).toEqual(
      toolError('RATE_LIMITED', 'rate limit exceeded: wait until the window ends'),
    )
    expect(table.runs).toEqual([])
  })

  it.each([
    ['unprocessable', 'INVALID_INPUT'],
    ['insufficient_scope', 'INVALID_INPUT'],
    ['internal', 'UPSTREAM'],
    ['unavailable', 'UPSTREAM'],
    ['precondition_failed', 'CONFLICT'],
  ] as const)('has the problem %s as %s', async (problem, code) => {
    const operation = defineOperation({
      id: 'courses.try', summary: 'Try', scope: 'courses:read', effect: 'read', method: 'GET',
      path: '/tries', tool: 'try_it', input: z.strictObject({}), output: z.object({}),
      run: async () => refuseWith(problem),
    }) // prettier-ignore
    const { callTool } = await openTools({ operations: [operation] })
    expect(await callTool('try_it')).toEqual(toolError(code, problem.replaceAll('_', ' ')))
  })

  it('never runs for nobody', async () => {
    const { callTool, table } = await openTools()
    await expect(callTool('get_course', { id: 'crs_1' }, { caller: ANONYMOUS })).rejects.toThrow(
      'courses.get was called without an access token',
    )
    expect(table.runs).toEqual([])
  })
})
