// Libraries of pages, in a real Chromium.
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  assert,
  owner,
  refusal,
  revokeByHand,
  run,
  say,
  SCHOOL,
  serve,
  started,
  step,
  student,
  trial,
} from './trial.mjs'

const PATIENCE_MILLISECONDS = 45_000
const origin = `http://127.0.0.1:${trial.port}`
const html = '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>'

/** Serves a page with this script in it, whatever the path. */
async function serveApp(source) {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: process.cwd(), loader: 'jsx' },
    bundle: true,
    write: false,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  })
  await serve((request, response) => {
    const isScript = request.url === '/app.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? outputFiles[0].text : html)
  })
}

async function open() {
  const browser = await chromium.launch(trial.chromium)
  const context = await browser.newContext()
  context.setDefaultTimeout(PATIENCE_MILLISECONDS)
  return { browser, context, page: await context.newPage() }
}

/** Signs in and allows, until the window has left the school or is closed. */
async function allow(window, email) {
  for (let turn = 0; turn < 4; turn++) {
    if (window.isClosed() || !window.url().startsWith(SCHOOL)) return
    await window.waitForLoadState('domcontentloaded')
    // The next page may have the address of this one.
    const moved = Promise.race(
      ['framenavigated', 'close'].map((event) => window.waitForEvent(event)),
    )
    moved.catch(() => {})
    if ((await window.locator('input[type=password]').count()) > 0) {
      await window.getByLabel('Email').fill(email)
      await window.getByLabel('Password').fill('hallpass-demo')
      await window.getByRole('button', { name: 'Sign in', exact: true }).click()
    } else {
      await window
        .getByRole('button', { name: /^Allow/ })
        .first()
        .click()
    }
    await moved
  }
}

/** Does so in each window that opens. */
function allowInPopups(context, email) {
  context.on('page', (window) => {
    window
      .waitForURL((url) => url.href.startsWith(SCHOOL))
      .then(() => allow(window, email))
      // It has closed meanwhile, or what waits for it says what it misses.
      .catch(() => {})
  })
}

/** What a page's promise comes to, within bounds. */
const within = (promise, what) =>
  Promise.race([
    promise,
    new Promise((_, reject) => {
      setTimeout(
        () => reject(new Error(`${what} after ${PATIENCE_MILLISECONDS} ms`)),
        PATIENCE_MILLISECONDS,
      )
    }),
  ])

