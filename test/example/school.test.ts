import { type RealClient, realClients } from 'hallpass-lab'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendBytes, statusesIn } from '../support/attack/wire.js'
import { type RunningExample, startExample } from '../support/processes/example.js'
import { waitFor } from '../support/processes/wait.js'
import { answersToForeignName, MISDIRECTED } from '../support/http/foreign-names.js'
import {
  createFormBrowser,
  type FormBrowser,
  type Page,
  signInAndAllow,
} from '../support/http/form-browser.js'
import { authorizeUrl, redeemAt } from '../support/http/running-flow.js'

let school: RunningExample

beforeAll(async () => {
  school = await startExample()
})
afterAll(() => school.stop())

const INES = { email: 'ines.duarte@example.com', password: 'hallpass-demo' }
const DESK = 'https://desk.example/client.json'
const MEI = { email: 'mei-ling.chou@example.com', password: 'hallpass-demo' }

async function consentPage(browser: FormBrowser, person = MEI): Promise<Page> {
  return browser.submit(await browser.open(authorizeUrl(school.origin)), person, 'Sign in')
}

const tokenOf = (page: Page, button: string): string => {
  const form = (page.text.match(/<form[^]*?<\/form>/g) ?? []).find((one) => one.includes(button))
  return /name="csrf_token"\s+value="([^"]+)"/.exec(form ?? '')?.[1] ?? ''
}

const post = (
  url: string | URL,
  fields: Record<string, string>,
  headers: Record<string, string>,
): Promise<Response> =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' })

