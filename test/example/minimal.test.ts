import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { answersToForeignName, MISDIRECTED } from '../support/http/foreign-names.js'
import { createFormBrowser } from '../support/http/form-browser.js'
import { type Child, startChild } from '../support/processes/child.js'
import { accepts, freePorts } from '../support/processes/ports.js'
import { BLOCKS } from '../support/docs/pages.js'
import { readSource } from '../support/source/compile.js'
import { ROOT } from '../support/source/root.js'

const README = BLOCKS.filter(({ page }) => page === 'README.md')
const PROGRAM = README.find(({ info }) => info === 'ts example')!.code
/** The client of the README's command, as its registration has it. */
const [, CLIENT] = /register [^']*'[^']*' \\\n {2}-d '([^']+)'/.exec(
  README.map(({ code }) => code).join('\n'),
)!

describe('the first program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'first-program-'))
  let origin = ''
  let port = 0
  let school: Child
  const start = (): Child =>
    startChild(process.execPath, ['server.mjs'], {
      cwd: folder,
      environment: { PORT: String(port) },
    })
  beforeAll(async () => {
    // JavaScript for Node, as README says: without a compiler.
    writeFileSync(join(folder, 'server.mjs'), PROGRAM)
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction')
    port = await freePorts()
    origin = `http://127.0.0.1:${port}`
    school = start()
    const listens = async (): Promise<boolean> =>
      school.output().includes('sign in with') && accepts(port)
    await school.until(listens, { what: 'it listens' })
  })
  afterAll(async () => {
    await school.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('answers no page of another site that calls this computer by a name of its own [RUNG-04]', async () => {
    expect(await answersToForeignName(origin)).toEqual(MISDIRECTED)
  })

  it('is one file of at most 84 lines with five imports, and needs no other', () => {
    const text = readSource('examples/minimal/server.ts')
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(84)
    const imported = [...text.matchAll(/^import .* from '(.+)'$/gm)].map(([, name]) => name)
    expect(imported).toEqual([
      'node:crypto',
      'node:fs',
      'hallpass',
      'hallpass/node',
      'hallpass/sqlite',
    ])
  })

  it('signs its person in, asks for consent, and issues tokens', async () => {
    const [, address = '', password = ''] = /^(\S+): sign in with (\S+)$/m.exec(school.output())!
    // What `npm create hallpass` says to open.
    expect(await (await fetch(origin)).text()).toContain('It runs.')
    expect((await (await fetch(address)).json()) as object).toMatchObject({ issuer: origin })
    const registered = await fetch(`${origin}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: CLIENT!,
    })
    const { client_id, redirect_uris } = (await registered.json()) as {
      client_id: string
      redirect_uris: readonly string[]
    }
    const configuration = await client.discovery(
      new URL(origin),
      client_id,
      undefined,
      client.None(),
      { execute: [client.allowInsecureRequests] },
    )
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirect_uris[0]!,
      scope: 'openid profile courses:read',
      state: 's',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })

    const browser = createFormBrowser(origin)
    const signIn = await browser.open(url)
    const wrong = await browser.submit(signIn, { password: 'wrong' }, 'Sign in')
    expect([wrong.status, wrong.headers.getSetCookie()]).toEqual([403, []])
    const elsewhere = { password, to: '//evil.example/oauth/interaction/' }
    expect((await browser.submit(signIn, elsewhere, 'Sign in')).status).toBe(403)
    const to = /name="to" value="([^"]+)"/.exec(signIn.text)![1]!
    const fromElsewhere = await fetch(`${origin}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: 'https://evil.example' },
      body: new URLSearchParams({ to, password }),
    })
    expect(fromElsewhere.status).toBe(403)

    const consent = await browser.submit(signIn, { password }, 'Sign in')
    expect(consent.status).toBe(200)
    const { client_name, redirect } = { ...(JSON.parse(CLIENT!) as { client_name: string }), redirect: new URL(redirect_uris[0]!) } // prettier-ignore
    for (const text of [
      `<bdi>${client_name}</bdi>`,
      'My School has not checked this app.',
      `<b>${redirect.host}</b>`,
      'as Ann',
      'See courses, drafts included',
      'name="csrf_token"',
      'value="allow"',
      'value="deny"',
    ])
      expect(consent.text).toContain(text)
    const policy = consent.headers.get('content-security-policy')!
    expect(policy).toMatch(/default-src 'none'.*style-src 'sha256-.*frame-ancestors 'none'/)

    const { left } = await browser.submit(consent, {}, 'Allow')
    const checks = { pkceCodeVerifier, expectedState: 's', idTokenExpected: true }
    const tokens = await client.authorizationCodeGrant(configuration, left!, checks)
    expect(tokens.claims()).toMatchObject({ iss: origin, sub: 'mem_1' })
    expect(await client.fetchUserInfo(configuration, tokens.access_token, 'mem_1')).toMatchObject({
      sub: 'mem_1',
      name: 'Ann',
      roles: ['owner'],
    })
  })

  it('shows the name of an app as text, and sends the person back who cancels', async () => {
    const registered = await fetch(`${origin}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: `"Tom" & O'Neill <b>`,
        redirect_uris: ['http://127.0.0.1/cb'],
      }),
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const browser = createFormBrowser(origin)
    const signIn = await browser.open(
      `${origin}/oauth/authorize?${String(
        new URLSearchParams({
          client_id,
          response_type: 'code',
          redirect_uri: 'http://127.0.0.1:7777/cb',
          scope: 'openid',
          state: 's',
          code_challenge: 'A'.repeat(43),
          code_challenge_method: 'S256',
        }),
      )}`,
    )
    const name = '&#34;Tom&#34; &#38; O&#39;Neill &#60;b&#62;'
    expect(signIn.text).toContain(`<b>${name}</b>`)
    const [, password = ''] = /sign in with (\S+)/.exec(school.output())!
    const consent = await browser.submit(signIn, { password }, 'Sign in')
    expect(consent.text).toContain(`<bdi>${name}</bdi>`)
    const { left } = await browser.submit(consent, {}, 'Cancel')
    expect(left!.searchParams.get('error')).toBe('access_denied')
  })

  it('signs its person in at the page of a block that is switched on', async () => {
    const [other, file] = [await freePorts(), join(folder, 'with-devices.mjs')]
    writeFileSync(
      file,
      `import { deviceGrant } from 'hallpass/blocks'\n${PROGRAM}`.replace(
        'roles: schoolRoles,',
        '$& blocks: [deviceGrant({ page: (_, { page, userCode }) => Response.json({ page, userCode }) })],',
      ),
    )
    const devices = startChild(process.execPath, [file], {
      cwd: folder,
      environment: { PORT: String(other) },
    })
    onTestFinished(() => devices.stop())
    await devices.until(() => accepts(other), { what: 'it listens' })
    await devices.until(async () => devices.output().includes('sign in with'), {
      what: 'it says so',
    })
    const [, password = ''] = /sign in with (\S+)/.exec(devices.output())!
    const own = `http://127.0.0.1:${other}`
    for (const query of ['?user_code=WDJB-MJHT', '']) {
      const browser = createFormBrowser(own, { origin: own })
      const signIn = await browser.open(`${own}/oauth/device${query}`)
      const shown = await browser.submit(signIn, { password }, 'Sign in')
      expect(shown.status).toBe(200)
      const userCode = query === '' ? null : 'WDJB-MJHT'
      expect(JSON.parse(shown.text)).toEqual({ page: 'code', userCode })
    }
  })

  it('says that its port is taken, and ends on SIGTERM', async () => {
    const second = start()
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain('choose another port, such as PORT=3001')
    await school.stop('SIGTERM')
    expect(await school.ended).toBe(0)
    expect(school.output()).not.toContain('Error')
  })
})
