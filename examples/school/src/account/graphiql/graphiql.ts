import { readFileSync } from 'node:fs'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import { siteNav } from '../../admin/reference/site-nav.js'
import { palettes, type Theme } from '../../../../pages/style/palette.js'

const NAME = '/account/graphiql'

const PAGE = {
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "connect-src 'self'",
      'worker-src blob:',
      "img-src 'self' data:",
      'font-src data:',
      "form-action 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "object-src 'none'",
    ].join('; '),
    // The page holds a token, so a window that opened it cannot reach it.
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
}

const SCRIPT = {
  headers: {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=300',
    'x-content-type-options': 'nosniff',
  },
}

const start = (): string => readFileSync(new URL('start.js', import.meta.url), 'utf8')

const OPEN = '<script>'

// Without it, numbers of lines have too little contrast.
const STYLE =
  '<style>.monaco-editor .line-numbers { color: hsl(var(--color-neutral)) !important; opacity: 1 !important }</style>'

/** The bar above the editor: the navigation of the demo, and who is signed in. */
const bar = (theme: Theme): string => {
  const { panelDeep, panelInk, panelLine, glow } = palettes[theme].light
  const style = `<style>
body { display: flex; flex-direction: column; height: 100vh; margin: 0 }
#root { flex: 1; height: auto; min-height: 0 }
.bar { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 24px; padding: 4px 24px; font: 15px/1.5 system-ui, sans-serif; color: ${panelInk}; background: ${panelDeep} }
.bar nav, .bar p { display: flex; flex-wrap: wrap; gap: 0 20px; margin: 0; padding: 6px 0 }
.bar a { color: inherit; text-decoration: none; border-bottom: 2px solid transparent }
.bar a:hover { border-color: ${panelLine} }
.bar a:focus-visible { outline: 3px solid currentColor; outline-offset: 3px }
.bar a[aria-current] { font-weight: 600; border-color: ${glow} }
.bar p a { text-decoration: underline }
</style>`
  return `${style}<header class="bar">${siteNav(NAME).toString()}<p id="who" role="status"></p></header>`
}

/** The page of the package, with the script of this site instead of its own. */
function page(theme: Theme): string {
  const [before, after] = partsAround(renderGraphiQL({ title: 'Account API' }))
  const landmark = before.replace('<div id="root"></div>', `${bar(theme)}<main id="root"></main>`)
  return `${landmark}${STYLE}<script type="module" src="${NAME}/start.js"></script>${after}`
}

/** The script of the package, without its last step, which the script of this site does. */
function editor(): string {
  const [, , script] = partsAround(renderGraphiQL())
  return script.slice(0, script.lastIndexOf('YogaGraphiQL.renderYogaGraphiQL('))
}

function partsAround(html: string): readonly [string, string, string] {
  const start = html.indexOf(OPEN)
  const end = html.lastIndexOf('</script>')
  return [
    html.slice(0, start),
    html.slice(end + '</script>'.length),
    html.slice(start + OPEN.length, end),
  ]
}

const files = new Map([
  ['', { ...PAGE, body: page }],
  ['/start.js', { ...SCRIPT, body: start }],
  ['/editor.js', { ...SCRIPT, body: editor }],
])

/**
 * Serves GraphiQL for the demo's Account API: a page, the script that starts it, and the editor. This site
 * serves all files itself. The editor sets inline styles, so the page allows them, but no inline scripts.
 *
 * @param theme - the look of the site
 * @returns the response, or `null` if there is no such file
 */
export function answerGraphiql(request: Request, theme: Theme): Response | null {
  const { pathname } = new URL(request.url)
  const file = files.get(pathname.slice(NAME.length))
  return file === undefined ? null : new Response(file.body(theme), { headers: file.headers })
}
