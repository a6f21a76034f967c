import { createServer, type RequestListener } from 'node:http'
import {
  auditServer,
  type AuditServerOptions,
  type Handler,
  renderReport,
  type SignIn,
} from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import { held } from '../src/finding.js'
import { createLookup } from '../src/engine/network.js'
import { createMask } from '../src/engine/mask.js'
import { openServer } from '../../../test/support/http/open-server.js'
import { createBrokenServer } from './broken-server.js'
import { ownCheck as check } from './own-check.js'

describe('an audit with one person', () => {
  it('signs in as that one, and does not reach what needs two', async () => {
    const { handler, options } = await createBrokenServer()
    const { people, ...signIn } = options.signIn
    const codes = check('codes', async (on) => {
      for (let code = 0; code < 3; code++) await on.code()
    })
    const second = check('second', (on) => on.code({ person: 1 }))
    const { rows, created } = await auditServer(handler, {
      ...options,
      signIn: { ...signIn, people: [people[0]] },
      only: ['own'],
      checks: [codes, second],
    })
    expect(rows.map(({ verdict, found }) => [verdict, found])).toEqual([
      ['held', ''],
      ['not reached', 'the check needs two people: give a second one in `people`'],
    ])
    expect(created.authorizations).toBe(3)
  })
})

describe('a person who cannot sign in', () => {
  const codes = ['a', 'b'].map((id) => check(id, (on) => on.code({ person: 0 })))
  /** What two checks find that need a code, with changes in the sign-in. */
  async function foundWith(changes: Partial<SignIn>): Promise<readonly string[]> {
    const { handler, options } = await createBrokenServer()
    const signIn = { ...options.signIn, ...changes }
    const audited = { ...options, signIn, only: ['own'], checks: codes, timeout: 300 }
    return (await auditServer(handler, audited)).rows.map(({ found }) => found)
  }

  it.each<[string, Partial<SignIn>, string]>([
    ['fields of other names', { people: [{ mail: 'ines@school.example', password: 'x' }] }, 'the form of /oauth/interaction/… asks for email, and a person of --sign-in has mail: the names must be those of the form'],
    ['a wrong password', { people: [{ email: 'ines@school.example', password: 'x' }] }, 'the sign-in of the first person of --sign-in was refused: 403 at /sign-in'],
    ['a scope that there is not', { scope: 'nope' }, 'no code came: the redirect URI received error=invalid_scope, error_description, state, iss: '],
    ['an answer that throws', { answer: async () => { throw new Error('a bug') } }, '`answer` in the file of --sign-in failed: a bug'],
    ['an answer that throws at once', { answer: () => { throw new Error('a bug') } }, '`answer` in the file of --sign-in failed: a bug'],
    ['an answer without a page', { answer: async () => undefined as never }, '`answer` in the file of --sign-in returned no page'],
    ['an answer that never comes', { answer: () => new Promise(() => {}) }, '`answer` in the file of --sign-in did not return within 0.9 s'],
  ])('is the same reason for every check: %s', async (_, changes, reason) => {
    const [first, second] = await foundWith(changes)
    expect(first).toContain(reason)
    expect(second).toBe(first)
  }) // prettier-ignore

  it('is asked with a nonce only if the request is one of OpenID Connect', async () => {
    const { handler, options } = await createBrokenServer()
    const names: boolean[] = []
    const asks = check('asks', async (on) => {
      const client = await on.client()
      for (const scope of ['openid', 'courses:read'])
        names.push(on.request(client, { scope }).url.searchParams.has('nonce'))
    })
    await auditServer(handler, { ...options, only: ['own'], checks: [asks] })
    expect(names).toEqual([true, false])
  })
})

describe('the request of a row', () => {
  it('is that of its finding, and not the last one', async () => {
    const { handler, options } = await createBrokenServer()
    const { rows } = await auditServer(handler, {
      ...options,
      only: ['own'],
      checks: [
        check('first', async (on) => {
          const answer = await on.send(`${on.origin}/login`)
          await on.send(`${on.origin}/courses`)
          return held(answer, 'it is there')
        }),
        check('fails', (on) => on.client('service')),
      ],
    })
    expect(rows.map(({ request }) => request?.split('\n')[0] ?? null)).toEqual(['GET /login', ''])
  })

  it('is the one by which something failed that several checks need', async () => {
    const { rows } = await auditServer(
      ({ url }) => url.includes('.well-known') ? Response.json({ registration_endpoint: 'http://127.0.0.1:3000/register' }) : new Response(null, { status: 403 }),
      { only: ['own'], depth: 'people', checks: ['a', 'b'].map((id) => check(id, (on) => on.client())) },
    ) // prettier-ignore
    expect(rows.map(({ found, request }) => [found, request?.split('\n')[0]])).toEqual(
      ['a', 'b'].map(() => ['no client could be registered (403): give `clients` in the file of --sign-in', 'POST /register']),
    ) // prettier-ignore
  })
})

