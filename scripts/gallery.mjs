// Renders every page of the school, opens it in Chromium and saves screenshots.
//   node scripts/gallery.mjs [folder] [name part]
// Fails if a page scrolls sideways, violates its content security policy, does not show the focus, or logs.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tsImport } from 'tsx/esm/api'
import { createProgress } from './progress.mjs'

const [folder = mkdtempSync(join(tmpdir(), 'school-gallery-')), part = ''] = process.argv.slice(2)
const { galleryPages } = await tsImport('../test/example/support/gallery/pages.ts', import.meta.url)
const { GALLERY_LOGO } = await tsImport(
  '../test/example/support/gallery/applications.ts',
  import.meta.url,
)
const { launchChromium } = await tsImport('../test/support/browser/chromium.ts', import.meta.url)
const { schoolCss } = await tsImport('../examples/pages/style/style.ts', import.meta.url)
const pages = new Map(galleryPages().map(({ name, html }) => [`/${name}`, String(html)]))
const chosen = [...pages.keys()].filter((path) => path.includes(part))

mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'school.css'), schoolCss)
for (const [path, text] of pages) writeFileSync(join(folder, `${path.slice(1)}.html`), text)

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
const assets = new Map([
  ['/assets/school.css', ['text/css', schoolCss]],
  [
    '/assets/copy.js',
    ['text/javascript', readFileSync(new URL('../examples/pages/copy.js', import.meta.url))],
  ],
])
const server = createServer((request, response) => {
  if (request.url === GALLERY_LOGO.path) {
    response.writeHead(200, { 'content-type': 'image/png' }).end(GALLERY_LOGO.bytes)
    return
  }
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
const origin = `http://127.0.0.1:${server.address().port}`

// Returns the focused element, and whether it shows the focus.
const focusOf = () => {
  const { activeElement } = document
  if (activeElement === null || activeElement === document.body) return null
  const { outlineStyle, outlineWidth } = getComputedStyle(activeElement)
  const { name = '', tagName } = activeElement
  return { tag: `${tagName} ${name}`, visible: outlineStyle !== 'none' && outlineWidth !== '0px' }
}

const faults = []
const SCHEMES = ['light', 'dark']
const WIDTHS = [320, 700, 980, 1280]
const progress = createProgress('Screenshots', {
  total: chosen.length * SCHEMES.length * WIDTHS.length,
})
const browser = await launchChromium()
try {
  for (const colorScheme of SCHEMES)
    for (const width of WIDTHS) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
      const tab = await context.newPage()
      let path = ''
      tab.on('console', (message) => {
        if (!message.text().includes('favicon')) faults.push(`${path}: ${message.text()}`)
      })
      for (path of chosen) {
        const where = `${path.slice(1)}-${colorScheme}-${width}`
        progress.step(where)
        await tab.goto(origin + path)
        await tab.screenshot({ path: join(folder, `${where}.png`), fullPage: true })
        const over = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        if (over > 0) faults.push(`${where}: ${over} px too wide`)
        for (let press = 0; press < 12; press++) {
          await tab.keyboard.press('Tab')
          const focus = await tab.evaluate(focusOf)
          if (focus === null) break
          if (!focus.visible) faults.push(`${where}: ${focus.tag} shows no focus`)
          if (press === 0) await tab.screenshot({ path: join(folder, `${where}-focus.png`) })
        }
      }
      await context.close()
    }
} finally {
  await browser.close()
  server.close()
  progress.end()
}
console.log(`${chosen.length} pages in ${folder}`)
for (const fault of faults) console.log(`  ${fault}`)
process.exitCode = faults.length === 0 ? 0 : 1
