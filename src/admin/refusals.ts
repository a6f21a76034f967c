import type { HeaderList } from '../http/exchange.js'
import { type ErrorFormat, type Failure, failureOf } from '../http/frame.js'
import { describe } from '../http/respond.js'
import { type Access, type AccessRefusal, bearerChallenge } from '../policy/bearer.js'
import { challengeOf, RESOURCE_METADATA_PATH } from '../protected-resource/gate.js'
import type { ApiEvent } from '../site/events.js'
import type { Site } from '../site/site.js'
import { type Answer, problemAnswer } from './answers.js'
import type { AdminApiConfiguration } from './configuration.js'
import { type Problem, type ProblemCode, refuseWith } from './problem.js'
import type { RegisteredOperation } from './operation.js'

/** An operation that somebody may try: the token's scope is there. */
export interface OperationCall {
  readonly requestId: string
  readonly operation: RegisteredOperation
  readonly access: Access
}

/** How the admin API says no: by problems (RFC 9457). */
export const adminErrors = ({ issuer }: Pick<Site, 'issuer'>): ErrorFormat<AccessRefusal> => ({
  refusal(refusal, { requestId }) {
    const { reason, error } = refusal
    if (reason === 'scope_beyond_role')
      return problemAnswer(forbiddenRole(), { requestId, headers: bare(issuer) })
    const code = error === 'insufficient_scope' ? error : 'invalid_token'
    const description = describe(refusal)
    return problemAnswer(refuseWith(code, description), {
      requestId,
      headers: ['www-authenticate', challengeOf(refusal, { issuer })],
      // For those who read every refusal of a token as RFC 6749 §5.2 has it.
      members: { error, error_description: description },
    })
  },
  failure: (failure, { requestId }) => problemAnswer(problemOf(failure), { requestId }),
})

/** A failure of HTTP as the problem it is here. */
export function problemOf({ status, description }: Failure): Problem {
  const code = CODE[status]
  // What happened inside is nobody's business.
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

/** The problem of a person whose roles do not allow it, whatever scopes the token has. */
export const forbiddenRole = (): Problem =>
  refuseWith('forbidden_role', 'the role of this person does not allow it')

// Asking for a scope would not help, so the challenge names none.
const bare = (issuer: string): HeaderList => [
  'www-authenticate',
  bearerChallenge({ resourceMetadata: issuer + RESOURCE_METADATA_PATH, error: null }),
]

/** Tells of a refusal and makes the answer. */
export function deny(
  configuration: AdminApiConfiguration,
  call: OperationCall,
  problem: Problem,
  headers: HeaderList = [],
): Answer {
  const { code } = problem
  tell(configuration, call, { type: 'api.denied', reason: code })
  const more = code === 'forbidden_role' ? bare(configuration.issuer) : waitFor(code)
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

/** Tells of what somebody did, or was not let do. */
export function tell(
  { onEvent, now }: AdminApiConfiguration,
  { requestId, operation, access }: OperationCall,
  what: Pick<ApiEvent, 'type' | 'reason'>,
): void {
  const { clientId } = access.client
  const { subject } = access.person
  onEvent({ ...what, at: now(), operation: operation.id, clientId, subject, requestId })
}

/** Tells of something that an operation threw and makes the answer, which can be kept. */
export function answerThrown(
  { notifyFault }: AdminApiConfiguration,
  requestId: string,
  fault: unknown,
): Answer {
  notifyFault('admin', fault, requestId)
  const failure = failureOf(fault)
  return problemAnswer(problemOf(failure), { requestId, headers: failure.headers ?? [] })
}
