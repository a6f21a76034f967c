import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { LOOPBACK_HOSTS, parseLoopbackUri, type Vendor } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { decideDocumentUrl, type DocumentUrl } from '../../src/policy/cimd-url.js'
import { decideDocument, documentDigest } from '../../src/policy/cimd-document.js'
import { anyCharacter } from '../support/http/characters.js'
import { ACME } from '../support/school/school.js'
import { anyPath, anyUrl } from '../support/http/urls.js'

const URL_OF_NOTES = 'https://notes.example/oauth/client.json'

function documentUrl(text: string): DocumentUrl {
  const policy = { allowedHosts: [], openRegistration: true, ports: [443, 8443] }
  const decided = decideDocumentUrl({ clientId: text, policy })
  if (!decided.ok) throw new Error(`${text}: ${decided.reason}`)
  return decided.url
}

const NOTES_CALLBACK = 'https://notes.example/oauth/callback'
const LOOPBACK = 'http://127.0.0.1/callback'
const NOTES = {
  client_id: URL_OF_NOTES,
  client_name: 'Notes',
  redirect_uris: [NOTES_CALLBACK, LOOPBACK],
}
const KEPT = {
  clientId: URL_OF_NOTES,
  name: 'Notes',
  redirectUris: [NOTES_CALLBACK, LOOPBACK],
  tokenEndpointAuthMethod: 'none',
  about: null,
}

function read(
  metadata: unknown,
  url = URL_OF_NOTES,
  vendors: readonly Vendor[] = [ACME],
): ReturnType<typeof decideDocument> {
  return decideDocument({ url: documentUrl(url), metadata, vendors })
}
const faultOf = (metadata: unknown, url?: string, vendors?: readonly Vendor[]): string | null => {
  const decided = read(metadata, url, vendors)
  return decided.ok ? null : `${decided.error}/${decided.reason}`
}

