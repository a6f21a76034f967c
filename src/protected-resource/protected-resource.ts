import { newRequestId } from '../http/context.js'
import { type Outgoing, responseFrom } from '../http/exchange.js'
import { failureOf, OPEN_HEADERS } from '../http/frame.js'
import { failureBody, json } from '../http/respond.js'
import type { Access } from '../policy/bearer.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import { authorizeBearer, challengeFor } from './gate.js'

/**
 * An API that accepts the access tokens of its site. Created by {@link createProtectedResource}.
 *
 * @group Gates
 */
export interface ProtectedResource<Scope extends string = string> {
  /**
   * Creates the gate of an operation: a function that checks the access token of one request. It needs only the headers
   * of the request: a `Request` of the Fetch API has them, and `{ headers: req }` makes them of an Express request. It
   * resolves to the access that the token gives, or to the response that refuses the request. That is 401, 403 or 400
   * with a challenge, or 503 if the store is unavailable.
   *
   * With `dpop` it also reads the method and the URL, of which the origin does not matter: a `Request` has
   * both, and of an Express request they are `{ headers: req, method: req.method, url: req.originalUrl }`.
   *
   * @param scopes - every scope that the operation needs; without any, each valid token is accepted
   * @throws TypeError if a scope is not in the registry
   */
  gate(...scopes: readonly Scope[]): (request: {
    readonly headers: {
      /** Returns the value of a header; `null` or `undefined` if the request has none. */
      readonly get: (name: string) => string | null | undefined
    }
    readonly method?: string
    readonly url?: string
  }) => Promise<Access<Scope> | Response>
}

/**
 * Creates the gates that protect your own API. A gate checks the access token, the client, the person and
 * the scopes, and returns either the access or the response to send.
 *
 * A refused request gets 401 or 403 with a challenge, with which a client can start to sign in. If the
 * store is unavailable it gets 503. A request never passes a gate as anonymous.
 *
 * @returns a protected resource, which creates one gate for each operation
 * @throws OptionsError if the site was not created by `defineSite`
 * @see [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750#section-3)
 * @see [RFC 9728, section 5.1](https://www.rfc-editor.org/rfc/rfc9728#section-5.1)
 * @group Gates
 * @example
 * ```ts
 * import { createProtectedResource } from 'hallpass'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site, tokenFor } = testSite()
 * const readsCourses = createProtectedResource(site).gate('courses:read')
 * const listCourses = async (request: Request) => {
 *   const access = await readsCourses(request)
 *   return access instanceof Response ? access : Response.json({ for: access.person.subject })
 * }
 *
 * const headers = { authorization: `Bearer ${await tokenFor({ roles: ['owner'] }, 'courses:read')}` }
 * const allowed = await listCourses(new Request('https://school.example/courses', { headers }))
 * await allowed.json() // => { for: 'per_test' }
 * const refused = await listCourses(new Request('https://school.example/courses'))
 * refused.status // => 401
 * ```
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
        const header = (name: string): string | null => request.headers.get(name) ?? null
        const authorization = header('authorization')
        try {
          const { method, url: target } = request
          const provable =
            method && target
              ? { method, target, header, request: () => request as Request }
              : undefined
          const asked = { authorization, required, request: provable }
          const decided = await authorizeBearer(site, asked)
          // The cap of a client contains only scopes of the registry, and so do the scopes that they imply.
          if (decided.ok) return decided.access as Access<Scope>
          const requestId = newRequestId(site, header)
          site.notifyRefusal('gate', decided, { requestId })
          const refused = challengeFor(decided, { ...site, authorization })
          const headers = refused.headers.concat(decided.headers ?? [], OPEN_HEADERS)
          const all = site.senderConstraint?.respond(provable, headers) ?? headers
          return answerOf({ ...refused, headers: all }, requestId)
        } catch (fault) {
          const requestId = newRequestId(site, header)
          site.notifyFault('gate', fault, requestId)
          const failure = failureOf(fault, { header })
          const headers = OPEN_HEADERS.concat(failure.headers ?? [])
          return answerOf(json(failure.status, failureBody(failure), headers), requestId)
        }
      }
    },
  }
}

const answerOf = ({ headers, ...answer }: Outgoing, requestId: string): Response =>
  responseFrom({ ...answer, headers: [...headers, 'x-request-id', requestId] })