const cookieOf = (browser: FormBrowser): string =>
  [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

function expectPageHeaders(headers: Headers, ownRule: string, forApp = false): void {
  const policy = headers.get('content-security-policy') ?? ''
  for (const rule of [
    "default-src 'none'",
    ownRule,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
  ])
    expect(policy).toContain(rule)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  // The pages of an authorization request let its person go on to the app, and the app's window follow.
  expect(/form-action '(?:self|none)';/.test(policy)).toBe(!forApp)
  expect(headers.get('cross-origin-opener-policy')).toBe(forApp ? 'unsafe-none' : 'same-origin')
}

describe('a request with 64 KiB of headers', () => {
  it.each(['x-long', 'cookie', 'authorization'])('in %s gets 431 [LIM-05]', async (name) => {
    const { host, port } = new URL(school.origin)
    const bytes = `GET / HTTP/1.1\r\nHost: ${host}\r\n${name}: a=${'x'.repeat(64 * 1024)}\r\n\r\n`
    expect(statusesIn(await sendBytes(Number(port), bytes, 10_000))).toEqual([431])
  })
})

describe('every page', () => {
  it('carries the headers that keep it from being framed, cached, sniffed or scripted [UX-01]', async () => {
    const browser = createFormBrowser(school.origin)
    const pages = [
      await browser.open('/'),
      await browser.open('/nowhere'),
      await browser.open('/oauth/authorize?client_id=nobody'),
      await browser.open(authorizeUrl(school.origin)),
      await consentPage(browser),
      await browser.open('/'),
    ]
    expect(pages.map(({ status }) => status)).toEqual([200, 404, 400, 200, 200, 200])
    for (const [index, { headers, text }] of pages.entries()) {
      expectPageHeaders(headers, "style-src 'self'", [2, 3, 4].includes(index))
      expect(headers.get('x-powered-by')).toBe(null)
      // The front page has one script of its own, and the policy for it.
      const script = '<script type="module" src="/assets/walk.js"></script>'
      expect(text.replace(script, '')).not.toMatch(/<script|<style|\son\w+=|style="/)
    }
  })

  it('is for no page of another site that calls this computer by a name of its own [RUNG-04]', async () => {
    expect(await answersToForeignName(school.origin)).toEqual(MISDIRECTED)
  })

  it.each(['/docs', '/playground', '/account/graphiql'])(
    'that holds a token carries them too, and shares no window: %s [UX-01]',
    async (path) => {
      const { status, headers } = await fetch(`${school.origin}${path}`)
      expect(status).toBe(200)
      expectPageHeaders(headers, "script-src 'self'")
    },
  )

  it('keeps its cookies from script, from other sites and from other schools [UX-06]', async () => {
    const answer = await fetch(authorizeUrl(school.origin), { redirect: 'manual' })
    const page = await fetch(school.origin)
    for (const line of [...answer.headers.getSetCookie(), ...page.headers.getSetCookie()]) {
      expect(line).toMatch(/; Path=\//)
      expect(line).toMatch(/; HttpOnly/)
      expect(line).toMatch(/; SameSite=Lax/)
      expect(line).not.toMatch(/Domain=/)
    }
    expect(page.headers.getSetCookie()[0]).toMatch(/^school_site_lantern=/)
    expect((await fetch(school.kiln)).headers.getSetCookie()[0]).toMatch(/^school_site_kiln=/)
  })
})

describe('an app in a terminal on another computer', () => {
  const open = async (redirectUri: string): Promise<[FormBrowser, Page]> => {
    const browser = createFormBrowser(school.origin)
    const changes = { client_id: DESK, redirect_uri: redirectUri, scope: 'openid courses:read' }
    const page = await browser.open(authorizeUrl(school.origin, { ...changes, resource: null }))
    return [browser, await browser.submit(page, INES, 'Sign in')]
  }
  const BUTTON = 'My terminal is on another computer'

  it('is connected by an address to copy, which works once [UX-22]', async () => {
    const redirectUri = 'http://127.0.0.1:53682/callback'
    const [browser, consent] = await open(redirectUri)
    const fields = { csrf_token: tokenOf(consent, BUTTON) }
    const { status, headers, text } = await browser.submit(consent, fields, BUTTON)
    expect(status).toBe(200)
    expectPageHeaders(headers, "script-src 'self'", true)
    const [, written] = /<textarea[^>]*>\s*([^<]+?)<\/textarea>/.exec(text) ?? []
    const address = new URL(written!.replaceAll('&amp;', '&'))
    expect(address.href.startsWith(`${redirectUri}?code=hpc_`)).toBe(true)
    expect(address.searchParams.get('state')).toBe('state-1')
    expect(address.searchParams.get('iss')).toBe(school.origin)
    const code = address.searchParams.get('code')!
    const changes = { client_id: DESK, redirect_uri: redirectUri, resource: null }
    expect((await redeemAt(school.origin, code, changes)).status).toBe(200)
    expect((await redeemAt(school.origin, code, changes)).status).toBe(400)
  })

  it('is offered it at a loopback address only, and a form that says otherwise is refused [UX-22]', async () => {
    const [browser, consent] = await open('https://desk.example/callback')
    expect(consent.text).toContain('Allow')
    expect(consent.text).not.toContain(BUTTON)
    const token = { csrf_token: tokenOf(consent, 'Allow') }
    const forged = await browser.submit(consent, { ...token, decision: 'allow_and_paste' })
    expect([forged.status, forged.left]).toEqual([400, null])
    expect(forged.text).not.toContain('hpc_')
  })
})

describe('a request with the ID token of another person', () => {
  it('asks for the account that it names, and is told without a page [AUTH-37]', async () => {
    const connected = await signInAndAllow(
      createFormBrowser(school.origin),
      authorizeUrl(school.origin),
      MEI,
    )
    const redeemed = await redeemAt(school.origin, connected.searchParams.get('code')!)
    const { id_token: id_token_hint } = (await redeemed.json()) as { id_token: string }
    const browser = createFormBrowser(school.origin)
    await consentPage(browser, INES)
    const told = await browser.open(
      authorizeUrl(school.origin, { id_token_hint, prompt: 'none', state: 'other' }),
    )
    expect(told.left?.searchParams.get('error')).toBe('login_required')
    expect(told.left?.searchParams.get('state')).toBe('other')
    const asked = await browser.open(authorizeUrl(school.origin, { id_token_hint }))
    expect(asked.text).toContain('asks for another account')
    const again = await browser.submit(asked, INES, 'Sign in')
    expect(again.text).toContain('asks for another account')
    const consent = await browser.submit(again, MEI, 'Sign in')
    expect(consent.text).toContain('Allow')
    expect(consent.text).toContain('Mei-Ling Chou')
  })
})

describe('signing in', () => {
  it('gives the browser a new identifier, and the old one is nobody [UX-05]', async () => {
    const browser = createFormBrowser(school.origin)
    const page = await browser.open('/')
    const before = browser.cookies.get('school_site_lantern')!
    expect((await browser.submit(page, MEI, 'Sign in')).text).toContain('Hello,')
    const after = browser.cookies.get('school_site_lantern')!
    expect(after).not.toBe(before)
    const old = await fetch(school.origin, { headers: { cookie: `school_site_lantern=${before}` } })
    expect(await old.text()).not.toContain('Hello,')
  })

  it('ends the session that was there before, also for whoever kept its cookie [UX-05]', async () => {
    const browser = createFormBrowser(school.origin)
    const home = await browser.submit(await browser.open('/'), MEI, 'Sign in')
    const kept = cookieOf(browser)
    const again = await post(
      `${school.origin}/sign-in`,
      { ...MEI, csrf_token: tokenOf(home, 'Sign out'), return_to: '/' },
      { cookie: kept },
    )
    expect(again.headers.get('location')).toBe('/')
    const [begun = ''] = again.headers.getSetCookie()
    const greets = async (cookie: string): Promise<boolean> =>
      (await (await fetch(school.origin, { headers: { cookie } })).text()).includes('Hello,')
    expect([await greets(begun.split(';', 1)[0]!), await greets(kept)]).toEqual([true, false])
  })

  it('ends with signing out, also for whoever kept the cookie', async () => {
    const browser = createFormBrowser(school.origin)
    const home = await browser.submit(await browser.open('/'), MEI, 'Sign in')
    const kept = browser.cookies.get('school_site_lantern')!
    await browser.submit(home, {}, 'Sign out')
    expect((await browser.open('/')).text).not.toContain('Hello,')
    const later = await fetch(school.origin, { headers: { cookie: `school_site_lantern=${kept}` } })
    expect(await later.text()).not.toContain('Hello,')
  })

  it('leads on to a waiting request or the home page, never elsewhere [UX-05]', async () => {
    const browser = createFormBrowser(school.origin)
    const page = await browser.open('/')
    for (const target of [
      'https://evil.test/',
      '//evil.test',
      '/\\evil.test',
      '/oauth/authorize',
    ]) {
      const answer = await post(
        `${school.origin}/sign-in`,
        { ...MEI, csrf_token: tokenOf(page, 'Sign in'), return_to: target },
        { cookie: cookieOf(browser) },
      )
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
    }
  })

  it('is refused without the token of the form, or from another site', async () => {
    const browser = createFormBrowser(school.origin)
    const csrfToken = tokenOf(await browser.open('/'), 'Sign in')
    const fields = { ...MEI, return_to: '/' }
    const attempts: readonly [Record<string, string>, Record<string, string>][] = [
      [fields, { cookie: cookieOf(browser) }],
      [{ ...fields, csrf_token: 'guess' }, { cookie: cookieOf(browser) }],
      [{ ...fields, csrf_token: csrfToken }, {}],
      [
        { ...fields, csrf_token: csrfToken },
        { cookie: cookieOf(browser), origin: 'https://evil.test' },
      ],
      [
        { ...fields, csrf_token: csrfToken },
        { cookie: cookieOf(browser), 'sec-fetch-site': 'cross-site' },
      ],
    ]
    for (const [body, headers] of attempts) {
      const answer = await post(`${school.origin}/sign-in`, body, headers)
      expect(answer.status).toBe(403)
      expect(answer.headers.getSetCookie()).toEqual([])
    }
    const large = await post(
      `${school.origin}/sign-in`,
      { ...fields, csrf_token: csrfToken, more: 'x'.repeat(20_000) },
      { cookie: cookieOf(browser) },
    )
    expect(large.status).toBe(403)
  })

  it('is refused with an address that no database can hold, as with any unknown one [ST-04]', async () => {
    const browser = createFormBrowser(school.origin)
    const csrfToken = tokenOf(await browser.open('/'), 'Sign in')
    const fields = { ...MEI, email: `${MEI.email}\0`, csrf_token: csrfToken, return_to: '/' }
    const answer = await post(`${school.origin}/sign-in`, fields, { cookie: cookieOf(browser) })
    expect([answer.status, answer.headers.getSetCookie().length]).toEqual([403, 1])
    expect(await answer.text()).toContain('name="password"')
  })

  it('tells the suspended so, but only whoever knows the password [UX-11]', async () => {
    const browser = createFormBrowser(school.origin)
    const tryAs = async (password: string): Promise<string> => {
      const page = await browser.open('/')
      const email = 'oskar.lind@example.com'
      return (await browser.submit(page, { email, password }, 'Sign in')).text
    }
    expect(await tryAs('guess')).not.toContain('suspended')
    expect(await tryAs('hallpass-demo')).toContain('suspended')
  })

  it('slows down whoever guesses, and says for how long [UX-11]', async () => {
    const browser = createFormBrowser(school.kiln)
    const statuses: number[] = []
    let last: Page | null = null
    for (let guess = 0; guess < 8; guess++) {
      const page = await browser.open('/')
      const email = guess % 2 === 0 ? 'Wen-Chi.Kao@example.com ' : 'wen-chi.kao@example.com'
      last = await browser.submit(page, { email, password: `guess ${guess}` }, 'Sign in')
      statuses.push(last.status)
    }
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 429, 429])
    expect(Number(last!.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(last!.text).toContain('Too many attempts')
    const other = await browser.submit(
      await browser.open('/'),
      { email: 'hao-yu.lin@example.com', password: 'hallpass-demo' },
      'Sign in',
    )
    expect(other.text).toContain('Hello,')
  })
})

describe('the consent form', () => {
  it('counts once, from the browser and person it was made for [UX-03, UX-04]', async () => {
    const browser = createFormBrowser(school.origin)
    const page = await consentPage(browser)
    const fields = { csrf_token: tokenOf(page, 'Allow'), decision: 'allow' }
    const stranger = createFormBrowser(school.origin)
    await stranger.submit(
      await stranger.open('/'),
      { email: 'ines.duarte@example.com', password: 'hallpass-demo' },
      'Sign in',
    )
    const send = (headers: Record<string, string>, body = fields): Promise<Response> =>
      post(page.url, body, headers)
    const cookie = cookieOf(browser)
    expect((await send({ cookie: cookieOf(stranger) })).status).toBe(403)
    expect((await send({ cookie }, { ...fields, csrf_token: 'guess' })).status).toBe(403)
    expect((await send({ cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    const allowed = await send({ cookie })
    expect(allowed.status).toBe(303)
    expect(allowed.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:7777\/callback\?code=/)
    expect((await send({ cookie })).status).toBe(400)
  })

  it('starts again for another account of the same person at the keyboard [UX-14]', async () => {
    const browser = createFormBrowser(school.origin)
    const page = await consentPage(browser)
    const signIn = await browser.submit(
      page,
      { return_to: page.url.pathname },
      'Use another account',
    )
    expect(signIn.text).toContain('name="password"')
    const again = await browser.submit(
      signIn,
      { email: 'priya.nair@example.com', password: 'hallpass-demo' },
      'Sign in',
    )
    expect(again.url.pathname).toBe(page.url.pathname)
    expect(again.text).toContain('Priya Nair')
    expect(tokenOf(again, 'Allow')).not.toBe(tokenOf(page, 'Allow'))
  })

  it('tells a student that an operator client is for staff, and offers Cancel alone', async () => {
    const registered = (await (
      await fetch(`${school.origin}/api/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: 'Desk', redirect_uris: ['http://127.0.0.1:1/cb'] }),
      })
    ).json()) as { client_id: string }
    const browser = createFormBrowser(school.origin)
    const page = await browser.submit(
      await browser.open(
        authorizeUrl(school.origin, {
          client_id: registered.client_id,
          redirect_uri: 'http://127.0.0.1:1/cb',
          scope: 'courses:read',
        }),
      ),
      MEI,
      'Sign in',
    )
    expect(page.text).not.toMatch(/>\s*Allow\s*</)
    const { left } = await browser.submit(page, { csrf_token: tokenOf(page, 'Cancel') }, 'Cancel')
    expect(left?.searchParams.get('error')).toBe('access_denied')
  })
})

describe('two schools in one process', () => {
  it('know nothing of each other: neither people, nor sessions, nor clients', async () => {
    const browser = createFormBrowser(school.origin)
    await browser.submit(await browser.open('/'), MEI, 'Sign in')
    const session = browser.cookies.get('school_site_lantern')!
    const moved = await fetch(school.kiln, { headers: { cookie: `school_site_kiln=${session}` } })
    expect(await moved.text()).not.toContain('Hello,')
    const elsewhere = createFormBrowser(school.kiln)
    const ines = await elsewhere.submit(
      await elsewhere.open('/'),
      { email: 'ines.duarte@example.com', password: 'hallpass-demo' },
      'Sign in',
    )
    expect(ines.status).toBe(403)
    const page = await elsewhere.open(authorizeUrl(school.kiln))
    expect([page.status, page.text.includes('We don’t know this app')]).toEqual([400, true])
  })

  it('each tell their own address, whatever Host and forwarding headers say [DISC-16]', async () => {
    const answer = await fetch(`${school.origin}/.well-known/oauth-authorization-server`, {
      headers: { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' },
    })
    expect(((await answer.json()) as { issuer: string }).issuer).toBe(school.origin)
  })
})

describe('a load balancer', () => {
  it.each([
    ['/livez', { status: 'alive' }],
    ['/readyz', { status: 'ready', failing: [] }],
  ])('may ask %s as often as it likes', async (path, body) => {
    const answer = await fetch(school.origin + path)
    expect([answer.status, await answer.json()]).toEqual([200, body])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect((await fetch(school.origin + path, { method: 'POST' })).status).toBe(405)
  })
})

describe('a refusal', () => {
  it.each(['origin', 'kiln'] as const)('names a page of %s that says what to do', async (site) => {
    const answer = await post(`${school[site]}/api/oauth/token`, { grant_type: 'password' }, {})
    const { error_uri } = (await answer.json()) as { error_uri: string }
    const page = new URL(error_uri)
    expect(page.origin).toBe(school[site])
    const text = await (await fetch(page)).text()
    expect(text).toContain(`<a id="${page.hash.slice(1)}"></a>\`unsupported_grant_type\` | 400 |`)
  })
})

describe('the vendors that the example knows', () => {
  const register = async (body: object): Promise<[number, Record<string, unknown>]> => {
    const answer = await fetch(`${school.origin}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return [answer.status, (await answer.json()) as Record<string, unknown>]
  }
  const known = new Map([
    ['Claude', 'claude'],
    ['ChatGPT', 'chatgpt'],
    ['Visual Studio Code', 'vscode'],
    ['Cursor', 'cursor'],
    ['Perplexity', 'perplexity'],
    ['Mistral', 'mistral'],
    ['Devin', 'devin'],
    ['Warp', 'warp'],
    ['n8n', 'n8n'],
    ['Make', 'make'],
  ])
  const urisOf = ({ registrations }: RealClient): readonly string[] =>
    registrations.flatMap((body) => body['redirect_uris'] as string[])
  const registering = realClients.filter(({ registrations }) => registrations.length > 0)

  it.each(realClients.filter(({ name }) => known.has(name)))(
    '$name registers with its own addresses and gets its own identifier, every time',
    async ({ name, registrations }) => {
      for (const sent of [...registrations, ...registrations]) {
        const [status, body] = await register(sent)
        expect(status).toBe(201)
        expect(body['client_id']).toBe(known.get(name))
        expect(body['redirect_uris']).toEqual(registrations[0]!['redirect_uris'])
        expect(body).not.toHaveProperty('client_secret')
        expect(Object.values(body)).not.toContain(null)
      }
    },
  )

  it.each(registering.filter((one) => urisOf(one).every((uri) => uri.startsWith('http://'))))(
    '$name runs on this computer and gets an identifier of its own',
    async ({ registrations }) => {
      for (const sent of registrations) {
        const [status, body] = await register(sent)
        expect(status).toBe(201)
        expect(body['client_id']).toMatch(/^(?!https:)\S{16,}$/)
        expect(body['token_endpoint_auth_method']).toBe('none')
      }
    },
  )

  it.each(registering.filter((one) => urisOf(one).every((uri) => uri.startsWith('https://'))))(
    'an address on the web that no vendor of the name has is refused: that of $name',
    async (client) => {
      const [status, body] = await register({
        client_name: 'Some platform',
        redirect_uris: urisOf(client),
      })
      expect([status, body['error']]).toEqual([400, 'invalid_redirect_uri'])
    },
  )

  it('a client that sends no scope, and one that sends every scope, are refused and told why', async () => {
    const codex = realClients.find(({ name }) => name === 'Codex')!
    const [, { client_id }] = await register(codex.registrations[0]!)
    const request = { client_id: client_id as string, redirect_uri: codex.authorize!.redirectUri }
    const metadata = await fetch(`${school.origin}/.well-known/oauth-authorization-server`)
    const { scopes_supported } = (await metadata.json()) as { scopes_supported: string[] }
    const refusalOf = async (scope: string | null): Promise<unknown> => {
      const url = authorizeUrl(school.origin, { ...request, scope })
      const { headers } = await fetch(url, { redirect: 'manual' })
      const { searchParams } = new URL(headers.get('location')!)
      return [searchParams.get('error'), searchParams.get('error_description')]
    }
    expect([await refusalOf(null), await refusalOf(scopes_supported.join(' '))]).toEqual([
      ['invalid_scope', 'scope is required: send at least one scope'],
      ['invalid_scope', expect.stringContaining('a scope of the other audience')],
    ])
  })

  it('Visual Studio Code may send a grant that does not exist here; it is left out', async () => {
    const [status, body] = await register({
      client_name: 'Visual Studio Code',
      redirect_uris: ['https://vscode.dev/redirect', 'http://127.0.0.1:33418/'],
      grant_types: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
    })
    expect([status, body['grant_types']]).toEqual([201, ['authorization_code', 'refresh_token']])
  })

  it('a vendor name with an address of somebody else is refused', async () => {
    const [status, body] = await register({
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://evil.test/cb'],
    })
    expect([status, body['error']]).toEqual([400, 'invalid_redirect_uri'])
  })
})

describe('the log', () => {
  it('tells what happened and holds no secret [LOG-01]', async () => {
    const browser = createFormBrowser(school.origin)
    const page = await consentPage(browser)
    const { left } = await browser.submit(page, { csrf_token: tokenOf(page, 'Allow') }, 'Allow')
    const code = left!.searchParams.get('code')!
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
    const exchange = (): Promise<Response> =>
      post(
        `${school.origin}/api/oauth/token`,
        {
          grant_type: 'authorization_code',
          client_id: 'study-buddy',
          redirect_uri: 'http://127.0.0.1:7777/callback',
          code_verifier: verifier,
          resource: school.origin,
          code,
        },
        {},
      )
    const tokens = (await (await exchange()).json()) as Record<string, string>
    expect((await exchange()).status).toBe(400)
    // The log comes by a pipe of its own, which may be later than the response.
    await waitFor(() => school.output().includes('"reason":"code_lost_race"'))
    const log = school.output()
    for (const type of [
      'oauth.authorization.requested',
      'oauth.authorization.approved',
      'oauth.grant.created',
      'refused',
    ])
      expect(log).toContain(`"type":"${type}"`)
    const secrets = [
      code,
      verifier,
      tokens['access_token'],
      tokens['refresh_token'],
      tokens['id_token'],
      ...browser.cookies.values(),
      tokenOf(page, 'Allow'),
    ]
    for (const secret of secrets) {
      expect(secret).toMatch(/\S{20,}/)
      expect(log).not.toContain(secret)
    }
    expect(log.replace("Everyone's password is hallpass-demo.", '')).not.toContain('hallpass-demo')
  })
})
