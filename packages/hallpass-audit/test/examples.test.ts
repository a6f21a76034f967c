import { createServer } from 'node:http'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseYaml } from '@redocly/openapi-core'
import { toNodeHandler } from 'hallpass/node'
import {
  type AuditReport,
  auditServer,
  type AuditRow,
  type AuditServerOptions,
  type Check,
  type Handler,
  renderReport,
  type SignIn,
} from 'hallpass-audit'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readArguments } from '../src/command/arguments.js'
import { loadSignIn } from '../src/command/load-sign-in.js'
import { CHROMIUM_ARGUMENTS, chromiumPath } from '../../../test/support/browser/chromium.js'
import { openServer } from '../../../test/support/http/open-server.js'
import { compile } from '../../../test/support/source/compile.js'
import { sharedExample } from '../../../test/support/processes/example.js'
import { startExampleProject } from '../../../test/support/processes/project.js'
import { ROOT } from '../../../test/support/source/root.js'
import { pkce } from './broken/pkce.js'
import { createBrokenServer, type Fault } from './broken-server.js'

const HOME = `${ROOT}packages/hallpass-audit`
const read = (path: string): string => readFileSync(join(HOME, path), 'utf8')
const worded = (rows: readonly AuditRow[]): readonly string[] =>
  rows.filter(({ verdict }) => verdict !== 'held').map(({ check, found }) => `${check}: ${found}`)
const signInOf = async (path: string): Promise<SignIn> =>
  ((await import(/* @vite-ignore */ join(HOME, path))) as { readonly default: SignIn }).default

describe('examples/github-actions.yml', () => {
  interface Step {
    readonly run?: string
    readonly uses?: string
    readonly if?: string
    readonly with?: Readonly<Record<string, string>>
  }
  const workflow = parseYaml(read('examples/github-actions.yml')) as {
    readonly permissions: Readonly<Record<string, string>>
    readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>
  }
  const { steps } = workflow.jobs['audit']!
  const audit = steps.find(({ run }) => run?.startsWith('npx hallpass-audit'))!
  const given = readArguments(audit.run!.split(' ').slice(2))

  it('audits with options that there are, a server that was started before', () => {
    expect(given.issuer).toBe('http://127.0.0.1:3000')
    expect(given.signIn).toBe('./sign-in.mjs')
    const started = steps.findIndex(({ run }) => run?.includes(`${given.issuer}/.well-known/`))
    expect(started).toBeGreaterThan(0)
    expect(started).toBeLessThan(steps.indexOf(audit))
    const baseline = /npx hallpass-audit (.+--write-baseline \S+)/.exec(read('examples/github-actions.yml'))! // prettier-ignore
    expect(readArguments(baseline[1]!.split(' ')).writeBaseline).toBe('audit-baseline.json')
  })

  it('uploads each report that it writes, also if the audit fails', () => {
    const after = steps.slice(steps.indexOf(audit) + 1)
    const files = given.reports.map(({ file }) => file!)
    expect(files).toEqual(['audit.sarif', 'audit.md', 'audit.html'])
    for (const file of files) {
      const step = after.find(({ run, with: of }) => `${run} ${Object.values(of ?? {}).join(' ')}`.includes(file))! // prettier-ignore
      expect(step.if).toContain('!cancelled()')
      expect(step.if).toContain(`hashFiles('${file}')`)
    }
    expect(workflow.permissions['security-events']).toBe('write')
  })
})

describe('examples/audit.test.ts', () => {
  const example = read('examples/audit.test.ts')

  /** The tests of the example for a server, of which the first one has the checks of PKCE only. */
  async function testsOf(handler: Handler, signIn: SignIn): Promise<readonly (() => Promise<void>)[]> {
    const folder = mkdtempSync(`${ROOT}test/.tmp-audit-`)
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const tests: (() => Promise<void>)[] = []
    const audit = (server: Handler, options: AuditServerOptions) =>
      auditServer(server, { only: ['pkce'], ...options })
    Object.assign(globalThis, { exampleParts: { handler, signIn, audit, renderReport, it: (_: string, body: () => Promise<void>) => void tests.push(body), expect } }) // prettier-ignore
    writeFileSync(
      join(folder, 'parts.ts'),
      'export const { handler, signIn, audit: auditServer, renderReport, it, expect } = globalThis.exampleParts\nexport default signIn\n',
    )
    const text = example.replaceAll(/from '(?:hallpass-audit|vitest|\.\/server\.js|\.\/sign-in\.mjs)'/g, `from './parts.js'`) // prettier-ignore
    writeFileSync(join(folder, 'example.ts'), text)
    await import(/* @vite-ignore */ join(folder, 'example.ts'))
    return tests
  }

  it('passes at a server that holds every clause, and says of another one what to change', async () => {
    const right = await createBrokenServer()
    for (const test of await testsOf(right.handler, right.options.signIn)) await test()
    const broken = await createBrokenServer(pkce[0]!.fault)
    const [all, one] = await testsOf(broken.handler, broken.options.signIn)
    const message = expect.stringMatching(/ pkce\/wrong-verifier .+ Found +a wrong verifier is answered by 200.+ Change +Store the challenge/s) as string
    await expect(all!()).rejects.toMatchObject({ actual: expect.arrayContaining(['pkce/wrong-verifier']) as unknown, message })
    await expect(one!()).rejects.toMatchObject({ actual: 'violated', message })
  })

  it('compiles', async () => {
    const faults = await compile({
      'audit.test.ts': example,
      'server.ts': `export const handler = (_: Request): Response => new Response()\n`,
      'sign-in.d.mts': `import type { SignIn } from 'hallpass-audit'\ndeclare const signIn: SignIn\nexport default signIn\n`,
    })
    expect(Object.fromEntries(faults)).toEqual({ 'audit.test.ts': [], 'server.ts': [], 'sign-in.d.mts': [] })
  })
}) // prettier-ignore

