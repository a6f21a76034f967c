import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { SiteDefinition } from '../../sites.js'
import { html } from '../../pages/html.js'

const NAME = '/docs'
const require = createRequire(import.meta.url)
const viewerFolder = require('swagger-ui-dist/absolute-path.js') as () => string

const common = { 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' }
const cached = (type: string): Record<string, string> => ({
  ...common,
  'content-type': `${type}; charset=utf-8`,
  'cache-control': 'public, max-age=300',
})
const PAGE = {
  ...common,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    // The viewer sets inline styles.
    "style-src 'self' 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

const page = (site: SiteDefinition): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>API · ${site.name}</title>
        <link rel="stylesheet" href="${NAME}/viewer.css" />
        <link rel="stylesheet" href="${NAME}/reference.css" />
        <script src="${NAME}/viewer.js"></script>
        <script type="module" src="${NAME}/start.js"></script>
      </head>
      <body>
        <header class="bar">
          <a href="/">${site.name}</a>
          <span id="who" role="status">Anyone can read it. Sign in as staff to try it.</span>
          <button id="sign-in" type="button" disabled>Sign in</button>
        </header>
        <main id="reference"></main>
        <noscript
          ><p>The OpenAPI description is at <a href="/openapi.json">/openapi.json</a>.</p></noscript
        >
      </body>
    </html>`.toString()

const start = (): string => readFileSync(new URL('start.js', import.meta.url), 'utf8')
const style = (): string => readFileSync(new URL('reference.css', import.meta.url), 'utf8')
const viewer = (file: string): string => readFileSync(join(viewerFolder(), file), 'utf8')

/**
 * Serves the reference of the admin API: a page, and the viewer of the package swagger-ui-dist. This site
 * serves all files itself.
 *
 * @returns the response, or `null` if there is no such file
 */
export function answerReference(request: Request, site: SiteDefinition): Response | null {
  switch (new URL(request.url).pathname.slice(NAME.length)) {
    case '':
      return new Response(page(site), { headers: PAGE })
    case '/start.js':
      return new Response(start(), { headers: cached('text/javascript') })
    case '/reference.css':
      return new Response(style(), { headers: cached('text/css') })
    case '/viewer.js':
      return new Response(viewer('swagger-ui-bundle.js'), {
        headers: cached('text/javascript'),
      })
    case '/viewer.css':
      return new Response(viewer('swagger-ui.css'), {
        headers: cached('text/css'),
      })
    default:
      return null
  }
}
