import fc from 'fast-check'
import { decideMemberClient, type DraftIssue, type MemberClientDraft } from 'hallpass/clients'
import { isRedirectUriText } from 'hallpass/policy'
import { schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { BROWSER_SCHEMES, APP_SCHEMES } from '../../src/policy/client-redirect.js'
import { anyCharacter } from '../support/http/characters.js'
import { rounds } from '../support/run/rounds.js'
import { anyUrl } from '../support/http/urls.js'

const DRAFT: MemberClientDraft = {
  name: 'Sketch Diary',
  description: 'Keeps a diary of what you have drawn.',
  icon: 'pencil',
  redirectUris: ['https://diary.example/callback'],
  tokenEndpointAuthMethod: 'none',
  scopes: ['account:read'],
}

const decide = (
  changes: Partial<MemberClientDraft> = {},
  options: { loopbackHosts?: readonly string[]; appSchemes?: readonly string[] } = {},
): ReturnType<typeof decideMemberClient> =>
  decideMemberClient({ draft: { ...DRAFT, ...changes }, registry: schoolScopes, ...options })

/** The faults of a draft without their words. */
function faultsOf(changes: Partial<MemberClientDraft>): readonly Omit<DraftIssue, 'description'>[] {
  const decided = decide(changes)
  return decided.ok
    ? []
    : decided.faults.map(({ field, value, reason }) => ({ field, value, reason }))
}

const reasonsOf = (changes: Partial<MemberClientDraft>): readonly string[] =>
  faultsOf(changes).map(({ reason }) => reason)

describe('a draft that may be stored', () => {
  it('becomes the fields of a client', () => {
    expect(decide()).toEqual({ ok: true, fields: DRAFT })
  })

  it('has no more members than a client is made of, whatever was sent beside them [ADM-08]', () => {
    const sent = { ...DRAFT, kind: 'vendor', audience: 'operator', reviewedAt: 1, disabled: false }
    expect(decideMemberClient({ draft: sent, registry: schoolScopes })).toEqual({
      ok: true,
      fields: DRAFT,
    })
  })

  it('has keys only if it authenticates with them, and no method that does not exist', () => {
    const keys = { jwks: null, jwksUri: 'https://diary.example/jwks.json', signingAlg: null }
    const tokenEndpointAuthMethod = 'private_key_jwt'
    const signing = () => ({ ok: true, tokenEndpointAuthMethod, keys }) as const
    const signed = (method: string) => {
      const draft = { ...DRAFT, tokenEndpointAuthMethod: method, keys: keys.jwksUri } as never
      return decideMemberClient({ draft, registry: schoolScopes, signing })
    }
    expect(signed('none')).toEqual({ ok: true, fields: DRAFT })
    expect(signed(tokenEndpointAuthMethod)).toMatchObject({
      fields: { tokenEndpointAuthMethod, keys },
    })
    const faults = [{ reason: 'auth_method_not_supported' }]
    expect(signed('tls_client_auth')).toMatchObject({ ok: false, faults })
  })

  it('loses white space around its words, and words that are none', () => {
    const decided = decide({ name: '  Sketch Diary ', description: ' \n', icon: '' })
    expect(decided).toEqual({
      ok: true,
      fields: { ...DRAFT, name: 'Sketch Diary', description: null, icon: null },
    })
  })

  it('keeps a redirect URI and a scope once, the scopes in the order of the registry', () => {
    const [uri] = DRAFT.redirectUris as [string]
    const decided = decide({
      redirectUris: [uri, 'http://127.0.0.1/cb', uri],
      scopes: ['account:write', 'account:read', 'account:write'],
    })
    expect(decided).toEqual({
      ok: true,
      fields: {
        ...DRAFT,
        redirectUris: [uri, 'http://127.0.0.1/cb'],
        scopes: ['account:read', 'account:write'],
      },
    })
  })

  it('may name identity scopes, which every client has and none keeps', () => {
    expect(decide({ scopes: ['openid', 'email', 'account:read'] })).toEqual({
      ok: true,
      fields: DRAFT,
    })
  })
})

describe('a redirect URI', () => {
  it.each([
    ['https', 'https://diary.example/callback'],
    ['https without a path', 'https://diary.example'],
    ['https at a name of one letter', 'https://d/callback'],
    ['https with a query', 'https://diary.example/callback?tenant=7'],
    ['https with a query and no path', 'https://diary.example?tenant=7'],
    ['https with a port', 'https://diary.example:8443/callback'],
    ['https with the highest port', 'https://diary.example:65535/callback'],
    ['https with the port that goes without saying', 'https://diary.example:443/callback'],
    ['https at a name in Punycode', 'https://xn--mnchen-3ya.example/callback'],
    ['https at an address', 'https://203.0.113.7/callback'],
    ['https with a path in capitals', 'https://diary.example/CallBack'],
    ['https with an escaped slash', 'https://diary.example/a%2Fb'],
    ['https with an @ in the path', 'https://diary.example/@me/callback'],
    ['loopback by address', 'http://127.0.0.1/callback'],
    ['loopback with a port', 'http://127.0.0.1:7777/callback'],
    ['loopback by name', 'http://localhost:7777/callback'],
    ['loopback in IPv6', 'http://[::1]:7777/callback'],
    ['a scheme with a dot', 'com.example.diary:/callback'],
    ['a scheme with a dot and a host', 'com.example.diary://callback/done'],
    ['the scheme of VS Code', 'vscode://publisher.diary/callback'],
    ['the scheme of VS Code Insiders', 'vscode-insiders://publisher.diary/callback'],
    ['the scheme of Cursor', 'cursor://anysphere.cursor-mcp/oauth/callback'],
  ])('may be %s', (_what, uri) => {
    expect(faultsOf({ redirectUris: [uri] })).toEqual([])
  })

  const MALFORMED = 'redirect_uri_malformed'
  const NOT_ALLOWED = 'redirect_uri_not_allowed'

  it.each([
    ['empty', '', MALFORMED],
    ['relative', '/callback', MALFORMED],
    ['a host without a scheme', 'diary.example/callback', MALFORMED],
    ['with a fragment', 'https://diary.example/callback#done', MALFORMED],
    ['with an empty fragment', 'https://diary.example/callback#', MALFORMED],
    ['with a backslash for the slash', 'https://diary.example\\@evil.example/', MALFORMED],
    ['with backslashes for slashes', 'https:\\\\evil.example', MALFORMED],
    ['with a space', 'https://diary.example/call back', MALFORMED],
    ['with a space in front', ' https://diary.example/callback', MALFORMED],
    ['with a line break', 'https://diary.example/callback\n', MALFORMED],
    ['with a tab in its scheme', 'java\tscript:alert(1)', MALFORMED],
    ['with a NUL', 'https://diary.example/\u0000', MALFORMED],
    ['with letters outside ASCII', 'https://dіary.example/callback', MALFORMED],
    ['with a dot segment', 'https://diary.example/../callback', MALFORMED],
    ['with an escaped dot segment', 'https://diary.example/%2e%2E/callback', MALFORMED],
    ['with markup', 'https://diary.example/"><script>', MALFORMED],
    ['with a parameter of the response', 'https://diary.example/callback?code=x', MALFORMED],
    ['with an escaped parameter of the response', 'https://diary.example/?st%61te=x', MALFORMED],
    ['with a port that does not exist', 'https://diary.example:65536/callback', MALFORMED],
    ['longer than 2048 characters', `https://diary.example/${'a'.repeat(2027)}`, MALFORMED],
    ['http', 'http://diary.example/callback', NOT_ALLOWED],
    ['http in capitals', 'HTTP://127.0.0.1/callback', NOT_ALLOWED],
    ['http in IPv6 outside the computer', 'http://[2001:db8::7]/callback', NOT_ALLOWED],
    ['https in IPv6', 'https://[2001:db8::7]/callback', NOT_ALLOWED],
    ['https with a scheme in capitals', 'HTTPS://diary.example/callback', NOT_ALLOWED],
    ['https with a host in capitals', 'https://Diary.example/callback', NOT_ALLOWED],
    ['https with user information', 'https://school.example@evil.example/', NOT_ALLOWED],
    ['https with a user and a password', 'https://a:b@evil.example/', NOT_ALLOWED],
    ['https with an empty user', 'https://@evil.example/', NOT_ALLOWED],
    ['https with one slash', 'https:/evil.example/', NOT_ALLOWED],
    ['https without slashes', 'https:evil.example', NOT_ALLOWED],
    ['https with three slashes', 'https:///evil.example/', NOT_ALLOWED],
    ['https at a number', 'https://2130706433/callback', NOT_ALLOWED],
    ['https at a short address', 'https://127.1/callback', NOT_ALLOWED],
    ['https at an address in hexadecimal', 'https://0x7f.0.0.1/callback', NOT_ALLOWED],
    ['https at an address in octal', 'https://0177.0.0.1/callback', NOT_ALLOWED],
    ['https at an escaped host', 'https://evil%2eexample/callback', NOT_ALLOWED],
    ['https with an empty port', 'https://diary.example:/callback', NOT_ALLOWED],
    ['https with a port that begins with 0', 'https://diary.example:0443/cb', NOT_ALLOWED],
    ['loopback with a name behind it', 'http://127.0.0.1.evil.example/callback', NOT_ALLOWED],
    ['loopback as a user', 'http://127.0.0.1@evil.example/callback', NOT_ALLOWED],
    ['loopback as a user with a port', 'http://localhost:80@evil.example/callback', NOT_ALLOWED],
    ['loopback in a short form', 'http://127.1/callback', NOT_ALLOWED],
    ['another address of the loopback network', 'http://127.0.0.2/callback', NOT_ALLOWED],
    ['loopback in a long form of IPv6', 'http://[0:0:0:0:0:0:0:1]/callback', NOT_ALLOWED],
    ['loopback without a path', 'http://127.0.0.1:7777', NOT_ALLOWED],
    ['the script scheme', 'javascript:alert(1)', NOT_ALLOWED],
    ['the script scheme as a web address', 'javascript://diary.example/%0aalert(1)', NOT_ALLOWED],
    ['the script scheme in capitals', 'JavaScript:alert(1)', NOT_ALLOWED],
    ['the other script scheme', 'vbscript:msgbox(1)', NOT_ALLOWED],
    ['data', 'data:text/html,hello', NOT_ALLOWED],
    ['a file', 'file:///etc/passwd', NOT_ALLOWED],
    ['a blob', 'blob:https://diary.example/0b7c', NOT_ALLOWED],
    ['the source of a page', 'view-source:https://diary.example/', NOT_ALLOWED],
    ['a scheme without a dot that nobody knows', 'diary:/callback', NOT_ALLOWED],
    ['an unofficial way to hand over a code', 'urn:ietf:wg:oauth:2.0:oob', NOT_ALLOWED],
    ['a known scheme in capitals', 'VSCode://publisher.diary/callback', NOT_ALLOWED],
    ['a scheme that only begins like a known one', 'cursors://diary/callback', NOT_ALLOWED],
    ['an app scheme and nothing else', 'com.example.diary:', NOT_ALLOWED],
    ['a scheme that only ends like https', 'evilhttps://diary.example/callback', NOT_ALLOWED],
    ['an app scheme with a user', 'com.example.diary://me:secret@host/callback', NOT_ALLOWED],
    ['an app scheme with user information', 'com.example.diary://a@b/callback', NOT_ALLOWED],
    ['a host and a port without https', 'diary.example:8443/callback', NOT_ALLOWED],
  ])('may not be %s', (_what, uri, reason) => {
    expect(faultsOf({ redirectUris: [uri] })).toEqual([
      { field: 'redirectUris', value: uri, reason },
    ])
  })

  it('may have a scheme without a dot that the host names, and then no other', () => {
    const options = { appSchemes: ['diary'] }
    expect(decide({ redirectUris: ['diary:/callback'] }, options)).toMatchObject({ ok: true })
    expect(decide({ redirectUris: ['vscode://publisher.diary/cb'] }, options)).toMatchObject({
      ok: false,
      faults: [{ reason: NOT_ALLOWED }],
    })
  })

  it.each([
    'about', 'blob', 'data', 'file', 'filesystem', 'ftp', 'http', 'https', 'javascript', 'vbscript',
    'view-source', 'ws', 'wss',
  ])('may not be %s:/callback even where the host names the scheme', (scheme) => {
    expect(
      decide({ redirectUris: [`${scheme}:/callback`] }, { appSchemes: [scheme] }),
    ).toMatchObject({ ok: false, faults: [{ reason: NOT_ALLOWED }] })
  }) // prettier-ignore

  it('may be loopback by the names that the host gives, and by no other', () => {
    const options = { loopbackHosts: ['127.0.0.1'] }
    expect(decide({ redirectUris: ['http://127.0.0.1:1/cb'] }, options)).toMatchObject({ ok: true })
    expect(decide({ redirectUris: ['http://localhost:1/cb'] }, options)).toMatchObject({
      ok: false,
      faults: [{ reason: NOT_ALLOWED }],
    })
  })

  it('is told apart from the others that are at fault, in the words of its own', () => {
    const redirectUris = [
      'https://diary.example/callback',
      'http://diary.example/callback',
      'https://diary.example/#x',
    ]
    expect(decide({ redirectUris })).toEqual({
      ok: false,
      faults: [
        {
          field: 'redirectUris',
          value: redirectUris[1],
          reason: NOT_ALLOWED,
          description:
            "http://diary.example/callback must use https and a host name in lower case, an address of the person's own computer such as http://127.0.0.1/callback, or the scheme of an app such as com.example.app:/callback.",
        },
        {
          field: 'redirectUris',
          value: redirectUris[2],
          reason: MALFORMED,
          description:
            'https://diary.example/#x must be an absolute address without a fragment, dot segments or response parameters.',
        },
      ],
    })
  })

  it('is wanted at least once and at most ten times', () => {
    const many = (count: number): readonly string[] =>
      Array.from({ length: count }, (_, index) => `https://diary.example/${index}`)
    expect(decide({ redirectUris: [] })).toEqual({
      ok: false,
      faults: [
        {
          field: 'redirectUris',
          value: null,
          reason: 'redirect_uris_missing',
          description: 'Enter at least one redirect address.',
        },
      ],
    })
    expect(faultsOf({ redirectUris: many(10) })).toEqual([])
    expect(decide({ redirectUris: many(11) })).toEqual({
      ok: false,
      faults: [
        {
          field: 'redirectUris',
          value: null,
          reason: 'redirect_uris_too_many',
          description: 'Enter at most 10 redirect addresses.',
        },
      ],
    })
  })
})

describe('what is written about a client', () => {
  const long = (length: number): string => 'a'.repeat(length)

  it.each([
    ['100 characters', long(100)],
    ['letters of any alphabet', 'Skizzenbuch für Übung 画帖'],
    ['a picture character', 'Sketch \u{1f58d}'],
    ['markup, which pages escape', '<b>Sketch</b> & "Diary"'],
  ])('may be a name of %s', (_what, name) => {
    expect(faultsOf({ name })).toEqual([])
  })

  it.each([
    ['nothing', ''],
    ['white space', ' \u3000 '],
    ['a letter that shows nothing', '\u3164'],
    ['101 characters', long(101)],
    ['a line break', 'Sketch\nDiary'],
    ['a control character', 'Sketch\u0007'],
    ['a character that turns text around', 'Sketch \u202egnp.exe'],
    ['a character that nobody sees', 'Sketch\u200bDiary'],
    ['half a picture character', 'Sketch \ud83d'],
  ])('may not be a name of %s', (_what, name) => {
    expect(decide({ name })).toEqual({
      ok: false,
      faults: [
        {
          field: 'name',
          value: null,
          reason: 'name_malformed',
          description: 'Enter a name of 1 to 100 printable characters.',
        },
      ],
    })
  })

  it.each([
    ['nothing', null],
    ['300 characters', long(300)],
    ['several lines', 'What it does.\r\nWhat it does not.'],
  ])('may be a description of %s', (_what, description) => {
    expect(faultsOf({ description })).toEqual([])
  })

  it.each([
    ['301 characters', long(301)],
    ['301 characters in two lines', `${long(150)}\n${long(150)}`],
    ['a lone carriage return', 'one\rtwo'],
    ['a character that turns text around', 'one \u202e owt'],
  ])('may not be a description of %s', (_what, description) => {
    expect(decide({ description })).toEqual({
      ok: false,
      faults: [
        {
          field: 'description',
          value: null,
          reason: 'description_malformed',
          description: 'Enter a description of at most 300 printable characters.',
        },
      ],
    })
  })

  it.each([
    ['nothing', null],
    ['64 characters', long(64)],
  ])('may be an icon of %s', (_what, icon) => {
    expect(decide({ icon })).toEqual({ ok: true, fields: { ...DRAFT, icon } })
  })

  it.each([
    ['an address that a page would load', 'https://evil.example/pixel.png'],
    ['a path', '../secret'],
    ['markup', '"><script>'],
    ['65 characters', long(65)],
    ['a line break at its end', 'pencil\n'],
    ['capitals', 'Pencil'],
  ])('may not be an icon of %s', (_what, icon) => {
    expect(decide({ icon })).toEqual({
      ok: false,
      faults: [
        {
          field: 'icon',
          value: null,
          reason: 'icon_malformed',
          description: 'Choose one of the icons.',
        },
      ],
    })
  })
})

describe('the scopes of a draft', () => {
  it.each([
    ['none', []],
    ['none but identity scopes', ['openid', 'profile']],
  ])('may not be %s', (_what, scopes) => {
    expect(decide({ scopes })).toEqual({
      ok: false,
      faults: [
        {
          field: 'scopes',
          value: null,
          reason: 'scopes_missing',
          description: 'Choose at least one permission.',
        },
      ],
    })
  })

  it('are of the member audience alone, whoever made the draft [ADM-07]', () => {
    expect(decide({ scopes: ['account:read', 'courses:read', 'members:write'] })).toEqual({
      ok: false,
      faults: ['courses:read', 'members:write'].map((scope) => ({
        field: 'scopes',
        value: scope,
        reason: 'scope_of_other_audience',
        description: `${scope} is not available to apps for members.`,
      })),
    })
  })

  it('are refused for each scope of the table that is an operator scope', () => {
    const audienceOf = (scope: string): string => schoolScopes.get(scope)!.audience
    const operator = schoolScopes.names.filter((scope) => audienceOf(scope) === 'operator')
    expect(operator.length).toBeGreaterThan(30)
    for (const scope of operator)
      expect(faultsOf({ scopes: [scope] })).toEqual([
        { field: 'scopes', value: scope, reason: 'scope_of_other_audience' },
      ])
  })

  it.each(['account:delete', 'Account:read', 'constructor', '__proto__', ''])(
    'may not name %j, which is none',
    (scope) => {
      expect(faultsOf({ scopes: ['account:read', scope] })).toEqual([
        { field: 'scopes', value: scope, reason: 'scope_unknown' },
      ])
    },
  )
})

describe('a draft that may not be stored', () => {
  it('names every fault at once', () => {
    const decided = faultsOf({
      name: '',
      description: '\u202e',
      icon: 'a b',
      redirectUris: ['javascript:alert(1)', 'not an address'],
      tokenEndpointAuthMethod: 'private_key_jwt',
      scopes: ['courses:read', 'nonsense'],
    })
    expect(decided).toEqual([
      { field: 'name', value: null, reason: 'name_malformed' },
      { field: 'description', value: null, reason: 'description_malformed' },
      { field: 'icon', value: null, reason: 'icon_malformed' },
      { field: 'redirectUris', value: 'javascript:alert(1)', reason: 'redirect_uri_not_allowed' },
      { field: 'redirectUris', value: 'not an address', reason: 'redirect_uri_malformed' },
      { field: 'tokenEndpointAuthMethod', value: null, reason: 'auth_method_not_supported' },
      { field: 'scopes', value: 'courses:read', reason: 'scope_of_other_audience' },
      { field: 'scopes', value: 'nonsense', reason: 'scope_unknown' },
    ])
  })

  it('is described in printable ASCII without quotes, whatever was typed', () => {
    const typed = fc.string({ unit: anyCharacter, maxLength: 200 })
    fc.assert(
      fc.property(typed, typed, typed, (name, uri, scope) => {
        const decided = decide({ name, redirectUris: [uri, `http://${uri}`], scopes: [scope] })
        const words = decided.ok ? [] : decided.faults.map(({ description }) => description)
        for (const text of words) expect(text).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
      }),
      { seed: 20261120 },
    )
  })

  it('says which ways of authentication there are', () => {
    expect(decide({ tokenEndpointAuthMethod: 'client_secret_basic' as never })).toEqual({
      ok: false,
      faults: [
        {
          field: 'tokenEndpointAuthMethod',
          value: null,
          reason: 'auth_method_not_supported',
          description: 'Choose public or confidential.',
        },
      ],
    })
    expect(reasonsOf({ tokenEndpointAuthMethod: 'client_secret_post' })).toEqual([])
  })
})

describe('every redirect URI that is accepted', () => {
  /** What redirect URIs and attacks on them are made of. */
  const part = fc.constantFrom(
    'https:', 'http:', 'javascript:', 'data:', 'vscode:', 'cursor:', 'com.example.app:', 'file:',
    'blob:', 'HTTPS:', 'java', 'script:', '/', '//', '\\', '@', ':', '#', '?', '.', '..', '%2e', '%2f',
    '%40', '\t', '\n', ' ', '\u0000', 'school.example', 'evil.example', '127.0.0.1', '127.1', '0x7f',
    '2130706433', '017', '[::1]', '[', ']', 'localhost', 'xn--', 'a', '0', '443', '65536', '\u3002',
    '\uff0f', 'ß', 'callback', '&', '=', 'code=',
  ) // prettier-ignore
  const uris = fc.oneof(
    fc.array(part, { minLength: 1, maxLength: 9 }).map((parts) => parts.join('')),
    fc.array(part, { maxLength: 7 }).map((parts) => `https://${parts.join('')}/callback`),
    anyUrl({ query: true, fragment: true }),
    fc.string({ maxLength: 40 }).map((text) => `https://${text}`),
    fc.string({ maxLength: 40 }),
  )
  const isAccepted = (uri: string): boolean => decide({ redirectUris: [uri] }).ok
  const HOST = /^[a-z][a-z0-9+.-]*:\/\/(\[[^\]]*\]|[^/?:]*)/
  const RUNS = { numRuns: rounds(2000, { soak: 20_000 }), seed: 20261120 }

  it('opens at the host that its text names, by the rules of browsers', () => {
    let accepted = 0
    fc.assert(
      fc.property(uris, (uri) => {
        if (!isAccepted(uri)) return
        accepted++
        const parsed = new URL(uri)
        expect(parsed.hostname).toBe(HOST.exec(uri)?.[1] ?? '')
        expect([parsed.username, parsed.password, parsed.hash]).toEqual(['', '', ''])
      }),
      RUNS,
    )
    expect(accepted).toBeGreaterThan(RUNS.numRuns / 40)
  })

  it('has no scheme that a browser runs or opens by itself, but https and loopback http', () => {
    fc.assert(
      fc.property(uris, (uri) => {
        if (!isAccepted(uri)) return
        const scheme = new URL(uri).protocol.slice(0, -1)
        expect(uri.startsWith(`${scheme}:`)).toBe(true)
        if (scheme === 'http')
          expect(uri).toMatch(/^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)[:/]/)
        else if (scheme !== 'https') expect(BROWSER_SCHEMES).not.toContain(scheme)
        if (!scheme.includes('.')) expect(['http', 'https', ...APP_SCHEMES]).toContain(scheme)
      }),
      RUNS,
    )
  })

  it('can be redirected to: the authorization endpoint takes it as registered', () => {
    fc.assert(
      fc.property(uris, (uri) => {
        if (isAccepted(uri)) expect(isRedirectUriText(uri)).toBe(true)
      }),
      RUNS,
    )
  })
})