describe('decideDocument', () => {
  it('keeps the name and the redirect URIs [CIMD-10]', () => {
    expect(read(NOTES)).toStrictEqual({ ok: true, document: KEPT })
  })

  it('keeps that its tokens have to be bound to a key, if it says so', () => {
    const dpopBoundAccessTokens = true
    expect(read({ ...NOTES, dpop_bound_access_tokens: true })).toStrictEqual({
      ok: true,
      document: { ...KEPT, dpopBoundAccessTokens },
    })
    for (const dpop_bound_access_tokens of [false, 'true', 1, null])
      expect(read({ ...NOTES, dpop_bound_access_tokens })).toStrictEqual({
        ok: true,
        document: KEPT,
      })
  })

  it('keeps nothing else, least of all what a document grants itself [CIMD-10, CIMD-29]', () => {
    const metadata = {
      ...NOTES,
      disabled: true,
      reviewed: true,
      skip_consent: true,
      scope: 'openid courses:write account:write',
      scopes: ['courses:write'],
      kind: 'vendor',
      require_pkce: false,
      application_type: 'web',
      software_statement: 'x',
      client_uri: 'https://notes.example',
      logo_uri: 'http://169.254.169.254/logo.png',
      tos_uri: 'https://elsewhere.example/tos',
      policy_uri: 'https://elsewhere.example/policy',
      'client_uri#de': 'https://notes.example/de',
      jwks_uri: 'https://127.0.0.1/jwks.json',
      jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] },
    }
    const about = {
      clientUri: 'https://notes.example',
      policyUri: 'https://elsewhere.example/policy',
      tosUri: 'https://elsewhere.example/tos',
      logoUri: 'http://169.254.169.254/logo.png',
      contacts: [],
    }
    expect(read(metadata)).toStrictEqual({ ok: true, document: { ...KEPT, about } })
  })

  it('takes null for absent', () => {
    const absent = [
      'client_secret', 'client_secret_expires_at', 'token_endpoint_auth_method',
      'token_endpoint_auth_methods_supported', 'grant_types', 'response_types', 'jwks', 'logo_uri', 'jwks_uri',
    ] // prettier-ignore
    const metadata = { ...NOTES, ...Object.fromEntries(absent.map((name) => [name, null])) }
    expect(read(metadata)).toStrictEqual({ ok: true, document: KEPT })
    expect(faultOf({ ...NOTES, client_id: null })).toBe(
      'invalid_client/document_client_id_mismatch',
    )
  })

  it('trims the name and drops repeated redirect URIs', () => {
    const redirect_uris = [LOOPBACK, NOTES_CALLBACK, LOOPBACK]
    expect(read({ ...NOTES, client_name: '  Notes ', redirect_uris })).toStrictEqual({
      ok: true,
      document: { ...KEPT, redirectUris: [LOOPBACK, NOTES_CALLBACK] },
    })
  })

  it.each([null, undefined, 1, 'x', [], [NOTES], JSON.parse('{"__proto__":{"a":1}}')])(
    'refuses %j for a document [CIMD-20]',
    (metadata) => {
      expect(read(metadata)).toEqual({
        ok: false,
        error: 'invalid_client',
        reason: 'document_not_an_object',
        description: 'the document must be one JSON object',
      })
    },
  )

  it('reads own members alone', () => {
    expect(faultOf(Object.create(NOTES))).toBe('invalid_client/document_client_id_mismatch')
  })

  it.each([
    ['the default port', 'https://notes.example:443/oauth/client.json'],
    ['another case', 'https://notes.example/OAuth/client.json'],
    ['a slash behind', `${URL_OF_NOTES}/`],
    ['a space behind', `${URL_OF_NOTES} `],
    ['an escape', 'https://notes.example/%6fauth/client.json'],
    ['a query', `${URL_OF_NOTES}?`],
    ['another host', 'https://evil.example/oauth/client.json'],
    ['a list', [URL_OF_NOTES]],
    ['nothing', undefined],
  ])('refuses a client_id with %s [CIMD-05]', (_, client_id) => {
    expect(read({ ...NOTES, client_id })).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'document_client_id_mismatch',
      description:
        'client_id in the document must equal https://notes.example/oauth/client.json, character by character',
    })
  })

  it.each([
    undefined,
    7,
    '',
    ' ',
    '\u00a0\u2003',
    '\u3164',
    '\u2800\ufe0f',
    'a\nb',
    '\u202egnp.exe',
    'a\u200bb',
    'a'.repeat(101),
    ['Notes'],
  ])('refuses the name %j [CIMD-07]', (client_name) => {
    expect(read({ ...NOTES, client_name })).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'document_name_malformed',
      description: 'client_name in the document must be a string of 1 to 100 printable characters',
    })
  })

  it.each(['Acme Agents', 'Аcme Agents', 'ACME-AGENTS', 'Acmé Agents'])(
    'refuses the name %j, which belongs to a vendor, on another host',
    (client_name) => {
      expect(read({ ...NOTES, client_name })).toEqual({
        ok: false,
        error: 'invalid_client',
        reason: 'document_name_resembles_vendor',
        description:
          'client_name in the document resembles the name of the site, or of a known integration that has no redirect URI on this host: choose another name',
      })
    },
  )

  it('lets a vendor have its name on the host of one of its redirect URIs', () => {
    const named = (client_id: string): object => ({
      client_id,
      client_name: 'Acme Agents',
      redirect_uris: [LOOPBACK],
    })
    const resembles = 'invalid_client/document_name_resembles_vendor'
    for (const [url, fault] of [
      ['https://agents.acme.example/client.json', null],
      ['https://agents.acme.example:8443/client.json', resembles],
      ['https://acme.example/client.json', resembles],
      ['https://agents.acme.example.evil.example/client.json', resembles],
    ] as const)
      expect(faultOf(named(url), url)).toBe(fault)
    // Two entries of one name, of which one is at home here.
    const vendors = [{ ...ACME, redirectUris: ['http://localhost/'] }, ACME]
    const url = 'https://agents.acme.example/client.json'
    expect(faultOf(named(url), url, vendors)).toBeNull()
    expect(faultOf(named(url), url, vendors.slice(0, 1))).toBe(resembles)
    expect(faultOf(named(url), url, [])).toBeNull()
  })

  it('needs no vendors and knows the loopback hosts', () => {
    const url = documentUrl(URL_OF_NOTES)
    expect(decideDocument({ url, metadata: NOTES })).toStrictEqual({ ok: true, document: KEPT })
    const redirect_uris = ['http://localhost:3000/cb']
    const metadata = { ...NOTES, redirect_uris }
    expect(decideDocument({ url, metadata })).toMatchObject({ ok: true })
    expect(decideDocument({ url, metadata, loopbackHosts: ['127.0.0.1'] })).toMatchObject({
      reason: 'document_redirect_uri_of_other_host',
    })
  })

  it.each([
    ['absent', undefined],
    ['empty', []],
    ['a string', NOTES_CALLBACK],
    ['an object', { 0: NOTES_CALLBACK, length: 1 }],
    ['a list with a number', [NOTES_CALLBACK, 1]],
    ['a list with null', [null]],
    ['eleven', Array.from({ length: 11 }, (_, index) => `http://127.0.0.1:${index + 1}/${index}`)],
  ])('refuses redirect_uris that are %s [CIMD-07]', (_, redirect_uris) => {
    expect(read({ ...NOTES, redirect_uris })).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'document_redirect_uris_malformed',
      description: 'redirect_uris in the document must be an array of 1 to 10 strings',
    })
  })

  it('accepts twenty ports of a loopback address [CIMD-07]', () => {
    const redirect_uris = Array.from(
      { length: 20 },
      (_, index) => `http://127.0.0.1:${index + 1}/cb`,
    )
    expect(read({ ...NOTES, redirect_uris })).toMatchObject({ ok: true })
  })

  it.each([
    ['a fragment', `${NOTES_CALLBACK}#`],
    ['a tab', `${NOTES_CALLBACK}\t`],
    ['a backslash', 'https://notes.example\\@evil.example/cb'],
    ['a dot segment', 'https://notes.example/a/../cb'],
    ['an escaped dot segment', 'https://notes.example/%2e%2E/cb'],
    ['code in the query', `${NOTES_CALLBACK}?code=1`],
    ['2049 characters', `https://notes.example/${'c'.repeat(2027)}`],
  ])('refuses a redirect URI with %s', (_, uri) => {
    for (const redirect_uris of [[uri], [NOTES_CALLBACK, uri], [uri, LOOPBACK]])
      expect(faultOf({ ...NOTES, redirect_uris })).toBe(
        'invalid_client/document_redirect_uri_malformed',
      )
  })

  it('says what a redirect URI may not have', () => {
    expect(read({ ...NOTES, redirect_uris: [`${NOTES_CALLBACK}#x`] })).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'document_redirect_uri_malformed',
      description: `redirect_uris in the document: ${NOTES_CALLBACK}#x must be an absolute URI without fragment, dot segments and response parameters`,
    })
  })

  it('takes ten redirect URIs', () => {
    const redirect_uris = Array.from({ length: 10 }, (_, index) => `http://127.0.0.1/${index}`)
    expect(read({ ...NOTES, redirect_uris })).toEqual({
      ok: true,
      document: { ...KEPT, redirectUris: redirect_uris },
    })
  })

  it('names the redirect URI at fault, in short [CIMD-06]', () => {
    const refusal = (quoted: string): object => ({
      ok: false,
      error: 'invalid_client',
      reason: 'document_redirect_uri_of_other_host',
      description: `redirect_uris in the document: ${quoted} must be https on the document's own host and port, or http:// with a loopback host, at most a port, and a path`,
    })
    const uri = 'https://evil.example/cb'
    expect(read({ ...NOTES, redirect_uris: [LOOPBACK, uri] })).toEqual(refusal(uri))
    const long = `https://evil.example/${'c'.repeat(2000)}`
    expect(read({ ...NOTES, redirect_uris: [long] })).toEqual(refusal(`${long.slice(0, 120)}...`))
  })

  it.each([
    'https://www.notes.example/cb',
    'https://example/cb',
    'https://evilnotes.example/cb',
    'https://notes.example.evil.example/cb',
    'https://notes.example@evil.example/cb',
    'https://notes.example:443/cb',
    'https://notes.example:8443/cb',
    'https://notes.example./cb',
    'https://NOTES.example/cb',
    'HTTPS://notes.example/cb',
    'https://notes.example',
    'https://notes.example?/cb',
    'https:notes.example/cb',
    'https:///notes.example/cb',
    'https://u@notes.example/cb',
    'http://notes.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://127.0.0.1:80@evil.example/cb',
    'http://127.1/cb',
    'http://localhost.evil.example/cb',
    'http://app.localhost/cb',
    'https://127.0.0.1/cb',
    'https://localhost/cb',
    'notes://cb',
    'javascript:alert(1)',
  ])('refuses the redirect URI %s [CIMD-06]', (uri) => {
    for (const redirect_uris of [[uri], [NOTES_CALLBACK, uri], [uri, LOOPBACK]])
      expect(faultOf({ ...NOTES, redirect_uris })).toBe(
        'invalid_client/document_redirect_uri_of_other_host',
      )
  })

  it('compares the port of the document as well', () => {
    const client_id = 'https://notes.example:8443/client.json'
    const from = (redirect: string): string | null =>
      faultOf({ ...NOTES, client_id, redirect_uris: [redirect] }, client_id)
    expect(from('https://notes.example:8443/cb')).toBeNull()
    expect(from('https://notes.example/cb')).toBe(
      'invalid_client/document_redirect_uri_of_other_host',
    )
  })

  it.each([
    { client_secret: 'hush' },
    { client_secret: ' ' },
    { client_secret_expires_at: 0 },
    { jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' }] } },
    {
      jwks: {
        keys: [
          { kty: 'RSA', n: 'n', e: 'AQAB' },
          { kty: 'RSA', n: 'n', p: 'p' },
        ],
      },
    },
    { jwks: { keys: [{ kty: 'RSA', n: 'n', e: 'AQAB', q: 'q' }] } },
    { jwks: { keys: [{ kty: 'oct', k: 'k' }] } },
    JSON.parse('{"jwks":{"__proto__":{},"keys":[{"__proto__":{},"d":"d"}]}}') as object,
  ])('refuses a document that publishes a secret: %j [CIMD-08]', (members) => {
    expect(read({ ...NOTES, ...members })).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'document_secret_published',
      description:
        'the document must not contain client_secret, client_secret_expires_at or a private key in jwks',
    })
  })

  it.each([[], 'x', { keys: 'x' }, { keys: [null, 'd', 7] }, { keys: [{ d: null }] }])(
    'does not stumble over the jwks %j',
    (jwks) => {
      expect(faultOf({ ...NOTES, jwks })).toBeNull()
    },
  )

  it.each([
    ['none', undefined],
    [undefined, undefined],
    ['none', ['private_key_jwt']],
    ['private_key_jwt', ['private_key_jwt', 'none']],
    [undefined, ['none']],
    ['none', 'garbage'],
  ])('negotiates none from %j and %j [CIMD-09]', (singular, plural) => {
    const metadata = {
      ...NOTES,
      token_endpoint_auth_method: singular,
      token_endpoint_auth_methods_supported: plural,
    }
    expect(read(metadata)).toStrictEqual({ ok: true, document: KEPT })
  })

  it.each([
    ['private_key_jwt', undefined],
    ['client_secret_post', undefined],
    ['client_secret_basic', ['client_secret_basic', 'client_secret_jwt']],
    [undefined, ['private_key_jwt']],
    [undefined, 'none'],
    [['none'], undefined],
    [7, undefined],
    [' ', undefined],
  ])('refuses the authentication methods %j and %j [CIMD-08]', (singular, plural) => {
    const metadata = {
      ...NOTES,
      token_endpoint_auth_method: singular,
      token_endpoint_auth_methods_supported: plural,
    }
    expect(read(metadata)).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'document_auth_method_not_supported',
      description:
        'token_endpoint_auth_method or token_endpoint_auth_methods_supported in the document must contain the method none',
    })
  })

  it('does without the grant and response types that it does not know [CIMD-09]', () => {
    const metadata = {
      ...NOTES,
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      response_types: ['token', 'code'],
    }
    expect(read(metadata)).toStrictEqual({ ok: true, document: KEPT })
  })

  it.each([
    [{ grant_types: ['client_credentials'] }, 'grant_types', 'authorization_code'],
    [{ grant_types: 'authorization_code' }, 'grant_types', 'authorization_code'],
    [{ response_types: ['token'] }, 'response_types', 'code'],
    [{ response_types: ['code', 1] }, 'response_types', 'code'],
  ])('refuses %j', (members, member, wanted) => {
    expect(read({ ...NOTES, ...members })).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: `document_${member}_not_supported`,
      description: `${member} in the document must include ${wanted}`,
    })
  })

  it.each(['client_uri', 'logo_uri', 'tos_uri', 'policy_uri', 'jwks_uri'])(
    'refuses a %s that is no web address',
    (member) => {
      for (const value of [
        'javascript:alert(1)',
        'data:text/html,x',
        'file:///x',
        ' ',
        7,
        ['x'],
        ['https://x.example'],
        'xhttps://x.example',
        'https://',
        'https://x.example:99999/',
        'https://notes.example@x.example/',
        'http://notes.example@x.example/',
        'https://notes.example:pw@x.example',
        'https:\\\\x.example',
        'https://x.example\\@notes.example',
        'https://x.example/a b',
        'https://x.example/\u202e',
        'https://b\u00fccher.example/',
        `https://x.example/${'x'.repeat(2031)}`,
      ])
        expect(read({ ...NOTES, [member]: value })).toEqual({
          ok: false,
          error: 'invalid_client',
          reason: 'document_link_malformed',
          description: `${member} in the document must be an http or https URL of at most 2048 characters, without user name and password`,
        })
    },
  )

  it('takes a link with another one in its query, whatever that is', () => {
    const client_uri = 'https://x.example/?of=https://notes.example@y.example/'
    expect(read({ ...NOTES, client_uri })).toMatchObject({ document: { about: { clientUri: client_uri } } }) // prettier-ignore
  })

  it('takes a link of 2048 characters', () => {
    const client_uri = `https://x.example/${'x'.repeat(2030)}`
    expect(read({ ...NOTES, client_uri })).toMatchObject({ document: { about: { clientUri: client_uri } } }) // prettier-ignore
  })

  it.each([
    [['help@notes.example', 'Mei Lin']],
    [Array.from({ length: 5 }, () => 'x'.repeat(256))],
  ])('keeps contacts: %j', (contacts) => {
    expect(read({ ...NOTES, contacts })).toMatchObject({ document: { about: { contacts } } })
  })

  it.each([
    ['a'],
    [[1]],
    [[['a']]],
    [{ length: 1, 0: 'a' }],
    [['a\nb']],
    [['a\u202eb']],
    [['x'.repeat(257)]],
    [['a', 'b', 'c', 'd', 'e', 'f']],
  ])('refuses %j for contacts [SAY-05]', (contacts) => {
    expect(read({ ...NOTES, contacts })).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'document_contacts_malformed',
      description:
        'contacts in the document must be an array of at most 5 strings of 1 to 256 printable characters',
    })
  })

  it('promises redirect URIs that lead to this computer or to the host of the document', () => {
    const mostly = (usual: string[], ...odd: string[]): fc.Arbitrary<string> =>
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...usual) },
        { weight: 1, arbitrary: fc.constantFrom(...odd) },
      )
    const scheme = mostly(['https://', 'http://'], 'https:', 'HTTPS://', 'https:\\\\', 'https:///')
    const authority = mostly(
      ['notes.example', '127.0.0.1', 'localhost:3000', '[::1]'],
      'notes.example:8443', 'notes.example.', 'evil.example', 'evil.notes.example', 'notes.example@evil.example',
      'evil.example@notes.example', 'evil.example\\@notes.example', '127.1', 'localhost@evil.example', '',
    ) // prettier-ignore
    const rest = fc.oneof(
      anyPath,
      mostly(['/', '/cb'], '', '/a/../cb', '/%2e', '?x', '#x', '\\', '@evil.example/', '\t/', '.evil.example/', ':80/'),
      fc.string({ maxLength: 5 }),
    ) // prettier-ignore
    const uri = fc.oneof(
      { weight: 8, arbitrary: fc.tuple(scheme, authority, rest).map((pieces) => pieces.join('')) },
      { weight: 1, arbitrary: anyUrl() },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter }) },
    )
    let accepted = 0
    fc.assert(
      fc.property(fc.array(uri, { minLength: 1, maxLength: 2 }), (redirect_uris) => {
        const decided = read({ ...NOTES, redirect_uris })
        if (!decided.ok) return
        accepted += 1
        for (const one of decided.document.redirectUris) {
          const parsed = new URL(one)
          const isOwn = parsed.protocol === 'https:' && parsed.host === 'notes.example'
          const isHere = parsed.protocol === 'http:' && LOOPBACK_HOSTS.includes(parsed.hostname)
          expect(isOwn || isHere, one).toBe(true)
          expect([parsed.username, parsed.password, parsed.hash], one).toEqual(['', '', ''])
          expect(isOwn || parseLoopbackUri(one) !== null, one).toBe(true)
        }
      }),
      { seed: 20_261_120, numRuns: 3000 },
    )
    expect(accepted).toBeGreaterThan(100)
  })

  it('never throws, whatever JSON comes [CIMD-20]', () => {
    const value = fc.jsonValue()
    const members = Object.fromEntries(
      [
        'client_name', 'redirect_uris', 'jwks', 'grant_types', 'response_types', 'logo_uri', 'client_secret',
        'token_endpoint_auth_method', 'token_endpoint_auth_methods_supported',
      ].map((name) => [name, value]),
    ) // prettier-ignore
    const document = fc.record(
      { client_id: fc.constant(URL_OF_NOTES), ...members },
      {
        requiredKeys: ['client_id'],
      },
    )
    const mended = fc.tuple(document, fc.subarray(Object.keys(NOTES))).map(([metadata, names]) => ({
      ...metadata,
      ...Object.fromEntries(Object.entries(NOTES).filter(([name]) => names.includes(name))),
    }))
    const reasons = new Set<string | null>()
    fc.assert(
      fc.property(fc.oneof(value, document, mended), (metadata) => {
        const decided = read(metadata)
        reasons.add(decided.ok ? null : decided.reason)
        if (decided.ok) expect(Object.keys(decided.document)).toEqual(Object.keys(KEPT))
        else expect(decided.description).toMatch(/^[\x20-\x7e]+$/)
      }),
      { seed: 20_261_120, numRuns: 3000 },
    )
    expect(reasons.size).toBeGreaterThan(6)
  })
})