/** Names under which a client and a server exchange what nobody else may read. */
const SECRETS = new Set(['access_token', 'client_secret', 'code', 'code_verifier', 'id_token', 'password', 'refresh_token', 'registration_access_token', 'request_uri', 'token']) // prettier-ignore

describe('secrets', () => {
  it('are in no report, also if the server repeats them under other names', async () => {
    const { handler, options } = await createBrokenServer()
    const secrets = new Set<string>()
    const keep = (fields: Iterable<readonly [string, unknown]>): void => {
      for (const [name, value] of fields)
        if (SECRETS.has(name) && typeof value === 'string' && value.length > 20) secrets.add(value)
    }
    const report = await auditServer(
      async (request) => {
        const sent = await request.clone().text()
        keep(new URL(request.url).searchParams)
        keep(new URLSearchParams(sent))
        const answer = await handler(request)
        const text = await answer.text()
        const location = answer.headers.get('location')
        if (location !== null) keep(new URL(location, request.url).searchParams)
        for (const cookie of answer.headers.getSetCookie())
          keep([['code', /=([^;]*)/.exec(cookie)![1]]])
        if (answer.headers.get('content-type')?.includes('json') === true)
          keep(Object.entries((JSON.parse(text) ?? {}) as object))
        const headers = new Headers(answer.headers)
        headers.set('x-debug', `${sent} ${request.headers.get('authorization')} ${request.headers.get('cookie')}`.replace(/[^ -~]/g, '?')) // prettier-ignore
        const body = text.startsWith('{')
          ? JSON.stringify({ ...(JSON.parse(text) as object), debug: `it was ${text}` })
          : text
        return new Response(answer.body === null ? null : body, { status: answer.status, headers })
      },
      { ...options, only: ['code', 'introspection', 'own', 'pkce', 'refresh', 'registration', 'revocation', 'token'], checks: [
        check('found', async (on) => ({ found: `it issued ${(await on.sharedTokens()).accessToken}` })),
        check('thrown', async (on) => { throw new Error(`${(await on.sharedTokens()).refreshToken} is refused`) }),
      ] },
    ) // prettier-ignore
    expect(secrets.size).toBeGreaterThan(100)
    expect(report.rows.map(({ answer }) => answer).join('')).toContain('x-debug')
    for (const format of ['json', 'html'] as const) {
      const rendered = renderReport(report, format)
      expect([...secrets].filter((secret) => rendered.includes(secret))).toEqual([])
    }
    expect(report.rows.filter(({ check: id }) => id.startsWith('own/')).map(({ found }) => found.replace(/\w+…/, '…'))).toEqual(['it issued …', 'the check failed: … is refused']) // prettier-ignore
  })

  const mask = createMask({
    names: ['pin', 'e-mail'],
    values: ['correct horse battery+"', 'short'],
  })
  it.each([
    ['"password":"abcdefghijklm"', '"password":"abcd…"'],
    ['pin=1234&e-mail=ines@school.example&a=b', 'pin=…&e-mail=ines…&a=b'],
    ['it said correct horse battery+" to', 'it said … to'],
    ['correct+horse+battery%2B%22', '…'],
    ['correct%20horse%20battery%2B%22', '…'],
    ['"correct horse battery+\\""', '"…"'],
    ['a short word', 'a short word'],
    ['{"kty":"EC","x":"abcdefgh","d":"secretsecret"}', '{"kty":"EC","x":"abcdefgh","d":"…"}'],
    ['Authorization: Bearer abcdefghijklmnop\n', 'Authorization: Bearer abcd…\n'],
    ['mcp-session-id: abcdefghijklmnop\n', 'mcp-session-id: abcd…\n'],
    ['set-cookie: sid=abcdefghijklmnop; Path=/; Max-Age=60\n', 'set-cookie: sid=abcd…; Path=/; Max-Age=60\n'],
    [`<input type="hidden" value='abcdefghijklmnop'>`, `<input type="hidden" value='abcd…'>`],
    ['"access_token":"abcdefghijklmnop', '"access_token":"abcd…'],
    ['eyJhbGciOiJub25lIn0.eyJzdWIiOiJh', 'eyJh…'],
    ['code=client_credentials', 'code=clie…'],
    ['grant_type=client_credentials', 'grant_type=client_credentials'],
    ['error_description=no+refresh_token+abcdefghijklmnop1', 'error_description=no+refresh_token+abcdefghijklmnop1'],
    ['refresh_token=abcdefghijklmnop1', 'refresh_token=abcd…'],
    ['error_description=no+refresh_token+abcdefghijklmnop1%2Eabcdefghijklmnop1', 'error_description=no+refresh_token+abcd…%2Eabcd…'],
  ])('are hidden: %s', (text, hidden) => {
    expect(mask.hide(text)).toBe(hidden)
  }) // prettier-ignore

  it('are found in a long text in little time', () => {
    for (const part of ['<input ', '"code":"', 'a_', 'eyJa.', ':::: ', 'authorization: '])
      expect(createMask().hide(part.repeat(64_000)).length).toBeGreaterThan(0)
  })
})

