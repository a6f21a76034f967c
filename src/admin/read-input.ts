import { JSON_BODY, readText } from '../http/body.js'
import type { Incoming } from '../http/exchange.js'
import type { Failure } from '../http/frame.js'
import { parseStrictJson } from '../http/json.js'
import { invalid, parseInput, pointerTo } from './input.js'
import { isProblem, type Problem, refuseWith } from './problem.js'
import { problemOf } from './refusals.js'
import type { RegisteredOperation } from './operation.js'

type Members = Readonly<Record<string, unknown>>

/** The input of a request, read and validated. */
export interface ReadInput {
  readonly input: Record<string, unknown>
  readonly dryRun: boolean
  /** The complete input as text, which identifies the request for its idempotency key. */
  readonly text: string
}

/**
 * Reads the input of an operation from path, query and body. Unknown members are refused in all three.
 */
export async function readInput({
  incoming,
  operation,
  parameters,
}: {
  incoming: Incoming
  operation: RegisteredOperation
  parameters: Readonly<Record<string, string>>
}): Promise<ReadInput | Problem> {
  const query = textsOf(incoming.target)
  const dryRun = operation.effect === 'write' ? takeDryRun(query) : false
  if (isProblem(dryRun)) return dryRun
  const strays = [...query.keys()].filter(
    (name) => !operation.takesQuery || Object.hasOwn(parameters, name),
  )
  if (strays.length > 0) return misplaced(strays, 'unknown query parameter')
  const body = operation.takesQuery ? {} : await readBody(incoming)
  if (isProblem(body)) return body
  const doubled = operation.pathParameters.filter((name) => Object.hasOwn(body, name))
  if (doubled.length > 0) return misplaced(doubled, 'must not be in the body: the path contains it')
  for (const [name, value] of Object.entries(parameters)) query.set(name, [value])
  const value = { ...body, ...operation.readTexts(query) }
  const parsed = parseInput(operation.input, value)
  return parsed.ok ? { input: parsed.input, dryRun, text: JSON.stringify(value) } : parsed.problem
}

function textsOf(target: string): Map<string, string[]> {
  const mark = target.indexOf('?')
  const texts = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1))) {
    const known = texts.get(name)
    if (known === undefined) texts.set(name, [value])
    else known.push(value)
  }
  return texts
}

function takeDryRun(query: Map<string, string[]>): boolean | Problem {
  const [value = 'false', ...more] = query.get('dry_run') ?? []
  query.delete('dry_run')
  return (value === 'true' || value === 'false') && more.length === 0
    ? value === 'true'
    : invalid([
        { pointer: '/dry_run', code: 'invalid_value', message: 'must be true or false, sent once' },
      ])
}

const misplaced = (names: readonly string[], message: string): Problem =>
  invalid(names.map((name) => ({ pointer: pointerTo([name]), code: 'unknown_member', message })))

async function readBody(incoming: Incoming): Promise<Members | Problem> {
  // An operation whose input is only its path may be called without a body.
  if (incoming.header('content-type') === null)
    return (await incoming.body(0)) === null ? problemOf(NOT_JSON) : {}
  const read = await readText(incoming, JSON_BODY)
  if (!read.ok) return problemOf(read)
  if (read.text === '') return {}
  const parsed = parseStrictJson(read.text)
  if (!parsed.ok) return refuseWith('invalid_request', parsed.description)
  return isObject(parsed.value)
    ? parsed.value
    : refuseWith('invalid_request', 'the body must be one JSON object')
}

const NOT_JSON: Failure = {
  ok: false,
  status: 415,
  description: `send Content-Type: ${JSON_BODY.mediaType}`,
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
