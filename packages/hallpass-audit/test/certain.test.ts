import { createServer } from 'node:http'
import { auditServer, type AuditServerOptions, type Handler, type SignIn } from 'hallpass-audit'
import { describe, expect, it, vi } from 'vitest'
import { clock } from '../src/engine/clock.js'
import { openServer } from '../../../test/support/http/open-server.js'
import { serveHttps } from '../../../test/node/document-host.js'
import { page } from '../../../examples/common/pages.js'
import { createBrokenServer } from './broken-server.js'
import { ownCheck } from './own-check.js'

const WRONG = 'a password that is wrong'
const codes = ['a', 'b', 'c'].map((id) => ownCheck(id, (on) => on.code({ person: 0 })))
const isSignIn = ({ method, url }: Request): boolean => method === 'POST' && new URL(url).pathname === '/sign-in' // prettier-ignore

interface With extends Omit<AuditServerOptions, 'signIn'> {
  readonly wrap?: (next: Handler) => Handler
  /** Default: two people with a wrong password. */
  readonly signIn?: Partial<SignIn>
}

/** Audits a server at which `wrap` answers sign-ins, and counts the passwords that it gets. */
async function auditWith({ wrap = (next) => next, signIn: changes = {}, ...more }: With) {
  const { handler, options } = await createBrokenServer()
  const [ines, yuki] = options.signIn.people
  const wrong = { ...ines, password: WRONG }
  const signIn = { ...options.signIn, people: [wrong, { ...yuki!, password: WRONG }] as const, ...changes }
  let passwords = 0
  const wrapped = wrap(handler)
  const counted: Handler = async (request) => {
    if (request.method === 'POST' && /password/.test(await request.clone().text())) passwords += 1
    return wrapped(request)
  }
  const report = await auditServer(counted, { ...options, signIn, only: ['own'], checks: codes, ...more })
  return { ...report, passwords, found: report.rows.map(({ found }) => found) }
} // prettier-ignore

/** A form that comes back, as most sites do. */
const FORM = '<form method="post" action="/sign-in"><input name="email"><input type="password" name="password"><button>Sign in</button></form>' // prettier-ignore
const answering = (answer: () => Response | Promise<Response>) => (next: Handler): Handler =>
  (request) => (isSignIn(request) ? answer() : new URL(request.url).pathname === '/login' ? page('Sign in', FORM) : next(request)) // prettier-ignore
const redirect = (location: string) => new Response(null, { status: 303, headers: { location } })

describe('a refused password', () => {
  const OF_FIRST = 'the sign-in of the first person of --sign-in'
  const JSON_ANSWER: SignIn['answer'] = async ({ browser, person }) => {
    await browser.post('/sign-in', JSON.stringify(person))
    return browser.open('/app')
  }
  it.each<readonly [string, () => Response | Promise<Response>, string, number, Partial<SignIn>]>([
    ['an error', () => page('Sorry', '', { status: 403 }), `${OF_FIRST} was refused: 403 at /sign-in`, 1, {}],
    ['its form', () => page('Again', FORM), `${OF_FIRST} was refused: /sign-in asks for the password again`, 1, {}],
    ['the way to its form', () => redirect('/login'), `${OF_FIRST} was refused: /login asks for the password again`, 1, {}],
    ['a question for a second factor', () => page('Code', '<form><input name="otp"><button>Continue</button></form>'), `${OF_FIRST} needs a second factor, for which /sign-in asks: name a person without one, or give \`answer\``, 1, {}],
    ['a limit', () => new Response(null, { status: 429, headers: { 'retry-after': '1' } }), `${OF_FIRST} was limited: 429 at /sign-in`, 2, {}],
    ['a failure', () => new Response(null, { status: 500 }), `${OF_FIRST} failed: 500 at /sign-in`, 2, {}],
    ['a word to a script', () => Response.json({ error: 'wrong' }), `${OF_FIRST} was refused: /oauth/interaction/… asks for the password again`, 1, { answer: JSON_ANSWER }],
    ['401 to a script', () => Response.json({}, { status: 401 }), `${OF_FIRST} was refused: 401 at /sign-in`, 1, { answer: JSON_ANSWER }],
  ])('is sent no more: the server answers with %s', async (_, answer, sentence, tries, signIn) => {
    const { found, passwords, refused } = await auditWith({ wrap: answering(answer), signIn })
    expect([found.at(-1), passwords, refused]).toEqual([sentence, tries, [sentence]])
  }) // prettier-ignore

  it('is sent twice to a page that a script builds, which never shows whether it was right', async () => {
    const wrap = (next: Handler): Handler => (request) =>
      isSignIn(request) ? Response.json({}) : request.url.includes('/interaction/') ? page('App', '<div id="app"></div>') : next(request)
    const answer: SignIn['answer'] = ({ browser, person }) => browser.post('/sign-in', JSON.stringify(person))
    const { found, passwords } = await auditWith({ wrap, signIn: { answer } })
    expect([found[0], passwords]).toEqual([`${OF_FIRST} leads nowhere: the password was sent 2 times`, 2])
  }) // prettier-ignore

  it('ends what needs its person in an audit of all checks, and nothing else', async () => {
    const { rows, passwords, refused } = await auditWith({ only: undefined as never, checks: [] })
    // One of the two people, one of the member.
    expect(passwords).toBeLessThanOrEqual(2 * 2)
    expect(refused).toHaveLength(2)
    const unreached = rows.filter(({ found }) => found.startsWith('the sign-in of '))
    expect(unreached.length).toBeGreaterThan(100)
    expect(rows.filter(({ verdict }) => verdict === 'held').length).toBeGreaterThan(50)
    expect(JSON.stringify({ rows, refused })).not.toContain(WRONG)
  }, 120_000)

  it('of the second person is no reason for what needs the first', async () => {
    const { handler, options } = await createBrokenServer()
    const [ines, yuki] = options.signIn.people
    const signIn = { ...options.signIn, people: [ines, { ...yuki!, password: WRONG }] as const }
    const checks = [0, 1, 0].map((person, at) => ownCheck(`${at}`, (on) => on.code({ person: person as 0 })))
    const { rows, refused } = await auditServer(handler, { ...options, signIn, only: ['own'], checks })
    expect(rows.map(({ verdict }) => verdict)).toEqual(['held', 'not reached', 'held'])
    expect(refused).toEqual(['the sign-in of the second person of --sign-in was refused: 403 at /sign-in'])
  }) // prettier-ignore

  it('is another matter than a page that a check refuses to fill in rightly', async () => {
    const { handler, options } = await createBrokenServer()
    const cross = ownCheck('cross', async (on) => {
      await on.code({ person: 0 })
      for (let time = 0; time < 5; time++)
        await on.browser(null).post('/sign-in', options.signIn.people[0], { 'sec-fetch-site': 'cross-site' }) // prettier-ignore
    })
    const { rows } = await auditServer(handler, { ...options, only: ['own'], checks: [cross, ...codes] }) // prettier-ignore
    expect(rows.map(({ verdict }) => verdict)).toEqual(['held', 'held', 'held', 'held'])
  })
})

