import { createHash } from 'node:crypto'
import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'
import { type Check } from '../check.js'
import { held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit, Client, Tokens } from '../engine/audit.js'
import type { Metadata } from '../engine/discovery.js'
import { grantedScopes, leakedClaims, NARROW, narrowTokens, openedBy } from './expect.js'

type Members = Readonly<Record<string, unknown>>

/** An ID token that was read, but not trusted. */
interface IdToken {
  readonly jwt: string
  readonly header: Members
  readonly claims: Members
  readonly tokens: Tokens
}

/** How far the clocks of two computers may differ, in seconds. */
const SKEW = 300
const MAX_AGE = 3600
/** A second sign-in of the same person, whose request has max_age and no nonce. */
const AGAIN = 'a second sign-in'
/** A sign-in of the other person, with the same client. */
const OTHER = 'a sign-in of another person'

async function openidClient(on: Audit): Promise<Client> {
  const client = await on.client()
  if (!client.scope.split(' ').includes('openid'))
    throw new Stop(notApplicable('the client does not request the scope openid'))
  return client
}

function read(tokens: Tokens): IdToken {
  const jwt = tokens.idToken
  if (jwt === null) throw new Stop(notApplicable('the server issued no ID token'))
  try {
    return { jwt, header: decodeProtectedHeader(jwt), claims: decodeJwt(jwt), tokens }
  } catch {
    throw new Stop(notReached('the ID token is not a JWT that the audit can read'))
  }
}

const idTokenOf = async (on: Audit): Promise<IdToken> => read(await on.sharedTokens())

const secondOf = (on: Audit): Promise<IdToken> =>
  on.once(AGAIN, async () => {
    const client = await openidClient(on)
    const changes = { nonce: null, max_age: String(MAX_AGE) }
    return read(await on.tokens({ client, person: 0, changes }))
  })

/** Whether the signature is right for one of the keys, and with the algorithm of the header. */
async function isSignedBy({ jwt, header }: IdToken, keys: readonly Metadata[]): Promise<boolean> {
  const { alg, kid } = header
  const candidates = keys.filter(
    (key) => kid === undefined || key['kid'] === undefined || key['kid'] === kid,
  )
  // A key that is published with its private part is the subject of another check.
  for (const { d: _, ...candidate } of candidates) {
    try {
      await compactVerify(jwt, await importJWK(candidate, String(alg)))
      return true
    } catch {
      // The next key may be the one.
    }
  }
  return false
}

/** The left half of a hash, as `at_hash` and `c_hash` have it; `null` for an algorithm that names no hash. */
function halfHash(alg: string, value: string): string | null {
  const bits = alg === 'EdDSA' || alg === 'Ed25519' ? '512' : /(?:256|384|512)$/.exec(alg)?.[0]
  if (bits === undefined) return null
  const hash = createHash(`sha${bits}`).update(value).digest()
  return hash.subarray(0, hash.length / 2).toString('base64url')
}

const show = (value: unknown): string => JSON.stringify(value) ?? 'missing'

const CORE = 'OpenID Connect Core 1.0'

