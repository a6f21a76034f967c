import { type Check } from '../check.js'
import { held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { claimsOf, signed, withAssertion } from '../engine/assertion.js'
import type { Audit, Changes } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { ask, denied, usualPage, whereOf } from './asking.js'
import { errorOf, hasTokens, isRefused, UNAUTHENTICATED } from './expect.js'

const PUSH = 'pushed_authorization_request_endpoint'
/** The algorithms of the profile. `Ed25519` is the newer name of `EdDSA` with that curve. */
const ALGORITHMS = ['PS256', 'ES256', 'EdDSA', 'Ed25519']
/** The lists of algorithms that the server accepts. */
const LISTS = [
  'token_endpoint_auth_signing_alg_values_supported',
  'dpop_signing_alg_values_supported',
]
/** Seconds by which the clock of a client may be ahead, and by which it may not. */
const [NEAR, FAR] = [8, 75]

const clause = (section: string, says: string) =>
  ({ document: 'FAPI 2.0 Security Profile', section, level: 'MUST', says }) as const

/** Stops as not applicable unless the metadata fits the profile: all clients sign, and all requests are pushed. */
async function requireProfile(on: Audit): Promise<void> {
  const { require_pushed_authorization_requests: isPushed } = await on.server()
  if (isPushed !== true || !(await on.takesSignersOnly()))
    throw new Stop(notApplicable('the metadata does not fit FAPI 2.0: it permits other clients than those that sign, or requests that are not pushed'))
} // prettier-ignore

/** Pushes a request that is right but for the changes, and for the claims of its assertion. */
async function push(
  on: Audit,
  changes: Changes = {},
  claims: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  await requireProfile(on)
  const client = await on.client()
  const endpoint = await on.endpoint(PUSH)
  const { issuer } = await on.server()
  if (client.key === undefined)
    throw new Stop(notReached('the first client has no private_jwk: give it in the file of --sign-in')) // prettier-ignore
  const assertion = await signed(client.key, claimsOf(client.clientId, String(issuer), claims))
  return on.form(endpoint, {
    ...Object.fromEntries(on.request(client).url.searchParams),
    ...withAssertion(assertion),
    ...changes,
  })
}

const isPushed = ({ json }: Answer): boolean => typeof json['request_uri'] === 'string'

const said = (answer: Answer): string => `${answer.status} ${errorOf(answer)}`.trim()

/** A right request that was pushed: without it, a refusal of a wrong one says nothing. */
const right = (on: Audit): Promise<Answer> =>
  on.once('right push', async () => {
    const answer = await push(on)
    if (isPushed(answer)) return answer
    throw new Stop(notReached(`a right request is pushed, and answered by ${said(answer)}`))
  })

/** Held if the server refuses what is pushed. */
async function refusesPush(on: Audit, what: string, ...changed: [Changes, object?]) {
  await right(on)
  const answer = await push(on, changed[0], { ...changed[1] })
  const found = `${what} is answered by ${said(answer)}`
  return judge(!isPushed(answer) && isRefused(answer), found, found)
}

/** Stops unless tokens are bound by proofs: a certificate binds them as well, and is not seen here. */
async function requireProofs(on: Audit): Promise<void> {
  await requireProfile(on)
  const [, list] = LISTS
  if ((await on.listOf(list!)).length === 0)
    throw new Stop(notApplicable(`the metadata names no ${list}`))
  if ((await on.client()).proof === undefined)
    throw new Stop(notReached('the first client has no dpop_bound_access_tokens: give it in the file of --sign-in')) // prettier-ignore
}

/** Held if a request without a proof gets no token. */
function nothingUnbound(answer: Answer, what: string) {
  const found = `${what} is answered by ${said(answer)}`
  return judge(!hasTokens(answer), found, `${found} and a token that no key protects`)
}

/** The profile for what is worth an attack. It leaves open nothing that a client could get wrong. */
export const fapi2: readonly Check[] = [
  {
    id: 'fapi2/algorithms',
    clause: clause('5.4.1', 'Assertions and proofs are signed with PS256, ES256 or EdDSA.'),
    depth: 'passive',
    change: `Name no other algorithm in ${LISTS.join(' and ')}, and accept no other.`,
    async run(on) {
      await requireProfile(on)
      const named = (await Promise.all(LISTS.map((list) => on.listOf(list)))).flat()
      const others = named.filter((one) => !ALGORITHMS.includes(one))
      return judge(others.length === 0, `the metadata names ${[...new Set(named)].join(', ')}`, `the metadata names ${others.join(', ')}`) // prettier-ignore
    },
  },
  {
    id: 'fapi2/pushed-only',
    clause: clause('5.3.2.2', 'An authorization request that was not pushed is refused.'),
    depth: 'people',
    change: 'Refuse an authorization request without a request_uri of yours with invalid_request.',
    async run(on) {
      await requireProfile(on)
      // A right request and a denial, to compare with.
      await usualPage(on, null)
      await denied(on)
      const asked = await on.unpushed(() => ask(on, {}))
      const where = `a request in the query: ${whereOf(asked)}`
      if (asked.isUnclear) return notReached(where)
      return asked.isTaken ? violated(where) : held(where)
    },
  },
  {
    id: 'fapi2/push-authenticated',
    clause: clause('5.3.2.2', 'A request that its client pushes without authentication is refused.'),
    depth: 'anonymous',
    change: 'Authenticate the client at the PAR endpoint before you read the request.',
    run: (on) =>
      refusesPush(on, 'a push without an assertion', { ...UNAUTHENTICATED, client_assertion_type: null }),
  },
  {
    id: 'fapi2/push-redirect-uri',
    clause: clause('5.3.2.2', 'A request that is pushed has a redirect_uri, also if the client has only one.'),
    depth: 'anonymous',
    change: 'Require redirect_uri at the PAR endpoint.',
    run: (on) => refusesPush(on, 'a push without redirect_uri', { redirect_uri: null }),
  },
  {
    id: 'fapi2/push-lifetime',
    clause: clause('5.3.2.2', 'A request_uri can be used for less than 600 seconds.'),
    depth: 'anonymous',
    change: 'Keep a pushed request for a minute or so, and name that in expires_in.',
    async run(on) {
      const answer = await right(on)
      on.show(answer)
      const seconds = answer.json['expires_in']
      const found = `expires_in is ${JSON.stringify(seconds)}`
      return judge(typeof seconds === 'number' && seconds < 600, found, found)
    },
  },
  {
    id: 'fapi2/assertion-audience',
    clause: clause('5.3.2.1', 'The audience of an assertion is the issuer, as one text and not in a list.'),
    depth: 'anonymous',
    change: 'Compare aud with your issuer. Refuse a list, and the URL of an endpoint, which another server could name as its own.',
    async run(on) {
      const [{ issuer }, endpoint] = [await on.server(), await on.optionalEndpoint('token_endpoint')]
      const several = await refusesPush(on, 'the issuer and another audience', {}, { aud: [issuer, 'https://audit.invalid'] })
      if (several.verdict !== 'held') return several
      return refusesPush(on, 'the URL of the token endpoint as the audience', {}, { aud: endpoint })
    },
  },
  {
    id: 'fapi2/clock-ahead',
    clause: clause('5.3.2.1', 'The clock of a client may be ten seconds ahead, and not more than a minute.'),
    depth: 'anonymous',
    change: 'Accept iat and nbf of up to ten seconds from now, and refuse those of more than sixty.',
    async run(on) {
      await right(on)
      const now = Math.floor(Date.now() / 1000)
      const ahead = (seconds: number) => ({ iat: now + seconds, nbf: now + seconds, exp: now + seconds + 60 })
      const near = await push(on, {}, ahead(NEAR))
      if (!isPushed(near)) return violated(`an assertion of a clock ${NEAR} seconds ahead is answered by ${said(near)}`)
      return refusesPush(on, `an assertion of a clock ${FAR} seconds ahead`, {}, ahead(FAR))
    },
  },
  {
    id: 'fapi2/issuer-identified',
    clause: clause('5.3.2.2', 'The authorization response has iss, whatever the metadata promises.'),
    depth: 'people',
    change: 'Add iss, with the issuer of the metadata, wherever you redirect to a client.',
    async run(on) {
      await requireProfile(on)
      const { code, answer } = await on.sharedTokens()
      on.show(code.page.answers.at(-1) ?? answer)
      const iss = code.parameters?.get('iss') ?? null
      return judge(iss === (await on.server())['issuer'], `iss is ${iss}`, `iss is ${iss ?? 'missing'}`)
    },
  },
  {
    id: 'fapi2/code-without-proof',
    clause: clause('5.3.2.1', 'Only tokens that are bound to a key are issued: a code without a proof gets none.'),
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Require a DPoP proof, or a certificate, of every request to the token endpoint.',
    async run(on) {
      await requireProofs(on)
      const fields = on.redemption(await on.code())
      return nothingUnbound(await on.form(await on.endpoint('token_endpoint'), fields, { dpop: '' }), 'a code without a proof')
    },
  },
  {
    id: 'fapi2/refresh-without-proof',
    clause: clause('5.3.2.1', 'Only tokens that are bound to a key are issued: a refresh without a proof gets none.'),
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Require a DPoP proof, or a certificate, of every refresh too.',
    async run(on) {
      await requireProofs(on)
      const tokens = await on.tokens()
      const answer = await on.refresh(tokens, {}, { dpop: '' })
      return nothingUnbound(answer, 'a refresh without a proof')
    },
  },
] // prettier-ignore
