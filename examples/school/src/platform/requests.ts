import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { describeFault, type Log } from './hooks.js'

/** A request as it arrives, before any route. */
interface ArrivedRequest {
  readonly method: string
  /** Path and query as received. */
  readonly target: string
  /** Whether the client has disconnected. */
  readonly isGone: () => boolean
}

/** A request that is handled. Created by {@link Requests.begin}. */
interface HandledRequest {
  /** Identifier in the `x-request-id` header, and in every line of the log about this request. */
  readonly id: string
  /** Runs the handling of the request. What it logs, also later, has the identifier. */
  readonly run: <Result>(handle: () => Result) => Result
  /** Logs the end. `status`: that of the response, or `null` if the client disconnected before its end. */
  readonly end: (status: number | null) => void
}

/** The requests of one site, for a framework. */
export interface Requests {
  readonly begin: (arrived: ArrivedRequest) => HandledRequest
  /** Logs an exception that no endpoint handled, unless the client of the current request has disconnected. */
  readonly fault: (thrown: unknown) => void
}

interface Current {
  readonly id: string
  readonly isGone: () => boolean
}

const current = new AsyncLocalStorage<Current>()

/** Returns the identifier of the request that is being handled, or `null` outside of one. */
export const requestIdNow = (): string | null => current.getStore()?.id ?? null

/** Makes an identifier for a request. */
export const newRequestId = (): string => `req_${randomBytes(12).toString('base64url')}`

/** Adds the identifier of the current request to each entry of a log. */
export const withRequestId =
  (log: Log): Log =>
  (entry) => {
    const requestId = requestIdNow()
    log(requestId === null ? entry : { ...entry, requestId })
  }

/** Creates the log of the requests of one site. */
export function createRequests({ site, log }: { site: string; log: Log }): Requests {
  return {
    begin({ method, target, isGone }) {
      const id = newRequestId()
      const since = performance.now()
      return {
        id,
        run: (handle) => current.run({ id, isGone }, handle),
        end: (status) =>
          log({
            site,
            type: 'request',
            requestId: id,
            method,
            path: loggable(target),
            status,
            milliseconds: Math.round(performance.now() - since),
          }),
      }
    },
    fault(thrown) {
      if (current.getStore()?.isGone() !== true)
        log({ site, type: 'fault', endpoint: 'http', fault: describeFault(thrown) })
    },
  }
}

const MAX_PATH_LENGTH = 200

// Never the query, which may hold a code, and no segment that may be a token or the identifier of a sign-in.
const loggable = (target: string): string =>
  target
    .split('?', 1)[0]!
    .replaceAll(/[^/]{32,}/g, '…')
    .slice(0, MAX_PATH_LENGTH)
