import fc from 'fast-check'
import {
  buildRedirect,
  decideRedirectUri,
  isRedirectUriText,
  parseLoopbackUri,
  type TrustedRedirect,
} from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../support/http/characters.js'
import { anyPath, anyUrl } from '../support/http/urls.js'

const NOT_REGISTERED = {
  ok: false,
  error: 'invalid_request',
  reason: 'redirect_uri_not_registered',
}

describe('parseLoopbackUri', () => {
  it.each([
    ['http://127.0.0.1:3000/cb', { host: '127.0.0.1', port: '3000', rest: '/cb' }],
    ['http://127.0.0.1/', { host: '127.0.0.1', port: null, rest: '/' }],
    ['http://localhost:65535/a/b?c=d', { host: 'localhost', port: '65535', rest: '/a/b?c=d' }],
    ['http://[::1]:1/cb', { host: '[::1]', port: '1', rest: '/cb' }],
  ])('takes %s apart', (uri, parts) => {
    expect(parseLoopbackUri(uri)).toEqual(parts)
  })

  it.each([
    'http://127.0.0.1',
    'http://127.0.0.1:3000',
    'https://127.0.0.1/cb',
    'HTTP://127.0.0.1/cb',
    'http://127.0.0.1.evil.test/cb',
    'http://127.0.0.1.80/cb',
    'http://127.1/cb',
    'http://0x7f.1/cb',
    'http://2130706433/cb',
    'http://0177.0.0.1/cb',
    'http://127.0.0.1./cb',
    'http://127.0.0.2/cb',
    'http://0.0.0.0/cb',
    'http://[::ffff:127.0.0.1]/cb',
    'http://[0:0:0:0:0:0:0:1]/cb',
    'http://app.localhost/cb',
    'http://localhost./cb',
    'http://LOCALHOST/cb',
    'http://u@127.0.0.1:1/cb',
    'http://localhost@1/cb',
    'http://127.0.0.1:80@evil.test/cb',
    'http://127.0.0.1:/cb',
    'http://127.0.0.1:0/cb',
    'http://127.0.0.1:080/cb',
    'http://127.0.0.1:65536/cb',
    'http://127.0.0.1:1e4/cb',
    'http://127.0.0.1:3000\\@evil.test/cb',
    'http://127.0.0.1:3000/cb#',
    'http://127.0.0.1:3000/c b',
    'http://127.0.0.1:3000/cb\t',
    'http:/127.0.0.1/cb',
    'http:///127.0.0.1/cb',
    'http://①②⑦.⓪.⓪.①/cb',
    'http://%6cocalhost/cb',
  ])('does not take %j for this computer', (uri) => {
    expect(parseLoopbackUri(uri)).toBeNull()
  })

  it('agrees with the WHATWG parser on host, port and path of whatever it accepts', () => {
    const piece = fc.constantFrom(
      'http://', '127.0.0.1', 'localhost', '[::1]', ':', '80', '3000', '/', 'cb', '@', '.', '\\', '?', 'a=b',
    ) // prettier-ignore
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const uri = `http://${pieces.join('')}`
        const parsed = parseLoopbackUri(uri)
        if (parsed === null) return
        const url = new URL(uri)
        expect(url.hostname).toBe(parsed.host)
        expect(url.username + url.password + url.hash).toBe('')
        expect(url.port).toBe(parsed.port === '80' ? '' : (parsed.port ?? ''))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('decideRedirectUri', () => {
  const registered = [
    'https://app.example/cb?tenant=1',
    'http://127.0.0.1:3000/cb',
    'cursor://x/cb',
  ]
  const ask = (redirectUri: string | null): unknown =>
    decideRedirectUri({ redirectUri, registered })

  it.each(registered)('trusts the registered %s', (redirectUri) => {
    expect(ask(redirectUri)).toEqual({ ok: true, redirectUri })
  })

  it.each(['http://127.0.0.1:49152/cb', 'http://127.0.0.1/cb', 'http://127.0.0.1:80/cb'])(
    'trusts %s: the port of a loopback address may differ (RFC 8252 §7.3)',
    (redirectUri) => {
      expect(ask(redirectUri)).toEqual({ ok: true, redirectUri })
    },
  )

  it.each([
    'http://localhost:3000/cb',
    'http://[::1]:3000/cb',
    'http://127.0.0.1:3000/cb/',
    'http://127.0.0.1:3000/CB',
    'http://127.0.0.1:3000/cb?x=1',
    'http://127.0.0.1:3000/x/../cb',
    'http://127.0.0.1:3000/%63b',
    'http://127.0.0.1:3000//cb',
    'https://127.0.0.1:3000/cb',
    'http://127.1:3000/cb',
    'http://127.0.0.1:3000@evil.test/cb',
    'https://app.example/cb',
    'https://app.example/cb?tenant=1&x=2',
    'https://app.example/cb?tenant=2',
    'https://app.example:443/cb?tenant=1',
    'https://APP.example/cb?tenant=1',
    'https://app.example/cb?tenant=1#',
    'https://app.example\\cb?tenant=1',
    '\thttps://app.example/cb?tenant=1',
    'https://app.example/cb?tenant=1 ',
    'https://app.example.evil.test/cb?tenant=1',
    'javascript:alert(1)',
    '',
  ])('refuses %j', (redirectUri) => {
    expect(ask(redirectUri)).toMatchObject(NOT_REGISTERED)
  })

  it('refuses a missing one', () => {
    expect(ask(null)).toEqual({
      ok: false,
      error: 'invalid_request',
      reason: 'redirect_uri_missing',
      description: 'redirect_uri is required',
    })
  })

  it('trusts nothing but equal strings and other ports of loopback addresses', () => {
    const uri = fc.oneof(
      anyUrl({ query: true }),
      fc
        .tuple(fc.constantFrom('127.0.0.1', 'localhost', '[::1]'), fc.nat(70_000), anyPath)
        .map(([host, port, path]) => `http://${host}:${port}/${path}`),
    )
    fc.assert(
      fc.property(uri, uri, (one, other) => {
        const decided = decideRedirectUri({ redirectUri: one, registered: [other] })
        if (!decided.ok || one === other) return
        const withoutPort = (text: string): string => text.replace(/:\d+(?=\/)/, '')
        expect(withoutPort(one)).toBe(withoutPort(other))
        expect(one.startsWith('http://')).toBe(true)
      }),
    )
  })
})

describe('isRedirectUriText', () => {
  it.each([
    'https://app.example/cb?code=1',
    'https://app.example/cb?%63ode=1',
    'https://app.example/cb?a=b&state=x',
    'https://app.example/cb?iss=x',
    'https://app.example/cb?error=x',
    'https://app.example/cb?response=x',
    'https://app.example/a/../cb',
    'https://app.example/a/%2E%2e/cb',
    'https://app.example/cb#x',
    `https://app.example/${'a'.repeat(2048)}`,
    'https://app.example/"><script>',
    'https://app.example/\u202e',
    'https://app.example/a/..',
    'https://app.example/.',
  ])('refuses %j', (uri) => {
    expect(isRedirectUriText(uri)).toBe(false)
  })

  it.each(['code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'response'])(
    'leaves the parameter %s to the authorization response',
    (name) => {
      expect(isRedirectUriText(`https://app.example/cb?${name}=x`)).toBe(false)
    },
  )

  it.each([
    ['dots in a query', 'https://app.example/cb?next=/../x/'],
    ['the name of a parameter in a path', 'https://app.example/cb&code=1'],
    ['2048 characters', `https://app.example/${'a'.repeat(2028)}`],
  ])('accepts %s', (_, uri) => {
    expect(isRedirectUriText(uri)).toBe(true)
  })
})

describe('buildRedirect', () => {
  const to = (uri: string): TrustedRedirect => {
    const decided = decideRedirectUri({ redirectUri: uri, registered: [uri] })
    if (!decided.ok) throw new Error(decided.reason)
    return decided.redirectUri
  }

  it.each([
    ['https://a.example/cb', 'https://a.example/cb?code=c&state=s'],
    ['https://a.example/cb?', 'https://a.example/cb?code=c&state=s'],
    ['https://a.example/cb?x=1', 'https://a.example/cb?x=1&code=c&state=s'],
    ['cursor://x/cb', 'cursor://x/cb?code=c&state=s'],
  ])('adds to %s and keeps what is there', (uri, expected) => {
    expect(buildRedirect(to(uri), { code: 'c', state: 's', error: null })).toBe(expected)
  })

  it('returns any state byte for byte, once, without breaking the line', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), (state) => {
        const url = buildRedirect(to('https://a.example/cb?x=1'), { state })
        expect(new URL(url).searchParams.getAll('state')).toEqual([state])
        expect(url).toMatch(/^[\x21-\x7e]+$/)
      }),
    )
  })
})
