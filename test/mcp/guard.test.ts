import { describe, expect, it } from 'vitest'
import { createGuard, type Guard } from '../../src/mcp/guard.js'

const LANTERN = 'https://lantern.example'
const DEMO = 'http://127.0.0.1:3000'

/** The reason of a guard, or `null` if it lets a request in. */
const reasonOf = (guard: Guard, request: Parameters<Guard>[0]): string | null =>
  guard(request)?.reason ?? null

describe('the guard by Origin', () => {
  it.each([
    [null, null],
    [LANTERN, null],
    ['http://localhost', null],
    ['http://localhost:6274', null],
    ['https://localhost:6274', null],
    ['http://127.0.0.1:6276', null],
    ['http://[::1]:6274', null],
    ['https://evil.test', 'origin_not_allowed'],
    ['http://lantern.example', 'origin_not_allowed'],
    ['https://lantern.example:8443', 'origin_not_allowed'],
    ['https://lantern.example/', 'origin_not_allowed'],
    ['https://lantern.example.evil.test', 'origin_not_allowed'],
    ['http://localhost.evil.test', 'origin_not_allowed'],
    ['http://evil.test?http://localhost', 'origin_not_allowed'],
    ['http://localhost:6274@evil.test', 'origin_not_allowed'],
    ['http://localhost:123456', 'origin_not_allowed'],
    ['http://127.0.0.2', 'origin_not_allowed'],
    ['http://127x0.0.1', 'origin_not_allowed'],
    ['ftp://localhost', 'origin_not_allowed'],
    ['evilhttp://localhost', 'origin_not_allowed'],
    ['*', 'origin_not_allowed'],
    ['null', 'origin_not_allowed'],
    ['', 'origin_not_allowed'],
  ])('answers %j with %j', (origin, expected) => {
    expect(reasonOf(createGuard({ origin: LANTERN }), { host: null, origin })).toBe(expected)
  })

  it.each([
    ['https://inspector.example', null],
    [LANTERN, null],
    ['http://localhost:6274', null],
    ['https://inspector.example.evil.test', 'origin_not_allowed'],
    ['https://INSPECTOR.example', 'origin_not_allowed'],
  ])('with one allowed beside the own, answers %j with %j', (origin, expected) => {
    const guard = createGuard({ origin: LANTERN, allowedOrigins: ['https://inspector.example'] })
    expect(reasonOf(guard, { host: null, origin })).toBe(expected)
  })

  it.each(['https://evil.test', 'null', LANTERN])('lets %j in where any may', (origin) => {
    const guard = createGuard({ origin: LANTERN, allowedOrigins: ['*'] })
    expect(reasonOf(guard, { host: null, origin })).toBeNull()
  })
})

