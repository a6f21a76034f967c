import { type Check } from '../check.js'
import { ADVICE, AS, MUST, rfc7636, rfc9700, SHOULD, SHOULD_NOT } from '../clause.js'
import { type Finding, held, judge, notApplicable, notReached, violated } from '../finding.js'
import { type Audit, type Changes, describe, type Ended } from '../engine/audit.js'
import { challengeOf, newSecret } from '../engine/random.js'
import { ask as askAs, open } from './asking.js'
import { firstNotHeld, hasTokens, nothingFor, refusalOf, refusedRequest } from './expect.js'

// prettier-ignore
const TEXT = {
  methods: rfc9700('2.1.1', SHOULD, AS, 'It is RECOMMENDED for authorization servers to publish the element code_challenge_methods_supported in their Authorization Server Metadata [RFC8414] containing the supported PKCE challenge methods (which can be used by the client to detect PKCE support).'),
  noPlain: rfc9700('2.1.1', ADVICE, AS, 'Clients should use only S256, so that a server that names plain only invites mistakes.'),
  required: rfc9700('2.1.1', ADVICE, AS, 'Public clients must use PKCE. A server that issues no code without a challenge protects those that forget it, and is what OAuth 2.1 and FAPI 2.0 require.'),
  refusal: rfc7636('4.4.1', MUST, AS, 'If the server requires Proof Key for Code Exchange (PKCE) by OAuth public clients and the client does not send the "code_challenge" in the request, the authorization endpoint MUST return the authorization error response with the "error" value set to "invalid_request".'),
  method: rfc7636('4.4.1', MUST, AS, 'If the server supporting PKCE does not support the requested transformation, the authorization endpoint MUST return the authorization error response with "error" value set to "invalid_request".'),
  challenge: rfc7636('4.2', ADVICE, AS, 'A challenge has 43 to 128 unreserved characters. Clients have to send it so, and a server that looks finds their mistakes.'),
  plain: rfc7636('7.2', SHOULD_NOT, AS, 'The "plain" method SHOULD NOT be used in new implementations, unless they cannot support "S256" for some technical reason.'),
  enforced: rfc9700('2.1.1', MUST, AS, 'If a client sends a valid PKCE code_challenge parameter in the authorization request, the authorization server MUST enforce the correct usage of code_verifier at the token endpoint.'),
  equal: rfc7636('4.6', MUST, AS, 'If the values are not equal, an error response indicating "invalid_grant" as described in Section 5.2 of [RFC6749] MUST be returned.'),
  verifier: rfc7636('4.1', ADVICE, AS, 'A verifier has 43 to 128 unreserved characters. Clients have to send it so, and a server that looks finds those that can be guessed.'),
  associated: rfc7636('4.4', MUST, AS, 'When the server issues the authorization code in the authorization response, it MUST associate the "code_challenge" and "code_challenge_method" values with the authorization code so it can be verified later.'),
  downgrade: rfc9700('2.1.1', MUST, AS, 'Authorization servers MUST mitigate PKCE downgrade attacks by ensuring that a token request containing a code_verifier parameter is accepted only if a code_challenge parameter was present in the authorization request'),
}
const REQUIRE =
  'Store the challenge with the code, and compare the SHA-256 of the verifier with it in constant time.'
const WITHOUT = { shares: [{ name: 'a request without a challenge', authorizations: 2 }] } as const
const S256_ALONE =
  'Refuse every authorization request whose code_challenge_method is not S256, also one that has none: its default is plain.'