describe('documents in use', () => {
  const CODE = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] }
  const PUBLIC = { ...CODE, token_endpoint_auth_method: 'none' }
  const REDIRECTS: Readonly<Record<string, readonly string[]>> = {
    'https://claude.ai/oauth/mcp-oauth-client-metadata': [
      'https://claude.ai/api/mcp/auth_callback',
    ],
    'https://claude.ai/oauth/claude-code-client-metadata': [
      'http://localhost/callback',
      'http://127.0.0.1/callback',
    ],
    'https://chatgpt.com/oauth/client.json': [
      'https://chatgpt.com/connector_platform_oauth_redirect',
    ],
    'https://chatgpt.com/oauth/codex/client.json': [
      'http://127.0.0.1/callback',
      'http://localhost/callback',
    ],
    'https://vscode.dev/oauth/client-metadata.json': [
      'http://127.0.0.1:33418/',
      'https://vscode.dev/redirect',
    ],
    'https://zed.dev/oauth/client-metadata.json': ['http://127.0.0.1/callback'],
    'https://opencode.ai/oauth/opencode/client.json': [
      'http://127.0.0.1/callback',
      'http://localhost/callback',
    ],
  }

  it.each([
    [
      'Claude',
      'https://claude.ai/oauth/mcp-oauth-client-metadata',
      {
        ...PUBLIC,
        client_uri: 'https://claude.ai',
        grant_types: [...CODE.grant_types, 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      },
    ],
    [
      'Claude Code',
      'https://claude.ai/oauth/claude-code-client-metadata',
      { ...PUBLIC, client_uri: 'https://claude.ai' },
    ],
    [
      'ChatGPT',
      'https://chatgpt.com/oauth/client.json',
      {
        ...CODE,
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
        jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
      },
    ],
    ['Codex', 'https://chatgpt.com/oauth/codex/client.json', PUBLIC],
    [
      'Visual Studio Code',
      'https://vscode.dev/oauth/client-metadata.json',
      {
        ...PUBLIC,
        application_type: 'native',
        logo_uri: 'https://code.visualstudio.com/assets/branding/code-stable.png',
        client_uri: 'https://vscode.dev/product',
        grant_types: [...CODE.grant_types, 'urn:ietf:params:oauth:grant-type:device_code'],
      },
    ],
    ['Zed', 'https://zed.dev/oauth/client-metadata.json', PUBLIC],
    ['OpenCode', 'https://opencode.ai/oauth/opencode/client.json', PUBLIC],
  ])('are read: %s [CIMD-09]', (client_name, client_id, members) => {
    const redirect_uris = REDIRECTS[client_id]!
    expect(read({ client_id, client_name, redirect_uris, ...members }, client_id)).toStrictEqual({
      ok: true,
      document: {
        clientId: client_id,
        name: client_name,
        redirectUris: redirect_uris,
        tokenEndpointAuthMethod: 'none',
        about:
          'client_uri' in members
            ? expect.objectContaining({ clientUri: members.client_uri })
            : null,
      },
    })
  })

  it('are refused where they redirect to a second host: Grok', () => {
    const client_id = 'https://grok.com/oauth/mcp-client.json'
    const redirect_uris = [
      'https://grok.com/connectors-oauth-exchange-code/',
      'https://console.x.ai/connectors-oauth-exchange-code/',
    ]
    expect(faultOf({ client_id, client_name: 'Grok', redirect_uris }, client_id)).toBe(
      'invalid_client/document_redirect_uri_of_other_host',
    )
  })
})

