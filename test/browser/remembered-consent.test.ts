import { createServer, type RequestListener, type Server } from 'node:http'
import { defineClient } from 'hallpass/clients'
import { toNodeHandler } from 'hallpass/node'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/browser/chromium.js'
import { authorizationUrl, type Fields } from '../support/school/flow.js'
import { createBrowser, createSchool, type School, STUDENT, T } from '../support/school/school.js'
import { openPort } from '../support/processes/ports.js'

const CALLBACK = 'https://diary.example/callback'
const DIARY = defineClient({
  clientId: 'diary',
  kind: 'member',
  name: 'Sketch Diary',
  redirectUris: [CALLBACK],
  scopes: ['account:read'],
  createdAt: T,
})
const HUB = defineClient({
  ...DIARY,
  clientId: 'hub',
  name: 'Hub',
  tokenEndpointAuthMethod: 'client_secret_post',
  secrets: [{ hash: 'x'.repeat(43), expiresAt: null }],
})

let browser: Browser
let school: School
let issuer: string
/** The server of an attacker, whose tools the person wants to try with an app. */
let attacker: string
const servers: Server[] = []

async function listen(host: string, listener: (origin: string) => Promise<RequestListener>) {
  const server = createServer()
  servers.push(server)
  const port = await openPort(server)
  const origin = `http://${host}:${port}`
  server.on('request', await listener(origin))
  return origin
}

/** The request of an app, as its own authorization server received it and passed it on. */
const requestOf = (changes: Fields): string => {
  const { search } = authorizationUrl({ redirect_uri: CALLBACK, resource: issuer, ...changes })
  return `${issuer}/oauth/authorize${search}`
}

beforeAll(async () => {
  browser = await launchChromium()
  issuer = await listen('127.0.0.1', async (origin) => {
    school = await createSchool({ issuer: origin })
    return toNodeHandler(school.router, { origin })
  })
  // Another site: two names of one computer are not the same site.
  attacker = await listen('localhost', async () => (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
    const target = requestOf({ client_id: searchParams.get('client_id') })
    if (pathname === '/redirect') response.writeHead(302, { location: target }).end()
    else {
      response.setHeader('content-type', 'text/html')
      response.end(
        pathname === '/link'
          ? `<a href="${target.replaceAll('&', '&amp;')}">Connect</a>`
          : `<script>location = ${JSON.stringify(target)}</script>`,
      )
    }
  })
  school.signedIn = { subject: STUDENT.subject, authTime: T }
  for (const client of [DIARY, HUB]) {
    await school.store.insertClient(client)
    const { search } = new URL(requestOf({ client_id: client.clientId }))
    const url = new URL(`/oauth/authorize${search}`, issuer)
    await createBrowser(school, issuer).authorize(url)
  }
})
afterAll(async () => {
  await browser.close()
  for (const server of servers) server.close().closeAllConnections()
})

/** Where a person lands: `code` in the app, whose name nothing resolves, or `page` at the school. */
async function landing(visit: (page: Page) => Promise<unknown>): Promise<string> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const landed = new Promise<string>((resolve) => {
    page.on('request', (request) => {
      const { searchParams } = new URL(request.url())
      if (request.url().startsWith(CALLBACK)) resolve([...searchParams.keys()][0]!)
    })
    page.on('response', (response) => {
      if (response.url().includes('/oauth/interaction/') && response.status() === 200)
        resolve('page')
    })
  })
  await visit(page).catch(() => {})
  const where = await landed
  await context.close()
  return where
}

/** How a browser gets from the attacker to the school. Only the last two say so in `Sec-Fetch-Site`. */
const WAYS: readonly [string, (page: Page, client: string) => Promise<unknown>][] = [
  ['a redirect', (page, client) => page.goto(`${attacker}/redirect?client_id=${client}`)],
  ['a script', (page, client) => page.goto(`${attacker}/script?client_id=${client}`)],
  [
    'a link',
    async (page, client) => {
      await page.goto(`${attacker}/link?client_id=${client}`)
      await page.getByText('Connect').click()
    },
  ],
]

describe('a person in Chromium who allowed an app before', () => {
  it.each(WAYS)(
    'sees what they are about to allow where another site sends them by %s [UX-08]',
    async (_, visit) => {
      expect(await landing((page) => visit(page, 'diary'))).toBe('page')
    },
  )

  it.each(WAYS)('goes on without a page to an app with a secret, by %s', async (_, visit) => {
    expect(await landing((page) => visit(page, 'hub'))).toBe('code')
  })

  it('goes on without a page to an app with a secret that opens the school itself', async () => {
    expect(await landing((page) => page.goto(requestOf({ client_id: 'hub' })))).toBe('code')
  })
})
