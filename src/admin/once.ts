import { sha256Base64url } from '../encoding/hash.js'
import type { Access } from '../policy/bearer.js'
import { isNotAfter } from '../time/seconds.js'
import type { Answer } from './answers.js'
import type { AdminApiConfiguration } from './configuration.js'
import type { IdempotencyState } from './idempotency.js'
import { type Problem, refuseWith } from './problem.js'
import type { RegisteredOperation } from './operation.js'

const IDEMPOTENCY_SECONDS = 24 * 3600
/** No request runs for this long, so the process of one that has no response by then has ended. */
const LONGEST_RUN_SECONDS = 120
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** The outcome of a request. */
export interface Outcome {
  readonly answer: Answer
  /**
   * `true`: the response is stored and replayed for this key. `false` for 429, and for a 5xx raised
   * before the operation completed: the key is released, so a retry can succeed.
   */
  readonly isFinal: boolean
}

/** A request with an idempotency key. */
interface KeyedRequest {
  /** `Idempotency-Key` as received. */
  readonly key: string
  readonly requestId: string
  readonly operation: RegisteredOperation
  readonly access: Access
  /** The complete input as text. */
  readonly requestText: string
  /** Never rejects. */
  readonly run: () => Promise<Outcome>
}

/**
 * Runs a request with an idempotency key at most once. A repetition receives the stored response. Keys are
 * scoped to one person and one client.
 *
 * If the process ends during the request, no one knows whether the operation took effect. The request is not
 * run again: for two minutes a repetition has to wait, and from then on the client has to look.
 *
 * @returns the response, or a problem if nothing was run and no response is stored
 * @see [The Idempotency-Key HTTP header field](https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/)
 */
export async function once(
  {
    idempotency,
    now,
    notifyFault,
  }: Pick<AdminApiConfiguration, 'idempotency' | 'now' | 'notifyFault'>,
  { key, requestId, operation, access, requestText, run }: KeyedRequest,
): Promise<Answer | Problem> {
  if (!IDEMPOTENCY_KEY.test(key))
    return refuseWith(
      'invalid_request',
      'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces',
    )
  const owner = [access.client.clientId, access.person.subject]
  const keyHash = sha256Base64url(JSON.stringify([...owner, key]))
  const requestHash = sha256Base64url(`${operation.id} ${requestText}`)
  const at = now()
  const expiresAt = at + IDEMPOTENCY_SECONDS
  const known = await idempotency.begin({ keyHash, requestHash, now: at, expiresAt })
  if (known.state !== 'new') return answerOfKey(known, requestHash, at)

  const { answer, isFinal } = await run()
  try {
    await (isFinal ? idempotency.finish({ keyHash, answer }) : idempotency.abandon(keyHash))
  } catch (fault) {
    // The operation has completed. The key remains reserved, so no retry runs it again.
    notifyFault('admin', fault, requestId)
  }
  return answer
}

function answerOfKey(
  known: Exclude<IdempotencyState, { state: 'new' }>,
  requestHash: string,
  at: number,
): Answer | Problem {
  if (known.requestHash !== requestHash)
    return refuseWith(
      'idempotency_key_reused',
      'this Idempotency-Key was used for another request: send a new key',
    )
  if (known.state === 'done') return known.answer
  const startedAt = known.expiresAt - IDEMPOTENCY_SECONDS
  return isNotAfter(at, startedAt + LONGEST_RUN_SECONDS)
    ? refuseWith(
        'idempotency_key_running',
        'the first request with this Idempotency-Key is still running: retry it shortly',
      )
    : refuseWith(
        'idempotency_key_lost',
        'the first request with this Idempotency-Key ended without a response: read whether it took effect, and if it did not, send it with a new key',
      )
}
