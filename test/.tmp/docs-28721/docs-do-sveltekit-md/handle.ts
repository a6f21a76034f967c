// handle.ts
import type { AuthorizationServer } from 'hallpass'
import { routesOf } from 'hallpass/authorization-server'

const INTERACTION = '/oauth/interaction/'
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i

/** The `handle` hook: serves the paths of hallpass, and checks the forms of all others. */
export function createHandle(server: AuthorizationServer) {
  const endpoints = new Map(routesOf(server))
  return async <Event extends { readonly request: Request; readonly url: URL }>({
    event,
    resolve,
  }: {
    event: Event
    resolve: (event: Event) => Response | Promise<Response>
  }): Promise<Response> => {
    const { request, url } = event
    const path = url.pathname.startsWith(INTERACTION) ? `${INTERACTION}:id` : url.pathname
    const endpoint = endpoints.get(path)
    if (endpoint !== undefined) return endpoint(request)
    const isForm = FORM.test(request.headers.get('content-type') ?? '')
    if (isForm && request.headers.get('origin') !== url.origin)
      return new Response('Forbidden', { status: 403 })
    return resolve(event)
  }
}
