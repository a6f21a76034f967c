import { newRequestId } from '../http/context.js'
import { type Outgoing, responseFrom } from '../http/exchange.js'
import { failureOf, OPEN_HEADERS } from '../http/frame.js'
import { failureBody, json } from '../http/respond.js'
import type { Access } from '../policy/bearer.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import { authorizeBearer, challengeFor } from './gate.js'

/** What a gate reads of a request: a `Request` will do, and so will `{ headers: req }` in Express. */
export interface GateRequest {
  readonly headers: {
    /** The value of a header; nothing where there is none. */
    readonly get: (name: string) => string | null | undefined
  }
}

/** A gate in front of one operation: what the request may do, or the answer that refuses it. */
export type Gate<Scope extends string = string> = (
  request: GateRequest,
) => Promise<Access<Scope> | Response>

/** A school's API behind access tokens. */
export interface ProtectedResource<Scope extends string = string> {
  /**
   * The gate of an operation.
   *
   * @param scopes - every scope the operation needs; none = any valid token
   * @throws TypeError - for a scope that is not in the registry
   */
  gate(...scopes: readonly Scope[]): Gate<Scope>
}

/**
 * Guards the operations of an existing API:
 *
 * ```ts
 * const readsCourses = createProtectedResource(site).gate('courses:read')
 *
 * async function listCourses(request: Request): Promise<Response> {
 *   const access = await readsCourses(request)
 *   if (access instanceof Response) return access
 *   return Response.json(await coursesOf(access.person))
 * }
 * ```
 *
 * A refused request gets 401 or 403 with the challenge that leads a client to sign in; when the store
 * is down it gets 503. It is never let through as anonymous.
 *
 * @throws OptionsError - for a site that `defineSite` did not make
 * @see RFC 6750; RFC 9728 §5.1
 */
export function createProtectedResource<Scope extends string>(
  site: Site<Scope>,
): ProtectedResource<Scope> {
  checkOwnOptions('protected resource', site, {}, {})

  return {
    gate(...required) {
      const strangers = required.filter((scope) => site.scopes.get(scope) === undefined)
      if (strangers.length > 0)
        throw new TypeError(`gate: "${strangers.join('", "')}" is not in the scope registry`)
      return async (request) => {
        try {
          const decided = await authorizeBearer(site, {
            authorization: request.headers.get('authorization') ?? null,
            required,
          })
          // The client's cap is of the registry's scopes, and what those imply is too.
          if (decided.ok) return decided.access as Access<Scope>
          const requestId = newRequestId(site)
          site.notifyRefusal('gate', decided, { requestId })
          return answerOf(challengeFor(decided, site), requestId)
        } catch (fault) {
          const requestId = newRequestId(site)
          site.notifyFault('gate', fault, requestId)
          const failure = failureOf(fault)
          return answerOf(json(failure.status, failureBody(failure), failure.headers), requestId)
        }
      }
    },
  }
}

const answerOf = ({ headers, ...answer }: Outgoing, requestId: string): Response =>
  responseFrom({ ...answer, headers: [...headers, ...OPEN_HEADERS, 'x-request-id', requestId] })
