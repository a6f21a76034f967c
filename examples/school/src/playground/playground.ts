import { playgroundPage } from './page.js'
import type { Reasons } from './reasons.js'
import { pageDocuments, pageMetadata, PLAYGROUND } from '../demo/page-app.js'
import { fileResponse } from '../pages/file.js'
import { pageResponse } from '../../../pages/response.js'
import { playgroundCss } from '../pages/style/playground.js'
import { walkCss } from '../pages/style/walk.js'
import type { SiteDefinition } from '../sites.js'

/**
 * Responds to requests for the playground and for what is below its path. It reads no cookie.
 *
 * @param options - `neighbors`: the other schools of the demo
 * @returns the response, or `null` if there is nothing at this path
 */
export function answerPlayground(
  request: Request,
  {
    site,
    origin,
    neighbors,
    reasons,
  }: {
    site: SiteDefinition
    origin: string
    neighbors: readonly { readonly name: string; readonly origin: string }[]
    reasons: Pick<Reasons, 'answer'>
  },
): Response | null {
  switch (new URL(request.url).pathname) {
    case PLAYGROUND.path: {
      const hasDocument = pageDocuments([PLAYGROUND], origin).length > 0
      const page = playgroundPage({ site, origin, neighbors, hasDocument })
      return pageResponse(page, { origin, script: 'any server' })
    }
    case `${PLAYGROUND.path}/playground.js`:
      // `npm run build` bundles it from `examples/playground`.
      return fileResponse(new URL('../../dist/playground.js', import.meta.url), 'text/javascript')
    case `${PLAYGROUND.path}/playground.css`:
      return fileResponse(walkCss + playgroundCss, 'text/css')
    case PLAYGROUND.document:
      return fileResponse(JSON.stringify(pageMetadata(PLAYGROUND, origin)), 'application/json')
    case `${PLAYGROUND.path}/why`:
      return reasons.answer(request)
    default:
      return null
  }
}
