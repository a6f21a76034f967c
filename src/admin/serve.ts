import { isKnownVersion } from '../http/entity-tag.js'
import type { HeaderList, Incoming } from '../http/exchange.js'
import { type Answer, emptyAnswer, jsonAnswer } from './answers.js'
import type { AdminApiConfiguration } from './configuration.js'
import { isParsedPage } from './list.js'
import { once, type Outcome } from './once.js'
import {
  etagOf,
  NO_PRECONDITION,
  parsePrecondition,
  type TrackedPrecondition,
} from './precondition.js'
import { isProblem, type Problem, PROBLEMS, refuseWith } from './problem.js'
import { type ReadInput, readInput } from './read-input.js'
import { answerThrown, deny, type OperationCall, tell } from './refusals.js'
import type { RegisteredOperation } from './operation.js'

/** A call of an operation by an HTTP request. */
export interface OperationRequest extends OperationCall {
  readonly incoming: Incoming
  readonly parameters: Readonly<Record<string, string>>
}

/** Reads the input of a request, runs its operation and returns the response. */
export async function serve(
  configuration: AdminApiConfiguration,
  request: OperationRequest,
): Promise<Answer> {
  const { incoming, operation } = request
  const read = await readInput(request)
  if (isProblem(read)) return deny(configuration, request, read)
  const precondition = preconditionOf(operation, incoming.header('if-match'))
  if (isProblem(precondition)) return deny(configuration, request, precondition)
  const run = (): Promise<Outcome> => perform(configuration, request, { read, precondition })
  const key =
    operation.method === 'POST' && !read.dryRun ? incoming.header('idempotency-key') : null
  if (key === null) return (await run()).answer
  const answered = await once(configuration, { ...request, key, requestText: read.text, run })
  return isProblem(answered) ? deny(configuration, request, answered) : answered
}

/** Returns the precondition of a call, or the problem if `If-Match` is missing, invalid or unsupported. */
export function preconditionOf(
  { precondition, effect }: RegisteredOperation,
  ifMatch: string | null,
): TrackedPrecondition | Problem {
  if (ifMatch === null)
    return precondition === 'required'
      ? refuseWith('precondition_required', 'If-Match is required: send the ETag that you read')
      : NO_PRECONDITION
  if (effect === 'read') return NO_PRECONDITION
  // A client that sends the header relies on it, so it is never ignored (RFC 9110, section 13.1.1).
  return precondition === undefined
    ? refuseWith(
        'invalid_request',
        'this operation does not support If-Match: send the request without it',
      )
    : parsePrecondition(ifMatch)
}

async function perform(
  configuration: AdminApiConfiguration,
  request: OperationRequest,
  { read, precondition }: { read: ReadInput; precondition: TrackedPrecondition },
): Promise<Outcome> {
  const { operation, access, requestId } = request
  const { input, dryRun } = read
  let isDone = false
  try {
    const now = configuration.now()
    const result = await operation.run({ access, dryRun, precondition, requestId, now }, input)
    if (isProblem(result)) return refusedOutcome(deny(configuration, request, result))
    isDone = true
    const output = settle(configuration, request, { result, dryRun, precondition })
    return { answer: success(configuration, request, { output, dryRun }), isFinal: true }
  } catch (fault) {
    // If the operation completed before the fault, a retry must not run it again.
    return { answer: answerThrown(configuration, request, fault), isFinal: isDone }
  }
}

const refusedOutcome = (answer: Answer): Outcome => ({
  answer,
  isFinal: answer.status < 500 && answer.status !== PROBLEMS.rate_limited.status,
})

function success(
  { resource }: AdminApiConfiguration,
  { incoming, operation }: OperationRequest,
  { output, dryRun }: { output: unknown; dryRun: boolean },
): Answer {
  const { status = 200, method, isList = false } = operation
  if (status === 204 && !dryRun) return emptyAnswer(status)
  if (dryRun) return jsonAnswer(200, { would_change: output ?? null })
  if (isList) return jsonAnswer(status, output, linkOf(resource.canonical, incoming, output))
  const etag = etagOf(output)
  const isKnown =
    method === 'GET' && isKnownVersion({ ifNoneMatch: incoming.header('if-none-match'), etag })
  return isKnown ? emptyAnswer(304, ['etag', etag]) : jsonAnswer(status, output, ['etag', etag])
}

/**
 * Reports a completed operation to `onEvent` and returns its output for the caller.
 *
 * @throws Error if the operation did not check its precondition, or if its result does not match its schema
 */
export function settle(
  configuration: AdminApiConfiguration,
  call: OperationCall,
  done: { result: unknown; dryRun: boolean; precondition: TrackedPrecondition },
): unknown {
  const { operation } = call
  const { result, dryRun, precondition } = done
  if (precondition.isIgnored()) throw new Error(`${operation.id} did not call precondition.check`)
  if (operation.effect === 'write' && !dryRun)
    tell(configuration, call, { type: 'api.write', reason: null })
  if (operation.status === 204 && !dryRun) return null
  // Parsing removes members that the output schema does not have.
  return isParsedPage(result) ? result : operation.output.parse(result)
}

/** Returns the `Link` header with the URL of the next page (RFC 8288). */
function linkOf(origin: string, { target }: Incoming, output: unknown): HeaderList {
  const { next_cursor: next } = (output as { page: { next_cursor: string | null } }).page
  if (next === null) return []
  const { pathname, search } = new URL(origin + target)
  // Changing `searchParams` of the URL would parse and serialize the whole URL again.
  const query = new URLSearchParams(search)
  query.set('cursor', next)
  return ['link', `<${origin}${pathname}?${query}>; rel="next"`]
}