/** Proof Key for Code Exchange: who redeems a code must be who asked for it. */
export const pkce: readonly Check[] = [
  {
    id: 'pkce/s256-named',
    clause: TEXT.methods,
    depth: 'passive',
    change:
      'Publish "code_challenge_methods_supported": ["S256"]. MCP clients refuse a server without it.',
    async run(on) {
      const answer = await on.serverAnswer()
      const methods = await on.listOf('code_challenge_methods_supported')
      return judge(answer, methods.includes('S256'), `it lists ${methods.join(', ')}`, `code_challenge_methods_supported is ${JSON.stringify(methods)}`) // prettier-ignore
    },
  },
  {
    id: 'pkce/plain-not-named',
    clause: TEXT.noPlain,
    depth: 'passive',
    change: 'Remove "plain" from code_challenge_methods_supported, and refuse it.',
    async run(on) {
      const answer = await on.serverAnswer()
      const methods = await on.listOf('code_challenge_methods_supported')
      return judge(answer, !methods.includes('plain'), 'it does not list plain', 'it lists plain')
    },
  },
  {
    id: 'pkce/challenge-required',
    clause: TEXT.required,
    depth: 'people',
    ...WITHOUT,
    change: 'Refuse an authorization request without code_challenge with invalid_request.',
    async run(on) {
      const ended = await withoutChallenge(on)
      return codeOf(ended) === null
        ? withoutCode(ended)
        : violated(ended, `a request without a challenge: ${describe(ended)}`)
    },
  },
  {
    id: 'pkce/challenge-error',
    clause: TEXT.refusal,
    depth: 'people',
    ...WITHOUT,
    change: 'Refuse an authorization request without code_challenge with invalid_request.',
    async run(on) {
      const ended = await withoutChallenge(on)
      return codeOf(ended) === null
        ? refusedRequest(ended, ['invalid_request'], 'no challenge')
        : notApplicable('the server does not require PKCE', ended)
    },
  },
  {
    id: 'pkce/unknown-method',
    clause: TEXT.method,
    depth: 'people',
    creates: { authorizations: 2 },
    change: S256_ALONE,
    run: (on) =>
      firstNotHeld(['S512', 's256'], async (code_challenge_method) =>
        refusedRequest(
          await ask(on, { code_challenge_method }),
          ['invalid_request'],
          `the method ${code_challenge_method}`,
        ),
      ),
  },
  {
    id: 'pkce/malformed-challenge',
    clause: TEXT.challenge,
    depth: 'people',
    creates: { authorizations: 2 },
    change: 'Refuse a code_challenge that is not 43 characters of base64url with invalid_request.',
    async run(on) {
      const challenge = challengeOf(newSecret())
      const malformed = { short: challenge.slice(0, 42), padded: `${challenge.slice(0, 42)}+=` }
      return firstNotHeld(Object.entries(malformed), async ([kind, code_challenge]) =>
        refusedRequest(
          await ask(on, { code_challenge }),
          ['invalid_request'],
          `a ${kind} challenge`,
        ),
      )
    },
  },
  {
    id: 'pkce/plain',
    clause: TEXT.plain,
    depth: 'people',
    creates: { authorizations: 1 },
    change: S256_ALONE,
    async run(on) {
      const verifier = newSecret()
      const ended = await ask(on, { code_challenge: verifier, code_challenge_method: 'plain' })
      return notByItself(on, ended, verifier)
    },
  },
  {
    id: 'pkce/method-omitted',
    clause: TEXT.plain,
    depth: 'people',
    creates: { authorizations: 1 },
    change: S256_ALONE,
    async run(on) {
      const challenge = challengeOf(newSecret())
      const ended = await ask(on, { code_challenge: challenge, code_challenge_method: null })
      return notByItself(on, ended, challenge)
    },
  },
  {
    id: 'pkce/missing-verifier',
    clause: TEXT.enforced,
    depth: 'people',
    creates: { authorizations: 2 },
    change: REQUIRE,
    async run(on) {
      await on.sharedTokens()
      return firstNotHeld([null, ''], async (code_verifier) => {
        const answer = await on.redeem(await on.code(), { code_verifier })
        return nothingFor(
          answer,
          `a code ${code_verifier === null ? 'without' : 'with an empty'} verifier`,
        )
      })
    },
  },
  {
    id: 'pkce/wrong-verifier',
    clause: TEXT.equal,
    depth: 'people',
    creates: { authorizations: 3 },
    change: REQUIRE,
    async run(on) {
      await on.sharedTokens()
      const wrong = [
        newSecret,
        (right: string) => `${right}x`,
        (right: string) => right.toUpperCase(),
      ]
      return firstNotHeld(wrong, async (verifierOf) => {
        const code = await on.code()
        const answer = await on.redeem(code, { code_verifier: verifierOf(code.verifier) })
        return refusalOf(answer, ['invalid_grant'], 'a wrong verifier')
      })
    },
  },
  {
    id: 'pkce/short-verifier',
    clause: TEXT.verifier,
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Refuse a code_verifier that is not 43 to 128 characters of A-Z a-z 0-9 - . _ ~.',
    async run(on) {
      const verifier = newSecret().slice(0, 20)
      const ended = await ask(on, { code_challenge: challengeOf(verifier) })
      const code = codeOf(ended)
      if (code === null) return withoutCode(ended)
      const answer = await on.redeem({ ...ended, code }, { code_verifier: verifier })
      return nothingFor(answer, 'a verifier of 20 characters')
    },
  },
  {
    id: 'pkce/verifier-of-another-code',
    clause: TEXT.associated,
    depth: 'people',
    creates: { authorizations: 2 },
    change:
      'Store the challenge in the row of the code. In a session, or one for each client, the next request replaces it.',
    async run(on) {
      await on.sharedTokens()
      const earlier = await on.code({ person: 0 })
      const { verifier } = await on.code({ person: 0 })
      const answer = await on.redeem(earlier, { code_verifier: verifier })
      return nothingFor(answer, 'the verifier of the next request')
    },
  },
  {
    id: 'pkce/verifier-without-challenge',
    clause: TEXT.downgrade,
    depth: 'people',
    ...WITHOUT,
    change: 'Require code_challenge in every authorization request.',
    async run(on) {
      const ended = await withoutChallenge(on)
      const code = codeOf(ended)
      if (code === null) return withoutCode(ended)
      const answer = await on.redeem({ ...ended, code })
      return nothingFor(answer, 'a verifier for the code of a request without a challenge')
    },
  },
]

