// Draws the pictures of the documentation from the pages of the gallery: those of docs/look-up/gallery.md, and that of the
// README. Run it after a page of examples/pages was changed, and look at the pictures.
//   node scripts/pictures.mjs
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { tsImport } from 'tsx/esm/api'

const load = (path) => tsImport(path, import.meta.url)
const { galleryPages } = await load('../test/example/support/gallery/pages.ts')
const { launchChromium } = await load('../test/support/browser/chromium.ts')
const { schoolCss } = await load('../examples/pages/style/style.ts')
const ORIGIN = 'https://school.example'
/** The responses of each path. No server is asked. */
const FOUND = new Map([
  ['/assets/school.css', { contentType: 'text/css', body: schoolCss }],
  ...galleryPages().map(({ name, html }) => [
    `/${name}`,
    { contentType: 'text/html; charset=utf-8', body: String(html) },
  ]),
])

const FOLDER = fileURLToPath(new URL('../docs/images/pages/', import.meta.url))
/** Each page in English on a desk, light and dark, then on a phone in the other two languages. */
const GALLERY = ['sign-in-loopback', 'consent-loopback', 'error-redirect', 'connected-apps']
const DESK = { width: 1000, height: 720 }
const PHONE = { width: 390, height: 720 }
/** The pages that the README has side by side. */
const PAIR = ['consent-loopback', 'attempt']
const CARD = { width: 500, height: 575 }
const SCHEMES = ['light', 'dark']

mkdirSync(FOLDER, { recursive: true })
const browser = await launchChromium()

async function shot(name, { scheme, viewport, scale = 1 }) {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport,
    deviceScaleFactor: scale,
  })
  await context.route('**/*', (route) =>
    route.fulfill(FOUND.get(new URL(route.request().url()).pathname) ?? { status: 404 }),
  )
  const tab = await context.newPage()
  await tab.goto(`${ORIGIN}/${name}`)
  const png = await tab.screenshot()
  await context.close()
  return `data:image/png;base64,${png.toString('base64')}`
}

const studio = await (await browser.newContext()).newPage()
/** Without a font for them, all characters of a language are the same box. */
const hasChinese = await studio.evaluate(() => {
  const drawn = ['漢', '語'].map((character) => {
    const canvas = document.createElement('canvas')
    canvas.getContext('2d').fillText(character, 0, 20)
    return canvas.toDataURL()
  })
  return drawn[0] !== drawn[1]
})
/** Draws pictures next to each other, with round corners and nothing behind them, and saves them as WebP. */
async function save(file, pictures, { gap = 0, radius = 0, quality = 0.8 } = {}) {
  const url = await studio.evaluate(
    async ([sources, between, round, how]) => {
      const images = await Promise.all(
        sources.map(async (source) => {
          const image = new Image()
          image.src = source
          await image.decode()
          return image
        }),
      )
      const canvas = document.createElement('canvas')
      canvas.width = images.reduce((sum, { width }) => sum + width + between, -between)
      canvas.height = Math.max(...images.map(({ height }) => height))
      const context = canvas.getContext('2d')
      let left = 0
      for (const image of images) {
        context.save()
        context.beginPath()
        context.roundRect(left, 0, image.width, image.height, round)
        context.clip()
        context.drawImage(image, left, 0)
        if (round > 0) {
          // An edge, where the page around the picture has the same colour.
          context.strokeStyle = 'rgb(128 128 128 / 40%)'
          context.lineWidth = 4
          context.stroke()
        }
        context.restore()
        left += image.width + between
      }
      return canvas.toDataURL('image/webp', how)
    },
    [pictures, gap, radius, quality],
  )
  const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
  writeFileSync(`${FOLDER}${file}.webp`, bytes)
  console.log(`${file}.webp: ${Math.round(bytes.length / 1024)} kB`)
}

try {
  if (!hasChinese) throw new Error('install a font with Chinese characters, such as Noto Sans TC')
  for (const name of GALLERY)
    for (const scheme of SCHEMES) {
      await save(`${name}-${scheme}`, [await shot(name, { scheme, viewport: DESK })])
      const language = scheme === 'light' ? 'zh-hant' : 'ar'
      const spoken = `${name}-${language}`
      await save(`${spoken}-${scheme}`, [await shot(spoken, { scheme, viewport: PHONE })])
    }
  for (const scheme of SCHEMES) {
    const look = { scheme, viewport: CARD, scale: 1.6 }
    const pair = await Promise.all(PAIR.map((name) => shot(name, look)))
    await save(`allowed-and-refused-${scheme}`, pair, { gap: 40, radius: 20, quality: 0.7 })
  }
} finally {
  await browser.close()
}
