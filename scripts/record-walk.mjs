// Records the walk of the demo school for the start page of the documentation: pictures of it in Chromium, light and
// dark, and the text of each. `npm run record:walk` writes them; test/browser/walk.test.ts finds when they are old.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tsImport } from 'tsx/esm/api'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, 'docs/.vitepress/theme/walk')
const SIZE = { width: 1120, height: 700 }
const { launchChromium } = await tsImport('../test/support/browser/chromium.ts', import.meta.url)
const { shownOn } = await tsImport('../test/support/browser/recording.ts', import.meta.url)

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

const data = mkdtempSync(join(tmpdir(), 'hallpass-walk-'))
const [origin, kiln] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`) // prettier-ignore
const school = spawn(
  process.execPath,
  ['--env-file=examples/express/demo.env', 'examples/school/dist/express/main.mjs'],
  {
    cwd: ROOT,
    env: {
      ...process.env,
      PORT: new URL(origin).port,
      LANTERN_ORIGIN: origin,
      KILN_ORIGIN: kiln,
      HALLPASS_DATA_DIR: data,
    },
    stdio: 'ignore',
  },
)
let browser
try {
  const giveUp = AbortSignal.timeout(60_000)
  while (!(await fetch(`${origin}/readyz`).catch(() => null))?.ok) {
    giveUp.throwIfAborted()
    if (school.exitCode !== null) throw new Error('The school did not start: try `npm start`.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  browser = await launchChromium()
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const frames = await record('light')
  await record('dark')
  writeFileSync(join(FOLDER, 'frames.json'), `${JSON.stringify(frames, null, 2)}\n`)
} finally {
  await browser?.close()
  if (school.exitCode === null) {
    school.kill('SIGTERM')
    await once(school, 'exit')
  }
  rmSync(data, { recursive: true, force: true })
}

/** Walks through the school, and takes a picture at each step. */
async function record(colorScheme) {
  const context = await browser.newContext({
    colorScheme,
    viewport: SIZE,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const encoder = await context.newPage()
  await page.bringToFront()
  const frames = []
  /** @param focus - where a narrow picture is cut out of the wide one, in percent from the left */
  const take = async (caption, focus = 48) => {
    const name = String(frames.length + 1)
    await page.evaluate(() => document.activeElement.blur())
    const shown = await shownOn(page)
    const isNew = String(shown) !== String(frames.findLast((frame) => frame.shown)?.shown)
    frames.push({ caption, focus, ...(isNew && { shown }) })
    const shot = await page.screenshot({ type: 'png' })
    // Chromium makes a smaller picture of it, in a tab whose page forbids nothing.
    const bytes = await encoder.evaluate(
      async (png) => {
        const bitmap = await createImageBitmap(await (await fetch(png)).blob())
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
        canvas.getContext('2d').drawImage(bitmap, 0, 0)
        const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.75 })
        return [...new Uint8Array(await blob.arrayBuffer())]
      },
      `data:image/png;base64,${shot.toString('base64')}`,
    )
    writeFileSync(join(FOLDER, `${name}-${colorScheme}.webp`), Buffer.from(bytes))
  }
  const press = async (act) => {
    await page.locator(`button[data-act='${act}']`).click()
    await came(act)
  }
  /** Waits for the outcome of an act, and shows its step, or the decisions behind it. */
  const came = async (act, shown = '.step') => {
    const outcome = page.locator(`[data-outcome='${act}']`)
    await outcome.waitFor()
    await outcome.evaluate((all, selector) => {
      const part = all.closest(selector) ?? all.querySelector(selector)
      scrollTo(0, scrollY + part.getBoundingClientRect().top - 32)
    }, shown)
  }
  await page.goto(origin)
  await press('discover')
  await take('An app knows one address. Three documents tell it the rest.')
  await press('register')
  await take('It registers itself, and may only call this computer back.')
  await page.locator("button[data-act='authorize']").click()
  await page.getByLabel('Email').fill('ines.duarte@example.com')
  await page.getByLabel('Password').fill('hallpass-demo')
  await take('A person signs in, on the pages of the school.', 84)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const allow = page.getByRole('button', { name: 'Allow', exact: true })
  await allow.waitFor()
  await take('They read who asks, and where it leads.', 3)
  await allow.scrollIntoViewIfNeeded()
  await take('They see what it may do, choose for how long, and allow it.', 92)
  await allow.click()
  await came('authorize', '.check:has(.check-call)')
  await take('The app gets a code. Each decision behind it is a pure function.')
  await press('exchange.verifier')
  await take('With a wrong verifier the code is refused, with the exact reason.')
  await press('exchange')
  await take('With the right one, the app gets its tokens.')
  await press('use')
  await take('It reads what the person allowed, and nothing else.')
  await context.close()
  return frames
}