const OIDC_APP = `
  import { UserManager } from 'oidc-client-ts'
  const [SCHOOL, CLIENT_ID] = ${JSON.stringify([SCHOOL, trial.id])}
  // region: oidc-client-ts
  const manager = new UserManager({
    authority: SCHOOL,
    client_id: CLIENT_ID,
    redirect_uri: location.origin + '/callback',
    popup_redirect_uri: location.origin + '/callback?popup',
    scope: 'openid profile email account:read',
    loadUserInfo: true,
    automaticSilentRenew: false,
    monitorSession: false,
    extraQueryParams: { resource: SCHOOL },
    extraTokenParams: { resource: SCHOOL },
  })
  // endregion
  window.manager = manager
  if (location.pathname === '/callback' && window.opener !== null) void manager.signinPopupCallback()
`
await run({
  async 'oidc-client-ts'() {
    const { context, page } = await open()
    const signIn = async () => {
      await page.goto(`${origin}/`)
      await Promise.all([
        page.waitForURL((url) => url.origin !== origin || url.pathname === '/callback'),
        page.evaluate(() => void window.manager.signinRedirect()),
      ])
      await allow(page, student)
      await page.waitForFunction(() => window.manager !== undefined)
      return page.evaluate(async () => {
        const { profile, access_token } = await window.manager.signinCallback()
        return { profile, access_token }
      })
    }
    await serveApp(OIDC_APP)
    const user = await step('signIn', signIn)
    await step('discovery', () => assert(user.profile))
    await step('idToken', () => assert(user.profile.sub))
    await step('userInfo', () => assert(user.profile.email === student))
    const fresh = await step('refresh', async () => {
      const token = await page.evaluate(
        async () => (await window.manager.signinSilent()).access_token,
      )
      assert(token !== user.access_token, 'the same access token')
      return token
    })
    await step('call', async () => {
      const status = await page.evaluate(
        async ([url, token]) =>
          (
            await fetch(url, {
              method: 'POST',
              headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
              body: '{"query":"{ viewer { id } }"}',
            })
          ).status,
        [`${SCHOOL}/account/graphql`, fresh],
      )
      assert(status === 200, String(status))
    })
    await step('revocation', () =>
      page.evaluate(() => window.manager.revokeTokens(['refresh_token'])),
    )
    await refusal('refusal', () =>
      page.evaluate(async (token) => {
        const user = await window.manager.getUser()
        user.refresh_token = token
        await window.manager.storeUser(user)
        return window.manager.signinSilent()
      }, 'revoked'),
    )
    await context.close()
  },

  async 'oidc-client-ts (popup)'() {
    const { context, page } = await open()
    allowInPopups(context, student)
    await serveApp(OIDC_APP)
    await page.goto(`${origin}/`)
    await step('signIn', async () => {
      const user = await within(
        page.evaluate(() => window.manager.signinPopup({ popupAbortOnClose: true })),
        'signinPopup is waiting',
      )
      assert(user.profile.sub)
    })
    await context.close()
  },

  async 'use-mcp'() {
    const { context, page } = await open()
    allowInPopups(context, owner)
    await serveApp(`
      import { createRoot } from 'react-dom/client'
      import { createElement } from 'react'
      import { useMcp } from 'use-mcp/react'
      import { onMcpAuthorization } from 'use-mcp'
      if (location.pathname === '/oauth/callback') void onMcpAuthorization()
      else {
        function App() {
          window.mcp = useMcp({
            url: ${JSON.stringify(trial.mcp)},
            clientName: 'Trial',
            autoReconnect: false,
            preventAutoAuth: false,
          })
          return createElement('pre', null, window.mcp.state + ' ' + (window.mcp.error ?? ''))
        }
        createRoot(document.getElementById('root')).render(createElement(App))
      }
    `)
    const tools = {}
    const state = (wanted, more = {}) =>
      page
        .waitForFunction((one) => window.mcp?.state === one, wanted, more)
        .catch(async () => {
          throw new Error(`it stays: ${await page.locator('pre').innerText()}`)
        })
    await page.goto(`${origin}/`)
    await step('discovery', async () => {
      await state('ready')
      tools.anonymous = await page.evaluate(() => window.mcp.tools.length)
    })
    const call = (name) =>
      within(
        page.evaluate(async (tool) => JSON.stringify(await window.mcp.callTool(tool, {})), name),
        'the call is waiting',
      )
    await step('registration', async () => {
      const opened = context.waitForEvent('page')
      opened.catch(() => {})
      // It is answered with a challenge, and opens a window.
      await call('list_orders').catch(() => {})
      await opened
    })
    await step('signIn', () => state('ready'))
    await step('call', async () => {
      const text = await call('check_connection')
      assert(/caller\W+operator/.test(text), text)
      tools.owner = await page.evaluate(() => window.mcp.tools.length)
    })
    say({ tools })
    await context.close()
  },

  async 'MCP Inspector'() {
    const tools = {}
    const mine = await openInspector({ url: trial.mcp })
    const sent = await step('signIn', () => mine.signIn(owner))
    const clientId = sent.get('client_id')
    say({ clientId })
    await step('registration', () => assert(clientId.startsWith('app_'), clientId))
    await step('call', async () => {
      tools.owner = await mine.count()
      await mine.callAs('operator')
    })
    await step('revocation', async () => {
      const ended = await mine.token()
      await revokeByHand(ended, clientId)
      const headers = { authorization: `Bearer ${ended}` }
      const { status } = await fetch(`${SCHOOL}/api/oauth/userinfo`, { headers })
      assert(status === 401, String(status))
    })
    await step('refresh', () => mine.callAs('operator'))
    await step('refusal', async () => {
      await mine.forget()
      // It asks for another sign-in.
      await mine.connect()
    })
    await mine.close()
    await step('member', async () => {
      const other = await openInspector({ url: trial.mcpOfMembers, oauth: { clientId: trial.id } })
      await other.signIn(student)
      tools.student = await other.count()
      await other.callAs('member')
      await other.close()
    })
    say({ tools })
  },
})

