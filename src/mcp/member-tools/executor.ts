import type { ViewerField } from '../../account/viewer-field.js'
import type { Access } from '../../policy/bearer.js'
import type { Tool, ToolContext } from '../tool.js'
import { toolError, isToolError, type ToolError } from '../tool-error.js'

/**
 * Runs operations of the Account API without HTTP. The `AccountApi` from `hallpass/account` is one; write
 * your own only to wrap it.
 *
 * @group Account API executor
 */
export interface AccountExecutor {
  /** Runs an operation for this caller. A refusal is an error with its code in `extensions`. */
  readonly execute: (
    access: Access,
    request: {
      readonly query: string
      readonly variables?: Readonly<Record<string, unknown>> | null
      /** Identifier of the tool call, for events and log notices. */
      readonly requestId?: string
    },
  ) => Promise<{
    readonly data?: unknown
    readonly errors?: readonly {
      /** One clause that says what is wrong. */
      readonly message: string
      /** Details for programs, such as `code` and `retryAfterSeconds`. */
      readonly extensions?: Readonly<Record<string, unknown>>
    }[]
  }>
  /**
   * Your own fields of `Viewer`. Those with a description become tools. Default: none.
   *
   * @internal
   */
  readonly fields?: readonly ViewerField[]
}

type ExecutionError = NonNullable<Awaited<ReturnType<AccountExecutor['execute']>>['errors']>[number]

const EXECUTOR = Symbol('the executor of an account')
type BoundContext = ToolContext & { readonly [EXECUTOR]: AccountExecutor }

/** Returns a tool of all sites for the one whose data this executor has. */
export function toolAt<Scope extends string>(
  account: AccountExecutor,
  tool: Tool<Scope>,
): Tool<Scope> {
  const [action] = tool.actions
  const own = { [EXECUTOR]: { value: account } }
  return {
    ...tool,
    source: 'accountTools(account)',
    actions: [{ ...action, run: (context, args) => action.run(Object.create(context, own), args) }],
  }
}

/** Runs an operation of the Account API for the caller of a tool. */
export type Ask = <Data>(
  query: string,
  variables?: Readonly<Record<string, unknown>>,
) => Promise<Data | ToolError>

/**
 * Returns the {@link Ask} of one call. It resolves to the data, with its members in snake_case, or to a tool
 * error: `INVALID_INPUT`, `RATE_LIMITED` or `UPSTREAM`.
 *
 * @throws TypeError for a caller without a token, and for errors that no input of a tool can cause, such as
 *   an operation that does not match the schema
 */
export function askFor(context: ToolContext): Ask {
  const { caller, requestId, [EXECUTOR]: account } = context as BoundContext
  if (caller.kind === 'anonymous')
    throw new TypeError('a member tool was called without an access token')
  const { access } = caller
  return async <Data>(query: string, variables = {}): Promise<Data | ToolError> => {
    const { data, errors = [] } = await account.execute(access, {
      query,
      variables,
      requestId,
    })
    const [error] = errors
    if (error !== undefined) return faultOf(error)
    // The tests compare the operations with the output schemas.
    return snakeCased(data) as Data
  }
}

function faultOf({ message, extensions = {} }: ExecutionError): ToolError {
  const { code, argument, retryAfterSeconds } = extensions
  if (code === 'BAD_USER_INPUT' && argument === 'after')
    return toolError(
      'INVALID_INPUT',
      'the cursor belongs to another list or to other arguments',
      'Call this tool again without cursor to start from the first page.',
    )
  if (code === 'BAD_USER_INPUT') return toolError('INVALID_INPUT', message)
  if (code === 'RATE_LIMITED')
    return toolError(
      'RATE_LIMITED',
      'the rate limit was exceeded',
      `Wait ${Number(retryAfterSeconds)} seconds, then call the tool again.`,
    )
  if (code === 'INTERNAL') return toolError('UPSTREAM', 'the school could not process the request')
  throw new RefusedRequest(
    `the Account API refused the request of a tool: ${String(code)}: ${message}`,
    extensions,
  )
}

/** The Account API refused a request: the tool is to blame, or the limits of the site. */
export class RefusedRequest extends TypeError {
  /** How many points the request costs and may cost; `null` if it is refused for another reason. */
  readonly excess: { readonly cost: number; readonly most: number } | null

  constructor(message: string, { code, actual, limit }: Readonly<Record<string, unknown>>) {
    super(message)
    const isCost = code === 'QUERY_TOO_COSTLY' && typeof actual === 'number'
    this.excess = isCost ? { cost: actual, most: Number(limit) } : null
  }
}

/** Copies parsed JSON, with the names of its members in snake_case. */
function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) copy[snakeCase(name)] = snakeCased(member)
  return copy
}

// The cache stays small, because all names are from the schema. Each row repeats them.
const names = new Map<string, string>()

export function snakeCase(name: string): string {
  const known = names.get(name)
  if (known !== undefined) return known
  const made = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  names.set(name, made)
  return made
}

/** A user error of a mutation, with the fields that the operations select. */
export interface UserError {
  readonly code: string
  readonly message: string
}

const USER_ERRORS = new Map<string, (message: string) => ToolError>([
  ['NOT_FOUND', (message) => toolError('NOT_FOUND', message)],
  ['ACCESS_EXPIRED', (message) => toolError('ACCESS_EXPIRED', message)],
  ['ACCESS_SUSPENDED', (message) => toolError('ACCESS_EXPIRED', message)],
  ['STALE', (message) => toolError('CONFLICT', message)],
  ['CONFLICT', (message) => toolError('CONFLICT', message)],
  [
    'NOT_CANCELLABLE',
    (message) =>
      toolError(
        'CONFLICT',
        message,
        'Tell the person that only the school can still cancel this booking.',
      ),
  ],
  ['INVALID', (message) => toolError('INVALID_INPUT', message)],
  ['OUT_OF_RANGE', (message) => toolError('INVALID_INPUT', message)],
])

/**
 * Returns the payload of a mutation, or the tool error for its first user error: `NOT_FOUND`,
 * `ACCESS_EXPIRED`, `CONFLICT` or `INVALID_INPUT`.
 *
 * @throws TypeError for a user error whose code is not in the schema
 */
export function payloadOf<Payload extends { readonly user_errors: readonly UserError[] }>(
  answer: { readonly payload: Payload } | ToolError,
): Payload | ToolError {
  if (isToolError(answer)) return answer
  const [error] = answer.payload.user_errors
  if (error === undefined) return answer.payload
  const fault = USER_ERRORS.get(error.code)
  if (fault === undefined) throw new TypeError(`unknown user error code ${error.code}`)
  return fault(error.message)
}
