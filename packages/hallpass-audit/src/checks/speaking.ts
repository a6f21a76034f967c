import { notApplicable, notReached, Stop } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import type { McpOptions } from '../engine/mcp.js'

/** Headers of a message that is part of no session. */
export const OUTSIDE = { 'mcp-session-id': null, 'mcp-protocol-version': null } as const

export interface Tool {
  readonly name?: unknown
  readonly inputSchema?: { readonly required?: readonly unknown[] } | null
  readonly annotations?: { readonly readOnlyHint?: unknown }
}

export const request = (
  method: string,
  params: object = {},
): Readonly<Record<string, unknown>> => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  params,
})
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const resultOf = ({ json }: Answer): Readonly<Record<string, unknown>> | null =>
  isObject(json['result']) ? json['result'] : null
export const codeOf = ({ json }: Answer): unknown => (isObject(json['error']) ? json['error']['code'] : null) // prettier-ignore
export const isChallenge = ({ status }: Answer): boolean => status === 401 || status === 403

/** Returns an answer in words. */
export function shown(answer: Answer): string {
  const code = codeOf(answer)
  return `${answer.status}${typeof code === 'number' ? ` and the error ${code}` : resultOf(answer) === null ? '' : ' and a result'}`
}

/** Whether a call has run: an error of JSON-RPC or of the tool says that it has not. */
export const hasRun = (answer: Answer): boolean => {
  const result = resultOf(answer)
  return result !== null && result['isError'] !== true
}

/** Returns who may speak: no one if the endpoint lets anyone list its tools, otherwise the holder of the shared token. */
export const speaker = (on: Audit): Promise<{ readonly token?: string }> =>
  on.once('mcp speaker', async () => {
    await on.mcpPath()
    const isOpen = !isChallenge(await on.initialize()) && !isChallenge(await on.mcp())
    const who = isOpen ? {} : { token: (await on.sharedTokens()).accessToken }
    const first = await on.initialize(who.token)
    if (codeOf(first) === -32601)
      throw new Stop(notApplicable('the server speaks a version of MCP without initialization', first)) // prettier-ignore
    if (resultOf(first) === null)
      throw new Stop(notReached(`an initialization is answered by ${shown(first)}`, first))
    return who
  })

export const say = async (on: Audit, options: McpOptions): Promise<Answer> =>
  on.mcp({ ...(await speaker(on)), ...options })

export const toolsOf = (answer: Answer): readonly Tool[] => {
  const tools = resultOf(answer)?.['tools']
  return Array.isArray(tools) ? (tools as Tool[]) : []
}
