import type { Tool, ToolAction } from './tool.js'
import { outlineOf } from './outline.js'
import { inputSchemaOf, outputSchemaOf } from './tool-schema.js'

/**
 * A tool as an entry of `tools/list`.
 *
 * @see [MCP 2026-07-28](https://modelcontextprotocol.io/specification/2026-07-28), tools
 * @group Tool lists
 */
export interface ToolDescription {
  readonly name: string
  readonly title: string
  readonly description: string
  /** A JSON Schema of dialect 2020-12, without `$schema`. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema: Readonly<Record<string, unknown>>
  readonly annotations: {
    readonly title: string
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: false
  }
  /**
   * Authentication requirements, for clients that read them from the tool description: none, or an access token with
   * these scopes.
   */
  readonly securitySchemes: readonly (
    { readonly type: 'noauth' } | { readonly type: 'oauth2'; readonly scopes: readonly string[] }
  )[]
  readonly _meta: { readonly securitySchemes: ToolDescription['securitySchemes'] }
}

/** Describes a tool for a caller who may use these of its actions. */
export function describeTool(tool: Tool, actions: readonly ToolAction[]): ToolDescription {
  const { name, title, description } = tool
  const scopes = [...new Set(actions.flatMap((action) => action.scopes))]
  const securitySchemes: ToolDescription['securitySchemes'] =
    scopes.length === 0 ? [{ type: 'noauth' }] : [{ type: 'oauth2', scopes }]
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(tool, actions),
    outputSchema: outlineOf(outputSchemaOf(actions)),
    annotations: {
      title,
      readOnlyHint: actions.every(({ effect }) => effect === 'read'),
      destructiveHint: actions.some(({ destructive }) => destructive),
      idempotentHint: actions.every(({ idempotent }) => idempotent),
      openWorldHint: false,
    },
    securitySchemes,
    _meta: { securitySchemes },
  }
}
