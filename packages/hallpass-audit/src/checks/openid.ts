import { generateKeyPair, SignJWT } from 'jose'
import { type Check } from '../check.js'
import { AS, type Clause, MUST, MUST_NOT, oidcCore, rfc6749, SHOULD } from '../clause.js'
import { held, judge, notReached, violated } from '../finding.js'
import { type Audit, describe } from '../engine/audit.js'
import { clock } from '../engine/clock.js'
import { elementsIn, isPassword } from '../engine/html.js'
import { signInFormOf } from '../sign-in.js'
import { open, signedInAt } from './asking.js'
import { quote } from './documents.js'
import { firstNotHeld } from './expect.js'
import { idTokenOf, openidClient, read } from './id-token.js'
import { OF_OTHER, othersOf } from './id-token-person.js'

// prettier-ignore
const TEXT = {
  silent: oidcCore('3.1.2.1', MUST_NOT, AS, 'none The Authorization Server MUST NOT display any authentication or consent user interface pages.'),
  authTime: oidcCore('2', MUST, AS, 'auth_time Time when the End-User authentication occurred. … When a "max_age" request is made or when "auth_time" is requested as an Essential Claim, then this Claim is REQUIRED; otherwise, its inclusion is OPTIONAL.'),
  hint: oidcCore('3.1.2.2', MUST, AS, 'When an "id_token_hint" is present, the OP MUST validate that it was the issuer of the ID Token.'),
  hinted: oidcCore('3.1.2.1', MUST, AS, 'If the End-User identified by the ID Token is already logged in or is logged in as a result of the request (with the OP possibly evaluating other information beyond the ID Token in this decision), then the Authorization Server returns a positive response; otherwise, it MUST return an error, such as "login_required".'),
  display: oidcCore('15.1', MUST, AS, 'OPs MUST support the "display" parameter, as defined in Section 3.1.2. (Note that the minimum level of support required for this parameter is simply that its use must not result in an error.)'),
  locales: oidcCore('15.1', MUST, AS, 'OPs MUST support requests for preferred languages and scripts for the user interface and for Claims via the "ui_locales" and "claims_locales" request parameters, as defined in Section 3.1.2. (Note that the minimum level of support required for these parameters is simply to have their use not result in errors.)'),
  acr: oidcCore('15.1', MUST, AS, 'OPs MUST support requests for specific Authentication Context Class Reference values via the "acr_values" parameter, as defined in Section 3.1.2. (Note that the minimum level of support required for this parameter is simply to have its use not result in an error.)'),
  claims: oidcCore('5.5', SHOULD, AS, 'Should an OP not support this parameter and an RP uses it, the OP SHOULD return a set of Claims to the RP that it believes would be useful to the RP and the End-User using whatever heuristics it believes are appropriate.'),
  ignored: rfc6749('3.1', MUST, AS, 'The authorization server MUST ignore unrecognized request parameters.'),
}

/** Makes the check of a parameter that asks for something and must not lead to an error. */
const accepted = (
  name: string,
  clause: Clause,
  values: (on: Audit) => Promise<readonly string[]> | readonly string[],
  change = `Ignore ${name} if you have nothing for it: no value of it is an error.`,
): Check => ({
  id: `openid/${name.replaceAll('_', '-')}`,
  clause,
  depth: 'people',
  change,
  async run(on) {
    await openidClient(on)
    await signedInAt(on)
    return firstNotHeld(await values(on), async (value) => {
      const asked = await open(on, 0, { [name]: value })
      const where = `${name}=${value.slice(0, 40)}: ${describe(asked)}`
      if (asked.isTaken) return held(asked, where)
      const isError = asked.parameters?.has('error') || asked.page.status >= 400
      return isError ? violated(asked, where) : notReached(where, asked)
    })
  },
})

/** A hint that no server has issued: its claims are those of an ID token, and its key is that of the audit. */
async function madeUpHint(on: Audit): Promise<string> {
  const { claims } = await idTokenOf(on)
  const { privateKey } = await generateKeyPair('ES256')
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
}

/** Parameters of an authentication request. */
export const openid: readonly Check[] = [
  {
    id: 'openid/prompt-none',
    clause: TEXT.silent,
    depth: 'people',
    change:
      'With prompt=none, redirect to the client with a code, or with consent_required, before any page.',
    async run(on) {
      await openidClient(on)
      await signedInAt(on)
      const asked = await open(on, 0, { prompt: 'none' })
      const where = `prompt=none of a person who is signed in: ${describe(asked)}`
      return judge(asked, asked.page.left !== null, where)
    },
  },
  {
    id: 'openid/max-age',
    clause: TEXT.authTime,
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Write the time of the sign-in into auth_time, and not the time of the request.',
    async run(on) {
      const client = await openidClient(on)
      await signedInAt(on)
      // The times have whole seconds, and the sign-in may have been now.
      await clock.wait(2000)
      const before = on.received.pages.length
      const token = read(await on.tokens({ client, person: 0, changes: { max_age: '10000' } }))
      const asked = on.received.pages
        .slice(before)
        .some((page) => elementsIn(page).some(isPassword))
      if (asked) return notReached('the person had to sign in again', token)
      const { auth_time: authTime, iat } = token.claims
      const isOld = typeof authTime === 'number' && authTime < Number(iat)
      return judge(token, isOld, 'auth_time is that of the earlier sign-in', `no one signed in for this request, and auth_time is ${quote(authTime)}`) // prettier-ignore
    },
  },
  accepted(
    'id_token_hint',
    TEXT.hinted,
    async (on) => [(await idTokenOf(on)).jwt],
    'Compare sub of id_token_hint with the person of the session, and continue if it is the same.',
  ),
  {
    id: 'openid/hint-of-another-person',
    clause: TEXT.hinted,
    depth: 'people',
    shares: OF_OTHER,
    creates: { authorizations: 1 },
    change:
      'If id_token_hint names someone else than the person of the session, ask them to sign in, and answer login_required if they do not.',
    async run(on) {
      const changes = { id_token_hint: (await othersOf(on)).jwt }
      await signedInAt(on)
      const asked = await open(on, 0, changes)
      const isAsked = asked.page.left === null && signInFormOf(asked.page, on.signIn!.people[0]) !== null // prettier-ignore
      if (isAsked) return held(asked, 'a hint of another person: the server asks who it is')
      const ended = await on.authorize({ person: 0, changes })
      const where = `a hint of another person: ${describe(ended)}`
      return judge(ended, !ended.parameters?.has('code'), where)
    },
  },
  {
    id: 'openid/made-up-hint',
    clause: TEXT.hint,
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Verify the signature of id_token_hint with your keys, and answer with an error if it is not right.', // prettier-ignore
    async run(on) {
      const ended = await on.authorize({ person: 0, changes: { id_token_hint: await madeUpHint(on) } }) // prettier-ignore
      const where = `a hint that the server has not issued: ${describe(ended)}`
      return judge(ended, !ended.parameters?.has('code'), where)
    },
  },
  accepted('display', TEXT.display, () => ['page', 'popup']),
  accepted('ui_locales', TEXT.locales, () => ['se tlh fr-CA']),
  accepted('claims_locales', TEXT.locales, () => ['se tlh fr-CA']),
  accepted('acr_values', TEXT.acr, () => ['urn:example:acr 1']),
  accepted('claims', TEXT.claims, () => ['{"userinfo":{"name":{"essential":true}},"id_token":{"email":null}}']), // prettier-ignore
  accepted('login_hint', TEXT.ignored, () => ['ines@school.example', '+41 44 123 45 67']),
]
