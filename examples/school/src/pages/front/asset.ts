import { readFileSync } from 'node:fs'
import { frontCss } from '../style/front.js'
import { walkCss } from '../style/walk.js'

const headersOf = (type: string): Record<string, string> => ({
  'content-type': `${type}; charset=utf-8`,
  'cache-control': 'public, max-age=300',
  'x-content-type-options': 'nosniff',
})

/** The script as `npm run build` makes it of the folder `walk`. */
const script = (): string => readFileSync(new URL('../../../dist/walk.js', import.meta.url), 'utf8')

/**
 * What the demo's front page loads beside the stylesheet of all pages.
 *
 * @returns `null` = no such file
 */
export function answerFrontAsset(request: Request): Response | null {
  switch (new URL(request.url).pathname) {
    case '/assets/front.css':
      return new Response(frontCss + walkCss, { headers: headersOf('text/css') })
    case '/assets/walk.js':
      return new Response(script(), { headers: headersOf('text/javascript') })
    default:
      return null
  }
}
