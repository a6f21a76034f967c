import { type AttackClass, type Attack, type Exchange, pairs } from '../support/attack/run.js'
import { authorizePath, codeFields, form } from '../support/attack/requests.js'
import { bearer, FORM_HEADERS, JSON_HEADERS, MEMBER_SCOPES } from '../support/attack/service.js'
import type { RungClass } from '../support/attack/rungs.js'
import { sendBytes, statusesIn } from '../support/attack/wire.js'

/** Every path that reads a body, and the type that it reads. */
const READERS: readonly (readonly [path: string, type: 'form' | 'json'])[] = [
  ['/api/oauth/token', 'form'], ['/api/oauth/introspect', 'form'], ['/api/oauth/revoke', 'form'], ['/oauth/authorize', 'form'], ['/sign-in', 'form'], ['/sign-out', 'form'],
  ['/oauth/applications/new', 'form'], ['/api/oauth/register', 'json'], ['/account/graphql', 'json'], ['/mcp', 'json'], ['/api/v1/coupons', 'json'],
] // prettier-ignore
/** A form that another site may have sent to the authorization endpoint becomes the `GET` of its fields. */
const redirectOf = (path: string): readonly number[] => (path === '/oauth/authorize' ? [303] : [])
const LIMITS = { form: 16 * 1024, json: 256 * 1024 }
/** A body over the limit is refused as such. The forms of the school say only that they do not count. */
const tooLarge = (path: string): readonly number[] =>
  /^\/(?:sign-|oauth\/applications)/.test(path) ? [0, 403] : [0, 413]
const REFUSED = [0, 400, 401, 403, 413, 415, 422]

/** Bodies that are too much, or not what they say they are. */
const BODIES: readonly (readonly [name: string, body: string | Uint8Array])[] = [
  ['a megabyte', 'a'.repeat(2 ** 20)],
  ['a megabyte of fields', 'a=b&'.repeat(2 ** 18)],
  ['10,000 fields', Array.from({ length: 10_000 }, (_, index) => `f${index}=1`).join('&')],
  ['a megabyte of brackets', '['.repeat(2 ** 20)],
  ['a megabyte of a string', `{"a":"${'x'.repeat(2 ** 20)}"}`],
  ['bytes that are no text', Uint8Array.from([0xff, 0xfe, 0x80, 0x00, 0xc0, 0xaf])],
  ['a field that is no text', Buffer.from('grant_type=\xff\xfe', 'latin1')],
  ['overlong UTF-8', Uint8Array.from([0x67, 0x3d, 0xe0, 0x80, 0xaf])],
  ['a NUL', '\0'],
  ['broken escapes', 'grant_type=%&code=%zz&client_id=%u0041'],
  ['escapes of no text', 'grant_type=%ff%fe&code=%c0%af'],
  ['a prototype', '__proto__[x]=1&constructor[prototype][x]=1&__proto__=1'],
  [
    'a prototype in JSON',
    '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}',
  ],
  ['UTF-16', Buffer.from('grant_type=authorization_code', 'utf16le')],
  ['gzip', Uint8Array.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3, 0x4b, 4, 0])],
  ['a multipart body', '--x\r\nContent-Disposition: form-data; name="a"; filename="../../x"\r\n\r\nb\r\n--x--\r\n'], // prettier-ignore
  ['nothing', ''],
]

