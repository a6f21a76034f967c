import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataFolder } from '../support/processes/example-process.js'
import { addressesOf, AUTH_MD_WALK, followAuthMd } from '../support/http/auth-md-walk.js'
import { answersToForeignName, MISDIRECTED } from '../support/http/foreign-names.js'
import {
  createFormBrowser,
  type FormBrowser,
  signInAndAllow,
} from '../support/http/form-browser.js'
import { authorize, REDIRECT, tokensFor } from '../support/http/openid-client.js'
import {
  passwordOf,
  type RunningProject,
  startExampleProject,
  WITHOUT_SQLITE,
} from '../support/processes/project.js'
import { twelveChecks } from '../support/http/server-checks.js'

const OWNER = 'owner@example.com'
const STUDENT = 'student@example.com'
const insecure = { execute: [client.allowInsecureRequests] }

describe.each(['server', 'fastify', 'hono'])('examples/%s', (name) => {
  const folder = dataFolder()
  let rung: RunningProject
  let password = ''
  let browser: FormBrowser
  let app: client.Configuration
  beforeAll(async () => {
    rung = await startExampleProject(name, { folder: folder.path, env: WITHOUT_SQLITE })
    password = passwordOf(rung)
    browser = createFormBrowser(rung.origin)
    app = await client.dynamicClientRegistration(
      new URL(rung.origin),
      { client_name: 'Desk CLI', redirect_uris: [REDIRECT] },
      client.None(),
      insecure,
    )
  })
  afterAll(async () => {
    await rung.stop()
    folder.remove()
  })

  const tokensOf = (scope: string): ReturnType<typeof tokensFor> =>
    tokensFor(app, { origin: rung.origin, scope, browser, email: OWNER, password })

  const courses = (accessToken?: string): Promise<Response> =>
    fetch(`${rung.origin}/courses`, {
      headers: accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` },
    })

  it('says that it opens the database, before that takes seconds', () => {
    const [before, after] = rung.output().split('Example School at')
    expect(before).toContain(`Opening the database in ${folder.path} …\n`)
    expect(after).toContain(password)
  })

  it('answers no page of another site that calls this computer by a name of its own [RUNG-04]', async () => {
    expect(await answersToForeignName(rung.origin)).toEqual(MISDIRECTED)
  })

  it('passes the twelve checks', async () => {
    const credentials = { email: OWNER, password }
    expect(await twelveChecks({ origin: rung.origin, credentials })).toHaveLength(12)
  })

  it('signs its owner in, and opens the route that the token has the scope for', async () => {
    const tokens = await tokensOf('openid profile courses:read')
    expect(tokens.claims()).toMatchObject({
      iss: rung.origin,
      name: 'Ada Okafor',
      roles: ['owner'],
    })
    const opened = await courses(tokens.access_token)
    expect([opened.status, await opened.json()]).toEqual([
      200,
      { data: expect.any(Array) as unknown },
    ])
  })

  it('leads its client by /auth.md from registration to revocation, and names only what is there [DISC-32]', async () => {
    const text = await (await fetch(`${rung.origin}/auth.md`)).text()
    const walked = await followAuthMd(text, (url) =>
      signInAndAllow(createFormBrowser(rung.origin), url, { email: OWNER, password: password }),
    )
    expect(walked).toEqual(AUTH_MD_WALK)
    const dead = []
    for (const address of addressesOf(text, `${rung.origin}/`)) {
      const { status, body } = await fetch(address, { redirect: 'manual' })
      await body?.cancel()
      if (status === 404) dead.push(address)
    }
    expect(dead).toEqual([])
    expect(text).not.toMatch(/\/mcp|admin API|\/account\/graphql/)
    const metadata = `${rung.origin}/.well-known/oauth-protected-resource/mcp`
    expect((await fetch(metadata)).status).toBe(404)
  })

  it('refuses the route without a token, and with one that lacks the scope', async () => {
    const anonymous = await courses()
    expect(anonymous.status).toBe(401)
    expect(anonymous.headers.get('www-authenticate')).toContain('resource_metadata=')
    const { access_token: accessToken } = await tokensOf('openid events:read')
    const refused = await courses(accessToken)
    expect(refused.status).toBe(403)
    expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
  })

  it('gives each sign-in a new session in a guarded cookie, and none for a wrong password', async () => {
    const session = `session-${new URL(rung.origin).port}`
    const other = createFormBrowser(rung.origin)
    const { url } = await authorize(app, { origin: rung.origin, scope: 'openid courses:read' })
    const page = await other.open(url)
    // PostgreSQL holds no text with a NUL, so nobody has such an address.
    const nobody = await other.submit(page, { email: `${OWNER}\0`, password: 'wrong' }, 'Sign in')
    expect([nobody.status, nobody.text.includes('Wrong email address')]).toEqual([200, true])
    const again = await other.submit(page, { email: OWNER, password: 'wrong' }, 'Sign in')
    expect(again.text).toContain('role="alert">Wrong email address or password.')
    expect(other.cookies.get(session)).toBe('')

    const sent = await fetch(`${rung.origin}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({
        return_to: page.url.pathname,
        email: OWNER.toUpperCase(),
        password,
      }),
    })
    expect([sent.status, sent.headers.get('location')]).toEqual([303, page.url.pathname])
    const [cookie = '', known] = sent.headers.getSetCookie()
    expect(cookie).toMatch(/^session-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(known).toMatch(
      /^known-browser-\d+=\S+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
    )

    const consent = await other.submit(again, { email: OWNER, password }, 'Sign in')
    const [first] = [other.cookies.get(session)]
    const signedOut = await other.submit(consent, {}, 'Use another account')
    expect(signedOut.text).toContain('<h1>Sign in</h1>')
    other.cookies.set(session, first!)
    expect((await other.open(consent.url)).text).toContain('<h1>Sign in</h1>')
    await other.submit(signedOut, { email: STUDENT, password }, 'Sign in')
    expect(other.cookies.get(session)).toMatch(/^[\w-]{43}$/)
    expect(other.cookies.get(session)).not.toBe(first)
    const blocked = await other.open(consent.url)
    expect(blocked.text).toContain('Mei-Ling Chou <span class="badge">student</span>')
    expect(blocked.text).toContain('Not in your role')
    expect(blocked.text).toContain('<strong>Not reviewed.</strong>')
    expect(blocked.text).not.toContain('Allow')
  })

  it.each([
    [
      'another site sent',
      { 'sec-fetch-site': 'cross-site' },
      `/oauth/interaction/${'x'.repeat(43)}`,
    ],
    ['leads to another site', { 'sec-fetch-site': 'same-origin' }, '//evil.example'],
  ])('refuses a sign-in form that %s', async (_, headers, returnTo) => {
    const { status } = await fetch(`${rung.origin}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new URLSearchParams({ return_to: returnTo, email: OWNER, password }),
    })
    expect(status).toBe(403)
  })

  it('refuses a seventh password for an account from one network, and no one else', async () => {
    const page = await createFormBrowser(rung.origin).open(
      (await authorize(app, { origin: rung.origin, scope: 'openid' })).url,
    )
    const attempt = (email: string): Promise<Response> =>
      fetch(`${rung.origin}/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ return_to: page.url.pathname, email, password: 'wrong' }),
      })
    // No one has the address: it is counted as well.
    const name = 'Nobody@example.com'
    const six = await Promise.all([1, 2, 3, 4, 5, 6].map(() => attempt(name)))
    expect(six.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303, 303])
    const refused = await attempt(name.toLowerCase())
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.text()).toContain('<h1>Too many attempts</h1>')
    expect((await attempt('other@example.com')).status).toBe(303)
  })

  it('has a home page that shows who can sign in', async () => {
    const { status, text, headers } = await browser.open('/')
    expect([status, text.includes('<h1>Your server is running</h1>')]).toEqual([200, true])
    for (const shown of [OWNER, STUDENT, 'Ada Okafor', '/.well-known/oauth-authorization-server'])
      expect(text).toContain(shown)
    expect(text).not.toContain('claude mcp add')
    expect(headers.get('content-security-policy')).not.toContain('unsafe-inline')
  })

  it('says in one sentence that its port is taken, and creates nothing', async () => {
    const other = join(folder.path, 'other')
    const port = Number(new URL(rung.origin).port)
    const second = startExampleProject(name, { folder: other, port })
    await expect(second).rejects.toThrow(
      `\nPort ${port} is in use: stop the program that listens there, or set PORT\n`,
    )
    await expect(second).rejects.not.toThrow('    at ')
    expect(existsSync(other)).toBe(false)
  })

  it('shows a page for a request that cannot be redirected', async () => {
    const { status, text, headers } = await browser.open('/oauth/authorize?client_id=<b>')
    expect([status, text.includes('<h1>Something went wrong</h1>')]).toEqual([400, true])
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('refuses bytes that cannot be decoded without a trace of the program [LOG-04]', async () => {
    for (const path of ['/oauth/interaction/%', '/oauth/interaction/%ff', '/courses/%']) {
      const answer = await fetch(rung.origin + path)
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
      expect(await answer.text()).not.toMatch(/URIError|node_modules|\bat \w+ \(|\.[jt]s:\d+/)
    }
  })

  it('keeps people, grants and keys over a restart', async () => {
    const before = await tokensOf('openid courses:read')
    await rung.stop()
    rung = await startExampleProject(name, {
      folder: folder.path,
      port: Number(new URL(rung.origin).port),
      env: WITHOUT_SQLITE,
    })
    expect(rung.output()).toContain('password: npm run password owner@example.com sets a new one')
    const after = await client.refreshTokenGrant(app, before.refresh_token!)
    expect((await courses(after.access_token)).status).toBe(200)
    await tokensOf('openid courses:read')
  })

  it('keeps its signing key when the sealing secret changes', async () => {
    const kidsOf = async (): Promise<readonly string[]> => {
      const { keys } = (await (await fetch(`${rung.origin}/.well-known/jwks.json`)).json()) as {
        keys: readonly { kid: string }[]
      }
      return keys.map(({ kid }) => kid)
    }
    const before = await kidsOf()
    const port = Number(new URL(rung.origin).port)
    const old = readFileSync(join(folder.path, 'secret'), 'utf8').trim()
    const env = {
      ...WITHOUT_SQLITE,
      SEALING_SECRET: 'the next secret of 32 characters or more',
      PREVIOUS_SECRETS: old,
    }
    await rung.stop()
    rung = await startExampleProject(name, { folder: folder.path, port, env })
    expect(await kidsOf()).toEqual(before)
    expect((await tokensOf('openid courses:read')).claims()?.iss).toBe(rung.origin)
  })
})