describe('a server that is hostile', () => {
  /** Where a server listens that answers by `listener`. */
  const serve = async (listener: RequestListener, name = '127.0.0.1'): Promise<string> =>
    `http://${name}:${await openServer(createServer(listener))}`
  const audit = (server: Parameters<typeof auditServer>[0], options = {}) =>
    auditServer(server, { only: ['pkce'], depth: 'passive', ...options })

  it.each([
    ['never answers', () => undefined, 'no whole answer came within 0.05 s'],
    ['answers byte by byte', (_, response) => void response.writeHead(200).write('{'), 'no whole answer came within 0.05 s'],
    ['closes the connection', ({ socket }) => void socket.destroy(), 'socket hang up'],
    ['answers with what is not HTTP', ({ socket }) => void socket.end('SSH-2.0\r\n'), 'Parse Error'],
    ['has a status that is none', ({ socket }) => void socket.end('HTTP/1.1 999 \r\ncontent-length: 0\r\n\r\n'), 'its status 999 or a header is not one of HTTP'],
  ] satisfies readonly (readonly [string, RequestListener, string])[])('and %s does not answer', async (_, listener, reason) => {
    const origin = await serve(listener)
    await expect(audit(origin, { timeout: 50 })).rejects.toThrow(`${origin} does not answer: GET /.well-known/oauth-authorization-server was not answered: ${reason}`)
  }) // prettier-ignore

  it('and does not speak TLS does not answer', async () => {
    const origin = (await serve(() => undefined)).replace('http', 'https')
    await expect(audit(origin)).rejects.toThrow(
      /was not answered: (?:TLS: wrong version number|socket hang up)/,
    )
  })

  it('and stops answering costs less time with each request', async () => {
    const asks = (name: string) =>
      check(name, (on) => on.send(`${on.origin}/${name}`, { method: 'POST' }))
    const { rows } = await audit(
      ({ url }) => (url.includes('.well-known') ? Response.json({ a: 1 }) : new Promise<Response>(() => {})),
      { only: ['own'], depth: 'people', timeout: 20, checks: ['a', 'b', 'c', 'd'].map(asks) },
    ) // prettier-ignore
    expect(rows.map(({ found }) => found)).toEqual([
      'POST /a was not answered: no whole answer came within 0.02 s',
      'POST /b was not answered: no whole answer came within 0.02 s',
      'POST /c was not answered: no whole answer came within 0.02 s',
      'POST /d was not answered: no whole answer came within 0.002 s',
    ])
  })

  it('and names other origins in its metadata, or secrets in a URL, gets no request from there', async () => {
    const asked: string[] = []
    const elsewhere = ['http://169.254.169.254/token', 'http://127.0.0.1:9/token', 'file:///etc/passwd', 'http://a:b@127.0.0.1:3000/token'] // prettier-ignore
    for (const endpoint of elsewhere) {
      const { rows } = await auditServer(
        ({ url }) => {
          asked.push(new URL(url).pathname)
          return Response.json({ token_endpoint: endpoint })
        },
        {
          only: ['own'],
          depth: 'people',
          checks: [check('asks', async (on) => on.form(await on.endpoint('token_endpoint'), {}))],
        },
      ) // prettier-ignore
      expect(rows[0]!.found).toMatch(
        /was not named, and nothing is sent there: if it belongs to the server, give --origin \S+$|^\/token is named by a URL with a user name or a password$/,
      )
      expect(rows[0]!.found).not.toContain('a:b')
    }
    expect(asked).not.toContain('/token')
  })

  it('and says more than a row can show is cut short', async () => {
    const { rows } = await audit(() => Response.json({ code_challenge_methods_supported: ['a'.repeat(100_000)] })) // prettier-ignore
    expect(Math.max(...rows.map(({ found }) => found.length))).toBe(500)
    expect(rows.every(({ answer }) => answer!.length < 2000)).toBe(true)
  })
})

