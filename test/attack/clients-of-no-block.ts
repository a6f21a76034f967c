import { authorizePath, codeFields, form, SURFACES } from '../support/attack/requests.js'
import { type AttackClass, inTurn, pairs } from '../support/attack/run.js'
import { grantOf } from '../support/attack/block-clients.js'
import { JSON_HEADERS, type Service, startService } from '../support/attack/service.js'
import type { Answer, Sent } from '../support/attack/wire.js'
import { encode, type Fields } from '../support/school/flow.js'

const TOKEN = '/api/oauth/token'

type Request = readonly [what: string, request: Sent]

/** What clients of no block hold, in one service. */
interface Own {
  readonly accessToken: string
  readonly refreshToken: string
  readonly code: string
  readonly ofStaff: string
  /** An access token of the client with a secret. */
  readonly ofClosed: string
}

async function ownOf(service: Service): Promise<Own> {
  const { accessToken, refreshToken } = await service.mint(grantOf('study-buddy'))
  const { accessToken: ofStaff } = await service.mint()
  const { accessToken: ofClosed } = await service.mint(grantOf('portfolio-hub'))
  return { accessToken, refreshToken, code: await service.mintCode(), ofStaff, ofClosed }
}

const redeeming = (origin: string, { code }: Own): Fields => codeFields(origin, code)
const refreshing = ({ refreshToken }: Own): Fields => ({
  grant_type: 'refresh_token',
  client_id: 'study-buddy',
  refresh_token: refreshToken,
})

const HOSTILE = [
  '', ' ', 'x', 'a\0b', '\r\nx: 1', "' or '1'='1", '<x-pwned>', '__proto__', 'x'.repeat(3000), '\ud800',
] // prettier-ignore
const shortened = (value: unknown): string => JSON.stringify(value).slice(0, 60)

/** Forms with something wrong, at each endpoint that reads one. */
function wrongForms(origin: string, own: Own): readonly Request[] {
  const closed = { client_id: 'portfolio-hub', client_secret: 'portfolio-hub-demo-secret' }
  const uses: readonly (readonly [use: string, path: string, fields: Fields])[] = [
    ['redeem', TOKEN, redeeming(origin, own)],
    ['refresh', TOKEN, refreshing(own)],
    ['revoke', '/api/oauth/revoke', { client_id: 'study-buddy', token: 'hpa_of_nobody' }],
    ['introspect', '/api/oauth/introspect', { ...closed, token: own.ofClosed }],
  ]
  return uses.flatMap(([use, path, fields]): readonly Request[] => {
    const names = Object.keys(fields)
    const changed = (what: string, changes: Fields): Request => [
      `${use} ${what}`,
      form(path, { ...fields, ...changes }),
    ]
    const valued = names.filter((name) => name !== 'grant_type')
    return [
      ...pairs(valued, HOSTILE).map(([name, value]) =>
        changed(`with ${name} ${shortened(value)}`, { [name]: value }),
      ),
      ...names.map((name) => changed(`without ${name}`, { [name]: null })),
      ...names.map((name) =>
        changed(`with ${name} twice`, { [name]: [fields[name]!, fields[name]!].flat() }),
      ),
      changed('with another secret', { client_secret: 'x' }),
      changed('with another client', { client_id: 'desk-cli' }),
      [`${use} by GET`, { ...form(path, fields), method: 'GET' }],
      [`${use} by PUT`, { ...form(path, fields), method: 'PUT' }],
      [`${use} as JSON`, { path, headers: JSON_HEADERS, body: JSON.stringify(fields) }],
    ]
  })
}

/** Authorization requests, in order and out of it. */
function authorizations(origin: string): readonly Request[] {
  const names = [...new URL(authorizePath(origin), origin).searchParams.keys()]
  const changes: readonly Fields[] = [
    ...pairs(names, ['', 'x', 'a\0b', '<x-pwned>', '__proto__']).map(([name, value]) => ({ [name]: value })),
    ...names.map((name) => ({ [name]: null })),
    {}, { prompt: 'none' }, { prompt: 'login' }, { max_age: '0' }, { response_mode: 'query' }, { response_mode: 'form_post' },
    { nonce: 'n' }, { login_hint: 'x' }, { request: 'e30.e30.' }, { claims: '{}' },
  ] // prettier-ignore
  return changes.map((one) => [`authorize with ${shortened(one)}`, { path: authorizePath(origin, one) }]) // prettier-ignore
}

/** What a token opens, with tokens and with what is none. */
function headers({ accessToken, refreshToken, ofStaff }: Own): readonly Request[] {
  const values: Readonly<Record<string, string | null>> = {
    'no header': null,
    'an empty header': '',
    'no token after the scheme': 'Bearer',
    'a word for a token': 'Bearer x',
    'its token': `Bearer ${accessToken}`,
    'its token and a small letter': `bearer ${accessToken}`,
    'its token and one more letter': `Bearer ${accessToken}x`,
    'its refresh token': `Bearer ${refreshToken}`,
    'a token of staff': `Bearer ${ofStaff}`,
  }
  const [, mcp] = SURFACES.find(([surface]) => surface === '/mcp')!
  const surfaces = [
    ...SURFACES,
    ['/mcp/signed-in', { ...mcp, path: '/mcp/signed-in' }],
  ] as const satisfies typeof SURFACES
  return pairs(surfaces, Object.entries(values)).map(
    ([[surface, request], [what, authorization]]) => [
      `${surface} with ${what}`,
      authorization === null
        ? request
        : { ...request, headers: { ...request.headers, authorization } },
    ],
  )
}

