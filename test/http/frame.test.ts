import { describe, expect, it } from 'vitest'
import type { SiteHooks } from '../../src/http/context.js'
import type { Endpoint, Outgoing } from '../../src/http/exchange.js'
import {
  type Answer,
  createEndpoint,
  type ErrorFormat,
  failureOf,
  type Frame,
  notAllowed,
  OPEN,
} from '../../src/http/frame.js'
import { json } from '../../src/http/respond.js'
import { refuse } from '../../src/policy/decision.js'
import { StorageFailure } from '../../src/store/guard.js'

const URL = 'https://school.example/x'

/** Says everything it is given, so that a test sees it. */
const ERRORS: ErrorFormat = {
  refusal: ({ error, reason }, { requestId }) => json(403, { error, reason, requestId }),
  failure: ({ status, description }) => json(status, { description }),
}

interface Opened {
  readonly call: (method?: string) => Promise<Response>
  /** What the host was told. */
  readonly told: unknown[]
}

function open(
  serve: (context: Parameters<Parameters<typeof createEndpoint>[2]>[0]) => Promise<Answer>,
  changes: Partial<Frame> = {},
  randomBytes = (length: number): Uint8Array => new Uint8Array(length),
  requestIdOf: SiteHooks['requestIdOf'] = () => null,
): Opened {
  const told: unknown[] = []
  const endpoint: Endpoint = createEndpoint(
    {
      onEvent: (event) => told.push(event),
      announce: () => ({ events: [], tell: () => {} }),
      notifyRefusal: (...refused) => told.push(refused),
      notifyFault: (...fault) => told.push(fault),
      randomBytes,
      requestIdOf,
      now: () => 0,
      watcher: {},
      networkOf: () => null,
      payerOf: (): never => {
        throw new Error('nothing is spent')
      },
    },
    { name: 'a', methods: ['GET'], cors: OPEN, errors: ERRORS, ...changes },
    serve,
  )
  return { told, call: (method = 'GET') => endpoint(new Request(URL, { method })) }
}

const REQUEST_ID = 'req_AAAAAAAAAAAAAAAA'
const OK: Outgoing = json(200, { a: 1 })
const REFUSAL = refuse('invalid_grant', 'code_expired')

/** Status, headers and body of an answer. */
async function read(answer: Response): Promise<readonly unknown[]> {
  return [answer.status, Object.fromEntries(answer.headers), await answer.text()]
}

const READABLE = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'WWW-Authenticate, Retry-After, X-Request-Id',
}
const JSON_HEADERS = {
  'cache-control': 'no-store',
  'content-type': 'application/json; charset=utf-8',
  pragma: 'no-cache',
  'x-content-type-options': 'nosniff',
}

