import { createHash } from 'node:crypto'
import type { Check, Shared } from '../check.js'
import { ADVICE, AS, MUST, MUST_NOT, oidcCore, rfc8725, RS } from '../clause.js'
import { held, judge, notApplicable, notReached, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import { newSecret } from '../engine/random.js'
import { quote } from './documents.js'
import { leakedClaims, NARROW, narrowTokens, openedBy } from './expect.js'
import { type IdToken, idTokenOf, ofToken, openidClient, read, SKEW } from './id-token.js'

// prettier-ignore
const TEXT = {
  nonce: oidcCore('2', MUST, AS, 'If present in the Authentication Request, Authorization Servers MUST include a "nonce" Claim in the ID Token with the Claim Value being the nonce value sent in the Authentication Request.'),
  noNonce: oidcCore('2', ADVICE, AS, 'A nonce comes from the request. A client that sent none refuses a token that has one.'),
  authTime: oidcCore('3.1.2.1', MUST, AS, 'If the elapsed time is greater than this value, the OP MUST attempt to actively re-authenticate the End-User. … When "max_age" is used, the ID Token returned MUST include an "auth_time" Claim Value.'),
  subject: oidcCore('2', MUST_NOT, AS, 'sub REQUIRED. … It MUST NOT exceed 255 ASCII [RFC20] characters in length. The "sub" value is a case-sensitive string.'),
  unique: oidcCore('5.7', MUST, AS, 'since the "sub" Claim MUST be locally unique and never reassigned within the Issuer for a particular End-User, as described in Section 2.'),
  hashes: oidcCore('3.2.2.9', MUST, AS, 'The value of "at_hash" in the ID Token MUST match the value produced in the previous step.'),
  scopes: oidcCore('5.4', ADVICE, AS, 'Claims such as email belong to scopes. A client without the scope does not need them, and the person has not been asked.'),
  exclusive: rfc8725('3.12', MUST, RS, 'If more than one kind of JWT can be issued by the same issuer, the validation rules for those JWTs MUST be written such that they are mutually exclusive, rejecting JWTs of the wrong kind.'),
}

const MAX_AGE = 3600
/** A second sign-in of the same person, whose request has max_age and no nonce. */
const AGAIN = 'a second sign-in'
/** A sign-in of the other person, with the same client. */
const OTHER = 'a sign-in of another person'
const OF_AGAIN = { depth: 'people', shares: [{ name: AGAIN, authorizations: 1 }] } as const

const secondOf = (on: Audit): Promise<IdToken> =>
  on.once(AGAIN, async () => {
    const client = await openidClient(on)
    const changes = { nonce: null, max_age: String(MAX_AGE) }
    return read(await on.tokens({ client, person: 0, changes }))
  })

/** The ID token of the other person. */
export const othersOf = (on: Audit): Promise<IdToken> =>
  on.once(OTHER, async () => read(await on.tokens({ client: await openidClient(on), person: 1 })))
export const OF_OTHER: readonly Shared[] = [{ name: OTHER, authorizations: 1 }]

/** The left half of a hash, as `at_hash` and `c_hash` have it; `null` for an algorithm that names no hash. */
function halfHash(alg: string, value: string): string | null {
  const bits = alg === 'EdDSA' || alg === 'Ed25519' ? '512' : /(?:256|384|512)$/.exec(alg)?.[0]
  if (bits === undefined) return null
  const hash = createHash(`sha${bits}`).update(value).digest()
  return hash.subarray(0, hash.length / 2).toString('base64url')
}

/** ID tokens: whom they name, and to whom they may be given. */
export const idTokenPerson: readonly Check[] = [
  {
    id: 'id-token/long-nonce',
    clause: TEXT.nonce,
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Store nonce whole, whatever its length: a column of 64 characters cuts it off.',
    async run(on) {
      const nonce = newSecret().repeat(5)
      const token = read(await on.tokens({ client: await openidClient(on), changes: { nonce } }))
      return judge(token, token.claims['nonce'] === nonce, `a nonce of ${nonce.length} characters is kept`, `a nonce of ${nonce.length} characters is ${quote(token.claims['nonce'])}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/nonce-not-sent',
    clause: TEXT.noNonce,
    ...OF_AGAIN,
    change: 'Leave nonce out of the ID token if the request has none: clients refuse another one.',
    async run(on) {
      const token = await secondOf(on)
      const { nonce } = token.claims
      return judge(token, nonce === undefined, 'the token has no nonce', `the request had no nonce, and the token has ${quote(nonce)}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/auth-time',
    clause: TEXT.authTime,
    ...OF_AGAIN,
    change:
      'Keep the time of the sign-in with the session, and write it into auth_time, in seconds.',
    async run(on) {
      const token = await secondOf(on)
      const { auth_time: authTime, iat } = token.claims
      if (typeof authTime !== 'number')
        return violated(token, `the request had max_age, and auth_time is ${quote(authTime)}`)
      const age = Number(iat) - authTime
      return judge(token, age >= -SKEW && age <= MAX_AGE + SKEW, `auth_time is ${age} s before iat`, `max_age was ${MAX_AGE}, and auth_time is ${age} s before iat`) // prettier-ignore
    },
  },
  {
    id: 'id-token/subject',
    clause: TEXT.subject,
    change: 'Write a short identifier of the person into sub, as a string: String(row.id).',
    ...ofToken((token) => {
      const { sub } = token.claims
      const isRight = typeof sub === 'string' && /^[\x20-\x7e]{1,255}$/.test(sub)
      return judge(token, isRight, `sub has ${String(sub).length} characters`, `sub is ${quote(sub)}`) // prettier-ignore
    }),
  },
  {
    id: 'id-token/same-person',
    clause: TEXT.unique,
    ...OF_AGAIN,
    change: 'Take sub from the identifier of the account, not from the session or the grant.',
    async run(on) {
      const { sub } = (await idTokenOf(on)).claims
      const again = await secondOf(on)
      return judge(again, sub === again.claims['sub'], 'both sign-ins have the same sub', `the first sign-in has ${quote(sub)}, and the second ${quote(again.claims['sub'])}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/other-person',
    clause: TEXT.unique,
    depth: 'people',
    shares: OF_OTHER,
    change: 'Take sub from the account that signed in, not from the client or the organization.',
    async run(on) {
      const other = await othersOf(on)
      const { sub } = (await idTokenOf(on)).claims
      return judge(other, other.claims['sub'] !== sub, 'two people have two subjects', `two people have the subject ${quote(sub)}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/hashes',
    clause: TEXT.hashes,
    change:
      'Hash the access token of the same response with the hash of alg, and encode the first half as base64url. Or leave at_hash out.',
    ...ofToken((token) => {
      const { header, claims, tokens } = token
      const values = { at_hash: tokens.accessToken, c_hash: tokens.code.code }
      const wrong = Object.entries(values).filter(([name, value]) => {
        const right = halfHash(String(header['alg']), value)
        return claims[name] !== undefined && right !== null && claims[name] !== right
      })
      if (wrong.length === 0) return held(token, `at_hash is ${quote(claims['at_hash'])}`)
      return violated(token, wrong.map(([name]) => `${name} is ${quote(claims[name])}`).join(', '))
    }),
  },
  {
    id: 'id-token/claims-of-scopes',
    clause: TEXT.scopes,
    depth: 'people',
    shares: [NARROW],
    change:
      'Write email into the ID token only if the scope email was granted; likewise for profile.',
    async run(on) {
      const token = read(await narrowTokens(on))
      const leaked = await leakedClaims(on, token.tokens, token.claims)
      return judge(token, leaked.length === 0, 'without further scopes the token has no claims of them', `without their scopes the token has ${leaked.join(', ')}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/no-access-token',
    clause: TEXT.exclusive,
    change:
      'Check typ, aud or the kind of the token where access tokens are verified, not only signature and issuer.',
    ...ofToken(async ({ jwt, tokens }, on) => {
      if ((await on.places()).length === 0) return notApplicable('no path is known that requires a token') // prettier-ignore
      const open = await openedBy(on, tokens.accessToken)
      if (open.length === 0) return notReached('no path takes the access token of the audit')
      const uses = await on.use(jwt)
      const taken = uses.filter(({ surface, isAccepted }) => isAccepted && open.includes(surface))
      const tried = (taken[0] ?? uses.find(({ surface }) => open.includes(surface)))!
      return judge(tried.answer, taken.length === 0, `refused at ${open.join(', ')}`, `the ID token is accepted at ${taken.map(({ surface }) => surface).join(', ')}`) // prettier-ignore
    }),
  },
]