describe('what was only slow', () => {
  const right = async () => (await createBrokenServer()).options.signIn
  it.each<readonly [string, (request: Request) => boolean, string]>([
    ['a sign-in', isSignIn, 'held'],
    ['an authorization request', ({ url }) => url.includes('/oauth/authorize'), 'held'],
    ['the metadata', ({ url }) => url.includes('.well-known'), 'held'],
    ['an exchange of a code', ({ url }) => url.includes('/api/oauth/token'), 'not reached'],
  ])('is asked again: %s', async (_, isSlow, first) => {
    let late = 1
    const tokens = ['a', 'b'].map((id) => ownCheck(id, (on) => on.sharedTokens()))
    const { rows } = await auditWith({
      wrap: (next) => (request) => (isSlow(request) && late-- > 0 ? new Promise<Response>(() => {}) : next(request)),
      signIn: await right(),
      timeout: 400,
      checks: tokens,
    })
    // An exchange is not repeated: a later check makes new tokens.
    expect(rows.map(({ verdict }) => verdict)).toEqual([first, 'held'])
  }) // prettier-ignore

  it('is not asked for ever', async () => {
    const { passwords, refused } = await auditWith({
      wrap: (next) => (request) => (isSignIn(request) ? new Promise<Response>(() => {}) : next(request)),
      timeout: 200,
    }) // prettier-ignore
    expect(passwords).toBe(2)
    expect(refused[0]).toMatch(/^the sign-in of the first person of --sign-in was not answered: POST \/sign-in was not answered: no whole answer came within/) // prettier-ignore
  })
})

describe('a server that limits requests', () => {
  /** Answers 429 to some of the requests for the keys, and returns the waits and the verdicts. */
  async function limited(seconds: string, isLimited: (times: number) => boolean, requests: number) {
    const { handler, options } = await createBrokenServer()
    let times = 0
    const limit: Handler = (request) =>
      /jwks/.test(request.url) && isLimited((times += 1))
        ? new Response(null, { status: 429, headers: { 'retry-after': seconds } })
        : handler(request)
    const wait = vi.spyOn(clock, 'wait').mockResolvedValue()
    const waits: number[] = []
    const checks = Array.from({ length: requests }, (_, at) =>
      ownCheck(`keys-${at}`, async (on) => on.send(await on.endpoint('jwks_uri'))),
    )
    const { rows } = await auditServer(limit, {
      ...options,
      checks,
      only: ['own'],
      onWait: (one) => waits.push(one),
    })
    const asked = wait.mock.calls.map(([milliseconds]) => milliseconds / 1000)
    wait.mockRestore()
    expect(asked).toEqual(waits)
    return { waits, verdicts: rows.map(({ verdict }) => verdict), times }
  }

  it('is waited for as it asks, up to a minute', async () => {
    const { waits, verdicts } = await limited('47', (times) => times === 1, 2)
    expect([waits, verdicts]).toEqual([[47], ['held', 'held']])
    const longer = await limited('61', (times) => times === 1, 2)
    expect([longer.waits, longer.verdicts]).toEqual([[], ['not reached', 'held']])
  })

  it('is not waited for longer than five minutes in all, and three times for one request', async () => {
    const { waits, verdicts, times } = await limited('60', () => true, 4)
    expect([waits, verdicts.includes('held')]).toEqual([[60, 60, 60, 60, 60], false])
    expect(times).toBe(4 + 3 + 1 + 1)
    expect((await limited('0', () => true, 2)).times).toBe(8)
  })
})