const codeOf = ({ parameters }: Ended): string | null => parameters?.get('code') ?? null

/** Sends a request. Stops unless a right one leads to tokens: without that, a refusal says nothing. */
async function ask(on: Audit, changes: Changes): Promise<Ended> {
  await on.sharedTokens()
  return on.authorize({ changes })
}

/** Sends requests without a challenge in several shapes: that which led to a code, or the plainest one. */
const withoutChallenge = (on: Audit): Promise<Ended> =>
  on.once(WITHOUT.shares[0].name, async () => {
    await on.sharedTokens()
    const none = { code_challenge: null, code_challenge_method: null }
    const silent = await open(on, 0, { ...none, prompt: 'none' })
    if (silent.isIssued) return silent
    const posted = await askAs(on, none, undefined, 'POST')
    return posted.isIssued ? posted : ask(on, none)
  })

/** Held if an error is why a request led to no code. */
function withoutCode(ended: Ended): Finding {
  const { status } = ended.page
  const isRefusal = ended.parameters?.has('error') ?? (status >= 400 && status < 500)
  const found = `there is no code: ${describe(ended)}`
  return isRefusal ? held(ended, found) : notReached(found, ended)
}

/** Held if a challenge does not redeem the code of its request, as a verifier. */
async function notByItself(on: Audit, ended: Ended, challenge: string): Promise<Finding> {
  const code = codeOf(ended)
  if (code === null) return withoutCode(ended)
  const answer = await on.redeem({ ...ended, code }, { code_verifier: challenge })
  return judge(
    answer,
    !hasTokens(answer),
    `the challenge does not redeem the code: ${answer.status}`,
    'anyone who has seen the authorization request can redeem its code',
  )
}
