import { type Check } from '../check.js'
import { AS, fapi2Profile, MUST } from '../clause.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { claimsOf, createSigningKey, readSigningKey, signed, type SigningKey, withAssertion } from '../engine/assertion.js' // prettier-ignore
import { type Audit, type Changes, type Client, describe } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { ask as askRequest, ASKS, usualPage } from './asking.js'
import { ask } from './bound.js'
import { errorOf, firstNotHeld, hasTokens, isRefused, UNAUTHENTICATED } from './expect.js'

const GENERAL = '5.3.2.1'
const AUTHORIZATION = '5.3.2.2'
// prettier-ignore
const TEXT = {
  // From the fourth draft: the text of the final document was not to be had for this item.
  algorithms: fapi2Profile('5.4.1', MUST, AS, 'The following requirements apply to cryptographic operations and secrets: … Authorization servers, clients, and resource servers when creating or processing JWTs shall … use PS256, ES256, or EdDSA (using the Ed25519 variant) algorithms'),
  pushedOnly: fapi2Profile(AUTHORIZATION, MUST, AS, 'authorization servers … shall reject authorization requests sent without [RFC9126]'),
  authenticated: fapi2Profile(AUTHORIZATION, MUST, AS, 'authorization servers … shall reject pushed authorization requests without client authentication'),
  // From the fourth draft, as above.
  redirectUri: fapi2Profile(AUTHORIZATION, MUST, AS, 'authorization servers … shall require the redirect_uri parameter in pushed authorization requests'),
  lifetime: fapi2Profile(AUTHORIZATION, MUST, AS, 'authorization servers … shall issue pushed authorization requests request_uri with expires_in values of less than 600 seconds'),
  audience: fapi2Profile(GENERAL, MUST, AS, 'Authorization servers … shall only accept its issuer identifier value (as defined in [RFC8414]) as a string in the aud claim received in client authentication assertions'),
  clocks: fapi2Profile(GENERAL, MUST, AS, 'Authorization servers … to accommodate clock offsets, shall accept JWTs with an iat or nbf timestamp between 0 and 10 seconds in the future but shall reject JWTs with an iat or nbf timestamp greater than 60 seconds in the future.'),
  issuer: fapi2Profile(AUTHORIZATION, MUST, AS, 'authorization servers … shall return an iss parameter in the authorization response according to [RFC9207]'),
  constrained: fapi2Profile(GENERAL, MUST, AS, 'Authorization servers … shall only issue sender-constrained access tokens'),
}
const PUSH = 'pushed_authorization_request_endpoint'
/** The algorithms of the profile. `Ed25519` is the newer name of `EdDSA` with that curve. */
const ALGORITHMS = ['PS256', 'ES256', 'EdDSA', 'Ed25519']
/** The lists of algorithms that the server accepts. */
const LISTS = ['token_endpoint_auth_signing_alg_values_supported', 'dpop_signing_alg_values_supported'] as const // prettier-ignore
/** Seconds by which the clock of a client may be ahead, and by which it may not. */
const [NEAR, FAR] = [8, 75]

/** Stops as not applicable unless the metadata fits the profile: all clients sign, and all requests are pushed. */
async function requireProfile(on: Audit): Promise<void> {
  const { require_pushed_authorization_requests: isPushed } = await on.server()
  if (isPushed !== true || !(await on.takesSignersOnly()))
    throw new Stop(notApplicable('the metadata does not fit FAPI 2.0: it permits other clients than those that sign, or requests that are not pushed', await on.serverAnswer()))
} // prettier-ignore

/** A client, and a key that may be another one than its own. */
interface As {
  readonly client: Client
  readonly key: SigningKey
}

/** Pushes a request that is right but for the changes, and for the claims of its assertion or its key. */
async function push(
  on: Audit,
  changes: Changes = {},
  claims: Readonly<Record<string, unknown>> = {},
  as?: As,
): Promise<Answer> {
  await requireProfile(on)
  const client = as?.client ?? (await on.client())
  const key = as?.key ?? client.key
  if (key === undefined)
    throw new Stop(notReached('the first client has no private_jwk: give it in the file of --sign-in')) // prettier-ignore
  const { issuer } = await on.server()
  const assertion = await signed(key, claimsOf(client.clientId, String(issuer), claims))
  return on.form(await on.endpoint(PUSH), {
    ...Object.fromEntries(on.request(client).url.searchParams),
    ...withAssertion(assertion),
    ...changes,
  })
}