describe('documentDigest', () => {
  const digestOf = (members: object): string => {
    const decided = read({ ...NOTES, ...members })
    if (!decided.ok) throw new Error(decided.reason)
    return documentDigest(decided.document)
  }

  it('is 43 base64url characters that stay the same', () => {
    const text = JSON.stringify(['Notes', [LOOPBACK, NOTES_CALLBACK], 'none'])
    const digest = createHash('sha256').update(text).digest('base64url')
    expect([digestOf({}), digest.length]).toEqual([digest, 43])
  })

  it('changes with each link, and with which link it is [SAY-02]', () => {
    const links = ['client_uri', 'policy_uri', 'tos_uri', 'logo_uri']
    const others = links.map((member) => ({ [member]: 'https://notes.example/a' }))
    expect(
      new Set([{}, ...others, { tos_uri: 'https://notes.example/b' }].map(digestOf)).size,
    ).toBe(6)
  })

  it('changes with the name and the redirect URIs [CIMD-14]', () => {
    const others = [
      { client_name: 'Notes 2' },
      { redirect_uris: [NOTES_CALLBACK] },
      { redirect_uris: [LOOPBACK] },
      { redirect_uris: [NOTES_CALLBACK, LOOPBACK, 'http://localhost/callback'] },
    ]
    expect(new Set([{}, ...others].map(digestOf)).size).toBe(5)
  })

  it('is the same for another order, for contacts, and for members that are not kept', () => {
    const others = [
      { redirect_uris: [LOOPBACK, NOTES_CALLBACK, LOOPBACK] },
      {
        contacts: ['help@notes.example'],
        scope: 'openid',
        x: 1,
        'logo_uri#de': 'https://notes.example/de.png',
      },
      { client_name: ' Notes' },
      { token_endpoint_auth_method: 'none' },
    ]
    for (const members of others) expect(digestOf(members)).toBe(digestOf({}))
  })
})
