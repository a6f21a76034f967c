import { AsyncLocalStorage } from 'node:async_hooks'
import { parseCookie, stringifySetCookie } from 'cookie'
import { networkOfAddress } from 'hallpass/node'
import { LOOPBACK_HOSTS } from 'hallpass/policy'
import type { LimitedEndpoint, LimitedServer } from '../platform/limited.js'
import type { RequestContext } from '../platform/request-context.js'
import { addAttempt, createWatches, isSecret, labelOf, newSecret, type Watch } from './watches.js'

/** The parameter of `/mcp` that says which page watches. */
export const LABEL_PARAMETER = 'watch'

/** A visitor of the page. */
export interface Watcher {
  readonly label: string
  /** The `Set-Cookie` value of the browser. */
  readonly cookie: string
  readonly watch: Watch
}

/** Finds out which attempts to connect are those of a visitor. */
export interface Live {
  /** Returns the same endpoints. What clients of visitors do there is noted. */
  readonly server: (server: LimitedServer) => LimitedServer
  /** Returns the same endpoint of `/mcp`. What clients of visitors do there is noted. */
  readonly mcp: (endpoint: LimitedEndpoint) => LimitedEndpoint
  /** Notes a step or a refusal within a request. */
  readonly note: (notice: { readonly at: number; readonly attemptId?: string }) => void
  /**
   * Returns the visitor of a request. `begins`: the page was opened, or the lines were run, so it waits from now on;
   * `anew`: and forgets what it has seen. `null`: it waits already.
   */
  readonly visit: (
    request: Request,
    context: RequestContext,
    options: { begins: 'again' | 'anew' | null },
  ) => Watcher
}

/** Addresses of this computer, as the network of an address names them. */
const isLoopback = (address: string | null): boolean =>
  address !== null && /^(?:::ffff:)?127\.|^::1$/.test(address)

const networkOf = ({ address }: RequestContext): string =>
  networkOfAddress(address ?? '') ?? 'unknown'

/**
 * Creates it for one site. A request belongs to a visitor by the cookie of the browser that shows the page, since the
 * client opens its authorization request there. Or it has the label in the address of `/mcp`, and comes from the network of
 * the page: the address may have been given to someone else. Or the school, the page and the client are on one computer. No other request is anyone's, so a visitor of a
 * hosted demo sees nothing of other networks, and of their own only what someone there runs with the visitor's address.
 *
 * @param options - `pages`: the origins of the demo, whose own pages are clients too. `attemptOf`: finds the attempt of
 *   an access token
 */
export function createLive({
  origin,
  site,
  pages,
  attemptOf,
  now,
}: {
  origin: string
  site: string
  pages: readonly string[]
  attemptOf: (token: string) => Promise<string | null>
  now: () => number
}): Live {
  const watches = createWatches({ now })
  const current = new AsyncLocalStorage<readonly Watch[]>()
  const secure = origin.startsWith('https://')
  const name = secure ? '__Host-connect' : `connect_${site}`
  const { host, hostname } = new URL(origin)
  const isLocalSchool = LOOPBACK_HOSTS.includes(hostname)
  // A tunnel to this computer has another host name.
  const isLocal = ({ headers }: Request, { address }: RequestContext): boolean =>
    isLocalSchool && isLoopback(address) && (headers.get('host') ?? host) === host

  const secretOf = (request: Request): string | null => {
    const value = parseCookie(request.headers.get('cookie') ?? '')[name]
    return isSecret(value) ? value : null
  }

  /** A page of the demo that is a client itself belongs to no visitor. */
  const isOfDemo = ({ headers }: Request): boolean =>
    headers.get('sec-fetch-site') === 'same-origin' || pages.includes(headers.get('origin') ?? '')

  function watchesOf(request: Request, context: RequestContext): readonly Watch[] {
    if (isOfDemo(request)) return []
    const label = new URL(request.url).searchParams.get(LABEL_PARAMETER)
    const secret = secretOf(request)
    const exact = watches.find(label ?? (secret === null ? null : labelOf(secret)))
    if (exact !== null && label !== null && exact.network !== networkOf(context)) return []
    if (exact !== null) return [exact]
    return label === null && isLocal(request, context) ? watches.local() : []
  }

  const watched =
    (endpoint: LimitedEndpoint, then?: (theirs: readonly Watch[]) => void): LimitedEndpoint =>
    (request, context) => {
      const theirs = watchesOf(request, context)
      if (theirs.length === 0) return endpoint(request, context)
      then?.(theirs)
      return current.run(theirs, () => endpoint(request, context))
    }

  function noteIn(theirs: readonly Watch[], change: (watch: Watch) => void): void {
    for (const watch of theirs) {
      change(watch)
      watch.changedAt = now()
    }
  }

  const discovery = (endpoint: LimitedEndpoint): LimitedEndpoint =>
    watched(endpoint, (theirs) => noteIn(theirs, (watch) => (watch.discovered = true)))

  return {
    server: (server) => ({
      ...server,
      protectedResourceMetadata: discovery(server.protectedResourceMetadata),
      mcpResourceMetadata: discovery(server.mcpResourceMetadata),
      signedInResourceMetadata: discovery(server.signedInResourceMetadata),
      memberResourceMetadata: discovery(server.memberResourceMetadata),
      authorizationServerMetadata: discovery(server.authorizationServerMetadata),
      openidConfiguration: discovery(server.openidConfiguration),
      register: watched(server.register),
      authorize: watched(server.authorize),
      interaction: watched(server.interaction),
      token: watched(server.token),
    }),
    mcp: (endpoint) => async (request, context) => {
      const theirs = watchesOf(request, context)
      if (theirs.length === 0) return endpoint(request, context)
      const response = await current.run(theirs, () => endpoint(request, context))
      const [, token] =
        /^(?:bearer|dpop) +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
      if (response.status === 401 && token === undefined)
        noteIn(theirs, (watch) => (watch.asked = true))
      // A client whose browser is another one is known by its first call.
      const news = theirs.filter(({ attempts }) => attempts.length === 0)
      if (response.ok && token !== undefined && news.length > 0) {
        const id = await attemptOf(token).catch(() => null)
        if (id !== null) for (const watch of news) addAttempt(watch, id, now())
      }
      return response
    },
    note({ at, attemptId }) {
      if (attemptId === undefined) return
      for (const watch of current.getStore() ?? []) addAttempt(watch, attemptId, at)
    },
    visit(request, context, { begins }) {
      const secret = secretOf(request) ?? newSecret()
      const label = labelOf(secret)
      const visitor = {
        network: networkOf(context),
        isLocal: isLocal(request, context),
      }
      if (begins === 'anew') watches.forget(label)
      const known = begins === null ? watches.news(label) : null
      return {
        label,
        watch: known ?? watches.begin(label, visitor),
        cookie: stringifySetCookie({
          name,
          value: secret,
          httpOnly: true,
          sameSite: 'lax',
          path: '/',
          secure,
        }),
      }
    },
  }
}
