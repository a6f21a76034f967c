import { describe, expect, it } from 'vitest'
import { ISSUER } from '../support/school/school.js'
import { ADAPTERS, answerOf, openMcp } from './support.js'

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
const fault = (code: number, message: string, id: number | string | null = null) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

describe.each(ADAPTERS)('%s', (_entry, adapter) => {
  const open = (options: Parameters<typeof openMcp>[0] = {}) => openMcp({ adapter, ...options })

  describe('to web pages', () => {
    it.each([ISSUER, 'http://localhost:6274', 'https://inspector.example'])(
      'lets those of %s read its answers, refusals included',
      async (origin) => {
        const { send } = await open({ allowedOrigins: ['https://inspector.example'] })
        for (const headers of [{ origin }, { origin, authorization: 'Bearer nobody' }]) {
          const response = await send(LIST, { headers })
          const { 'access-control-allow-origin': allowed, ...rest } = Object.fromEntries(
            response.headers,
          )
          expect(allowed).toBe(origin)
          expect(rest['access-control-expose-headers']).toBe(
            'WWW-Authenticate, Retry-After, X-Request-Id',
          )
          expect(rest).not.toHaveProperty('access-control-allow-credentials')
        }
      },
    )

    it.each(['https://evil.test', 'null', 'https://lantern.example.evil.test'])(
      'answers those of %s with 403 and no more [MCP-06]',
      async (origin) => {
        const { send, events, reasons, operatorToken } = await open()
        const token = await operatorToken('courses:read')
        const response = await send(LIST, { headers: { origin }, token })
        expect(response.headers.get('access-control-allow-origin')).toBeNull()
        expect(await answerOf(response)).toEqual({
          status: 403,
          body: fault(-32000, expect.stringContaining(`the Origin "${origin}" is not allowed: `)),
        })
        expect(response.headers.get('www-authenticate')).toBeNull()
        expect(reasons).toEqual(['origin_not_allowed'])
        expect(events).toMatchObject([
          { type: 'mcp.denied', outcome: 'origin_not_allowed', subject: null },
        ])
        expect((await send(null, { verb: 'OPTIONS', headers: { origin } })).status).toBe(403)
      },
    )

    it('names no origin where none asks', async () => {
      const { send } = await open()
      const refused = await send(LIST, { headers: { authorization: 'Bearer nobody' } })
      for (const response of [await send(LIST), refused])
        expect([...response.headers.keys()].join()).not.toContain('access-')
    })

    it('answers a preflight for whatever headers a client has', async () => {
      const { send } = await open({ anonymous: 'challenge' })
      const response = await send(null, { verb: 'OPTIONS', headers: { origin: ISSUER } })
      expect([response.status, await response.text()]).toEqual([204, ''])
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': ISSUER,
        'access-control-allow-methods': 'POST, OPTIONS',
        'access-control-allow-headers': 'Authorization, *',
        'access-control-max-age': '86400',
        vary: 'Origin',
      })
    })
  })

  it('answers no foreign Host on this computer, and reports it [MCP-06, MCP-22]', async () => {
    const { send, events, reasons } = await open({ issuer: 'http://127.0.0.1:3000' })
    expect((await send(LIST, { headers: { host: 'localhost:3000' } })).status).toBe(200)
    const response = await send(LIST, { headers: { host: 'evil.test' } })
    expect(await answerOf(response)).toEqual({
      status: 403,
      body: fault(-32000, expect.stringContaining('the Host "evil.test" is not allowed: ')),
    })
    expect(response.headers.get('www-authenticate')).toBeNull()
    expect(reasons).toEqual(['host_not_allowed'])
    expect(events.map(({ outcome }) => outcome)).toEqual(['host_not_allowed'])
  })

  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])(
    'answers %s with 405 [MCP-08]',
    async (verb) => {
      const { send } = await open()
      const response = await send(null, { verb })
      expect(response.headers.get('allow')).toBe('POST, OPTIONS')
      const body = verb === 'HEAD' ? null : fault(-32000, 'use POST')
      expect(await answerOf(response)).toEqual({ status: 405, body })
    },
  )

  it.each([
    ['not JSON', '{', -32700, 'the body is not JSON'],
    ['empty', '', -32700, 'the body is not JSON'],
    ['behind a byte order mark', `\ufeff${LIST}`, -32700, 'the body is not JSON'],
    ['a batch', `[${LIST}]`, -32600, 'batches are not supported: send one message at a time'],
    ['a number', '1', -32600, 'the body must be a JSON-RPC message'],
    ['null', 'null', -32600, 'the body must be a JSON-RPC message'],
    ['an answer', '{"jsonrpc":"2.0","id":1,"result":{}}', -32600, 'the message has no method'],
    [
      'a request without an id of its own',
      '{"jsonrpc":"2.0","id":null,"method":"tools/list"}',
      -32600,
      'id must be a string or an integer',
    ],
    [
      'a request with params that are a list',
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}',
      -32602,
      'params must be an object',
    ],
  ])('answers a body that is %s with 400 [MCP-09]', async (_, body, code, message) => {
    const { send } = await open()
    const id = body.startsWith('{') && body.includes('"id":1') ? 1 : null
    expect(await answerOf(await send(body))).toEqual({
      status: 400,
      body: { ...fault(code, message), id },
    })
  })

  it.each([
    [{ arguments: {} }, 'params.name must be the name of a tool'],
    [{ name: 7 }, 'params.name must be the name of a tool'],
    [{ name: 'get_school_info', arguments: [] }, 'params.arguments must be an object'],
  ])('answers a call with the params %j with 400, by its id', async (params, message) => {
    const { rpc, events } = await open()
    const response = await rpc({ method: 'tools/call', params, id: 'a' })
    expect(await answerOf(response)).toEqual({ status: 400, body: fault(-32602, message, 'a') })
    expect(events).toEqual([])
  })

  it('takes a body of 256 KiB and no byte more [MCP-09]', async () => {
    const { send } = await open()
    const padded = (length: number): string => LIST + ' '.repeat(length - LIST.length)
    expect((await send(padded(256 * 1024))).status).toBe(200)
    const response = await send(padded(256 * 1024 + 1))
    expect(await answerOf(response)).toEqual({
      status: 413,
      body: fault(-32000, 'the body is larger than 262144 bytes'),
    })
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    'answers the media type %j with 415',
    async (type) => {
      const { send } = await open()
      const response = await send(LIST, { headers: { 'content-type': type } })
      expect(await answerOf(response)).toEqual({
        status: 415,
        body: fault(-32000, 'send Content-Type: application/json'),
      })
    },
  )

  it('takes no bytes that are not UTF-8', async () => {
    const { send } = await open()
    expect((await send(new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400)
  })

  it.each([
    ['?toolset=site', 200],
    ['?toolset=all', 200],
    ['?other=1', 200],
    ['?toolset=', 200],
    ['?toolset=constructor', 400],
    ['?toolset=no', 400],
  ])('with %s in its URL answers %i', async (query, status) => {
    const { send } = await open({ toolsets: { site: ['get_course'] } })
    const response = await send(LIST, { target: `/mcp${query}` })
    expect(response.status).toBe(status)
    if (status === 400)
      expect(await response.json()).toEqual(fault(-32602, 'toolset must be one of site, all', 1))
  })

  it('has every answer kept by nobody, read as what it is, and found again by its id', async () => {
    const { send, rpc, events } = await open()
    const call = { method: 'tools/call', params: { name: 'get_course' } }
    const answers = await Promise.all([
      rpc(call), send(LIST), send(LIST, { headers: { authorization: 'Bearer x' } }),
      send(LIST, { headers: { origin: 'https://evil.test' } }), send(null, { verb: 'GET' }),
      send('{'), send('[]'), send(LIST, { target: '/mcp?toolset=x' }),
      send(LIST, { headers: { 'content-type': 'text/plain' } }), send(' '.repeat(262_145)),
      rpc({ method: 'notifications/initialized', id: null }), rpc({ method: 'no/such' }),
    ]) // prettier-ignore
    expect(answers.map(({ status }) => status)).toEqual([
      401, 200, 401, 403, 405, 400, 400, 400, 415, 413, 202, expect.any(Number),
    ]) // prettier-ignore
    for (const { headers } of answers)
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        vary: 'Authorization, Origin',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.stringMatching(/^req_[\w-]{16}$/) as unknown,
      })
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    expect(new Set(ids).size).toBe(answers.length)
    expect(events.map(({ requestId }) => requestId).every((id) => ids.includes(id))).toBe(true)
  })
})
