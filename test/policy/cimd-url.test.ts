import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decideDocumentUrl,
  type DocumentPolicy,
  isDocumentClientId,
} from '../../src/policy/cimd-url.js'
import { anyCharacter } from '../support/http/characters.js'
import { anyUrl } from '../support/http/urls.js'

const OPEN: DocumentPolicy = { allowedHosts: [], openRegistration: true, ports: [443] }
const CLOSED: DocumentPolicy = { ...OPEN, openRegistration: false }
const URL_OF_NOTES = 'https://notes.example/oauth/client.json'

const ask = (clientId: string, policy = OPEN): ReturnType<typeof decideDocumentUrl> =>
  decideDocumentUrl({ clientId, policy })
const reasonOf = (clientId: string, policy = OPEN): string | null => {
  const decided = ask(clientId, policy)
  return decided.ok ? null : `${decided.error}/${decided.reason}`
}

describe('isDocumentClientId', () => {
  it.each([
    ['https://notes.example/c', true],
    ['https://', true],
    ['HTTPS://notes.example/c', false],
    ['http://notes.example/c', false],
    ['app_https://notes.example/c', false],
    ['study-buddy', false],
    ['', false],
  ])('%j: %s', (clientId, expected) => {
    expect(isDocumentClientId(clientId)).toBe(expected)
  })
})

