// Serves the pages of the gallery as a school does, with its headers, and opens them in Chromium.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tsImport } from 'tsx/esm/api'

const load = (path) => tsImport(path, import.meta.url)
const { galleryPages } = await load('../test/support/browser/gallery/pages.ts')
const { GALLERY_LOGO } = await load('../test/support/browser/gallery/applications.ts')
const { iconOf } = await load('../examples/pages/marks.ts')
export const { schoolCss } = await load('../examples/pages/style/style.ts')
export const { launchChromium } = await load('../test/support/browser/chromium.ts')

/** Every page of the gallery by its path, such as `/consent-document`. */
export const pages = new Map(galleryPages().map(({ name, html }) => [`/${name}`, String(html)]))

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
const assets = new Map([
  ['/assets/school.css', ['text/css', schoolCss]],
  ['/assets/mark.svg', ['image/svg+xml', iconOf('lantern')]],
  [
    '/assets/copy.js',
    ['text/javascript', readFileSync(new URL('../examples/pages/copy.js', import.meta.url))],
  ],
  [GALLERY_LOGO.path, ['image/png', GALLERY_LOGO.bytes]],
])

/**
 * Listens on a port of this computer.
 *
 * @returns the origin, and a function that stops the server
 */
export async function serveGallery() {
  const server = createServer((request, response) => {
    const [type, text] = assets.get(request.url) ?? [
      'text/html; charset=utf-8',
      pages.get(request.url),
    ]
    response.writeHead(text === undefined ? 404 : 200, {
      'content-type': type,
      'content-security-policy': POLICY,
    })
    response.end(text)
  })
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}
