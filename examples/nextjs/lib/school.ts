import type { RequestContext, Schools, SchoolSite } from '@hallpass/example-school'
import { watchBody } from '#lib/bodies'

type Served = Schools & { readonly byHost: ReadonlyMap<string, SchoolSite> }

// Next.js bundles each route separately, with a copy of this module, so shared state is global.
const shared = globalThis as typeof globalThis & { hallpassSchools?: Served }

/**
 * Sets the schools to serve, each under the host of its origin.
 *
 * @throws Error if two origins have the same host
 */
export function setSchools(schools: Schools): void {
  const byHost = new Map(schools.sites.map((site) => [new URL(site.origin).host, site]))
  if (byHost.size < schools.sites.length)
    throw new Error('LANTERN_ORIGIN and KILN_ORIGIN name the same host: each school needs its own.')
  shared.hallpassSchools = { ...schools, byHost }
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** An endpoint or a page. It returns `null` if nothing is found at this path. */
type Answer = (
  request: Request,
  context: RequestContext,
) => Response | null | Promise<Response | null>

/**
 * Returns the route handlers of a path, one for each method. The school that `Host` names responds, and
 * decides about the method as well.
 *
 * @param pick - returns the endpoint or the page of a school for this path
 * @param options - `isCounted`: whether the rate limit of an address applies. Default: `true`
 */
export function at(
  pick: (site: SchoolSite) => Answer,
  { isCounted = true }: { isCounted?: boolean } = {},
): Readonly<Record<Method, (request: Request) => Promise<Response>>> {
  const handler = async (received: Request): Promise<Response> => {
    const host = received.headers.get('host')?.toLowerCase() ?? ''
    const site = shared.hallpassSchools?.byHost.get(host)
    if (site === undefined) return misdirected()
    const respond = async (request: Request): Promise<Response> => {
      const address = addressOf(request)
      const seconds = isCounted ? await site.ofSender({ address, headers: request.headers }) : 0
      if (seconds > 0) return site.busy(request, seconds)
      return (await pick(site)(request, { address })) ?? site.notFound(request)
    }
    return isCounted ? logged(site, received, respond) : respond(received)
  }
  return {
    GET: handler,
    HEAD: handler,
    POST: handler,
    PUT: handler,
    PATCH: handler,
    DELETE: handler,
    OPTIONS: handler,
  }
}

/** Gives a request its identifier, and logs its status and duration. An exception is a 500 response. */
async function logged(
  site: SchoolSite,
  received: Request,
  respond: (request: Request) => Promise<Response>,
): Promise<Response> {
  const { method, signal } = received
  const target = new URL(received.url).pathname
  const { request, isAbandoned } = watchBody(received)
  const { id, run, end } = site.requests.begin({ method, target, isGone: () => signal.aborted })
  return run(async () => {
    const response = await respond(request).catch((error: unknown) => {
      site.requests.fault(error)
      return site.failed(request, 500)
    })
    const { status, body } = response
    end(signal.aborted ? null : status)
    const headers = new Headers(response.headers)
    headers.set('x-request-id', id)
    if (isAbandoned()) headers.set('connection', 'close')
    return new Response(body, { status, headers })
  })
}

const misdirected = (): Response =>
  new Response('No school on this server has this host name.\n', {
    status: 421,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })

// The nearest server adds the last entry. A client may have sent the entries before it.
const addressOf = (request: Request): string | null =>
  request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? null