const uriOf = ({ json }: Answer): string | null =>
  typeof json['request_uri'] === 'string' ? json['request_uri'] : null

const said = (answer: Answer): string => `${answer.status} ${errorOf(answer)}`.trim()

/** A right request that was pushed: without it, a refusal of a wrong one says nothing. */
const right = (on: Audit): Promise<Answer> =>
  on.once('right push', async () => {
    const answer = await push(on)
    if (uriOf(answer) !== null) return answer
    throw new Stop(notReached(`a right request is pushed, and answered by ${said(answer)}`, answer))
  })

/** Held if the server refuses what is pushed. */
async function refusesPush(
  on: Audit,
  what: string,
  changes: Changes,
  claims: Readonly<Record<string, unknown>> = {},
  as?: As,
): Promise<Finding> {
  await right(on)
  const answer = await push(on, changes, claims, as)
  const found = `${what} is answered by ${said(answer)}`
  return judge(answer, uriOf(answer) === null && isRefused(answer), found, found)
}

/** A client with an RSA key, and this key for RS256. Stops if there is none, and none can be registered. */
async function rs256(on: Audit): Promise<As> {
  for (const name of ['first', 'second', 'confidential'] as const) {
    const jwk = on.signIn?.clients?.[name]?.private_jwk
    if (jwk?.['kty'] === 'RSA')
      return { client: await on.client(name), key: await readSigningKey({ ...jwk, alg: 'RS256' }, []) } // prettier-ignore
  }
  const key = await createSigningKey(['RS256'])
  const { alg: _, ...jwk } = key.publicJwk
  const client = await on.newClient({ token_endpoint_auth_signing_alg: undefined, jwks: { keys: [jwk] } }) // prettier-ignore
  return { client, key }
}

/** Stops unless tokens are bound by proofs: a certificate binds them as well, and is not seen here. */
async function requireProofs(on: Audit): Promise<void> {
  await requireProfile(on)
  const [, list] = LISTS
  if ((await on.listOf(list)).length === 0)
    throw new Stop(notApplicable(`the metadata names no ${list}`))
  if ((await on.client()).proof === undefined)
    throw new Stop(notReached('the first client has no dpop_bound_access_tokens: give it in the file of --sign-in')) // prettier-ignore
}

/** Held if a request without a proof gets no token. */
function nothingUnbound(answer: Answer, what: string): Finding {
  const found = `${what} is answered by ${said(answer)}`
  return judge(answer, !hasTokens(answer), found, `${found} and a token that no key protects`)
}

