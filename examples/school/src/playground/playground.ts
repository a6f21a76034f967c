import { readFileSync } from 'node:fs'
import { PLAYGROUND, playgroundDocuments, playgroundMetadata } from './client.js'
import { playgroundPage } from './page.js'
import type { Reasons } from './reasons.js'
import { pageResponse } from '../pages/response.js'
import { playgroundCss } from '../pages/style/playground.js'
import { walkCss } from '../pages/style/walk.js'
import type { SiteDefinition } from '../sites.js'

/** The script that `npm run build` bundles from `examples/playground`. */
const script = (): string =>
  readFileSync(new URL('../../dist/playground.js', import.meta.url), 'utf8')

const file = (content: string, type: string): Response =>
  new Response(content, {
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    },
  })

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
  switch (new URL(request.url).pathname.slice(PLAYGROUND.length)) {
    case '': {
      const hasDocument = playgroundDocuments(origin).length > 0
      const page = playgroundPage({ site, origin, neighbors, hasDocument })
      return pageResponse(page, { origin, script: 'any server' })
    }
    case '/playground.js':
      return file(script(), 'text/javascript')
    case '/playground.css':
      return file(walkCss + playgroundCss, 'text/css')
    case '/client.json':
      return file(JSON.stringify(playgroundMetadata(origin)), 'application/json')
    case '/why':
      return reasons.answer(request)
    default:
      return null
  }
}