describe('the guard by Host', () => {
  it.each(['lantern.example', 'evil.test', 'internal:8080', null])(
    'answers %j where the site is on the net, since proxies put what they like',
    (host) => {
      expect(reasonOf(createGuard({ origin: LANTERN }), { host, origin: null })).toBeNull()
    },
  )

  it.each([
    [null, null],
    ['127.0.0.1:3000', null],
    ['localhost:3000', null],
    ['[::1]:3000', null],
    ['127.0.0.1:3001', 'host_not_allowed'],
    ['localhost', 'host_not_allowed'],
    ['evil.test', 'host_not_allowed'],
    ['evil.test:3000', 'host_not_allowed'],
    ['localhost.evil.test:3000', 'host_not_allowed'],
    ['evil-localhost:3000', 'host_not_allowed'],
    ['127.0.0.1:3000.evil.test', 'host_not_allowed'],
    ['127x0.0.1:3000', 'host_not_allowed'],
    ['', 'host_not_allowed'],
  ])('on this computer answers %j with %j', (host, expected) => {
    expect(reasonOf(createGuard({ origin: DEMO }), { host, origin: null })).toBe(expected)
  })

  it.each([
    ['art.localhost:3000', null],
    ['localhost:3000', null],
    ['127.0.0.1:3000', null],
    ['kiln.localhost:3000', 'host_not_allowed'],
    ['art.localhost', 'host_not_allowed'],
    ['art.localhost.evil.test:3000', 'host_not_allowed'],
    ['evil.test', 'host_not_allowed'],
  ])('reads the host %s at a name below localhost, as %s', (host, reason) => {
    expect(reasonOf(createGuard({ origin: 'http://art.localhost:3000' }), { host, origin: null })).toBe(reason) // prettier-ignore
  })

  it.each([
    ['localhost', null],
    ['localhost:80', null],
    ['127.0.0.1', null],
    ['localhost:8080', 'host_not_allowed'],
  ])('on this computer at port 80 answers %j with %j', (host, expected) => {
    expect(reasonOf(createGuard({ origin: 'http://localhost' }), { host, origin: null })).toBe(
      expected,
    )
  })

  it.each([
    ['mcp.lantern.example', null],
    [null, null],
    ['lantern.example', 'host_not_allowed'],
    ['MCP.lantern.example', 'host_not_allowed'],
    ['mcp.lantern.example:443', 'host_not_allowed'],
  ])('with a list takes no other: %j is answered with %j', (host, expected) => {
    const guard = createGuard({ origin: LANTERN, allowedHosts: ['mcp.lantern.example'] })
    expect(reasonOf(guard, { host, origin: null })).toBe(expected)
  })

  it('takes the list instead of the names of this computer', () => {
    const guard = createGuard({ origin: DEMO, allowedHosts: ['demo.test'] })
    expect(reasonOf(guard, { host: 'demo.test', origin: null })).toBeNull()
    expect(reasonOf(guard, { host: '127.0.0.1:3000', origin: null })).toBe('host_not_allowed')
  })

  it('takes none where the list is empty', () => {
    const guard = createGuard({ origin: LANTERN, allowedHosts: [] })
    expect(reasonOf(guard, { host: 'lantern.example', origin: null })).toBe('host_not_allowed')
  })

  it('is asked before the Origin', () => {
    const guard = createGuard({ origin: DEMO })
    expect(reasonOf(guard, { host: 'evil.test', origin: 'https://evil.test' })).toBe(
      'host_not_allowed',
    )
    expect(reasonOf(guard, { host: 'localhost:3000', origin: 'https://evil.test' })).toBe(
      'origin_not_allowed',
    )
  })
})

describe('the text of the guard', () => {
  const hostOf = (host: string) => createGuard({ origin: DEMO })({ host, origin: null })
  const originOf = (origin: string) => createGuard({ origin: DEMO })({ host: null, origin })

  it('names the Host that came, the option that lets it in, and the page', () => {
    expect(hostOf('127.0.0.1:6401')).toEqual({
      ok: false,
      error: 'invalid_request',
      reason: 'host_not_allowed',
      description:
        'the Host "127.0.0.1:6401" is not allowed: if your proxy sends it, add it to allowedHosts of createMcpEndpoint, see "Behind a proxy" in docs/do/mcp.md',
    })
  })

  it('names the Origin that came, the option that lets it in, and the page', () => {
    expect(originOf('https://evil.test')).toEqual({
      ok: false,
      error: 'invalid_request',
      reason: 'origin_not_allowed',
      description:
        'the Origin "https://evil.test" is not allowed: if its pages may call, add it to allowedOrigins of createMcpEndpoint, see "Create the endpoint" in docs/do/mcp.md',
    })
  })

  it.each([
    ['', '""'],
    ['[::1]:3001', '"[::1]:3001"'],
    ['evil_1-x.test', '"evil_1-x.test"'],
    ['<b>"a"\u001b[31m\n\u202e\u00e4\\', '"?b??a??[31m????"'],
    ['a'.repeat(100), `"${'a'.repeat(100)}"`],
    ['a'.repeat(101), `"${'a'.repeat(100)}..."`],
  ])('shows %j as %s [MCP-23]', (host, text) => {
    expect(hostOf(host)?.description).toContain(`the Host ${text} is not allowed`)
  })
})
