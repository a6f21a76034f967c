import type { RefusalNotice } from 'hallpass'
import { explainRefusal } from 'hallpass/clients'
import type { LimitedEndpoint } from '../platform/limited.js'
import { requestIdNow } from '../platform/requests.js'

/** Why requests to the demo were refused. For those who sent them, so that they learn from it. */
export interface Reasons {
  /** Keeps the reason of a refusal. */
  readonly note: (notice: RefusalNotice<string>) => void
  /** Returns the same endpoint, and keeps the reasons of what it redirects with an error. */
  readonly watch: (endpoint: LimitedEndpoint) => LimitedEndpoint
  /** Responds with the reason of a request, or 404. */
  readonly answer: (request: Request) => Response
}

const MAX_REASONS = 2000

/**
 * Keeps the last reasons in memory. Their keys cannot be guessed: the identifier of a request, which only its response
 * contains, and the address of a redirect, which contains its `state`.
 */
export function createReasons(): Reasons {
  const reasons = new Map<string, Pick<RefusalNotice<string>, 'error' | 'reason'>>()
  const keep = (
    key: string,
    { error, reason }: Pick<RefusalNotice<string>, 'error' | 'reason'>,
  ): void => {
    reasons.delete(key)
    reasons.set(key, { error, reason })
    const [oldest] = reasons.keys()
    if (reasons.size > MAX_REASONS && oldest !== undefined) reasons.delete(oldest)
  }
  return {
    note(notice) {
      if (notice.requestId !== null) keep(notice.requestId, notice)
    },
    watch: (endpoint) => async (request, context) => {
      const response = await endpoint(request, context)
      const known = reasons.get(requestIdNow() ?? '')
      const location = response.headers.get('location')
      if (known !== undefined && location !== null) keep(location, known)
      return response
    },
    answer(request) {
      const known = reasons.get(new URL(request.url).searchParams.get('of') ?? '')
      return Response.json(
        known === undefined ? null : { ...known, ...explainRefusal<string>(known) },
        {
          status: known === undefined ? 404 : 200,
          headers: {
            'access-control-allow-origin': '*',
            'cache-control': 'no-store',
            'x-content-type-options': 'nosniff',
          },
        },
      )
    },
  }
}