describe('examples/sign-in.mjs', () => {
  it('is a sign-in, with each comment left out or in', async () => {
    const signIn = await signInOf('examples/sign-in.mjs')
    expect(signIn.people).toHaveLength(2)
    await expect(loadSignIn('examples/sign-in.mjs', HOME)).rejects.toThrow(
      'people[0].password is empty, and must be a text: is a variable of the environment missing?',
    )
    const all = read('examples/sign-in.mjs').replaceAll(/^ {2}\/\/ (?=scope:|clients:|clientDocument:|endpoints:|surfaces:|buttons:|async answer| {2}|\},$)/gm, '  ') // prettier-ignore
    const folder = mkdtempSync(join(tmpdir(), 'hallpass-sign-in-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'sign-in.mjs'), all)
    const whole = ((await import(/* @vite-ignore */ join(folder, 'sign-in.mjs'))) as { default: SignIn }).default // prettier-ignore
    expect(Object.keys(whole)).toEqual([
      'people',
      'scope',
      'clients',
      'endpoints',
      'clientDocument',
      'surfaces',
      'buttons',
      'answer',
    ])
  })
})

/** A server whose pages are built by a script, which sends JSON and reads a cookie against CSRF. */
const withScript: NonNullable<Fault['wrap']> = (next) => {
  const API: Readonly<Record<string, (body: Record<string, string>, headers: Record<string, string>) => Promise<Response>>> = {
    '/api/login': async (person, headers) =>
      next(new Request(`${headers['origin']}/sign-in`, { method: 'POST', headers, body: new URLSearchParams({ ...person, return_to: `/oauth/interaction/${'a'.repeat(43)}` }) })),
    '/api/consent': async ({ request: path, allow }, headers) => {
      const page = await (await next(new Request(new URL(path!, headers['origin']), { headers }))).text()
      const [, csrf_token] = /name="csrf_token" value="([^"]+)"/.exec(page)!
      const body = new URLSearchParams({ csrf_token: csrf_token!, decision: allow ? 'allow' : 'deny' })
      return next(new Request(new URL(path!, headers['origin']), { method: 'POST', headers, body }))
    },
  }
  return async (request) => {
    const { origin, pathname, search } = new URL(request.url)
    const cookie = request.headers.get('cookie') ?? ''
    const api = API[pathname]
    if (api !== undefined) {
      if (request.headers.get('x-csrf-token') !== /csrf=(\w+)/.exec(cookie)?.[1]) return new Response('no csrf', { status: 403 })
      const { headers } = await api(await request.json() as Record<string, string>, { origin, cookie, 'sec-fetch-site': 'same-origin' })
      return Response.json({ location: headers.get('location') }, { headers: headers.getSetCookie().map((one) => ['set-cookie', one]) })
    }
    if (pathname === '/login' || pathname === '/consent')
      return new Response(`<!doctype html><title>Example School</title><body><script>(${script})()</script>`, { headers: { 'content-type': 'text/html', 'set-cookie': 'csrf=abc; Path=/' } })
    const response = await next(request)
    const text = request.method === 'GET' ? await response.clone().text() : ''
    const here = encodeURIComponent(pathname + search)
    if (text.includes('type="password"')) return Response.redirect(`${origin}/login?return_to=${here}`, 303)
    return text.includes('csrf_token') ? Response.redirect(`${origin}/consent?request=${here}`, 303) : response
  }
} // prettier-ignore

