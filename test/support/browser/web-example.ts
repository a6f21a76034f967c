import { request } from 'node:http'
import { createServer } from 'node:https'
import type { Page } from 'playwright-core'
import { openPort } from '../processes/ports.js'
import { launchChromium } from './chromium.js'
import { startExample } from '../processes/example.js'
import { pem } from '../../node/document-host.js'

/** The example at an `https` origin, in a Chromium that finds it there. */
export interface WebExample {
  readonly origin: string
  readonly page: Page
  readonly stop: () => Promise<void>
}

const HOST = 'school.example'

/** Starts the example behind a proxy that speaks TLS, and opens a page of a Chromium that knows the way. */
export async function startWebExample(): Promise<WebExample> {
  const origin = `https://${HOST}`
  const example = await startExample({ environment: { LANTERN_ORIGIN: origin } })
  const front = await openFront(Number(new URL(example.origin).port))
  const args = [`--host-resolver-rules=MAP ${HOST}:443 127.0.0.1:${front.port}`]
  const chromium = await launchChromium({ args })
  return {
    origin,
    page: await (await chromium.newContext({ ignoreHTTPSErrors: true })).newPage(),
    async stop() {
      await chromium.close()
      front.close()
      await example.stop()
    },
  }
}

/** Opens a proxy in front of a port of this computer. It passes everything on, `Host` included. */
async function openFront(target: number): Promise<{ port: number; close: () => void }> {
  const options = { key: pem('host-key'), cert: pem('host') }
  const front = createServer(options, (incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const to = request({ host: '127.0.0.1', port: target, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
    })
    to.once('error', () => outgoing.destroy())
    incoming.pipe(to)
  })
  const port = await openPort(front)
  return {
    port: port,
    close: () => {
      front.close()
      front.closeAllConnections()
    },
  }
}
