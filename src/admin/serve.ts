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

/** The call of an operation as a request of its own. */
export interface OperationRequest extends OperationCall {
  readonly incoming: Incoming
  readonly parameters: Readonly<Record<string, string>>
}

/** Reads what a request asks for, does it and answers. */
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

/** What a caller believes an operation's object to be, from `If-Match`. */
export function preconditionOf(
  { precondition, effect }: RegisteredOperation,
  ifMatch: string | null,
): TrackedPrecondition | Problem {
  if (ifMatch === null)
    return precondition === 'required'
      ? refuseWith('precondition_required', 'send If-Match with the ETag of what you read')
      : NO_PRECONDITION
  if (effect === 'read') return NO_PRECONDITION
  // Whoever sends it relies on it (RFC 9110 §13.1.1).
  return precondition === undefined
    ? refuseWith('invalid_request', 'this operation does not know If-Match')
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
    // What was done before the fault is not done again by whoever tries again.
    return { answer: answerThrown(configuration, requestId, fault), isFinal: isDone }
  }
}

const refusedOutcome = (answer: Answer): Outcome => ({
  answer,
  isFinal: answer.status < 500 && answer.status !== PROBLEMS.rate_limited.status,
})

function success(
  { issuer }: AdminApiConfiguration,
  { incoming, operation }: OperationRequest,
  { output, dryRun }: { output: unknown; dryRun: boolean },
): Answer {
  const { status = 200, method, isList = false } = operation
  if (status === 204 && !dryRun) return emptyAnswer(status)
  if (dryRun) return jsonAnswer(200, { would_change: output ?? null })
  if (isList) return jsonAnswer(status, output, linkOf(issuer, incoming, output))
  const etag = etagOf(output)
  const isKnown =
    method === 'GET' && isKnownVersion({ ifNoneMatch: incoming.header('if-none-match'), etag })
  return isKnown ? emptyAnswer(304, ['etag', etag]) : jsonAnswer(status, output, ['etag', etag])
}

/**
 * Tells of what was done and answers what the caller reads of it.
 *
 * @throws Error - where the operation did not ask its precondition, or answered something else than its
 *   schema says
 */
export function settle(
  configuration: AdminApiConfiguration,
  call: OperationCall,
  done: { result: unknown; dryRun: boolean; precondition: TrackedPrecondition },
): unknown {
  const { operation } = call
  const { result, dryRun, precondition } = done
  if (precondition.isIgnored()) throw new Error(`${operation.id} did not ask its precondition`)
  if (operation.effect === 'write' && !dryRun)
    tell(configuration, call, { type: 'api.write', reason: null })
  if (operation.status === 204 && !dryRun) return null
  // Members that the schema does not have stay here.
  return isParsedPage(result) ? result : operation.output.parse(result)
}

/** The next page's address (RFC 8288). */
function linkOf(issuer: string, { target }: Incoming, output: unknown): HeaderList {
  const { next_cursor: next } = (output as { page: { next_cursor: string | null } }).page
  if (next === null) return []
  const { pathname, search } = new URL(issuer + target)
  // Not the URL's own `searchParams`: a change to those has all of it parsed and put together again.
  const query = new URLSearchParams(search)
  query.set('cursor', next)
  return ['link', `<${issuer}${pathname}?${query}>; rel="next"`]
}
