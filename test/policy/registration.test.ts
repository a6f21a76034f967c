import fc from 'fast-check'
import { decideRegistration, parseLoopbackUri } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { ACME } from '../support/school/school.js'
import { anyUrl } from '../support/http/urls.js'
import { resemblesVendor } from '../../src/policy/vendor-match.js'

const LOOPBACK = 'http://127.0.0.1:3000/cb'
const vendors = [ACME]
const ask = (metadata: unknown): ReturnType<typeof decideRegistration> =>
  decideRegistration({ metadata, vendors })
const reasonOf = (metadata: unknown): string => {
  const decided = ask(metadata)
  return decided.ok ? decided.registration.kind : `${decided.error}/${decided.reason}`
}

describe('decideRegistration', () => {
  it('makes a new client of loopback addresses', () => {
    expect(
      ask({
        client_name: '  Desk CLI ',
        application_type: 'native',
        redirect_uris: [LOOPBACK, 'http://[::1]/cb', LOOPBACK],
        token_endpoint_auth_method: 'none',
        grant_types: [
          'authorization_code',
          'refresh_token',
          'urn:ietf:params:oauth:grant-type:device_code',
        ],
        response_types: ['code'],
      }),
    ).toEqual({
      ok: true,
      registration: {
        kind: 'loopback',
        name: 'Desk CLI',
        redirectUris: [LOOPBACK, 'http://[::1]/cb'],
        tokenEndpointAuthMethod: 'none',
        about: null,
      },
    })
  })

  it.each([
    ['its whole list', ACME.redirectUris],
    ['part of its list', ACME.redirectUris.slice(0, 1)],
    ['an empty list', []],
    ['no list', undefined],
  ])('finds the vendor by name with %s', (_, redirect_uris) => {
    expect(ask({ client_name: 'Acme Agents', redirect_uris })).toEqual({
      ok: true,
      registration: { kind: 'vendor', vendor: ACME },
    })
  })

  it.each(['acme agents', ' ACME  Agents ', 'Ａcme Agents'])(
    'finds the vendor by the name %j, folded',
    (client_name) => {
      expect(reasonOf({ client_name })).toBe('vendor')
    },
  )

  it.each([
    'Acme Agents 2',
    'Acme',
    'Acme Agent',
    'Acme\u200bAgents',
    'AcmeAgents',
    'Аcme Agents',
    'My Acme Agents',
  ])('does not find a vendor by the name %j', (client_name) => {
    expect(ask({ client_name }).ok).toBe(false)
  })

  it.each([
    ['spaces around its name', '  Acme Agents ', 'acme agents', true],
    ['a sharp s, which is no two letters', 'Stra\u00dfe', 'STRASSE', false],
    ['no name at all', '', undefined, false],
  ])('compares names with a vendor that has %s', (_, name, client_name, found) => {
    const vendor = { ...ACME, name }
    expect(decideRegistration({ metadata: { client_name }, vendors: [vendor] })).toEqual(
      found
        ? { ok: true, registration: { kind: 'vendor', vendor } }
        : {
            ok: false,
            error: 'invalid_client_metadata',
            reason: 'client_name_not_a_vendor',
            description:
              'client_name is not the name of a known integration: send loopback redirect_uris, or use a client ID metadata document',
          },
    )
  })

  it('takes ten redirect addresses', () => {
    const redirect_uris = Array.from({ length: 10 }, (_, index) => `http://127.0.0.1/${index}`)
    expect(ask({ redirect_uris })).toMatchObject({ ok: true, registration: { kind: 'loopback' } })
  })

  it('repeats a redirect address at fault in printable characters, 120 of them at most', () => {
    const refusal = (quoted: string): object => ({
      ok: false,
      error: 'invalid_redirect_uri',
      reason: 'redirect_uri_malformed',
      description: `redirect_uris: ${quoted} must be an absolute URI without fragment, dot segments and response parameters`,
    })
    expect(ask({ redirect_uris: ['a "b" \\é'] })).toEqual(refusal('a??b????'))
    for (const [uri, quoted] of [
      [`#${'a'.repeat(119)}`, `#${'a'.repeat(119)}`],
      [`#${'a'.repeat(120)}`, `#${'a'.repeat(119)}...`],
    ] as const)
      expect(ask({ redirect_uris: [uri] })).toEqual(refusal(quoted))
  })

  it('refuses a name that is no vendor where there is nowhere to redirect to', () => {
    expect(ask({ client_name: 'Unheard Of' })).toEqual({
      ok: false,
      error: 'invalid_client_metadata',
      reason: 'client_name_not_a_vendor',
      description:
        'client_name is not the name of a known integration: send loopback redirect_uris, or use a client ID metadata document',
    })
    expect(reasonOf({})).toBe('invalid_client_metadata/client_name_not_a_vendor')
    expect(reasonOf({ redirect_uris: null })).toBe(
      'invalid_client_metadata/client_name_not_a_vendor',
    )
  })

  it('never adds an address to a vendor', () => {
    for (const uri of ['https://evil.test/cb', 'https://agents.acme.example/callback/'])
      expect(
        reasonOf({ client_name: 'Acme Agents', redirect_uris: [uri, ...ACME.redirectUris] }),
      ).toBe('invalid_redirect_uri/redirect_uri_not_loopback')
    // A vendor's name on somebody's own computer is a new client, and does not keep the name.
    expect(ask({ client_name: 'Acme Agents', redirect_uris: [LOOPBACK] })).toMatchObject({
      ok: true,
      registration: { kind: 'loopback', name: 'An app on this computer' },
    })
  })

  it('names the offending address and the rule', () => {
    expect(ask({ redirect_uris: [LOOPBACK, 'https://app.test/cb'] })).toEqual({
      ok: false,
      error: 'invalid_redirect_uri',
      reason: 'redirect_uri_not_loopback',
      description:
        'redirect_uris: https://app.test/cb is not http:// with a loopback host, at most a port, and a path, such as http://127.0.0.1:3000/callback, and no other addresses can be registered',
    })
  })

  it.each([
    'https://app.test/cb',
    'http://app.test/cb',
    'cursor://x/cb',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'http://127.0.0.1:3000/cb#',
    'http://127.0.0.1:3000/cb#x',
    'http://127.0.0.1:3000/cb#\t',
    'http://u@127.0.0.1:1/',
    'http://127.0.0.1:80@evil.test/cb',
    'http://127.0.0.1.evil.test/cb',
    'http://127.1/cb',
    'http://0x7f.1/cb',
    'http://2130706433/cb',
    'http://127.0.0.2/cb',
    'http://0.0.0.0/cb',
    'http://[::ffff:127.0.0.1]/cb',
    'http://app.localhost/cb',
    'http://127.0.0.1:3000/cb?code=x',
    'http://127.0.0.1:3000/cb?state=x',
    `http://127.0.0.1:3000/${'a'.repeat(2048)}`,
  ])('refuses the address %j', (uri) => {
    for (const redirect_uris of [[uri], [LOOPBACK, uri], [uri, LOOPBACK]])
      expect(reasonOf({ redirect_uris })).toMatch(/^invalid_redirect_uri\//)
  })

  it.each([
    ['a string', LOOPBACK],
    ['an object', { 0: LOOPBACK }],
    ['a number inside', [LOOPBACK, 1]],
    ['eleven', Array.from({ length: 11 }, (_, index) => `http://127.0.0.1:${index + 1}/${index}`)],
  ])('refuses a list of addresses that is %s', (_, redirect_uris) => {
    expect(reasonOf({ redirect_uris })).toBe('invalid_redirect_uri/redirect_uris_malformed')
  })

  it.each([
    'http://localhost',
    'http://127.0.0.1:3000',
    'https://localhost/cb',
    'http://[::1]:0/cb',
  ])('says what the address %s lacks, and not that it is no loopback address', (uri) => {
    expect(ask({ redirect_uris: [uri] })).toEqual({
      ok: false,
      error: 'invalid_redirect_uri',
      reason: 'redirect_uri_not_loopback',
      description: `redirect_uris: ${uri} is not http:// with a loopback host, at most a port, and a path, such as http://127.0.0.1:3000/callback, and no other addresses can be registered`,
    })
  })

  it('says how many addresses and characters there may be', () => {
    expect(ask({ redirect_uris: LOOPBACK })).toEqual({
      ok: false,
      error: 'invalid_redirect_uri',
      reason: 'redirect_uris_malformed',
      description: 'redirect_uris must be an array of at most 10 strings',
    })
    expect(ask({ client_name: 7 })).toEqual({
      ok: false,
      error: 'invalid_client_metadata',
      reason: 'client_name_malformed',
      description: 'client_name must be a string of at most 100 printable characters',
    })
  })

  it.each([
    [null, 'metadata_not_an_object'],
    [[], 'metadata_not_an_object'],
    ['{}', 'metadata_not_an_object'],
    [JSON.parse('{"__proto__":{"client_name":"Acme Agents"}}'), 'metadata_not_an_object'],
    [{ client_name: 7 }, 'client_name_malformed'],
    [{ client_name: 'a'.repeat(101) }, 'client_name_malformed'],
    [{ client_name: 'a\nb' }, 'client_name_malformed'],
    [{ client_name: '\u202egnp.exe' }, 'client_name_malformed'],
    [{ client_name: 'a\u200bb' }, 'client_name_malformed'],
    [{ token_endpoint_auth_method: 'private_key_jwt' }, 'auth_method_not_supported'],
    [{ token_endpoint_auth_method: 'client_secret_basic' }, 'auth_method_not_supported'],
    [{ token_endpoint_auth_method: 7 }, 'auth_method_not_supported'],
    [{ application_type: 'desktop' }, 'application_type_mismatch'],
    [{ application_type: 'web' }, 'application_type_mismatch'],
    [{ grant_types: ['client_credentials'] }, 'grant_types_not_supported'],
    [{ grant_types: ['implicit'] }, 'grant_types_not_supported'],
    [{ grant_types: ['password', 'refresh_token'] }, 'grant_types_not_supported'],
    [{ grant_types: 'authorization_code' }, 'grant_types_not_supported'],
    [{ response_types: ['token'] }, 'response_types_not_supported'],
    [{ logo_uri: 'javascript:alert(1)' }, 'link_malformed'],
    [{ policy_uri: 'data:text/html,x' }, 'link_malformed'],
    [{ jwks_uri: 7 }, 'link_malformed'],
  ])('refuses %j as %s', (metadata, reason) => {
    const body =
      typeof metadata === 'object' &&
      metadata !== null &&
      !Array.isArray(metadata) &&
      !Object.hasOwn(metadata, '__proto__')
        ? { redirect_uris: [LOOPBACK], ...metadata }
        : metadata
    expect(reasonOf(body)).toBe(`invalid_client_metadata/${reason}`)
  })

  it.each([' ', '\u3164', '\u2800\ufe0f'])(
    'does without the name %j, which shows nothing',
    (name) => {
      expect(ask({ client_name: name, redirect_uris: [LOOPBACK] })).toMatchObject({
        ok: true,
        registration: { kind: 'loopback', name: 'An app on this computer' },
      })
    },
  )

  it('honours a secret in the form', () => {
    expect(
      ask({ redirect_uris: [LOOPBACK], token_endpoint_auth_method: 'client_secret_post' }),
    ).toMatchObject({ ok: true, registration: { tokenEndpointAuthMethod: 'client_secret_post' } })
  })

  it('ignores what a client may not choose, and what it does not know', () => {
    expect(
      ask({
        redirect_uris: [LOOPBACK],
        client_id: 'study-buddy',
        client_secret: 'x',
        scope: 'account:read courses:write',
        reviewed: true,
        audience: 'member',
        org_id: 'site_kiln',
        skip_consent: true,
        software_statement: 'x',
        logo_uri: null,
        client_name: null,
      }),
    ).toEqual({
      ok: true,
      registration: {
        kind: 'loopback',
        name: 'An app on this computer',
        redirectUris: [LOOPBACK],
        tokenEndpointAuthMethod: 'none',
        about: null,
      },
    })
  })

  it('promises that whatever becomes a new client has loopback addresses alone', () => {
    const uri = fc.oneof(
      anyUrl(),
      fc.constant(LOOPBACK),
      fc.constant('http://localhost/x'),
      fc.string(),
    )
    fc.assert(
      fc.property(
        fc.record({
          redirect_uris: fc.oneof(fc.array(uri, { maxLength: 3 }), fc.jsonValue()),
          client_name: fc.oneof(fc.constant('Acme Agents'), fc.string(), fc.jsonValue()),
          application_type: fc.oneof(fc.constant('native'), fc.jsonValue()),
        }),
        (metadata) => {
          const decided = ask(metadata)
          if (!decided.ok || decided.registration.kind === 'vendor') return
          const { redirectUris } = decided.registration
          expect(redirectUris.length).toBeGreaterThan(0)
          for (const one of redirectUris) expect(parseLoopbackUri(one)).not.toBeNull()
        },
      ),
    )
  })

  it('never throws, whatever JSON comes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (metadata) => {
        expect(typeof ask(metadata).ok).toBe('boolean')
      }),
    )
  })
})

