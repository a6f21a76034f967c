import type { Access } from '../policy/bearer.js'
import type { ToolContext } from '../mcp/tool.js'
import { faultWith, isToolFault, type ToolFault } from '../mcp/tool-fault.js'

/** Runs an operation of the Account API; `AccountApi` of hallpass/account-api is one. */
export interface AccountExecutor {
  /** A refusal is an error with its code in `extensions`. */
  readonly execute: (
    access: Access,
    request: {
      readonly query: string
      readonly variables?: Readonly<Record<string, unknown>> | null
      /** Of the tool call. */
      readonly requestId?: string
    },
  ) => Promise<{ readonly data?: unknown; readonly errors?: readonly ExecutionError[] }>
}

/** An error of an operation, as graphql-js and GraphQL over HTTP have it. */
export interface ExecutionError {
  readonly message: string
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** Asks the Account API for the caller of a tool. */
export type Ask = <Data>(
  query: string,
  variables?: Readonly<Record<string, unknown>>,
) => Promise<Data | ToolFault>

/**
 * Makes the {@link Ask} of one call. Answers come with their members in snake_case.
 *
 * @returns faults: `INVALID_INPUT`, `RATE_LIMITED`, `UPSTREAM`
 * @throws TypeError - for a caller without a token, and for what no input of a tool can lead to, such as
 *   a document that the schema refuses
 */
export function askFor(account: AccountExecutor, { caller, requestId }: ToolContext): Ask {
  if (caller.kind === 'anonymous') throw new TypeError('a tool of members was run for nobody')
  const { access } = caller
  return async <Data>(query: string, variables = {}): Promise<Data | ToolFault> => {
    const { data, errors = [] } = await account.execute(access, {
      query,
      variables,
      requestId,
    })
    const [error] = errors
    if (error !== undefined) return faultOf(error)
    // The documents are written for the shapes, and the tests hold one against the other.
    return snakeCased(data) as Data
  }
}

function faultOf({ message, extensions = {} }: ExecutionError): ToolFault {
  const { code, argument, retryAfterSeconds } = extensions
  if (code === 'BAD_USER_INPUT' && argument === 'after')
    return faultWith(
      'INVALID_INPUT',
      'the cursor belongs to another list or to other arguments',
      'Call again without cursor, from the first page.',
    )
  if (code === 'BAD_USER_INPUT') return faultWith('INVALID_INPUT', message)
  if (code === 'RATE_LIMITED')
    return faultWith(
      'RATE_LIMITED',
      'too much was asked for in a short time',
      `Wait ${Number(retryAfterSeconds)} seconds, and call again.`,
    )
  if (code === 'INTERNAL') return faultWith('UPSTREAM', 'the school could not do it just now')
  throw new TypeError(`the Account API refused a tool: ${String(code)}: ${message}`)
}

/** A copy of parsed JSON whose members are named in snake_case. */
function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) copy[snakeCase(name)] = snakeCased(member)
  return copy
}

// The names are those of the documents, so there are few, and each comes with every row.
const names = new Map<string, string>()

function snakeCase(name: string): string {
  const known = names.get(name)
  if (known !== undefined) return known
  const made = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  names.set(name, made)
  return made
}

/** A user error of a mutation, as it is asked for. */
export interface UserError {
  readonly code: string
  readonly message: string
}

const USER_ERRORS = new Map<string, (message: string) => ToolFault>([
  ['NOT_FOUND', (message) => faultWith('NOT_FOUND', message)],
  ['ACCESS_EXPIRED', (message) => faultWith('ACCESS_EXPIRED', message)],
  ['ACCESS_SUSPENDED', (message) => faultWith('ACCESS_EXPIRED', message)],
  ['STALE', (message) => faultWith('CONFLICT', message)],
  ['CONFLICT', (message) => faultWith('CONFLICT', message)],
  [
    'NOT_CANCELLABLE',
    (message) => faultWith('CONFLICT', message, 'Tell the person; only the school can still help.'),
  ],
  ['INVALID', (message) => faultWith('INVALID_INPUT', message)],
  ['OUT_OF_RANGE', (message) => faultWith('INVALID_INPUT', message)],
])

/**
 * What a mutation answered, or why it did nothing.
 *
 * @returns faults: `NOT_FOUND`, `ACCESS_EXPIRED`, `CONFLICT`, `INVALID_INPUT`
 * @throws TypeError - for a user error that the schema does not have
 */
export function payloadOf<Payload extends { readonly user_errors: readonly UserError[] }>(
  answer: { readonly payload: Payload } | ToolFault,
): Payload | ToolFault {
  if (isToolFault(answer)) return answer
  const [error] = answer.payload.user_errors
  if (error === undefined) return answer.payload
  const fault = USER_ERRORS.get(error.code)
  if (fault === undefined) throw new TypeError(`there is no user error ${error.code}`)
  return fault(error.message)
}
