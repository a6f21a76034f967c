import type { HeaderList, Incoming } from '../http/exchange.js'
import { type ErrorFormat, type Failure, failureOf } from '../http/frame.js'
import { describe } from '../http/respond.js'
import type { Access, AccessRefusal } from '../policy/bearer.js'
import { refuse } from '../policy/decision.js'
import { challengeOf } from '../protected-resource/gate.js'
import type { SiteEvent } from '../site/events.js'
import type { Site } from '../site/site.js'
import { type Answer, problemAnswer } from './answers.js'
import type { AdminApiConfiguration } from './configuration.js'
import { type Problem, type ProblemCode, refuseWith } from './problem.js'
import type { RegisteredOperation } from './operation.js'

/** A call of an operation by a caller whose token has the scope. */
export interface OperationCall {
  readonly requestId: string
  readonly operation: RegisteredOperation
  readonly access: Access
}

type Challenger = Pick<Site, 'resource' | 'senderConstraint'>

/** How the admin API reports refusals and failures: as problems (RFC 9457). */
export const adminErrors = (site: Challenger): ErrorFormat<AccessRefusal> => ({
  refusal(refusal, { incoming, requestId }) {
    const { reason, error } = refusal
    if (reason === 'scope_beyond_role')
      return problemAnswer(forbiddenRole(), { requestId, headers: bare(site, incoming) })
    const code = error === 'insufficient_scope' ? error : 'invalid_token'
    const description = describe(refusal)
    return problemAnswer(refuseWith(code, description), {
      requestId,
      headers: [
        'www-authenticate',
        challengeOf(refusal, { ...site, authorization: incoming.header('authorization') }),
      ],
      // For clients that read every refusal of a token in the form of RFC 6749, section 5.2.
      members: { error, error_description: description },
    })
  },
  failure: (failure, { requestId }) => problemAnswer(problemOf(failure), { requestId }),
})

/** Returns the problem for an HTTP failure. */
export function problemOf({ status, description }: Failure): Problem {
  const code = CODE[status]
  // The cause of an internal failure is not disclosed.
  return status < 500 ? refuseWith(code, description) : refuseWith(code)
}

const CODE: Readonly<Record<Failure['status'], ProblemCode>> = {
  400: 'invalid_request',
  403: 'invalid_request',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  500: 'internal',
  503: 'unavailable',
}

/**
 * Returns the problem for a person whose roles do not allow the operation, whatever scopes the token
 * has.
 */
export const forbiddenRole = (): Problem =>
  refuseWith('forbidden_role', "the person's role does not allow this operation")

// More scopes would not help, so the challenge names none, and no error.
const bare = (site: Challenger, incoming: Incoming): HeaderList => [
  'www-authenticate',
  challengeOf(NO_TOKEN, { ...site, authorization: incoming.header('authorization') }),
]
const NO_TOKEN = refuse('invalid_token', 'access_token_missing')

/** Reports a refusal to `onEvent` and returns its response. */
export function deny(
  configuration: AdminApiConfiguration,
  call: OperationCall & { readonly incoming: Incoming },
  problem: Problem,
  headers: HeaderList = [],
): Answer {
  const { code } = problem
  tell(configuration, call, { type: 'api.denied', reason: code })
  const more = code === 'forbidden_role' ? bare(configuration, call.incoming) : waitFor(code)
  return problemAnswer(problem, { requestId: call.requestId, headers: [...more, ...headers] })
}

const WAIT_SECONDS: Readonly<Partial<Record<ProblemCode, string>>> = {
  idempotency_key_running: '1',
  unavailable: '5',
}

function waitFor(code: ProblemCode): HeaderList {
  const seconds = WAIT_SECONDS[code]
  return seconds === undefined ? [] : ['retry-after', seconds]
}

/** Reports a completed or refused operation to `onEvent`. */
export function tell(
  { onEvent, now }: AdminApiConfiguration,
  { requestId, operation, access }: OperationCall,
  what: Pick<Extract<SiteEvent, { operation: string }>, 'type' | 'reason'>,
): void {
  const { clientId } = access.client
  const { subject } = access.person
  onEvent({ ...what, at: now(), operation: operation.id, clientId, subject, requestId })
}

/** Reports an exception from an operation to `onFault` and returns its response, which can be stored. */
export function answerThrown(
  { notifyFault }: AdminApiConfiguration,
  { requestId, incoming }: { readonly requestId: string; readonly incoming: Incoming },
  fault: unknown,
): Answer {
  notifyFault('admin', fault, requestId)
  const failure = failureOf(fault, incoming)
  return problemAnswer(problemOf(failure), { requestId, headers: failure.headers ?? [] })
}