/** The profile for what is worth an attack. It leaves open nothing that a client could get wrong. */
export const fapi2: readonly Check[] = [
  {
    id: 'fapi2/algorithms', clause: TEXT.algorithms, depth: 'passive',
    change: `Name no other algorithm in ${LISTS.join(' and ')}, and accept no other.`,
    async run(on) {
      await requireProfile(on)
      const named = (await Promise.all(LISTS.map((list) => on.listOf(list)))).flat()
      const others = named.filter((one) => !ALGORITHMS.includes(one))
      return judge(await on.serverAnswer(), others.length === 0, `the metadata names ${[...new Set(named)].join(', ')}`, `the metadata names ${others.join(', ')}`)
    },
  },
  {
    id: 'fapi2/rs256', clause: TEXT.algorithms, depth: 'anonymous', creates: { clients: 1 },
    change: 'Give the JWT library the list of algorithms, without RS256: the key of a client is the same for RS256 and PS256.',
    async run(on) {
      await right(on)
      return refusesPush(on, 'an assertion with RS256', {}, {}, await rs256(on))
    },
  },
  {
    id: 'fapi2/pushed-only', clause: TEXT.pushedOnly, depth: 'people', creates: ASKS,
    change: 'Refuse an authorization request without a request_uri of yours with invalid_request.',
    async run(on) {
      await requireProfile(on)
      // A right request, to compare with.
      await usualPage(on, null)
      const asked = await on.unpushed(() => askRequest(on, {}))
      const where = `a request in the query: ${describe(asked)}`
      if (asked.isIssued) return violated(asked, where)
      const isRefused = asked.parameters?.has('error') || asked.page.status >= 400
      return isRefused ? held(asked, where) : notReached(where, asked)
    },
  },
  {
    id: 'fapi2/push-authenticated', clause: TEXT.authenticated, depth: 'anonymous',
    change: 'Authenticate the client at the PAR endpoint before you read the request.',
    run: (on) =>
      refusesPush(on, 'a push without an assertion', { ...UNAUTHENTICATED, client_assertion_type: null }),
  },
  {
    id: 'fapi2/push-redirect-uri', clause: TEXT.redirectUri, depth: 'anonymous',
    change: 'Require redirect_uri at the PAR endpoint.',
    run: (on) => refusesPush(on, 'a push without redirect_uri', { redirect_uri: null }),
  },
  {
    id: 'fapi2/push-lifetime', clause: TEXT.lifetime, depth: 'anonymous',
    change: 'Keep a pushed request for a minute or so, and name that in expires_in.',
    async run(on) {
      const answer = await right(on)
      const seconds = answer.json['expires_in']
      const found = `expires_in is ${JSON.stringify(seconds)}`
      return judge(answer, typeof seconds === 'number' && seconds < 600, found, found)
    },
  },
  {
    id: 'fapi2/assertion-audience', clause: TEXT.audience, depth: 'anonymous',
    change: 'Compare aud with your issuer. Refuse a list, and the URL of an endpoint, which another server could name as its own.',
    async run(on) {
      const { issuer } = await on.server()
      const audiences = {
        'the issuer and another audience': [issuer, 'https://audit.invalid'],
        'the URL of the token endpoint as the audience': await on.endpoint('token_endpoint'),
        'the URL of the PAR endpoint as the audience': await on.endpoint(PUSH),
      }
      return firstNotHeld(Object.entries(audiences), async ([what, aud]) => refusesPush(on, what, {}, { aud }))
    },
  },
  {
    id: 'fapi2/clock-ahead', clause: TEXT.clocks, depth: 'anonymous',
    change: 'Accept iat and nbf of up to ten seconds from now, in assertions and in proofs, and refuse those of more than sixty.',
    async run(on) {
      await right(on)
      const now = Math.floor(Date.now() / 1000)
      const ahead = (seconds: number) => ({ iat: now + seconds, nbf: now + seconds, exp: now + seconds + 60 })
      const near = await push(on, {}, ahead(NEAR))
      if (uriOf(near) === null) return violated(near, `an assertion of a clock ${NEAR} seconds ahead is answered by ${said(near)}`)
      const client = await on.client()
      if (client.proof !== undefined) {
        const fields = Object.fromEntries(on.request(client).url.searchParams)
        const proved = await ask(on, PUSH, fields, client.proof, { claims: { iat: now + NEAR } })
        if (uriOf(proved) === null) return violated(proved, `a proof of a clock ${NEAR} seconds ahead is answered by ${said(proved)}`)
      }
      return refusesPush(on, `an assertion of a clock ${FAR} seconds ahead`, {}, ahead(FAR))
    },
  },
  {
    id: 'fapi2/issuer-identified', clause: TEXT.issuer, depth: 'people',
    change: 'Add iss, with the issuer of the metadata, wherever you redirect to a client.',
    async run(on) {
      await requireProfile(on)
      const { code } = await on.sharedTokens()
      const iss = code.parameters?.get('iss') ?? null
      return judge(code, iss === (await on.server())['issuer'], `iss is ${iss}`, `iss is ${iss ?? 'missing'}`)
    },
  },
  {
    id: 'fapi2/code-without-proof', clause: TEXT.constrained, depth: 'people',
    creates: { authorizations: 1 },
    change: 'Require a DPoP proof, or a certificate, of every request to the token endpoint.',
    async run(on) {
      await requireProofs(on)
      const fields = on.redemption(await on.code())
      return nothingUnbound(await on.form(await on.endpoint('token_endpoint'), fields, { dpop: '' }), 'a code without a proof')
    },
  },
  {
    id: 'fapi2/refresh-without-proof', clause: TEXT.constrained, depth: 'people',
    creates: { authorizations: 1 },
    change: 'Require a DPoP proof, or a certificate, of every refresh too.',
    async run(on) {
      await requireProofs(on)
      const answer = await on.refresh(await on.tokens(), {}, { dpop: '' })
      return nothingUnbound(answer, 'a refresh without a proof')
    },
  },
] // prettier-ignore
