import { type Attempts, decideManager, type Manager } from 'hallpass/clients'
import { schoolRoles } from 'hallpass/scope'
import { fileResponse } from '../pages/file.js'
import { pageResponse, redirectTo } from '../../../pages/response.js'
import type { RequestContext } from '../platform/request-context.js'
import type { SiteDefinition } from '../sites.js'
import { CONNECT_CLIENTS } from './clients.js'
import { LABEL_PARAMETER, type Live, type Watcher } from './live.js'
import { connectCss, connectPage } from './page.js'
import { liveBox, type LiveView, pathOf } from './steps.js'

const PATH = '/connect'

/**
 * Creates the response to requests for the page on which visitors connect a client of their own, and for what is below
 * its path. It returns `null` if there is nothing at a path.
 *
 * @param options - `attempts`: returns the attempts of the site. Of them, a visitor is shown only those that `live`
 *   knows as theirs
 */
export function createConnect({
  site,
  origin,
  live,
  attempts,
  now,
}: {
  site: SiteDefinition
  origin: string
  live: Pick<Live, 'visit'>
  attempts: () => Pick<Attempts, 'explainAttempt'>
  now: () => number
}): (request: Request, context: RequestContext) => Promise<Response | null> {
  /** Returns the newest attempt that is still there: an attempt takes the place of the one that it continues. */
  async function newestOf({ watch }: Watcher): Promise<LiveView['found']> {
    const reader = readerOf(site.id)
    for (const id of watch.attempts.toReversed()) {
      const found = await attempts().explainAttempt(reader, id)
      if (found !== null) return found
      // Another request of this visitor may have removed it.
      const place = watch.attempts.indexOf(id)
      if (place !== -1) watch.attempts.splice(place, 1)
    }
    return null
  }

  async function viewOf(request: Request, visitor: Watcher): Promise<LiveView> {
    const query = new URL(request.url).searchParams
    const client = CONNECT_CLIENTS.find(({ id }) => id === query.get('with')) ?? CONNECT_CLIENTS[0]
    const found = await newestOf(visitor)
    return { client, waits: query.has('wait'), watch: visitor.watch, found, now: now() }
  }

  return async (request, context) => {
    const { pathname, searchParams } = new URL(request.url)
    switch (pathname) {
      case PATH: {
        const [isAnew, isRun] = [searchParams.has('again'), searchParams.has('run')]
        // Without a script, a page that waits loads itself again. That does not let it wait for longer.
        const begins = isAnew ? 'anew' : isRun || !searchParams.has('wait') ? 'again' : null
        const visitor = live.visit(request, context, { begins })
        const { label, cookie, watch } = visitor
        const view = await viewOf(request, visitor)
        if (isAnew || isRun) return redirectTo(pathOf(view.client), cookie)
        const address = `${origin}/mcp/signed-in?${LABEL_PARAMETER}=${label}`
        const page = connectPage({ site, address, isLocal: watch.isLocal, view })
        return pageResponse(page, { origin, script: true, cookie })
      }
      case `${PATH}/steps`: {
        const begins = searchParams.has('run') ? 'again' : null
        const visitor = live.visit(request, context, { begins })
        const { cookie } = visitor
        return pageResponse(liveBox(await viewOf(request, visitor)), { origin, cookie })
      }
      case `${PATH}/connect.js`:
        return fileResponse(new URL('browser.js', import.meta.url), 'text/javascript')
      case `${PATH}/connect.css`:
        return fileResponse(connectCss, 'text/css')
      default:
        return null
    }
  }
}

/** The page reads the record as the owner of the demo could: a visitor needs no sign-in to see their own client. */
function readerOf(orgId: string): Manager {
  const person = {
    subject: 'demo',
    orgId,
    roles: ['owner'],
    name: null,
    email: null,
    picture: null,
  }
  const decided = decideManager({ person, table: schoolRoles })
  if (!decided.ok) throw new Error(decided.reason)
  return decided.manager
}
