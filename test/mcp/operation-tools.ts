import { type McpCaller, operationTools, type RegisteredTool, type ToolError } from 'hallpass/mcp'
import type { Operation } from 'hallpass/admin'
import {
  courseOf,
  createTestApi,
  operationsOn,
  type Table,
  type TestApi,
} from '../admin/support.js'
import { T } from '../support/school/school.js'
import { operatorWith, registryOf } from './values.js'

const NAMES: Readonly<Record<string, Operation['tool']>> = {
  'courses.archive': { name: 'set_course_state', argument: 'action', value: 'archive' },
  'courses.remove': 'delete_course',
  'courses.create': 'create_course',
  'courses.list': 'list_courses',
  'courses.publish': { name: 'set_course_state', argument: 'action', value: 'publish' },
  'courses.update': 'update_course',
  'curriculum.reorder': 'reorder_curriculum',
}

const OWNER = operatorWith(['courses:read', 'courses:write', 'curriculum:write'])
export const LECTURER = operatorWith(['courses:read', 'courses:write'], { role: 'lecturer' })

type Args = Readonly<Record<string, unknown>>

export interface TestTools extends TestApi {
  readonly tools: readonly RegisteredTool[]
  /** Calls a tool as the owner, unless another caller is named. */
  readonly callTool: (
    name: string,
    args?: Args,
    options?: { caller?: McpCaller; dryRun?: boolean; value?: string },
  ) => Promise<Args | ToolError>
}

/** The tools of a school with some courses, all operations of which have one. */
export async function openTools(
  options: Parameters<typeof createTestApi>[0] = {},
  count = 3,
): Promise<TestTools> {
  const rows = Array.from({ length: count }, (_, at) => courseOf(at + 1))
  const table: Table = { rows: new Map(rows.map((row) => [row.id, row])), runs: [] }
  const operations = operationsOn(table).map((operation) => ({
    ...operation,
    tool: operation.tool ?? NAMES[operation.id] ?? null,
  }))
  const api = await createTestApi({ table, operations, ...options })
  const { tools } = registryOf(...operationTools(api.api))
  const callTool: TestTools['callTool'] = (
    name,
    args = {},
    { caller = OWNER, dryRun = false, value = '' } = {},
  ) => {
    const tool = tools.find((one) => one.name === name)!
    const action = tool.actions.find((one) => one.value === value)!
    const { signal } = new AbortController()
    return action.run({ caller, dryRun, requestId: 'req_1', now: T, signal }, args)
  }
  return { ...api, tools, callTool }
}

/** What the API tells of a call of the owner's. */
export const eventOf = (type: string, operation: string, reason: string | null = null) => ({
  type, at: T, operation, clientId: 'app_desk', subject: 'mem_ines', requestId: 'req_1', reason,
}) // prettier-ignore