/** What is in these pages. */
const script = `() => {
  const query = new URLSearchParams(location.search)
  const send = async (path, body) => (await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json', 'x-csrf-token': document.cookie.slice(5) }, body: JSON.stringify(body) })).json()
  const isLogin = location.pathname === '/login'
  document.body.innerHTML = isLogin ? '<label>Email <input id="email"></label><label>Password <input id="password" type="password"></label><button>Sign in</button>' : '<button>Allow</button><button>Cancel</button>'
  for (const button of document.querySelectorAll('button'))
    button.onclick = async () => {
      if (isLogin) await send('/api/login', { email: email.value, password: password.value })
      location = isLogin ? query.get('return_to') : (await send('/api/consent', { request: query.get('request'), allow: button.textContent === 'Allow' })).location
    }
}`

describe('pages that a script builds', () => {
  /** An audit of such a server, with an example in which some text is replaced. */
  async function audit(file: string, change = (text: string): string => text): Promise<AuditReport> {
    let handler: Handler = () => new Response()
    const port = await openServer(createServer((request, response) => toNodeHandler((one) => handler(one), { origin })(request, response)))
    const origin = `http://127.0.0.1:${port}`
    const server = await createBrokenServer({ origin, wrap: withScript })
    handler = server.handler
    const folder = mkdtempSync(`${ROOT}test/.tmp-audit-`)
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, file), change(read(`examples/${file}`)))
    vi.stubEnv('AUDIT_PASSWORD', server.options.signIn.people[0]['password'])
    onTestFinished(() => void vi.unstubAllEnvs())
    const signIn = await loadSignIn(join(folder, file), folder)
    return auditServer(origin, { signIn, only: ['pkce/wrong-verifier', 'parts'], checks: [PARTS] })
  }

  it('are answered by what the script sends, as in sign-in-with-script.mjs', async () => {
    const { rows, created } = await audit('sign-in-with-script.mjs')
    expect(worded(rows)).toEqual([])
    expect(created.authorizations).toBeGreaterThan(1)
  })

  it('are shown by Chromium, as in sign-in-with-playwright.mjs', async () => {
    const program = `executablePath: '${await chromiumPath()}', args: ${JSON.stringify(CHROMIUM_ARGUMENTS)}`
    const { rows, created } = await audit('sign-in-with-playwright.mjs', (text) => text.replace("'playwright'", "'playwright-core'").replace('launch()', `launch({ ${program} })`))
    expect(worded(rows)).toEqual([])
    expect(created.authorizations).toBeGreaterThan(1)
  })
}) // prettier-ignore

/** Uses what a sign-in names: its confidential client, its second person and its paths. At last it denies. */
const PARTS: Check = {
  id: 'parts/used',
  clause: {
    document: 'RFC 6749',
    section: '1',
    level: 'MUST',
    subject: 'authorization server',
    quote: 'All parts of the sign-in can be used.',
  },
  depth: 'people',
  change: 'Name parts that are there.',
  async run(on) {
    await on.tokens({ client: await on.client('confidential'), person: 0 })
    const { accessToken, exchange } = await on.tokens({ person: 1 })
    const refused = (await on.use(accessToken)).filter(({ isAccepted }) => !isAccepted)
    const { parameters } = await on.authorize({ allow: false, changes: { prompt: 'consent' } })
    const error = parameters?.get('error') ?? 'no error'
    return {
      verdict: refused.length === 0 && error === 'access_denied' ? 'held' : 'violated',
      found: `${refused.map(({ surface }) => surface).join()} ${error}`,
      exchange,
    }
  },
}

describe('sign-in', () => {
  it('demo.mjs signs in at the demo school', async () => {
    const school = await sharedExample()
    const signIn = await loadSignIn('sign-in/demo.mjs', HOME)
    const report = await auditServer(school.origin, {
      signIn,
      only: ['pkce', 'parts'],
      checks: [PARTS],
    })
    expect(worded(report.rows)).toEqual([])
    expect(report.created.authorizations).toBeGreaterThan(0)
  })

  it('created-project.mjs signs in at a project of npm create hallpass', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hallpass-audited-'))
    const project = await startExampleProject('server', { folder })
    onTestFinished(async () => {
      await project.stop()
      rmSync(folder, { recursive: true })
    })
    const { AUDIT_PASSWORD: before } = process.env
    onTestFinished(() => {
      if (before === undefined) delete process.env['AUDIT_PASSWORD']
      else process.env['AUDIT_PASSWORD'] = before
    })
    delete process.env['AUDIT_PASSWORD']
    await expect(signInOf('sign-in/created-project.mjs?without')).rejects.toThrow(
      'AUDIT_PASSWORD must be the password of owner@example.com',
    )
    process.env['AUDIT_PASSWORD'] = /password: (\S+)/.exec(project.output())![1]!
    const signIn = await loadSignIn('sign-in/created-project.mjs', HOME)
    const report = await auditServer(project.origin, { signIn, only: ['pkce'] })
    expect(worded(report.rows)).toEqual([])
  })
})