/** Bytes on a connection, of which a server in front and this one could see different requests. */
const smuggled = (host: string): readonly (readonly [name: string, bytes: string])[] => {
  const head = (lines: string): string => `POST /api/oauth/token HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n${lines}\r\n` // prettier-ignore
  const hidden = `GET /smuggled HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  return [
    ['a length and chunks', `${head('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n${hidden}`], // prettier-ignore
    ['chunks and a length', `${head('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n')}0\r\n\r\n${hidden}`], // prettier-ignore
    ['two lengths', `${head('Content-Length: 0\r\nContent-Length: 40\r\n')}${hidden}`],
    ['two lengths in one', `${head('Content-Length: 0, 40\r\n')}${hidden}`],
    ['a length with a sign', `${head('Content-Length: +0\r\n')}${hidden}`],
    ['a negative length', `${head('Content-Length: -1\r\n')}${hidden}`],
    ['a hexadecimal length', `${head('Content-Length: 0x0\r\n')}${hidden}`],
    ['a length with a space before the colon', `${head('Content-Length : 0\r\n')}${hidden}`],
    ['an unknown coding', `${head('Transfer-Encoding: xchunked\r\n')}0\r\n\r\n${hidden}`],
    ['chunks twice', `${head('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n')}0\r\n\r\n${hidden}`], // prettier-ignore
    ['a coding behind a tab', `${head('Transfer-Encoding:\x0bchunked\r\nContent-Length: 4\r\n')}0\r\n\r\n${hidden}`], // prettier-ignore
    [
      'a chunk of no size',
      `${head('Transfer-Encoding: chunked\r\n')}zz\r\nab\r\n0\r\n\r\n${hidden}`,
    ],
    ['a chunk without an end', `${head('Transfer-Encoding: chunked\r\n')}4\r\nabcdXX0\r\n\r\n${hidden}`], // prettier-ignore
    ['a chunk that is too large for a number', `${head('Transfer-Encoding: chunked\r\n')}fffffffffffffffff\r\n${hidden}`], // prettier-ignore
    [
      'a folded header',
      `${head('X-A: b\r\n Content-Length: 40\r\nContent-Length: 0\r\n')}${hidden}`,
    ],
    ['a bare line feed', `POST /api/oauth/token HTTP/1.1\nHost: ${host}\nContent-Length: 0\n\n${hidden}`], // prettier-ignore
    ['a NUL in a header', `${head('X-A: a\0b\r\nContent-Length: 0\r\n')}${hidden}`],
    ['a name with a space', `${head('X A: b\r\nContent-Length: 0\r\n')}${hidden}`],
    ['no host', `GET / HTTP/1.1\r\n\r\n${hidden}`],
    ['two hosts', `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: evil.test\r\n\r\n${hidden}`],
    ['another protocol', `GET / HTTP/9.9\r\nHost: ${host}\r\n\r\n${hidden}`],
    ['no protocol', `GET /\r\nHost: ${host}\r\n\r\n${hidden}`],
    ['TLS', '\x16\x03\x01\x00\x01\x01'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ]
}

/** What is too much or broken: for each path that reads a body, and for others. */
function malformed({
  readers,
  paths,
  headersOf,
  refused = tooLarge,
}: {
  readers: typeof READERS
  paths: readonly string[]
  /** The statuses with which a path refuses a body over its limit. */
  refused?: typeof tooLarge
  headersOf: (path: string, type: 'form' | 'json') => Record<string, string>
}): readonly Attack[] {
  const attacks: Attack[] = []
  for (const [[path, type], [name, body]] of pairs(readers, BODIES)) {
    attacks.push({
      name: `${name} to ${path}`,
      request: { method: 'POST', path, headers: headersOf(path, type), body },
      statuses: Buffer.byteLength(body) > LIMITS[type] ? refused(path) : [...REFUSED, ...redirectOf(path)], // prettier-ignore
      without: ['"access_token"', '"client_secret"'],
    })
  }
  for (const [[path, type], [name, value]] of pairs(readers, [
    ['content-encoding', 'gzip'],
    ['content-encoding', 'br'],
    ['content-encoding', 'x'],
    ['content-type', 'application/json; charset=utf-16'],
    ['content-type', `${'x'.repeat(4000)}/x`],
    ['expect', '100-continue'],
    ['expect', 'x'],
    ['x-http-method-override', 'DELETE'],
  ] as const))
    attacks.push({
      name: `${name}: ${value.slice(0, 40)} to ${path}`,
      request: { path, headers: { ...headersOf(path, type), [name]: value }, body: type === 'form' ? 'a=b' : '{}' },
      statuses: [...REFUSED, 417, ...redirectOf(path)],
    }) // prettier-ignore
  for (const path of paths) {
    const long = 'x'.repeat(70_000)
    attacks.push(
      { name: `64 KiB of headers to ${path}`, request: { path, headers: { 'x-long': long } }, statuses: [0, 431] }, // prettier-ignore
      { name: `a long cookie to ${path}`, request: { path, headers: { cookie: `a=${long}` } }, statuses: [0, 431] }, // prettier-ignore
      { name: `a long address to ${path}`, request: { path: `${path}?x=${long}` }, statuses: [0, 414, 431] }, // prettier-ignore
      { name: `3,000 parameters to ${path}`, request: { path: `${path}?${'a=b&'.repeat(3000)}` }, statuses: [200, 303, 400, 401, 404, 405, 414] }, // prettier-ignore
    )
    for (const bad of [
      '%',
      '%ff',
      '%00',
      '%c0%af',
      '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
      '..%5c..%5cx',
      '%252e%252e',
      '.%00.',
      '%E2%80%AE',
      '//x',
      '/./x',
      '/../../x',
      '\\x',
      ';x',
      '%0d%0ax-injected:%201',
    ])
      // prettier-ignore
      for (const prefix of [path === '/' ? '' : path])
        attacks.push({
          name: `the path ${prefix}/${bad}`,
          request: { path: `${prefix}/${bad}` },
          statuses: [200, 303, 307, 308, 400, 401, 403, 404, 405],
        })
    for (const method of ['TRACE', 'PROPFIND', 'OPTIONS', 'LOCK', 'M-SEARCH', 'PURGE'])
      attacks.push({
        name: `${method} ${path}`,
        request: { method, path },
        statuses: [200, 204, 400, 401, 403, 404, 405, 501],
        without: ['x-forwarded-for'],
      })
  }
  return attacks
}

/** Bytes of which two servers could see different requests. `where`: added to the names. */
const smuggling = (port: number, where: string): readonly Exchange<unknown>[] =>
  smuggled(`127.0.0.1:${port}`).map(([name, bytes]) => ({
    name: `${name}${where}`,
    times: 1,
    async run() {
      const text = await sendBytes(port, bytes)
      const statuses = statusesIn(text)
      const faults = statuses.some((status) => status >= 500 && status !== 505) ? [statuses.join(' ')] : [] // prettier-ignore
      if (/node_modules|\n\s+at /.test(text)) faults.push('it shows a stack')
      // The second of the bytes' requests is none of its own where the first is not clear.
      if (statuses.length > 1 && !/no protocol|host/.test(name) && statuses[0] !== 400)
        faults.push(`it saw ${statuses.length} requests: ${statuses.join(' ')}`)
      return faults
    },
  }))

/** What is sent is read to its limit, once, as what it says it is. */
export const bodies: AttackClass = {
  name: 'bodies',
  least: 470,
  async build(service) {
    const { origin, port } = service
    const staff = (await service.mint()).accessToken
    const member = (await service.mint({ clientId: 'study-buddy', subject: 'mem_l05', scopes: MEMBER_SCOPES })).accessToken // prettier-ignore
    const owner = await service.signIn('mem_l01')
    const code = await service.mintCode()
    const headersOf = (path: string, type: 'form' | 'json'): Record<string, string> => ({
      ...(type === 'form' ? FORM_HEADERS : JSON_HEADERS),
      ...(path.startsWith('/api/v1') && bearer(staff)),
      ...(path === '/account/graphql' && bearer(member)),
      ...(path.startsWith('/oauth/applications') && { cookie: owner.cookie }),
      accept: 'application/json, text/event-stream',
    })
    const paths = ['/', '/oauth/authorize', '/api/v1/courses', '/mcp', '/openapi.json', '/oauth/applications', '/nothing'] // prettier-ignore
    const attacks: (Attack | Exchange)[] = [
      ...malformed({ readers: READERS, paths, headersOf }),
      ...(['lantern', 'kiln'] as const).flatMap((site) => smuggling(port[site], ` at ${site}`)),
    ]
    return {
      attacks,
      controls: [
        { name: 'a code that all of them have left', request: { path: '/api/oauth/token', headers: FORM_HEADERS, body: String(new URLSearchParams(codeFields(origin.lantern, code))) }, statuses: [200] },
        { name: 'a long state', request: { path: authorizePath(origin.lantern, { state: 'x'.repeat(500) }) }, statuses: [303] },
      ],
      changes: { hallpass_code: 0, hallpass_grant: 1, hallpass_access_token: 1, hallpass_refresh_token: 1, hallpass_client: 0 },
    } // prettier-ignore
  },
}

/** The same for a rung. */
export const bodiesOfRung: RungClass = {
  name: bodies.name,
  needs: [],
  least: 230,
  async build({ authorize, code, grant, hasFront, port, send, serves }) {
    const staff = (await grant('staff')).accessToken
    const member = serves.has('Account API') ? (await grant('member')).accessToken : ''
    const isServed = new Map([
      ['/account/graphql', serves.has('Account API')],
      ['/mcp', serves.has('MCP')],
    ])
    const readers = READERS.filter(
      ([path]) =>
        isServed.get(path) ?? (path.startsWith('/api/oauth/') || path === '/oauth/authorize' || path === '/sign-in'), // prettier-ignore
    )
    return {
      attacks: [
        ...malformed({
          readers,
          refused: (path) => (path === '/sign-in' ? [0, 403, 413] : [0, 413]),
          paths: ['/', '/oauth/authorize', '/courses', '/nothing', ...(serves.has('MCP') ? ['/mcp'] : [])], // prettier-ignore
          headersOf: (path, type) => ({
            ...(type === 'form' ? FORM_HEADERS : JSON_HEADERS),
            ...(path === '/account/graphql' && bearer(member)),
            ...(path === '/mcp' && bearer(staff)),
            accept: 'application/json, text/event-stream',
          }),
        }).filter(({ name }) => !hasFront || !/^64 KiB|^a long/.test(name)),
        ...(hasFront ? [] : smuggling(port, '')),
      ],
      controls: [
        { name: 'a long state', request: { path: authorize({ state: 'x'.repeat(500) }) }, statuses: [303] }, // prettier-ignore
      ],
      after: async () => {
        const { status } = await send(form('/api/oauth/token', await code()))
        return status === 200 ? [] : [`the whole flow ended with ${status}`]
      },
    }
  },
}