const METADATA = { client_name: 'Robot', redirect_uris: ['http://127.0.0.1/cb'] }
const REGISTRATIONS: readonly object[] = [
  METADATA,
  {},
  { ...METADATA, redirect_uris: [] },
  { ...METADATA, redirect_uris: ['https://evil.test/'] },
  { ...METADATA, token_endpoint_auth_method: 'client_secret_post' },
  { ...METADATA, token_endpoint_auth_method: 'none' },
  { ...METADATA, client_name: 'Claude' },
  { ...METADATA, scope: 'courses:read' },
  { ...METADATA, grant_types: ['authorization_code'] },
  { ...METADATA, response_types: ['token'] },
]
const register = (body: object): Request => [
  `register ${JSON.stringify(body)}`,
  { path: '/api/oauth/register', headers: JSON_HEADERS, body: JSON.stringify(body) },
]

/** What is sent in any order, and what uses up the code and the token, and therefore comes last, in this order. */
const requestsOf = (origin: string, own: Own) => ({
  first: [
    ...wrongForms(origin, own),
    ...authorizations(origin),
    ...headers(own),
    ...REGISTRATIONS.map(register),
  ],
  last: [
    ['refresh', form(TOKEN, refreshing(own))],
    ['redeem', form(TOKEN, redeeming(origin, own))],
    ['redeem again', form(TOKEN, redeeming(origin, own))],
    ['refresh again', form(TOKEN, refreshing(own))],
  ] as readonly Request[],
})

/** A challenge for tokens with keys, which a resource adds to the one of Bearer. */
const DPOP_CHALLENGE = /(?:, )?DPoP (?:\w+="[^"]*"(?:, )?)+/g

/** A response without what two services cannot have alike. */
function comparable({ status, headers, text }: Answer, origin: string): string {
  const challenge = String(headers['www-authenticate'] ?? '').replace(DPOP_CHALLENGE, '')
  const kept = ['content-type', 'location', 'cache-control'].map((name) => headers[name] ?? '')
  return [status, ...kept, challenge, text]
    .join('\n')
    .replaceAll(origin, 'ORIGIN')
    .replaceAll(encodeURIComponent(origin), 'ORIGIN')
    .replaceAll(encode({ of: origin }).toString().slice('of='.length), 'ORIGIN')
    .replaceAll(new URL(origin).host, 'HOST')
    .replace(/\b(?:req|app|att|grant)_[\w-]+/g, 'ID')
    .replace(/(?=[\w-]*[A-Z\d])[\w-]{22,}(?:\.[\w-]{20,})*/g, 'RANDOM')
    .replace(/\b\d{10}\b/g, 'TIME')
}

/** The first place where two texts differ, with what is around it. */
function difference(one: string, other: string): string {
  const at = [...one].findIndex((letter, index) => letter !== other[index])
  const [here, there] = [one, other].map((text) => text.slice(Math.max(at - 40, 0), at + 120))
  return `${here} instead of ${there}`
}

const zipped = <One>(ones: readonly One[], others: readonly One[]): readonly (readonly [One, One])[] =>
  ones.map((one, index) => [one, others[index]!]) // prettier-ignore

/** With blocks switched on, a client that uses none gets what it gets from a service without blocks. */
export const clientsOfNoBlock: AttackClass = {
  name: 'clients of no block',
  least: 280,
  async build(service) {
    const { first, last } = requestsOf(service.origin.lantern, await ownOf(service))
    const run = async (): Promise<readonly string[]> => {
      const plain = await startService(service.framework)
      try {
        const expected = requestsOf(plain.origin.lantern, await ownOf(plain))
        const unexpected: string[] = []
        const compare = async ([[what, request], [, same]]: readonly [Request, Request]) => {
          const [here, there] = await Promise.all([service.send(request), plain.send(same)])
          const [one, other] = [
            comparable(here, service.origin.lantern),
            comparable(there, plain.origin.lantern),
          ]
          if (one !== other) unexpected.push(`${what}: ${difference(one, other)}`)
        }
        await inTurn(zipped(first, expected.first), 4, compare)
        await inTurn(zipped(last, expected.last), 1, compare)
        return unexpected
      } finally {
        await plain.stop()
      }
    }
    return {
      attacks: [{ name: 'the same request', times: first.length + last.length, run }],
      controls: [],
      // One code and one refresh token are used up, and six of the registrations are in order.
      changes: {
        hallpass_client: 6, hallpass_code: 0, hallpass_grant: 1, hallpass_access_token: 2, hallpass_refresh_token: 2,
      }, // prettier-ignore
    }
  },
}
