import { readFileSync } from 'node:fs'
import { frontCss } from './style/front.js'
import { schoolCss } from './style/style.js'
import { walkCss } from './style/walk.js'

const headersOf = (type: string): Record<string, string> => ({
  'content-type': `${type}; charset=utf-8`,
  'cache-control': 'public, max-age=300',
  'x-content-type-options': 'nosniff',
})

const forEverybody = (type: string): Record<string, string> => ({
  'access-control-allow-origin': '*',
  ...headersOf(type),
})

const script = (): string => readFileSync(new URL('../sign-in/browser.js', import.meta.url), 'utf8')

/** As `npm run build` makes it of `examples/walk`. */
const walk = (): string => readFileSync(new URL('../../dist/walk.js', import.meta.url), 'utf8')

/** `GET /assets/school.css`: the stylesheet of all pages. */
export const answerStylesheet = (): Response =>
  new Response(schoolCss, { headers: forEverybody('text/css') })

/** `GET /assets/sign-in.js`: how the pages of a site that are apps sign in. */
export const answerSignInScript = (): Response =>
  new Response(script(), { headers: forEverybody('text/javascript') })

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
      return new Response(walk(), { headers: headersOf('text/javascript') })
    default:
      return null
  }
}