describe('an audit that cannot begin', () => {
  const bug = new Error('a bug')
  it.each([
    ['no server', undefined, {}, 'the server must be its issuer, or its function from a Request to a Response'],
    ['an object with a handler', { fetch: () => new Response() }, {}, 'the server must be its issuer'],
    ['a handler that returns nothing', () => undefined, {}, 'was not answered: the handler returned nothing'],
    ['a handler that throws', () => { throw bug }, {}, 'was not answered: a bug'],
    ['no check', () => new Response(), { only: [] }, 'no check runs: `only` names none'],
    ['a depth that is none', () => new Response(), { depth: 'all' }, 'depth must be one of passive, anonymous, people'],
    ['a check that signs in', () => new Response(), { only: ['code/used-twice', 'code/raced'] }, 'no check runs at the depth anonymous: 2 checks need a sign-in'],
  ])('says why: %s', async (_, server, options, message) => {
    await expect(auditServer(server as never, options as AuditServerOptions)).rejects.toThrow(message)
  }) // prettier-ignore

  it('leads to the line of the handler that threw', async () => {
    const failed = await auditServer(() => { throw bug }).catch((error: unknown) => error as Error) // prettier-ignore
    expect((failed as { cause: { cause: unknown } }).cause.cause).toBe(bug)
  })
})

describe('a name', () => {
  it('means for the whole audit what it meant when its server gave permission', () => {
    let address = '192.0.2.1'
    const lookup = createLookup(((_: string, __: object, done: (error: null, found: object[]) => void) => {
      done(null, [{ address, family: 4 }])
    }) as never) // prettier-ignore
    const found: unknown[] = []
    for (const all of [true, false]) {
      lookup('school.example', { all }, (_, given) => found.push(given))
      address = '127.0.0.1'
    }
    expect(found).toEqual([[{ address: '192.0.2.1', family: 4 }], '192.0.2.1'])
  })

  it('that cannot be resolved is asked for again', () => {
    let error: Error | null = new Error('no such name')
    const lookup = createLookup(((_: string, __: object, done: (fault: Error | null, found: object[]) => void) => {
      done(error, [{ address: '192.0.2.1', family: 4 }])
    }) as never) // prettier-ignore
    const found: unknown[] = []
    for (let time = 0; time < 2; time++) {
      lookup('school.example', {}, (fault, given) => found.push(fault?.message ?? given))
      error = null
    }
    expect(found).toEqual(['no such name', '192.0.2.1'])
  })
})

describe('a name below localhost', () => {
  it('is of this computer, whatever a resolver says', async () => {
    const port = await openServer(createServer((_, response) => response.end('{"a":1}')))
    const { issuer, rows } = await auditServer(`http://school.localhost:${port}`, { only: ['pkce'], depth: 'passive' }) // prettier-ignore
    expect(issuer).toBe(`http://school.localhost:${port}`)
    expect(rows[0]!.answer).toContain('{"a":1}')
  })
})

describe('an MCP endpoint', () => {
  const gated = (others: number, metadata: Record<string, unknown> = {}): Handler => ({ url }) => {
    const { pathname, origin } = new URL(url)
    if (pathname === '/.well-known/oauth-authorization-server') return Response.json({ issuer: origin })
    if (pathname === '/.well-known/oauth-protected-resource') return Response.json(metadata)
    return new Response(null, { status: pathname === '/mcp' ? 401 : others })
  }
  const ORIGIN = 'http://127.0.0.1:3000'
  it.each([
    ['answers 401 where others are missing', gated(404), false],
    ['is one of all paths, which answer 401', gated(401), true],
    ['is that, and the resource names it', gated(401, { resource: `${ORIGIN}/mcp` }), false],
    ['is that, and the resource is the origin', gated(401, { resource: ORIGIN }), true],
  ])('%s', async (_, handler, isAbsent) => {
    const { rows } = await auditServer(handler, { depth: 'anonymous', only: ['mcp'] })
    expect(rows.every(({ verdict }) => verdict === 'not applicable')).toBe(isAbsent)
  })
}) // prettier-ignore
