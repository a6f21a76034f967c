import { WALK_CLIENT_PATH, walkMetadata } from '../demo/walk-client.js'
import { readFileSync } from 'node:fs'
import { frontCss } from './style/front.js'
import { schoolCss } from './style/style.js'
import { iconOf } from './marks.js'
import type { Theme } from './style/palette.js'
import { walkCss } from './style/walk.js'

const headersOf = (type: string): Record<string, string> => ({
  'content-type': `${type}; charset=utf-8`,
  'cache-control': 'public, max-age=300',
  'x-content-type-options': 'nosniff',
})

const publicHeadersOf = (type: string): Record<string, string> => ({
  'access-control-allow-origin': '*',
  ...headersOf(type),
})

const script = (): string => readFileSync(new URL('../sign-in/browser.js', import.meta.url), 'utf8')

/** The script that `npm run build` bundles from `examples/walk`. */
const walk = (): string => readFileSync(new URL('../../dist/walk.js', import.meta.url), 'utf8')

/** Responds to `GET /assets/school.css` with the stylesheet of all pages. */
export const answerStylesheet = (): Response =>
  new Response(schoolCss, { headers: publicHeadersOf('text/css') })

/** Responds to `GET /assets/mark.svg` with the icon of a school. */
export const answerIcon = (theme: Theme): Response =>
  new Response(iconOf(theme), { headers: headersOf('image/svg+xml') })

/** Responds to `GET /assets/copy.js` with the script that adds buttons to text to copy. */
export const answerCopyScript = (): Response =>
  new Response(readFileSync(new URL('copy.js', import.meta.url), 'utf8'), {
    headers: headersOf('text/javascript'),
  })

/** Responds to `GET /assets/sign-in.js` with the sign-in code of a site's own browser apps. */
export const answerSignInScript = (): Response =>
  new Response(script(), { headers: publicHeadersOf('text/javascript') })

/**
 * Responds with a file of the demo's front page, in addition to the stylesheet of all pages.
 *
 * @returns the file, or `null` if there is no file at this path
 */
export function answerFrontAsset(
  request: Request,
  { origin }: { origin: string },
): Response | null {
  switch (new URL(request.url).pathname) {
    case '/assets/front.css':
      return new Response(frontCss + walkCss, { headers: headersOf('text/css') })
    case '/assets/walk.js':
      return new Response(walk(), { headers: headersOf('text/javascript') })
    case WALK_CLIENT_PATH:
      return Response.json(walkMetadata(origin), {
        headers: { 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' },
      })
    default:
      return null
  }
}
