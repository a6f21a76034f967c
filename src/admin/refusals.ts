import { answerFault, describe } from '../http/respond.js'
import { type Access, type AccessRefusal, bearerChallenge } from '../policy/bearer.js'
import { challengeFor, RESOURCE_METADATA_PATH } from '../protected-resource/gate.js'
import { type Answer, problemAnswer } from './answers.js'
import type { ApiEvent } from '../site/events.js'
import type { AdminApiConfiguration } from './configuration.js'
import { type Problem, type ProblemCode, refuseWith } from './problem.js'
import type { RegisteredOperation } from './operation.js'

/** A request that has come as far as its operation. */
export interface Errand {
  readonly requestId: string
  readonly operation: RegisteredOperation
}

/** An errand of somebody who is known. */
export interface KnownErrand extends Errand {
  readonly access: Access
}

/** The answer to a request whose token does not let it in. */
export function refuseAccess(
  configuration: AdminApiConfiguration,
  { requestId, operation }: Errand,
  refusal: AccessRefusal,
): Answer {
  const { issuer, notifyRefusal, onEvent, now } = configuration
  const { reason, error } = refusal
  const nobody = { clientId: null, subject: null }
  notifyRefusal('admin', refusal, { requestId })
  onEvent({ type: 'api.denied', at: now(), operation: operation.id, ...nobody, requestId, reason })
  if (reason === 'scope_beyond_role')
    return problemAnswer(forbiddenRole(), { requestId, headers: bare(issuer) })
  const challenge = challengeFor(refusal, { issuer }).headers['www-authenticate']
  const code = error === 'insufficient_scope' ? error : 'invalid_token'
  const description = describe(refusal)
  return problemAnswer(refuseWith(code, description), {
    requestId,
    headers: { 'www-authenticate': String(challenge) },
    // For those who read every refusal of a token as RFC 6749 §5.2 has it.
    members: { error, error_description: description },
  })
}

/** The problem of a person whose roles do not allow it, whatever scopes the token has. */
export const forbiddenRole = (): Problem =>
  refuseWith('forbidden_role', 'the role of this person does not allow it')

// Asking for a scope would not help, so the challenge names none.
const bare = (issuer: string): Record<string, string> => ({
  'www-authenticate': bearerChallenge({
    resourceMetadata: issuer + RESOURCE_METADATA_PATH,
    error: null,
  }),
})

/** Tells of a refusal and makes the answer. */
export function deny(
  configuration: AdminApiConfiguration,
  errand: KnownErrand,
  problem: Problem,
  headers: Answer['headers'] = {},
): Answer {
  const { code } = problem
  tell(configuration, errand, { type: 'api.denied', reason: code })
  const more = code === 'forbidden_role' ? bare(configuration.issuer) : waitFor(code)
  return problemAnswer(problem, { requestId: errand.requestId, headers: { ...more, ...headers } })
}

const WAIT_SECONDS: Readonly<Partial<Record<ProblemCode, string>>> = {
  idempotency_key_running: '1',
  unavailable: '5',
}

function waitFor(code: ProblemCode): Answer['headers'] {
  const seconds = WAIT_SECONDS[code]
  return seconds === undefined ? {} : { 'retry-after': seconds }
}

/** Tells of what somebody did, or was not let do. */
export function tell(
  { onEvent, now }: AdminApiConfiguration,
  { requestId, operation, access }: KnownErrand,
  what: Pick<ApiEvent, 'type' | 'reason'>,
): void {
  const { clientId } = access.client
  const { subject } = access.person
  onEvent({ ...what, at: now(), operation: operation.id, clientId, subject, requestId })
}

/** Tells of something thrown and makes the answer, which says no more than whether to try again. */
export function answerThrown(
  { notifyFault }: AdminApiConfiguration,
  requestId: string,
  fault: unknown,
): Answer {
  notifyFault('admin', fault, requestId)
  const code = answerFault(fault).status === 503 ? 'unavailable' : 'internal'
  return problemAnswer(refuseWith(code), { requestId, headers: waitFor(code) })
}
