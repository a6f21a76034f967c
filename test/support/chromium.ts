import { existsSync } from 'node:fs'
import sparticuz from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** A real Chromium: the one `CHROMIUM_PATH` names, Debian's, or the one from npm. */
export async function launchChromium(): Promise<Browser> {
  const given = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
  const executablePath = existsSync(given) ? given : await sparticuz.executablePath()
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
