import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { ROOT } from '../source/root.js'

/** Less than a test has, so that what fails is what was waited for. */
const PATIENCE_MILLISECONDS = 120_000

/** The program of a real Chromium: the one `CHROMIUM_PATH` names, Debian's, or the one from npm. */
export async function chromiumPath(): Promise<string> {
  const given = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
  return existsSync(given) ? given : unpacked()
}

/** Without a window, and asking nothing of any host but those that a test opens. */
export const CHROMIUM_ARGUMENTS: readonly string[] = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A real Chromium: that of {@link chromiumPath}. */
export async function launchChromium({
  args = [],
}: { args?: readonly string[] } = {}): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: await chromiumPath(),
    timeout: PATIENCE_MILLISECONDS,
    args: [...CHROMIUM_ARGUMENTS, ...args],
  })
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MILLISECONDS))
  return browser
}

const PACKAGE = join(ROOT, 'node_modules/@sparticuz/chromium')
const UNPACK = `
  import chromium from '@sparticuz/chromium'
  await chromium.executablePath()`

/**
 * Unpacks the Chromium from npm into the folder of its package, unless it is there. The package itself unpacks into
 * the system's folder for temporary files, which belongs to whoever was first, and takes half a file there for a
 * whole one.
 */
async function unpacked(): Promise<string> {
  const home = join(PACKAGE, 'unpacked')
  if (!existsSync(home)) {
    const folder = mkdtempSync(`${home}-`)
    const args = ['--input-type=module', '--eval', UNPACK]
    const env = { ...process.env, TMPDIR: folder }
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, env })
    try {
      renameSync(folder, home)
    } catch (fault) {
      rmSync(folder, { recursive: true })
      // Another worker was first.
      if (!existsSync(home)) throw fault
    }
  }
  return join(home, 'chromium')
}

/** What a page does that a test may have to answer for. */
interface WatchedPage {
  /** Origins that were asked for anything. */
  readonly requested: Set<string>
  /** What the console and the page's own guard complained of. */
  readonly problems: string[]
}

/**
 * Watches a page from before its first address on.
 *
 * @param isExpected - which errors of the console are what the test wants
 */
export async function watchPage(
  page: Page,
  isExpected: (error: string) => boolean = () => false,
): Promise<WatchedPage> {
  const requested = new Set<string>()
  const problems: string[] = []
  page.on('request', (request) => requested.add(new URL(request.url()).origin))
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) problems.push(message.text())
  })
  await page.exposeFunction('tellViolation', (blocked: string) => problems.push(blocked))
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    tellViolation(event.effectiveDirective + ' ' + event.blockedURI))`)
  return { requested, problems }
}

/** Signs in on the page that is open, as a person of the demo. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('hallpass-demo')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