/** The Inspector with a school in its list, in a browser of its own. */
async function openInspector(entry) {
  const server = await startInspector(entry)
  const { context, page } = await open()
  const tab = (name) => page.locator('header').getByText(name, { exact: true }).click()
  const shows = (state) => page.getByText(state, { exact: true }).waitFor()
  const showConnection = async () => {
    await tab('Servers')
    await page.getByText('Connection Info').click()
  }
  /** Connects, and goes where that sends the person. */
  async function connect() {
    const authorized = page.waitForRequest((request) => request.url().includes('/authorize?'))
    authorized.catch(() => {})
    await page.getByRole('switch', { name: /^Connect or/ }).click({ force: true })
    const sent = new URL((await authorized).url()).searchParams
    await page.waitForURL((at) => at.href.startsWith(`${SCHOOL}/oauth/`))
    return sent
  }
  await page.goto(server.url)
  return {
    connect,
    async signIn(email) {
      const sent = await connect()
      await allow(page, email)
      await shows('Connected')
      return sent
    },
    async count() {
      await tab('Tools')
      const [, number] = /\((\d+)\)/.exec(await page.getByText(/^Tools \(\d+\)/).innerText())
      return Number(number)
    },
    /** Calls a tool, and hears from the school who calls. */
    async callAs(kind) {
      await tab('Tools')
      // What is chosen already would show its last answer.
      for (const tool of ['get_school_info', 'check_connection'])
        await page.getByRole('button', { name: tool }).click()
      await page.getByRole('button', { name: 'Execute Tool' }).click()
      const answer = page.getByText(/"caller":/).last()
      await answer.waitFor()
      const text = await answer.innerText()
      assert(text.includes(`"caller": "${kind}"`), text.slice(0, 100))
    },
    async token() {
      await showConnection()
      const shown = await page.getByRole('dialog').getByText(/^hpa_/).innerText()
      await page.keyboard.press('Escape')
      return shown.trim()
    },
    async forget() {
      await showConnection()
      await page.getByRole('button', { name: /^Clear OAuth state/ }).click()
      await shows('Disconnected')
    },
    async close() {
      await context.close()
      await server.stop()
    },
  }
}

/** The Inspector's own server. */
async function startInspector(entry) {
  const home = mkdtempSync(join(tmpdir(), 'real-client-'))
  process.once('exit', () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const config = join(home, 'school.json')
  const school = { type: 'streamable-http', ...entry }
  writeFileSync(config, JSON.stringify({ mcpServers: { school } }))
  const launcher = resolve(
    'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  )
  const child = started(
    spawn(process.execPath, [launcher, '--web', '--config', config], {
      cwd: home,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        CLIENT_PORT: String(trial.port),
        MCP_SANDBOX_PORT: '0',
        MCP_APP_ORIGIN_PORT: '0',
        MCP_AUTO_OPEN_ENABLED: 'false',
        MCP_INSPECTOR_SECRET_STORE: 'memory',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let printed = ''
  const url = await within(
    new Promise((found) => {
      const hear = (data) => {
        printed += data
        const [address] = /http:\S+MCP_INSPECTOR_API_TOKEN=\w+/.exec(printed) ?? []
        if (address !== undefined) found(address)
      }
      child.stdout.on('data', hear)
      child.stderr.on('data', hear)
    }),
    'the Inspector is starting',
  ).catch((error) => {
    throw new Error(`${error.message}: ${printed.slice(-400)}`)
  })
  return {
    url,
    async stop() {
      const ended = new Promise((over) => child.once('exit', over))
      child.kill('SIGKILL')
      await ended
    },
  }
}