/** ID tokens: who signed in, for which client, when. */
export const idToken: readonly Check[] = [
  {
    id: 'id-token/issued',
    clause: {
      document: CORE,
      section: '3.1.3.3',
      level: 'MUST',
      says: 'The token response to a code whose grant includes openid contains an ID token.',
    },
    depth: 'people',
    change: 'Return id_token from the token endpoint if the scope openid was granted.',
    async run(on) {
      await openidClient(on)
      const tokens = await on.sharedTokens()
      if (!grantedScopes(tokens).includes('openid'))
        return notApplicable('the scope openid was not granted')
      return judge(tokens.idToken !== null, 'the token response has an id_token', 'openid was granted, and the token response has no id_token') // prettier-ignore
    },
  },
  {
    id: 'id-token/signature',
    clause: {
      document: CORE,
      section: '2',
      level: 'MUST',
      says: 'An ID token is signed, so that its client can verify it with the published keys.',
    },
    depth: 'people',
    change:
      'Sign with a private key whose public part is in the document at jwks_uri, under the kid and the alg of the header.',
    async run(on) {
      const token = await idTokenOf(on)
      const keys = await on.keys()
      const by = `${show(token.header['alg'])} and kid ${show(token.header['kid'])}`
      return judge(
        await isSignedBy(token, keys),
        `the signature by ${by} is right`,
        `the signature by ${by} is not right for any of the ${keys.length} published keys`,
      )
    },
  },
  {
    id: 'id-token/unsigned',
    clause: {
      document: CORE,
      section: '2',
      level: 'MUST NOT',
      says: 'No ID token has the algorithm none, unless the client asked for it when it registered.',
    },
    depth: 'people',
    change: 'Never issue an ID token with the algorithm none.',
    async run(on) {
      const { alg } = (await idTokenOf(on)).header
      const isSigned = typeof alg === 'string' && alg.toLowerCase() !== 'none'
      return judge(isSigned, `the algorithm is ${show(alg)}`, `the algorithm is ${show(alg)}: anyone can write such a token`) // prettier-ignore
    },
  },
  {
    id: 'id-token/symmetric',
    clause: {
      document: CORE,
      section: '10.1',
      level: 'MUST NOT',
      says: 'A public client receives no token that is signed with a shared secret, because it can keep none.',
    },
    depth: 'people',
    change: 'Sign with an asymmetric algorithm, such as RS256 or ES256.',
    async run(on) {
      const { header, tokens } = await idTokenOf(on)
      if (tokens.code.client.secret !== null) return notApplicable('the client has a secret')
      const { alg } = header
      return judge(!String(alg).startsWith('HS'), `the algorithm is ${show(alg)}`, `the algorithm is ${show(alg)}, whose key would be a secret of the client`) // prettier-ignore
    },
  },
  {
    id: 'id-token/algorithm-named',
    clause: {
      document: 'OpenID Connect Discovery 1.0',
      section: '3',
      level: 'MUST',
      says: 'The configuration lists every algorithm with which ID tokens are signed.',
    },
    depth: 'people',
    change: 'List the alg of your ID tokens in id_token_signing_alg_values_supported.',
    async run(on) {
      const { alg } = (await idTokenOf(on)).header
      const named = (await on.openid())['id_token_signing_alg_values_supported']
      return judge(
        Array.isArray(named) && named.includes(alg),
        `${show(alg)} is listed`,
        `the token is signed with ${show(alg)}, and the list is ${show(named)}`,
      )
    },
  },
  {
    id: 'id-token/key-named',
    clause: {
      document: CORE,
      section: '10.1',
      level: 'MUST',
      says: 'The header names the key by its kid if several are published.',
    },
    depth: 'people',
    change: 'Give every key a kid, and write it into the header of each ID token.',
    async run(on) {
      const { kid } = (await idTokenOf(on)).header
      const kids = (await on.keys()).map((key) => key['kid'])
      if (kid === undefined)
        return judge(kids.length < 2, 'one key is published, and the header needs no kid', `the header has no kid, and ${kids.length} keys are published`) // prettier-ignore
      return judge(kids.includes(kid), `the kid ${show(kid)} is published`, `no published key has the kid ${show(kid)}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/type',
    clause: {
      document: 'RFC 8725',
      section: '3.12',
      level: 'MUST',
      says: 'What makes a JWT an ID token makes it no other kind of JWT of the same issuer.',
    },
    depth: 'people',
    change:
      'Leave typ out of the header of ID tokens, or make it JWT. at+jwt is for access tokens.',
    async run(on) {
      const { typ } = (await idTokenOf(on)).header
      const isOther = typeof typ === 'string' && /\+jwt$/i.test(typ) && !/id/i.test(typ)
      return judge(!isOther, `typ is ${show(typ)}`, `typ is ${show(typ)}, which is of another kind of JWT`) // prettier-ignore
    },
  },
  {
    id: 'id-token/issuer',
    clause: {
      document: CORE,
      section: '3.1.3.7',
      level: 'MUST',
      says: 'The claim iss is the issuer of the configuration, character by character.',
    },
    depth: 'people',
    change: 'Take iss and the issuer of the metadata from one setting: a slash at the end differs.',
    async run(on) {
      const { iss } = (await idTokenOf(on)).claims
      const { issuer } = await on.server()
      return judge(iss === issuer, `iss is ${show(iss)}`, `iss is ${show(iss)}, and the issuer ${show(issuer)}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/audience',
    clause: {
      document: CORE,
      section: '2',
      level: 'MUST',
      says: 'The claim aud contains the identifier of the client that receives the token.',
    },
    depth: 'people',
    change: 'Write the client_id into aud. The resource belongs into access tokens only.',
    async run(on) {
      const { claims, tokens } = await idTokenOf(on)
      const { clientId } = tokens.code.client
      const audience = [claims['aud']].flat()
      return judge(audience.includes(clientId), 'aud contains the client_id', `aud is ${show(claims['aud'])}, and the client ${clientId}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/other-audience',
    clause: {
      document: CORE,
      section: '3.1.3.7',
      level: 'MUST',
      says: 'A client rejects a token that is for an audience as well that it does not trust.',
    },
    depth: 'people',
    change: 'Issue each ID token to one client only: aud is its client_id and nothing else.',
    async run(on) {
      const { claims, tokens } = await idTokenOf(on)
      const others = [claims['aud']].flat().filter((one) => one !== tokens.code.client.clientId)
      return judge(
        others.length === 0 || claims['aud'] === undefined,
        'the client is the only audience',
        `aud names ${show(others)}, of which the client knows nothing`,
      )
    },
  },
  {
    id: 'id-token/authorized-party',
    clause: {
      document: CORE,
      section: '2',
      level: 'MUST',
      says: 'If the claim azp is there, it is the identifier of the client that received the token.',
    },
    depth: 'people',
    change: 'Write the client_id into azp, or leave azp out.',
    async run(on) {
      const { claims, tokens } = await idTokenOf(on)
      const { azp } = claims
      const isOwn = azp === undefined || azp === tokens.code.client.clientId
      return judge(isOwn, azp === undefined ? 'the token has no azp' : 'azp is the client_id', `azp is ${show(azp)}, and the client ${tokens.code.client.clientId}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/times',
    clause: {
      document: 'RFC 7519',
      section: '2',
      level: 'MUST',
      says: 'Times are JSON numbers of seconds since 1970.',
    },
    depth: 'people',
    change:
      'Write exp, iat and auth_time as numbers, and in seconds: Math.floor(Date.now() / 1000).',
    async run(on) {
      const { claims } = await idTokenOf(on)
      // A time in milliseconds lies in a year of five digits.
      const wrong = ['exp', 'iat', 'nbf', 'auth_time'].filter((name) => {
        const value = claims[name]
        return value !== undefined && !(typeof value === 'number' && value >= 0 && value < 1e11)
      })
      return judge(
        wrong.length === 0,
        `exp is ${show(claims['exp'])}`,
        wrong.map((name) => `${name} is ${show(claims[name])}`).join(', '),
      )
    },
  },
  {
    id: 'id-token/expiry',
    clause: {
      document: CORE,
      section: '2',
      level: 'MUST',
      says: 'A token has an exp, after which it is not accepted, and which has not passed when it is issued.',
    },
    depth: 'people',
    change: 'Set exp some minutes after iat.',
    async run(on) {
      const { claims, tokens } = await idTokenOf(on)
      const [exp, iat] = [Number(claims['exp']), Number(claims['iat'])]
      if (!(exp > tokens.receivedAt - SKEW))
        return violated(
          `exp is ${show(claims['exp'])}, and the token came at ${Math.round(tokens.receivedAt)}`,
        )
      return judge(!(exp <= iat), `exp is ${exp - iat} s after iat`, `exp is ${exp}, and iat ${iat}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/issued-at',
    clause: {
      document: CORE,
      section: '2',
      level: 'MUST',
      says: 'The claim iat is the time at which the token was issued.',
    },
    depth: 'people',
    change:
      'Set iat from the clock of the server when the token is signed, and keep that clock right.',
    async run(on) {
      const { claims, tokens } = await idTokenOf(on)
      const date = Date.parse(tokens.answer.headers.get('date') ?? '') / 1000
      // The clock of the server, if it tells; otherwise that of this computer.
      const now = Number.isNaN(date) ? tokens.receivedAt : date
      const away = Math.round(Number(claims['iat']) - now)
      return judge(Math.abs(away) <= SKEW, `iat is ${Math.abs(away)} s from the answer`, `iat is ${show(claims['iat'])}, which is ${Number.isNaN(away) ? 'no time' : `${away} s from the answer`}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/nonce',
    clause: {
      document: CORE,
      section: '2',
      level: 'MUST',
      says: 'The nonce of the request is in the token unmodified, so that a client detects a token of another sign-in.',
    },
    depth: 'people',
    change: 'Store nonce with the code, and write it into the ID token as it came.',
    async run(on) {
      const { claims, tokens } = await idTokenOf(on)
      const isSame = claims['nonce'] === tokens.code.nonce
      return judge(isSame, 'the nonce is that of the request', claims['nonce'] === undefined ? 'the request had a nonce, and the token has none' : 'the nonce is not that of the request') // prettier-ignore
    },
  },
  {
    id: 'id-token/nonce-not-sent',
    clause: {
      document: CORE,
      section: '2',
      level: 'MUST NOT',
      says: 'The nonce comes from the request, so a token has none if the request had none.',
    },
    depth: 'people',
    shares: [{ name: AGAIN, authorizations: 1 }],
    change: 'Leave nonce out of the ID token if the request has none: clients refuse another one.',
    async run(on) {
      const { nonce } = (await secondOf(on)).claims
      return judge(nonce === undefined, 'the token has no nonce', `the request had no nonce, and the token has ${show(nonce)}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/auth-time',
    clause: {
      document: CORE,
      section: '3.1.2.1',
      level: 'MUST',
      says: 'If the request has max_age, the token says when the person signed in.',
    },
    depth: 'people',
    shares: [{ name: AGAIN, authorizations: 1 }],
    change:
      'Keep the time of the sign-in with the session, and write it into auth_time, in seconds.',
    async run(on) {
      const { auth_time: authTime, iat } = (await secondOf(on)).claims
      if (typeof authTime !== 'number')
        return violated(`the request had max_age, and auth_time is ${show(authTime)}`)
      const age = Number(iat) - authTime
      return judge(
        age >= -SKEW && age <= MAX_AGE + SKEW,
        `auth_time is ${age} s before iat`,
        `max_age was ${MAX_AGE}, and auth_time is ${age} s before iat`,
      )
    },
  },
  {
    id: 'id-token/subject',
    clause: {
      document: CORE,
      section: '2',
      level: 'MUST',
      says: 'The claim sub is a text of at most 255 ASCII characters.',
    },
    depth: 'people',
    change: 'Write a short identifier of the person into sub, as a string: String(row.id).',
    async run(on) {
      const { sub } = (await idTokenOf(on)).claims
      const isRight = typeof sub === 'string' && /^[\x20-\x7e]{1,255}$/.test(sub)
      return judge(isRight, `sub has ${String(sub).length} characters`, `sub is ${show(sub)}`)
    },
  },
  {
    id: 'id-token/same-person',
    clause: {
      document: CORE,
      section: '5.7',
      level: 'MUST',
      says: 'The subject of an issuer identifies a person for good, so the same person has it at each sign-in.',
    },
    depth: 'people',
    shares: [{ name: AGAIN, authorizations: 1 }],
    change: 'Take sub from the identifier of the account, not from the session or the grant.',
    async run(on) {
      const { sub } = (await idTokenOf(on)).claims
      const again = (await secondOf(on)).claims['sub']
      return judge(sub === again, 'both sign-ins have the same sub', `the first sign-in has ${show(sub)}, and the second ${show(again)}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/other-person',
    clause: {
      document: CORE,
      section: '2',
      level: 'MUST',
      says: 'A subject is unique within its issuer: two people never share one.',
    },
    depth: 'people',
    shares: [{ name: OTHER, authorizations: 1 }],
    change: 'Take sub from the account that signed in, not from the client or the organization.',
    async run(on) {
      const client = await openidClient(on)
      const other = await on.once(OTHER, () => on.tokens({ client, person: 1 }))
      const { sub } = (await idTokenOf(on)).claims
      return judge(read(other).claims['sub'] !== sub, 'two people have two subjects', `two people have the subject ${show(sub)}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/hashes',
    clause: {
      document: CORE,
      section: '3.1.3.6',
      level: 'MUST',
      says: 'If at_hash is there, it is the left half of the hash of the access token that came with it.',
    },
    depth: 'people',
    change:
      'Hash the access token of the same response with the hash of alg, and encode the first half as base64url. Or leave at_hash out.',
    async run(on) {
      const { header, claims, tokens } = await idTokenOf(on)
      const wrong = [
        { name: 'at_hash', value: tokens.accessToken },
        { name: 'c_hash', value: tokens.code.code },
      ].filter(
        ({ name, value }) =>
          claims[name] !== undefined &&
          ![null, claims[name]].includes(halfHash(String(header['alg']), value)),
      )
      if (wrong.length > 0)
        return violated(wrong.map(({ name }) => `${name} is ${show(claims[name])}`).join(', '))
      return held(claims['at_hash'] === undefined ? 'the token has no at_hash' : 'at_hash is right')
    },
  },
  {
    id: 'id-token/claims-of-scopes',
    clause: {
      document: CORE,
      section: '5.4',
      level: 'SHOULD NOT',
      says: 'Claims such as email belong to scopes, and a client without the scope does not receive them.',
    },
    depth: 'people',
    shares: [NARROW],
    change:
      'Write email into the ID token only if the scope email was granted; likewise for profile.',
    async run(on) {
      const { claims, tokens } = read(await narrowTokens(on))
      const leaked = await leakedClaims(on, tokens, claims)
      return judge(leaked.length === 0, 'without further scopes the token has no claims of them', `without their scopes the token has ${leaked.join(', ')}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/no-access-token',
    clause: {
      document: 'RFC 8725',
      section: '3.12',
      level: 'MUST',
      says: 'An ID token is not accepted where an access token is required.',
    },
    depth: 'people',
    change:
      'Check typ, aud or the kind of the token where access tokens are verified, not only signature and issuer.',
    async run(on) {
      const { jwt, tokens } = await idTokenOf(on)
      if ((await on.places()).length === 0) return notApplicable('no path is known that requires a token') // prettier-ignore
      const open = await openedBy(on, tokens.accessToken)
      if (open.length === 0) return notReached('no path takes the access token of the audit')
      const taken = await openedBy(on, jwt)
      return judge(
        taken.length === 0,
        `refused at ${open.join(', ')}`,
        `the ID token is accepted at ${taken.join(', ')}`,
      )
    },
  },
]