describe('the frame of an endpoint', () => {
  it('adds who may read an answer and which request it is of', async () => {
    expect(await read(await open(async () => OK).call())).toEqual([
      200,
      { ...JSON_HEADERS, ...READABLE, 'x-request-id': REQUEST_ID },
      '{"a":1}',
    ])
  })

  it('names no request in an answer that caches may keep, but where it failed', async () => {
    const serving = [
      async () => OK,
      async () => json(400, {}),
      () => Promise.reject(new Error('x')),
    ]
    const answers = serving.map((serve) => open(serve, { isPublic: true }).call())
    const ids = (await Promise.all(answers)).map(({ headers }) => headers.get('x-request-id'))
    expect(ids).toEqual([null, REQUEST_ID, REQUEST_ID])
  })

  it('answers HEAD as GET without the body, be it a Response or not', async () => {
    for (const serve of [async () => OK, async () => Response.json({ a: 1 })]) {
      const { call } = open(serve)
      const [get, head] = [await call('GET'), await call('HEAD')]
      expect([head.status, await head.text(), [...head.headers]]).toEqual([
        200,
        '',
        [...get.headers],
      ])
      expect(await get.json()).toEqual({ a: 1 })
    }
  })

  it('extends a Response that nothing can be set on, and keeps each of its cookies', async () => {
    const redirect = await open(async () => Response.redirect('https://a.example/', 303)).call()
    expect([redirect.status, Object.fromEntries(redirect.headers)]).toEqual([
      303,
      { ...READABLE, location: 'https://a.example/', 'x-request-id': REQUEST_ID },
    ])
    const headers = [['set-cookie', 'a=1'], ['set-cookie', 'b=2']] as [string, string][] // prettier-ignore
    const page = await open(async () => new Response('x', { headers })).call()
    expect(page.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('does not run the endpoint for a method it does not have', async () => {
    let ran = 0
    const { call } = open(async () => json(200, ran++))
    for (const method of ['POST', 'PUT', 'OPTIONS', 'PROPFIND']) await call(method)
    expect(ran).toBe(0)
  })

  it('answers a preflight only where other origins may call [DISC-15, RS-10]', async () => {
    expect(await read(await open(async () => OK).call('OPTIONS'))).toEqual([
      204,
      {
        ...READABLE,
        'access-control-allow-headers': 'Authorization, *',
        'access-control-allow-methods': 'GET, HEAD, OPTIONS',
        'access-control-max-age': '86400',
        'x-request-id': REQUEST_ID,
      },
      '',
    ])
    const closed = await open(async () => OK, { cors: null }).call('OPTIONS')
    expect([closed.status, closed.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('answers what is asked first of an address that is not there as anything else is', async () => {
    const nothing = { ok: false, status: 404, description: 'nothing here' } as const
    const answer = await open(async () => nothing, { methods: 'routed' }).call('OPTIONS')
    expect([answer.status, await answer.json()]).toEqual([404, { description: 'nothing here' }])
  })

  it('sends no CORS header where other origins may not call', async () => {
    const closed = await open(async () => OK, { cors: null }).call()
    expect(closed.headers.has('access-control-allow-origin')).toBe(false)
  })

  it('says which methods are there, in words too', () => {
    const said = ([['GET'], ['GET', 'POST'], ['GET', 'PATCH', 'DELETE']] as const).map((methods) =>
      notAllowed(methods, false),
    )
    const of = (description: string, allow: string) => ({
      ok: false,
      status: 405,
      description,
      headers: ['allow', allow],
      allow,
    })
    expect(said).toEqual([
      of('use GET', 'GET, HEAD'),
      of('use GET or POST', 'GET, POST, HEAD'),
      of('use GET, PATCH or DELETE', 'GET, PATCH, DELETE, HEAD'),
    ])
  })

  it('leaves methods to an endpoint that goes by the path', async () => {
    const { call } = open(async () => notAllowed(['POST']), { methods: 'routed' })
    expect([(await call('OPTIONS')).status, (await call('GET')).headers.get('allow')]).toEqual([
      204,
      'POST, OPTIONS',
    ])
  })

  it('tells of a refusal with what is known of the request, and says it in the words of the API', async () => {
    const { call, told } = open(async (context) => {
      context.clientId = 'study-app'
      return REFUSAL
    })
    const answer = await call()
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { error: 'invalid_grant', reason: 'code_expired', requestId: REQUEST_ID },
    ])
    expect(told).toEqual([['a', REFUSAL, { clientId: 'study-app', requestId: REQUEST_ID }]])
  })

  it('tells of no refusal that was told before, and gives the same answer', async () => {
    const { call, told } = open(async () => ({ ...REFUSAL, isReported: true }))
    expect(await read(await call())).toEqual(await read(await open(async () => REFUSAL).call()))
    expect(told).toEqual([])
  })

  it('says when to come again for a refusal that ends by itself, and for no other', async () => {
    const page = () => new Response('a page', { status: 429 })
    for (const refusal of [ERRORS.refusal, page]) {
      const errors = { ...ERRORS, refusal }
      const [paced, plain] = [{ ...REFUSAL, retryAfterSeconds: 200 }, REFUSAL].map((refused) =>
        open(async () => refused, { errors }).call(),
      )
      expect((await plain!).headers.get('retry-after')).toBeNull()
      expect((await paced!).headers.get('retry-after')).toBe('200')
      expect(await (await paced!).text()).toBe(await (await plain!).text())
    }
  })

  it.each(['a string', null, undefined, 0, new Error('a secret')])(
    'survives whatever is thrown, and says nothing of it: %s [LOG-04]',
    async (thrown) => {
      const { call, told } = open(() => Promise.reject(thrown))
      const answer = await call()
      expect([answer.status, await answer.json()]).toEqual([
        500,
        { description: 'an unexpected error occurred' },
      ])
      expect(told).toEqual([['a', thrown, REQUEST_ID]])
    },
  )

  it('tells a failure of the storage from a fault of the program', () => {
    expect([failureOf(new StorageFailure('x')), failureOf('x')]).toEqual([
      {
        ok: false,
        status: 503,
        description: 'the service is temporarily unavailable: try again shortly',
        headers: ['retry-after', '5'],
      },
      { ok: false, status: 500, description: 'an unexpected error occurred' },
    ])
  })

  it('says when to come again where the storage failed', async () => {
    const answer = await open(() => Promise.reject(new StorageFailure('x'))).call()
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      503,
      '5',
      { description: 'the service is temporarily unavailable: try again shortly' },
    ])
  })

  it('answers with 500 what cannot be sent, and what the error page throws', async () => {
    const cases = [
      open(async () => Response.error()),
      open(async () => REFUSAL, {
        errors: { ...ERRORS, refusal: () => Promise.reject(new Error('the page')) },
      }),
    ]
    for (const { call } of cases) expect((await call()).status).toBe(500)
  })

  it('answers where there is no chance to be had for a name of the request', async () => {
    const { call } = open(async () => OK, {}, () => {
      throw new Error('no entropy')
    }) // prettier-ignore
    const answer = await call()
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([200, 'req_unknown'])
  })
})

it('adds its headers to a response of another class, where a framework has replaced the global one', async () => {
  const native = globalThis.Response
  const { call } = open(async () => new native('a page', { headers: { 'x-page': 'yes' } }))
  globalThis.Response = class extends native {}
  try {
    const response = await call()
    expect([response.status, response.headers.get('x-page')]).toEqual([200, 'yes'])
    expect(response.headers.get('x-request-id')).toBe(REQUEST_ID)
  } finally {
    globalThis.Response = native
  }
})

it('names a request as the host application does, in the response and in the hooks [LOG-07]', async () => {
  const headers: (string | null)[] = []
  const opened = open(
    async () => REFUSAL,
    {},
    undefined,
    (header) => {
      headers.push(header('accept'))
      return 'proxy-7'
    },
  )
  const answer = await opened.call()
  expect([answer.headers.get('x-request-id'), headers]).toEqual(['proxy-7', [null]])
  expect(opened.told).toEqual([['a', REFUSAL, { clientId: null, requestId: 'proxy-7' }]])
})
