import { type Check } from '../check.js'
import { type Finding, held, judge, notReached } from '../finding.js'
import { type Audit, type Changes, describe, type Ended } from '../engine/audit.js'
import { challengeOf, newSecret } from '../engine/random.js'
import { hasTokens, nothingFor, refusalOf, refusedRequest } from './expect.js'

const REQUIRE =
  'Store the challenge with the code, and compare the SHA-256 of the verifier with it in constant time.'
const WITHOUT = { shares: [{ name: 'a request without a challenge', authorizations: 1 }] } as const
const S256_ALONE =
  'Refuse every authorization request whose code_challenge_method is not S256, also one that has none: its default is plain.'

/** Proof Key for Code Exchange: who redeems a code must be who asked for it. */
export const pkce: readonly Check[] = [
  {
    id: 'pkce/s256-named',
    clause: {
      document: 'RFC 9700',
      section: '2.1.1',
      level: 'SHOULD',
      says: 'The metadata lists the methods of PKCE that the server supports, and S256 is one.',
    },
    depth: 'passive',
    change:
      'Publish "code_challenge_methods_supported": ["S256"]. MCP clients refuse a server without it.',
    async run(on) {
      await on.serverAnswer()
      const methods = await on.listOf('code_challenge_methods_supported')
      return judge(methods.includes('S256'), `it lists ${methods.join(', ')}`, `code_challenge_methods_supported is ${JSON.stringify(methods)}`) // prettier-ignore
    },
  },
  {
    id: 'pkce/plain-not-named',
    clause: {
      document: 'RFC 9700',
      section: '2.1.1',
      level: 'SHOULD',
      says: 'Clients use a method that does not show the verifier in the request, and S256 is the only such method.',
    },
    depth: 'passive',
    change: 'Remove "plain" from code_challenge_methods_supported, and refuse it.',
    async run(on) {
      await on.serverAnswer()
      const methods = await on.listOf('code_challenge_methods_supported')
      return judge(!methods.includes('plain'), 'it does not list plain', 'it lists plain')
    },
  },
  {
    id: 'pkce/challenge-required',
    clause: {
      document: 'OAuth 2.1',
      section: '4.1.2.1',
      level: 'MUST',
      says: 'An authorization request of a public client without a challenge is refused.',
    },
    depth: 'people',
    ...WITHOUT,
    change: 'Refuse an authorization request without code_challenge with invalid_request.',
    async run(on) {
      return refusedRequest(await withoutChallenge(on), ['invalid_request'], 'no challenge')
    },
  },
  {
    id: 'pkce/unknown-method',
    clause: {
      document: 'RFC 7636',
      section: '4.4.1',
      level: 'MUST',
      says: 'An authorization request with a method that the server does not support is answered by invalid_request.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: S256_ALONE,
    async run(on) {
      const ended = await ask(on, { code_challenge_method: 'S512' })
      return refusedRequest(ended, ['invalid_request'], 'the method S512')
    },
  },
  {
    id: 'pkce/malformed-challenge',
    clause: {
      document: 'RFC 7636',
      section: '4.2',
      level: 'SHOULD',
      says: 'A challenge has at least 43 characters, all of them unreserved, so another one is malformed.',
    },
    depth: 'people',
    creates: { authorizations: 2 },
    change: 'Refuse a code_challenge that is not 43 characters of base64url with invalid_request.',
    async run(on) {
      const challenge = challengeOf(newSecret())
      const malformed = { short: challenge.slice(0, 42), padded: `${challenge.slice(0, 42)}+=` }
      for (const [kind, code_challenge] of Object.entries(malformed)) {
        const ended = await ask(on, { code_challenge })
        const finding = refusedRequest(ended, ['invalid_request'], `a ${kind} challenge`)
        if (finding.verdict !== 'held') return finding
      }
      return held('a challenge of 42 characters is refused, and one with + and =')
    },
  },
  {
    id: 'pkce/plain',
    clause: {
      document: 'RFC 7636',
      section: '7.2',
      level: 'SHOULD NOT',
      says: 'New servers leave out the method plain, which shows the verifier in the authorization request.',
    },
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
    clause: {
      document: 'RFC 7636',
      section: '7.2',
      level: 'SHOULD NOT',
      says: 'A request without a method means plain, so it must not make the challenge, which anyone may have seen, the verifier.',
    },
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
    clause: {
      document: 'RFC 9700',
      section: '2.1.1',
      level: 'MUST',
      says: 'A code whose request had a challenge is redeemed only with a verifier.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: REQUIRE,
    async run(on) {
      await on.sharedTokens()
      const answer = await on.redeem(await on.code(), { code_verifier: null })
      return nothingFor(answer, 'a code without a verifier')
    },
  },
  {
    id: 'pkce/wrong-verifier',
    clause: {
      document: 'RFC 7636',
      section: '4.6',
      level: 'MUST',
      says: 'If the verifier does not match the challenge, the token endpoint answers invalid_grant.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: REQUIRE,
    async run(on) {
      await on.sharedTokens()
      const answer = await on.redeem(await on.code(), { code_verifier: newSecret() })
      return refusalOf(answer, ['invalid_grant'], 'a wrong verifier')
    },
  },
  {
    id: 'pkce/short-verifier',
    clause: {
      document: 'RFC 7636',
      section: '4.1',
      level: 'SHOULD',
      says: 'A verifier has 43 to 128 characters, so a shorter one is malformed, even if its hash is the challenge.',
    },
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
    clause: {
      document: 'OAuth 2.1',
      section: '4.1.2',
      level: 'MUST',
      says: 'The challenge belongs to the code of its own request, so the verifier of another one of the same client does not fit.',
    },
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
    clause: {
      document: 'RFC 9700',
      section: '2.1.1',
      level: 'MUST',
      says: 'A verifier is refused if the request had no challenge, so that PKCE cannot be downgraded.',
    },
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

const withoutChallenge = (on: Audit): Promise<Ended> =>
  on.once(WITHOUT.shares[0].name, () =>
    ask(on, { code_challenge: null, code_challenge_method: null }),
  )

/** Held if an error is why a request led to no code. */
function withoutCode(ended: Ended): Finding {
  const { status } = ended.page
  const isRefusal = ended.parameters?.has('error') ?? (status >= 400 && status < 500)
  return (isRefusal ? held : notReached)(`there is no code: ${describe(ended)}`)
}

/** Held if a challenge does not redeem the code of its request, as a verifier. */
async function notByItself(on: Audit, ended: Ended, challenge: string): Promise<Finding> {
  const code = codeOf(ended)
  if (code === null) return withoutCode(ended)
  const answer = await on.redeem({ ...ended, code }, { code_verifier: challenge })
  return judge(
    !hasTokens(answer),
    `the challenge does not redeem the code: ${answer.status}`,
    'anyone who has seen the authorization request can redeem its code',
  )
}
