import { sha256Base64url } from '../encoding/hash.js'
import type { Access } from '../policy/bearer.js'
import type { Answer } from './answers.js'
import type { AdminApiConfiguration } from './configuration.js'
import type { IdempotencyState } from './idempotency.js'
import { type Problem, refuseWith } from './problem.js'
import type { RegisteredOperation } from './operation.js'

const IDEMPOTENCY_SECONDS = 24 * 3600
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** What came of a request. */
export interface Outcome {
  readonly answer: Answer
  /** Whoever asks again gets the same. Not so where nothing came of it that another try could not mend. */
  readonly isFinal: boolean
}

/** A request that has a key. */
interface KeyedRequest {
  /** `Idempotency-Key` as received. */
  readonly key: string
  readonly requestId: string
  readonly operation: RegisteredOperation
  readonly access: Access
  /** The whole input as text. */
  readonly requestText: string
  /** Never rejects. */
  readonly run: () => Promise<Outcome>
}

/**
 * Runs a request that has a key at most once: whoever sends it again gets the first answer. A key is one
 * person's, through one client.
 *
 * @returns the answer; or a problem, where nothing was run and no earlier answer is there
 * @see draft-ietf-httpapi-idempotency-key-header-07 §2
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
    return refuseWith('invalid_request', 'Idempotency-Key may have 255 printable characters')
  const owner = [access.client.clientId, access.person.subject]
  const keyHash = sha256Base64url(JSON.stringify([...owner, key]))
  const requestHash = sha256Base64url(`${operation.id} ${requestText}`)
  const at = now()
  const expiresAt = at + IDEMPOTENCY_SECONDS
  const known = await idempotency.begin({ keyHash, requestHash, now: at, expiresAt })
  if (known.state !== 'new') return answerOfKey(known, requestHash)

  const { answer, isFinal } = await run()
  try {
    await (isFinal ? idempotency.finish({ keyHash, answer }) : idempotency.abandon(keyHash))
  } catch (fault) {
    // What is done is done. The key stays taken, so nobody does it twice.
    notifyFault('admin', fault, requestId)
  }
  return answer
}

function answerOfKey(
  known: Exclude<IdempotencyState, { state: 'new' }>,
  requestHash: string,
): Answer | Problem {
  if (known.requestHash !== requestHash)
    return refuseWith('idempotency_key_reused', 'use a new key for another request')
  return known.state === 'done'
    ? known.answer
    : refuseWith('idempotency_key_running', 'ask again shortly')
}
