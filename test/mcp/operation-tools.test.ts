import { toolError, operationTools } from 'hallpass/mcp'
import { describe, expect, it } from 'vitest'
import { createTestApi } from '../admin/support.js'
import { eventOf, openTools } from './operation-tools.js'

describe('operationTools', () => {
  it('makes a tool of each operation that names one: what reads first, what takes away last', async () => {
    const { tools } = await openTools()
    expect(tools.map(({ name, title, selector }) => [name, title, selector])).toEqual([
      ['list_courses', 'List courses', null],
      ['get_course', 'Get a course', null],
      ['create_course', 'Create a course', null],
      ['update_course', 'Change a course', null],
      ['reorder_curriculum', 'Reorder the lectures of a course', null],
      ['set_course_state', 'Set course state', 'action'],
      ['delete_course', 'Delete a draft', null],
    ])
  })

  it('says of a shared tool what each choice does and needs', async () => {
    const { tools } = await openTools()
    expect(tools.find(({ name }) => name === 'set_course_state')!.description).toBe(
      'action=publish: Publish a course. Needs courses:write.\naction=archive: Archive a course. Needs courses:write.',
    )
  })

  it('makes none of an operation that names none', async () => {
    const { api } = await createTestApi()
    expect(operationTools(api).map(({ name }) => name)).toEqual(['get_course'])
  })

  it.each([
    [
      'get_course',
      { effect: 'read', destructive: false, idempotent: true, dryRun: false, roles: null },
    ],
    [
      'create_course',
      { effect: 'write', destructive: false, idempotent: false, dryRun: true, roles: null },
    ],
    [
      'update_course',
      { effect: 'write', destructive: false, idempotent: true, dryRun: true, roles: null },
    ],
    [
      'delete_course',
      { effect: 'write', destructive: true, idempotent: true, dryRun: true, roles: null },
    ],
  ])('tells the truth about %s', async (name, expected) => {
    const { tools } = await openTools()
    expect(tools.find((tool) => tool.name === name)!.actions[0]).toMatchObject(expected)
  })

  it("keeps an operation's own roles", async () => {
    const { tools } = await openTools()
    const { actions } = tools.find(({ name }) => name === 'set_course_state')!
    expect(actions.map(({ value, roles }) => [value, roles])).toEqual([
      ['publish', null],
      ['archive', ['owner', 'manager']],
    ])
  })
})

describe('a tool of an operation', () => {
  it('answers a page as the API does, and says how to go on', async () => {
    const { callTool, call } = await openTools()
    const [first, rest] = [
      await callTool('list_courses', { limit: 2 }),
      await call('GET /courses?limit=2'),
    ]
    const next_steps = ['For the next page, call this tool again with cursor = page.next_cursor.']
    expect(first).toEqual({ ...(rest.body as object), next_steps })
    const { next_cursor: cursor } = (rest.body as { page: { next_cursor: string } }).page
    const last = await callTool('list_courses', { limit: 2, cursor })
    const lastOverRest = await call(`GET /courses?limit=2&cursor=${cursor}`)
    expect(last).toEqual({ ...(lastOverRest.body as object), next_steps: [] })
  })

  it('lists at most 50', async () => {
    const { callTool } = await openTools({}, 60)
    expect(await callTool('list_courses', { limit: 50 })).toMatchObject({ data: { length: 50 } })
    expect(await callTool('list_courses')).toMatchObject({ data: { length: 20 } })
    expect(await callTool('list_courses', { limit: 51 })).toEqual(
      toolError('INVALID_INPUT', '/limit: must be at most 50'),
    )
  })

  it('answers an object with its version, as the API does', async () => {
    const { callTool, call, events } = await openTools()
    const { body, headers } = await call('GET /courses/crs_1')
    expect(await callTool('get_course', { id: 'crs_1' })).toEqual({
      data: body,
      version: headers['etag'],
    })
    expect(events).toEqual([])
  })

  it('creates as the API does, names what it set and tells of it once', async () => {
    const [tool, rest] = [await openTools(), await openTools()]
    const answer = await tool.callTool('create_course', { title: 'Ink' })
    const { body, headers } = await rest.call('POST /courses', { body: { title: 'Ink' } })
    expect(answer).toEqual({ data: body, version: headers['etag'], changed: ['title'] })
    expect(tool.events).toEqual([eventOf('api.write', 'courses.create')])
    expect(tool.table.runs).toEqual(['courses.create'])
    expect([...tool.table.rows]).toEqual([...rest.table.rows])
  })

  it('tries as the API does, and keeps and tells nothing', async () => {
    const { callTool, call, table, events } = await openTools()
    const answer = await callTool('create_course', { title: 'Ink' }, { dryRun: true })
    expect(answer).toEqual(
      (await call('POST /courses?dry_run=true', { body: { title: 'Ink' } })).body,
    )
    expect(answer).toMatchObject({ would_change: { title: 'Ink' } })
    expect([table.rows.size, events]).toEqual([3, []])
  })

  it('names no path parameter among what it changed', async () => {
    const { callTool } = await openTools()
    expect(await callTool('update_course', { id: 'crs_1', title: 'Ink' })).toMatchObject({
      data: { id: 'crs_1', title: 'Ink' },
      changed: ['title'],
    })
  })

  it('leaves out what the schema does not have', async () => {
    const { callTool } = await openTools()
    const answer = await callTool('set_course_state', { id: 'crs_1' }, { value: 'publish' })
    expect(JSON.stringify(answer)).toContain('"published"')
    expect(JSON.stringify(answer)).not.toContain('internal_note')
  })

  it('answers null where the API answers nothing', async () => {
    const { callTool, table } = await openTools()
    expect(await callTool('delete_course', { id: 'crs_1' })).toEqual({ data: null, changed: [] })
    expect(table.rows.has('crs_1')).toBe(false)
  })

  it('has every answer fit its own schema', async () => {
    const { callTool, tools } = await openTools()
    const fits = (name: string, answer: unknown) =>
      tools.find((tool) => tool.name === name)!.actions[0].output.parse(answer)
    for (const [name, args, dryRun] of [
      ['list_courses', {}, false],
      ['get_course', { id: 'crs_1' }, false],
      ['create_course', { title: 'Ink' }, true],
      ['create_course', { title: 'Ink' }, false],
      ['delete_course', { id: 'crs_2' }, true],
      ['delete_course', { id: 'crs_2' }, false],
    ] as const) {
      const answer = await callTool(name, args, { dryRun })
      expect(fits(name, answer)).toEqual(answer)
    }
  })
})
