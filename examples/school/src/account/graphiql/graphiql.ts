import { readFileSync } from 'node:fs'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'

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

/** The page of the package, with the script of this site instead of its own. */
function page(): string {
  const [before, after] = partsAround(renderGraphiQL({ title: 'Account API' }))
  const landmark = before.replace('<div id="root"></div>', '<main id="root"></main>')
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
 * @returns the response, or `null` if there is no such file
 */
export function answerGraphiql(request: Request): Response | null {
  const { pathname } = new URL(request.url)
  const file = files.get(pathname.slice(NAME.length))
  return file === undefined ? null : new Response(file.body(), { headers: file.headers })
}
