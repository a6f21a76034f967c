import { compactVerify, importJWK } from 'jose'
import { type Check } from '../check.js'
import { ADVICE, AS, MUST, oidcCore, rfc6749, rfc9700, SHOULD } from '../clause.js'
import { type Finding, held, notApplicable, type Shown, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import type { Metadata } from '../engine/discovery.js'
import type { Answer } from '../engine/http.js'
import { partOf } from './expect.js'

// prettier-ignore
const TEXT = {
  signature: oidcCore('10.1', MUST, AS, 'The private key used to sign the content MUST be associated with a public key used for signature verification published by the sender in its JWK Set document.'),
  retained: oidcCore('10.1.1', SHOULD, AS, 'The JWK Set document at the "jwks_uri" SHOULD retain recently decommissioned signing keys for a reasonable period of time to facilitate a smooth transition.'),
  stored: rfc6749('5.1', MUST, AS, 'The authorization server MUST include the HTTP "Cache-Control" response header field [RFC2616] with a value of "no-store" in any response containing tokens, credentials, or other sensitive information, as well as the "Pragma" response header field [RFC2616] with a value of "no-cache".'),
  idToken: oidcCore('2', ADVICE, AS, 'An ID token describes a sign-in that has just happened. One that lives for a year can be misused for a year.'),
  accessToken: rfc9700('2.2', ADVICE, AS, 'Who finds an access token can use it until it expires: it lives an hour or so, and not more than a day.'),
}

/** The longest that a token should live, in seconds: one day. */
const LONGEST = 86_400
/** Tokens that are refreshed, so that answers to both grants are read. */
const REFRESHED = { name: 'tokens that are refreshed', authorizations: 1 } as const
const OF_ALL = { depth: 'people', shares: [REFRESHED] } as const

/** Every answer with tokens of the audit so far, one to a refresh among them. */
async function answersOf(on: Audit): Promise<readonly Answer[]> {
  await on.once(REFRESHED.name, async () => on.refresh(await on.tokens({ person: 0 })).catch(() => null)) // prettier-ignore
  return on.received.answers.filter(({ json }) => typeof json['access_token'] === 'string')
}

/** An ID token, and the answer that it came with. */
interface IdToken extends Shown {
  readonly jwt: string
  readonly header: Readonly<Record<string, unknown>>
}

const idTokensOf = async (on: Audit): Promise<readonly IdToken[]> =>
  (await answersOf(on)).flatMap(({ json: { id_token: jwt }, exchange }) =>
    typeof jwt === 'string' ? [{ jwt, exchange, header: partOf(jwt, 0) }] : [],
  )

/** The keys before the first token, and those after the last one. */
const keysOf = (on: Audit) =>
  on.once('keys at the end', async () => {
    const { json } = await on.send(await on.endpoint('jwks_uri'))
    return { before: await on.keys(), after: Array.isArray(json['keys']) ? (json['keys'] as Metadata[]) : [] } // prettier-ignore
  })

/** Whether the signature is right for one of the keys, and with the algorithm of the header. */
async function isSignedBy({ jwt, header }: IdToken, keys: readonly Metadata[]): Promise<boolean> {
  const { alg, kid } = header
  // A key that is published with its private part is the subject of another check.
  for (const { d: _, ...key } of keys) {
    if (kid !== undefined && key['kid'] !== undefined && key['kid'] !== kid) continue
    const isRight = await importJWK(key, String(alg)).then((one) => compactVerify(jwt, one)).catch(() => null) // prettier-ignore
    if (isRight !== null) return true
  }
  return false
}

/** Looks at each of what came: says what is wrong with the first one that is. */
async function ofEach<One extends Shown>(
  all: readonly One[],
  good: string,
  fault: (one: One) => Promise<string | null> | string | null,
): Promise<Finding> {
  for (const one of all) {
    const why = await fault(one)
    if (why !== null) return violated(one, why)
  }
  const last = all.at(-1)
  return last === undefined ? notApplicable('the server issued none') : held(last, `${good} (${all.length})`) // prettier-ignore
}

/** An answer with tokens has a header field with a directive. */
const storing = (name: string, field: string, directive: string, change: string): Check => ({
  id: `headers/${name}`,
  clause: TEXT.stored,
  ...OF_ALL,
  change,
  run: async (on) =>
    ofEach(await answersOf(on), `every answer with tokens has ${directive}`, ({ headers, url }) => {
      const value = headers.get(field)
      const isThere = value?.split(',').some((one) => one.trim().toLowerCase() === directive)
      return isThere ? null : `${url.pathname} answers with tokens and ${field}: ${value ?? 'missing'}` // prettier-ignore
    }),
})

/** Everything that was issued in the audit, and not the first of it. */
export const received: readonly Check[] = [
  storing(
    'tokens-not-stored',
    'cache-control',
    'no-store',
    'Send Cache-Control: no-store with every answer of the token endpoint, also to a refresh.',
  ),
  storing(
    'tokens-not-stored-by-old-caches',
    'pragma',
    'no-cache',
    'Send Pragma: no-cache with every answer of the token endpoint. OAuth 2.1 no longer asks for it, RFC 6749 does.',
  ),
  {
    id: 'id-token/signature',
    clause: TEXT.signature,
    ...OF_ALL,
    change:
      'Sign with a private key whose public part is in the document at jwks_uri, under the kid and the alg of the header, in every process of the server.',
    async run(on) {
      const tokens = (await idTokensOf(on)).filter(({ header }) => !String(header['alg']).startsWith('HS')) // prettier-ignore
      const { before, after } = await keysOf(on)
      return ofEach(tokens, 'a published key verifies every ID token', async (token) => {
        if (await isSignedBy(token, [...before, ...after])) return null
        const { alg, kid } = token.header
        return `no key verifies an ID token with the alg ${String(alg)} and the kid ${String(kid)}: ${before.length} were published at first, and ${after.length} after it` // prettier-ignore
      })
    },
  },
  {
    id: 'key-set/retained',
    clause: TEXT.retained,
    ...OF_ALL,
    change:
      'Keep the public part of a key in the document at jwks_uri until the last token that it has signed is over.',
    async run(on) {
      const tokens = await idTokensOf(on)
      const { before, after } = await keysOf(on)
      return ofEach(tokens, 'the keys of all ID tokens are there', async (token) => {
        // One that no key verifies is the subject of another check.
        const isGone = (await isSignedBy(token, before)) && !(await isSignedBy(token, after))
        return isGone ? `the key ${String(token.header['kid'])}, which has signed an ID token, is no longer there` : null // prettier-ignore
      })
    },
  },
  {
    id: 'id-token/lifetime',
    clause: TEXT.idToken,
    ...OF_ALL,
    change: 'Set exp some minutes after iat: an ID token is read once.',
    run: async (on) =>
      ofEach(await idTokensOf(on), 'no ID token lives longer than a day', ({ jwt }) => {
        const { exp, iat } = partOf(jwt, 1)
        const seconds = Number(exp) - Number(iat)
        // A time in milliseconds is the subject of another check.
        return seconds > LONGEST && Number(exp) < 1e11 ? `an ID token lives ${seconds} s` : null
      }),
  },
  {
    id: 'token/lifetime',
    clause: TEXT.accessToken,
    ...OF_ALL,
    change: 'Issue access tokens for an hour or less, and refresh tokens for clients that act for longer.', // prettier-ignore
    run: async (on) =>
      ofEach(await answersOf(on), 'no access token lives longer than a day', ({ json, url }) => {
        const seconds = Number(json['expires_in'])
        return seconds > LONGEST ? `${url.pathname} issues an access token for ${seconds} s` : null
      }),
  },
]