describe('what is no server of OAuth', () => {
  const html = (status: number, headers = {}) => () => new Response('<h1>A shop</h1>', { status, headers: { 'content-type': 'text/html', ...headers } }) // prettier-ignore
  const ORIGIN = 'http://127.0.0.1:3000'
  const metadata = (issuer: string): Handler => ({ url }) =>
    new URL(url).pathname === '/.well-known/oauth-authorization-server' ? Response.json({ issuer }) : new Response(null, { status: 404 }) // prettier-ignore
  const resource: Handler = ({ url }) => url.includes('oauth-protected-resource') ? Response.json({ resource: ORIGIN, authorization_servers: ['https://as.example'] }) : new Response(null, { status: 404 }) // prettier-ignore
  it.each<readonly [string, Handler, string, string]>([
    ['a static site', html(404), ORIGIN, `${ORIGIN} is not a server of OAuth: /.well-known/oauth-authorization-server is answered by 404 and a page, and there is no other metadata. The issuer may have a path, such as ${ORIGIN}/realms/school; for a server without metadata, give \`endpoints\` in the file of --sign-in`],
    ['one page for every address', html(200), ORIGIN, 'is answered by 200 and a page, and there is no other metadata.'],
    ['a server that starts', html(503), ORIGIN, `/.well-known/oauth-authorization-server of ${ORIGIN} is answered by 503: the server may still start, or its log says why`],
    ['another host', html(301, { location: 'https://www.school.example/' }), ORIGIN, `of ${ORIGIN} redirects to https://www.school.example: audit that`],
    ['a sign-in for everything', html(302, { location: '/login' }), ORIGIN, 'redirects to /login: clients read it without a sign-in, so serve it to everyone'],
    ['a wall', html(401), ORIGIN, 'is answered by 401: clients read it without a sign-in, so serve it to everyone'],
    ['an issuer without the path', metadata(ORIGIN), `${ORIGIN}/foo`, `there is no server at ${ORIGIN}/foo: the issuer is ${ORIGIN}`],
    ['a resource of another server', resource, ORIGIN, `${ORIGIN} is a resource, and its authorization server is https://as.example: audit that with --origin ${ORIGIN}`],
  ])('is not audited: %s', async (_, handler, origin, sentence) => {
    await expect(auditServer(handler, { origin })).rejects.toThrow(sentence)
  }) // prettier-ignore

  it.each<readonly [string, Handler]>([
    ['metadata of OpenID Connect', ({ url }) => url.includes('openid-configuration') ? Response.json({ issuer: ORIGIN }) : new Response(null, { status: 404 })],
    ['its own resource', ({ url }) => url.includes('protected-resource') ? Response.json({ resource: ORIGIN, authorization_servers: [ORIGIN] }) : new Response(null, { status: 404 })],
    ['MCP without authorization', ({ url }) => url.endsWith('/mcp') ? Response.json({ jsonrpc: '2.0', id: 1, result: {} }) : new Response(null, { status: 404 })],
  ])('is something else than a server with %s', async (_, handler) => {
    const { rows } = await auditServer(handler, { only: ['pkce'], depth: 'passive' })
    expect(rows.length).toBeGreaterThan(0)
  }) // prettier-ignore

  it('has no certificate that this computer trusts', async () => {
    const { port } = await serveHttps(() => undefined)
    await expect(auditServer(`https://127.0.0.1:${port}`)).rejects.toThrow(
      /TLS: .+: name the file with the certificate of its authority in NODE_EXTRA_CA_CERTS$/,
    )
  })

  it('does not answer', async () => {
    const port = await openServer(createServer(({ socket }) => void socket.destroy()))
    await expect(auditServer(`http://127.0.0.1:${port}`)).rejects.toThrow('does not answer')
  })
})

describe('options that are numbers', () => {
  it.each([
    [{ timeout: 0 }, 'timeout must be a whole number from 1 to 600000, not 0'],
    [{ pause: -1 }, 'pause must be a whole number from 0 to 60000, not -1'],
    [{ most: 1.5 }, 'most must be a whole number from 1 to 1000000, not 1.5'],
  ])('have bounds: %j', async (options, message) => {
    await expect(auditServer(() => new Response(), options)).rejects.toThrow(message)
  })
})