describe('resemblesVendor', () => {
  it.each([
    'Acme Agents',
    'acmeagents',
    'Аcme Аgents',
    'Acmé Agents',
    'A.c.m.e Agents',
    'ACME AGENT5'.replace('5', 's'),
  ])('sees the vendor in %j', (name) => {
    expect(resemblesVendor({ name, vendors })).toBe(true)
  })

  it.each([
    ...'аa вb еe кk мm нh оo рp сc тt уy хx іi јj ѕs ԁd ԛq ԝw һh ӏl'.split(' '),
    ...'αa εe ιi κk νv οo ρp τt υu χx ıi ɡg ℓl 0o 1l |l'.split(' '),
  ])('reads the first of %j as the second', (pair) => {
    const [lookalike, latin] = Array.from(pair) as [string, string]
    const named = [{ ...ACME, name: `Zz${latin}` }]
    expect(resemblesVendor({ name: `Zz${lookalike}`, vendors: named })).toBe(true)
  })

  it('sees any of several vendors, a capital i for an l too', () => {
    const several = [ACME, { ...ACME, name: 'Paypal' }]
    expect(resemblesVendor({ name: 'PaypaI', vendors: several })).toBe(true)
    expect(resemblesVendor({ name: 'Pavpal', vendors: several })).toBe(false)
  })

  it.each(['Acme Agents (my server)', 'Acme', 'Desk CLI', ''])('sees no vendor in %j', (name) => {
    expect(resemblesVendor({ name, vendors })).toBe(false)
  })
})