describe('decideDocumentUrl', () => {
  it.each([
    'https://claude.ai/oauth/mcp-oauth-client-metadata',
    'https://claude.ai/oauth/claude-code-client-metadata',
    'https://chatgpt.com/oauth/client.json',
    'https://chatgpt.com/oauth/codex/client.json',
    'https://vscode.dev/oauth/client-metadata.json',
    'https://zed.dev/oauth/client-metadata.json',
    'https://opencode.ai/oauth/opencode/client.json',
    'https://grok.com/oauth/mcp-client.json',
  ])('lets %s be fetched, which is in use', (clientId) => {
    expect(ask(clientId)).toEqual({ ok: true, url: clientId })
  })

  it.each([
    ['a path of one slash, which the draft advises against', 'https://h.example/'],
    ['a query, which the draft advises against', 'https://h.example/c?v=1&w=/?'],
    ['an escaped character', 'https://h.example/c%20d'],
    ['every character of a path', "https://h.example/aZ09-._~!$&'()*+,;=:@"],
    ['dots that are no dot segments', 'https://h.example/.well-known/...'],
    ['an empty segment', 'https://h.example//c/'],
    ['a name in Punycode', 'https://xn--mnchen-3ya.example/c'],
    ['a label of digits in front', 'https://127.0.0.1.example/c'],
    ['a name that only ends like a local one', 'https://notlocalhost.example.mylocal/c'],
    [
      'the longest name, of 253 characters',
      `https://${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(61)}/c`,
    ],
    ['an escaped character in the query', 'https://h.example/c?next=%2Fd'],
    ['a last label of one letter', 'https://h.x/c'],
    ['a local name that is no last label', 'https://local.internal.example/c'],
    ['the longest label', `https://${'a'.repeat(63)}.example/c`],
    ['2048 characters', `https://h.example/${'c'.repeat(2030)}`],
  ])('accepts %s [CIMD-03]', (_, clientId) => {
    expect(ask(clientId)).toEqual({ ok: true, url: clientId })
  })

  it.each([
    ['http', 'http://h.example/c'],
    ['upper-case https', 'HTTPS://h.example/c'],
    ['a scheme that ends in https', 'xhttps://h.example/c'],
    ['no path', 'https://h.example'],
    ['a query without a path', 'https://h.example?x/'],
    ['a fragment', 'https://h.example/c#x'],
    ['an empty fragment', 'https://h.example/c#'],
    ['a fragment without a path', 'https://h.example#/c'],
    ['a user', 'https://u@h.example/c'],
    ['a user and a password', 'https://u:p@h.example/c'],
    ['an empty user', 'https://@h.example/c'],
    ['a user that looks like the host', 'https://h.example:443@evil.example/c'],
    ['a dot segment', 'https://h.example/a/./c'],
    ['two dots', 'https://h.example/a/../c'],
    ['two dots at the end', 'https://h.example/a/..'],
    ['a dot at the end', 'https://h.example/.'],
    ['an escaped dot', 'https://h.example/%2e/c'],
    ['two escaped dots', 'https://h.example/%2E%2e/c'],
    ['a dot and an escaped dot', 'https://h.example/.%2e/c'],
    ['a dot segment in front of a query', 'https://h.example/a/..?x'],
    ['a backslash in the path', 'https://h.example/a\\c'],
    ['a backslash behind the host', 'https://h.example\\@evil.example/c'],
    ['a tab', 'https://h.example/a\tc'],
    ['a newline in the host', 'https://h.ex\nample/c'],
    ['a newline at the end', 'https://h.example/c\n'],
    ['a space in front', ' https://h.example/c'],
    ['a space at the end', 'https://h.example/c '],
    ['a space within', 'https://h.example/a c'],
    ['a NUL', 'https://h.example/a\u0000'],
    ['one slash', 'https:/h.example/c'],
    ['no slash', 'https:h.example/c'],
    ['three slashes', 'https:///h.example/c'],
    ['no host', 'https:///c'],
    ['upper case in the host', 'https://H.example/c'],
    ['an underscore in the host', 'https://a_b.example/c'],
    ['an escape in the host', 'https://h%2eexample/c'],
    ['a letter of another script in the host', 'https://münchen.example/c'],
    ['an ideographic full stop', 'https://h。example/c'],
    ['a soft hyphen', 'https://h\u00ad.example/c'],
    ['circled digits', 'https://①②⑦.⓪.⓪.①/c'],
    ['a letter of another script in the path', 'https://h.example/é'],
    ['half an escape', 'https://h.example/%2'],
    ['half an escape in the query', 'https://h.example/c?x=%2'],
    ['a percent sign', 'https://h.example/100%'],
    ['a quote', 'https://h.example/"c'],
    ['an angle bracket', 'https://h.example/<c'],
    ['a brace', 'https://h.example/{c}'],
    ['a bracket', 'https://h.example/[c]'],
    ['a bracket in the query', 'https://h.example/c?a[]=1'],
    ['the default port', 'https://h.example:443/c'],
    ['an empty port', 'https://h.example:/c'],
    ['a port with a zero in front', 'https://h.example:0443/c'],
    ['port 0', 'https://h.example:0/c'],
    ['two ports', 'https://h.example:1:2/c'],
    ['a zone', 'https://[fe80::1%25eth0]/c'],
    ['2049 characters', `https://h.example/${'c'.repeat(2031)}`],
  ])('refuses %s before any parser sees it [CIMD-04]', (_, clientId) => {
    expect(ask(clientId)).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'document_url_malformed',
      description:
        'a client_id URL must be https with a lower-case host and a path, and without fragment, user information, dot segments, :443, or characters that need escaping',
    })
  })

  it.each([['a quote in the query, which parsers escape', "https://h.example/c?it's"]])(
    'refuses %s, as parsers would read something else',
    (_, clientId) => {
      expect(ask(clientId)).toEqual({
        ok: false,
        error: 'invalid_client',
        reason: 'document_url_malformed',
        description: 'the client_id URL must be in the normalized form that a URL parser returns',
      })
    },
  )

  it('says that a host must be public', () => {
    expect(ask('https://localhost/c')).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'document_host_not_public',
      description:
        'the host of a client_id URL must be a public domain name, not an IP address or a name of a local network',
    })
  })

  it.each([
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.0x1',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1',
    '127.0.0.1.',
    '169.254.169.254',
    '93.184.216.34',
    '0',
    'h.0x7f',
    'h.1e',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[2606:2800:220:1::]',
    '[::]',
  ])('refuses the address %s [CIMD-23]', (host) => {
    expect(reasonOf(`https://${host}/c`)).toBe('invalid_client/document_host_not_public')
  })

  it.each([
    'localhost',
    'localhost.',
    'x.localhost',
    'a.b.localhost',
    'metadata.google.internal',
    'metadata.google.internal.',
    'metadata',
    'instance-data',
    'x.internal',
    'printer.local',
    'home.arpa',
    'router.home.arpa',
    'com',
    'h.example.',
    '.h.example',
    'h..example',
    '.',
    '-h.example',
    'h-.example',
    'h.-example',
    'h.example-',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(124)}example`,
  ])('refuses the host %s [CIMD-24]', (host) => {
    for (const policy of [OPEN, { ...CLOSED, allowedHosts: [host] }])
      expect(reasonOf(`https://${host}/c`, policy)).toBe('invalid_client/document_host_not_public')
  })

  it('connects to port 443 unless another one is configured [CIMD-27]', () => {
    for (const port of [22, 25, 80, 6379, 8443, 65_536, 99_999])
      expect(ask(`https://h.example:${port}/c`)).toEqual({
        ok: false,
        error: 'invalid_client',
        reason: 'document_port_not_allowed',
        description: 'client_id URLs are fetched from port 443 only',
      })
    const policy = { ...OPEN, ports: [8443] }
    expect(reasonOf('https://h.example:8443/c', policy)).toBeNull()
    expect(ask('https://h.example/c', policy)).toMatchObject({
      reason: 'document_port_not_allowed',
      description: 'client_id URLs are fetched from port 8443 only',
    })
    expect(reasonOf('https://h.example:443/c', { ...OPEN, ports: [443] })).toBe(
      'invalid_client/document_url_malformed',
    )
  })

  it('refuses every host that is not allowed, unless registration is open [CIMD-02]', () => {
    expect(ask(URL_OF_NOTES, CLOSED)).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'document_host_not_allowed',
      description:
        'client ID metadata documents from this host are not accepted: a manager must allow the host',
    })
    expect(reasonOf(URL_OF_NOTES, { ...CLOSED, allowedHosts: ['notes.example'] })).toBeNull()
  })

  it.each([
    ['a subdomain', 'https://evil.notes.example/c'],
    ['the domain above', 'https://example.net/c'],
    ['a host that ends in it', 'https://evilnotes.example/c'],
    ['a host that begins with it', 'https://notes.example.evil.example/c'],
    ['another port of it', 'https://notes.example:8443/c'],
  ])('does not take %s for the allowed host', (_, clientId) => {
    const policy = { ...CLOSED, allowedHosts: ['notes.example'], ports: [443, 8443] }
    expect(reasonOf(clientId, policy)).toBe('invalid_client/document_host_not_allowed')
  })

  it('allows a host with its port', () => {
    const policy = { ...CLOSED, allowedHosts: ['notes.example:8443'], ports: [443, 8443] }
    expect(reasonOf('https://notes.example:8443/c', policy)).toBeNull()
    expect(reasonOf('https://notes.example/c', policy)).toBe(
      'invalid_client/document_host_not_allowed',
    )
  })

  it('promises that URL parsers read what was judged', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'https://', 'HTTPS://', 'https:', 'h.example', 'evil.example', 'localhost', '127.0.0.1', '127.1', '0x7f',
        'xn--mnchen-3ya', 'xn--a', '[::1]', '/', '//', '\\', '@', ':', ':443', ':8443', '.', '..', '%2e', '%2E', '?', '#',
        '\t', '\n', ' ', '%', '%00', "'", '"', '|', '^', ';', 'ⓔ', '。', '\u00ad', '\ud800', '-', '_', 'A',
      ),
      anyUrl({ query: true, fragment: true }),
      fc.string({ unit: anyCharacter, maxLength: 4 }),
    ) // prettier-ignore
    const url = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
      fc.array(piece, { maxLength: 6 }).map((pieces) => `https://h.example/${pieces.join('')}`),
      anyUrl({ schemes: ['https'], query: true }),
    )
    let accepted = 0
    fc.assert(
      fc.property(url, (clientId) => {
        const decided = ask(clientId, { ...OPEN, ports: [443, 8443] })
        if (!decided.ok) return
        accepted += 1
        const [, host, path, query = ''] = /^https:\/\/([^/]+)([^?]+)(.*)$/.exec(clientId)!
        const parsed = new URL(clientId)
        expect([parsed.host, parsed.pathname, parsed.search]).toEqual([
          host,
          path,
          query === '?' ? '' : query,
        ])
        expect([parsed.protocol, parsed.username, parsed.password, parsed.hash]).toEqual([
          'https:', '', '', '',
        ]) // prettier-ignore
        expect(parsed.hostname).not.toMatch(/^[\d.]+$|^\[|localhost$/)
      }),
      { seed: 20_261_120, numRuns: 4000 },
    )
    expect(accepted).toBeGreaterThan(500)
  })
})
