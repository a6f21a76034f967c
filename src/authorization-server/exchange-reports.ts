import type { Context } from '../http/context.js'
import type { AuthenticatedClient } from '../policy/client-authentication.js'
import type { Refusal } from '../policy/decision.js'
import { hashToken } from '../token/opaque.js'
import { createHourlyThrottle, createWeeklyThrottle } from './throttle.js'
import type { Exchanged } from './exchanged.js'
import type { Failure } from '../http/frame.js'

/**
 * Creates the function that reports what only repetition shows: that a client keeps sending tokens of an ended grant,
 * or that refreshes of a grant are answered again and again. It returns the exchange, to be answered as it is.
 *
 * @param now - the clock, in epoch seconds
 */
export function createExchangeReports(
  now: () => number,
): (context: Context, client: AuthenticatedClient, exchanged: Exchanged) => Exchanged {
  const isDue = createHourlyThrottle(now)
  const isFrequent = createWeeklyThrottle(now)
  return (context, { clientId }, exchanged) => {
    if (!exchanged.ok) {
      if (!isAfterEnd(exchanged)) return exchanged
      if (!isDue(clientId)) return { ...exchanged, isReported: true }
      const { reason } = exchanged
      context.notifyEvent({ type: 'oauth.grant.used_after_end', at: now(), clientId, reason })
    } else if (exchanged.again !== undefined) {
      const { grantId, subject } = exchanged.again
      const refresh = hashToken(exchanged.response.refresh_token!)
      if (isFrequent({ grantId, refresh }))
        context.notifyEvent({
          type: 'oauth.grant.reuse_frequent',
          at: now(),
          clientId,
          grantId,
          subject,
        })
    }
    return exchanged
  }
}

/** Whether a code or token was refused because its grant has ended. */
const isAfterEnd = (
  refused: Refusal | Failure,
): refused is Refusal<'grant_revoked' | 'grant_expired'> =>
  'reason' in refused && (refused.reason === 'grant_revoked' || refused.reason === 'grant_expired')
