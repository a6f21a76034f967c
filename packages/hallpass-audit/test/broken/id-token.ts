import { createHmac } from 'node:crypto'
import type { KeySource } from 'hallpass/token'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { ORIGIN, type Fault } from '../broken-server.js'
import { both, type Broken, json, replaced } from '../faults.js'

const TOKEN = '/api/oauth/token'

type Members = Record<string, unknown>

/** How a key source signs in another way than it should. */
interface Signing {
  readonly claims?: (claims: Members) => Members
  readonly header?: Members
  /** Replaces the signature. */
  readonly seal?: (input: string) => string
  /** How many keys are published. Default: 1. */
  readonly keys?: number
}

/** Keys of the server itself, which sign other claims or another header. */
export function signing({ claims = (same) => same, header = {}, seal, keys = 1 }: Signing): Fault {
  const made = Array.from({ length: keys }, () => generateKeyPair('ES256', { extractable: true }))
  const published = Promise.all(
    made.map(async (pair, index) => ({
      ...(await exportJWK((await pair).publicKey)),
      alg: 'ES256',
      use: 'sig',
      kid: `key-${index}`,
    })),
  ).then((all) => ({ keys: all }))
  const source: KeySource = {
    jwks: () => published,
    refreshSecrets: () => ['a secret of at least 32 characters'],
    signer: async () => ({
      kid: 'key-0',
      async sign(payload) {
        const protectedHeader = { alg: 'ES256', typ: 'JWT', kid: 'key-0', ...header }
        const changed = claims({ ...payload })
        if (seal === undefined)
          return new SignJWT(changed)
            .setProtectedHeader(JSON.parse(JSON.stringify(protectedHeader)))
            .sign((await made[0]!).privateKey)
        const input = [protectedHeader, changed].map(encode).join('.')
        return `${input}.${seal(input)}`
      },
    }),
  }
  return { server: { keys: source } }
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const without = (name: string) => (claims: Members) =>
  Object.fromEntries(Object.entries(claims).filter(([one]) => one !== name))

/** Access tokens by the ID token that was issued with each. */
function idTokenIsTaken(): Fault {
  const known = new Map<string, string>()
  return {
    wrap: (next) => async (request) => {
      const sent = /^Bearer (ey.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''
      const accessToken = known.get(sent)
      if (accessToken !== undefined) request.headers.set('authorization', `Bearer ${accessToken}`)
      const answer = await next(request)
      if (!request.url.endsWith(TOKEN) || answer.status !== 200) return answer
      const body = (await answer.clone().json()) as Record<string, string>
      if (body['id_token'] !== undefined) known.set(body['id_token'], body['access_token']!)
      return answer
    },
  }
}

export const idToken: readonly Broken[] = [
  {
    name: 'a grant with openid has no ID token',
    fault: json(TOKEN, (body) => ({ ...body, id_token: undefined })),
    violates: ['id-token/issued'],
  },
  {
    name: 'a rotation signs with a key that is not published',
    fault: signing({ header: { kid: 'key-7' } }),
    violates: ['id-token/signature', 'key-set/signing-key'],
  },
  {
    name: 'ID tokens are not signed',
    fault: signing({ header: { alg: 'none' }, seal: () => '' }),
    violates: ['id-token/signature', 'id-token/unsigned', 'id-token/algorithm-named', 'openid/hint-of-another-person'],
    whole: true,
  },
  {
    name: 'ID tokens are signed with the secret of a public client',
    fault: signing({
      header: { alg: 'HS256' },
      seal: (input) => createHmac('sha256', 'none').update(input).digest('base64url'),
    }),
    violates: ['id-token/symmetric', 'id-token/algorithm-named'],
  },
  {
    name: 'the configuration lists another algorithm',
    fault: json('/.well-known/openid-configuration', (metadata) => ({ ...metadata, id_token_signing_alg_values_supported: ['RS256'] })),
    violates: ['id-token/algorithm-named'],
  },
  {
    name: 'two keys are published, and the header names neither',
    fault: signing({ header: { kid: undefined }, keys: 2 }),
    violates: ['id-token/key-named'],
  },
  {
    name: 'ID tokens have the type of access tokens',
    fault: signing({ header: { typ: 'at+jwt' } }),
    violates: ['id-token/type'],
  },
  {
    name: 'the issuer of ID tokens ends with a slash',
    fault: signing({ claims: (claims) => ({ ...claims, iss: `${ORIGIN}/` }) }),
    violates: ['id-token/issuer'],
  },
  {
    name: 'ID tokens are for the resource',
    fault: signing({ claims: (claims) => ({ ...claims, aud: `${ORIGIN}/mcp` }) }),
    violates: ['id-token/audience', 'id-token/other-audience'],
  },
  {
    name: 'ID tokens are for the client and the resource',
    fault: signing({ claims: (claims) => ({ ...claims, aud: [claims['aud'], ORIGIN] }) }),
    violates: ['id-token/other-audience'],
  },
  {
    name: 'the authorized party is another client',
    fault: signing({ claims: (claims) => ({ ...claims, azp: 'desk' }) }),
    violates: ['id-token/authorized-party'],
  },
  {
    name: 'the expiry is in milliseconds',
    fault: signing({ claims: (claims) => ({ ...claims, exp: Number(claims['exp']) * 1000 }) }),
    violates: ['id-token/times'],
  },
  {
    name: 'ID tokens live for a year',
    fault: signing({ claims: (claims) => ({ ...claims, exp: Number(claims['iat']) + 31_536_000 }) }),
    violates: ['id-token/lifetime'],
  },
  {
    name: 'access tokens live for a year',
    fault: json(TOKEN, (body) => ({ ...body, expires_in: 31_536_000 })),
    violates: ['token/lifetime'],
  },
  {
    name: 'ID tokens have no expiry',
    fault: signing({ claims: without('exp') }),
    violates: ['id-token/expiry'],
  },
  {
    name: 'ID tokens are dated in local time',
    fault: signing({
      claims: ({ iat, auth_time: authTime, ...claims }) => ({
        ...claims,
        iat: Number(iat) - 28_800,
        ...(authTime !== undefined && { auth_time: Number(authTime) - 28_800 }),
      }),
    }),
    violates: ['id-token/issued-at'],
  },
  {
    name: 'the nonce is lost',
    fault: signing({ claims: without('nonce') }),
    violates: ['id-token/nonce', 'id-token/long-nonce'],
  },
  {
    name: 'a nonce is cut off',
    fault: signing({ claims: ({ nonce, ...claims }) => ({ ...claims, ...(nonce !== undefined && { nonce: (nonce as string).slice(0, 64) }) }) }),
    violates: ['id-token/long-nonce'],
  },
  {
    name: 'a nonce that was not sent is empty',
    fault: signing({ claims: (claims) => ({ nonce: '', ...claims }) }),
    violates: ['id-token/nonce-not-sent'],
  },
  {
    name: 'the time of the sign-in is lost',
    fault: signing({ claims: without('auth_time') }),
    violates: ['id-token/auth-time'],
  },
  {
    name: 'the subject is a name',
    fault: signing({ claims: (claims) => ({ ...claims, sub: `Inés ${String(claims['sub'])}` }) }),
    violates: ['id-token/subject'],
  },
  {
    name: 'the subject is of the token',
    fault: (() => {
      let issued = 0
      return signing({ claims: (claims) => ({ ...claims, sub: `subject-${(issued += 1)}` }) })
    })(),
    violates: ['id-token/same-person'],
  },
  {
    name: 'the subject is of the organization',
    fault: signing({ claims: (claims) => ({ ...claims, sub: 'school' }) }),
    violates: ['id-token/other-person'],
  },
  {
    name: 'at_hash is of another token',
    fault: signing({ claims: (claims) => ({ ...claims, at_hash: 'x'.repeat(22) }) }),
    violates: ['id-token/hashes'],
  },
  {
    name: 'every client learns the email address',
    fault: { server: { extraClaims: ({ person }) => ({ email: person.email }) } },
    violates: ['id-token/claims-of-scopes', 'userinfo/claims-of-scopes'],
  },
  {
    name: 'an ID token is accepted as an access token',
    fault: idTokenIsTaken(),
    violates: ['id-token/no-access-token'],
  },
  {
    name: 'ID tokens have an algorithm that names no hash',
    fault: signing({
      claims: (claims) => ({ ...claims, at_hash: 'x'.repeat(22) }),
      header: { alg: 'ES256K' },
      seal: () => 'of-another-curve',
    }),
    violates: ['id-token/signature', 'id-token/algorithm-named'],
  },
  {
    name: 'ID tokens have a type of their own',
    fault: signing({ header: { typ: 'id_token+jwt' } }),
    violates: [],
  },
  {
    name: 'ID tokens have no audience',
    fault: signing({ claims: without('aud') }),
    violates: ['id-token/audience'],
  },
  {
    name: 'no path takes a token',
    fault: both(...['/courses', '/mcp', '/api/oauth/userinfo'].map((path) => replaced(path, () => new Response(null, { status: 401 })))),
    violates: [],
    unknown: ['id-token/no-access-token'],
  },
  {
    name: 'ID tokens expire as they are issued',
    fault: signing({ claims: (claims) => ({ ...claims, exp: claims['iat'] }) }),
    violates: ['id-token/expiry'],
  },
  {
    name: 'the sign-in was longer ago than the request permits',
    fault: signing({ claims: (claims) => ({ ...claims, auth_time: Number(claims['iat']) - 86_400 }) }),
    violates: ['id-token/auth-time'],
  },
  {
    name: 'the sign-in is yet to come',
    fault: signing({ claims: (claims) => ({ ...claims, auth_time: Number(claims['iat']) + 7200 }) }),
    violates: ['id-token/auth-time'],
  },
  {
    name: 'the subject is long',
    fault: signing({ claims: (claims) => ({ ...claims, sub: String(claims['sub']).padEnd(300, 'x') }) }),
    violates: ['id-token/subject'],
  },
  {
    name: 'c_hash is of another code',
    fault: signing({ claims: (claims) => ({ ...claims, c_hash: 'x'.repeat(22) }) }),
    violates: ['id-token/hashes'],
  },
] // prettier-ignore
