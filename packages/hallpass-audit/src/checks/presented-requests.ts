import { type Check } from '../check.js'
import { ADVICE, AS, MUST, rfc9101, rfc9126, SHOULD } from '../clause.js'
import { type Finding, held, judge, notReached, violated } from '../finding.js'
import { type Audit, type Changes, describe } from '../engine/audit.js'
import { newSecret } from '../engine/random.js'
import { allow, type Asked, ask, isAt, open, refusedAt, wordsOf } from './asking.js'
import { firstNotHeld } from './expect.js'
import { describeError, ELSEWHERE, presenting, push, pushed, works } from './pushed-requests.js'

// prettier-ignore
const TEXT = {
  asAnyOther: rfc9126('4', MUST, AS, 'The authorization server MUST validate authorization requests arising from a pushed request as it would any other authorization request.'),
  onlyPushed: rfc9101('6.3', MUST, AS, 'The authorization server MUST only use the parameters in the Request Object, even if the same parameter is provided in the query parameter.'),
  again: rfc9126('4', ADVICE, AS, 'A person may load a page again. A request_uri that has not led to a decision yet then opens the same question in the same browser.'),
  bound: rfc9126('2.2', MUST, AS, 'The "request_uri" value MUST be bound to the client that posted the authorization request.'),
  once: rfc9126('4', SHOULD, AS, 'Authorization servers SHOULD treat "request_uri" values as one-time use but MAY allow for duplicate requests due to a user reloading/refreshing their user agent.'),
}

const STOLEN = 'a request_uri with the client_id of another client'
/** Requests without the protection of PKCE. */
const UNPROTECTED: readonly (readonly [string, Changes])[] = [
  ['no code_challenge', { code_challenge: null, code_challenge_method: null }],
  ['code_challenge_method=plain', { code_challenge_method: 'plain' }],
]

const PRESENTED = {
  shares: [{ name: 'a pushed request that is answered', authorizations: 1 }],
} as const
const presentedOnce = (on: Audit) =>
  on.once(PRESENTED.shares[0].name, async () => {
    const { presented, state } = await pushed(on)
    return { state, ended: await allow(on, presented) }
  })

/** Held if a presented request is refused, wherever the error goes. */
function refusedPresented(asked: Asked, what: string): Finding {
  const where = `${what}: ${describe(asked)}`
  const { page, parameters, isTaken, isUnclear } = asked
  if (isTaken || (page.left === null && page.status >= 500)) return violated(asked, where)
  const isPage = page.left === null && !isUnclear
  return isPage || parameters?.has('error') ? held(asked, where) : notReached(where, asked)
}

/** Requests that were pushed, and are presented by a browser. */
export const presentedRequests: readonly Check[] = [
  {
    id: 'pushed-requests/same-rules',
    clause: TEXT.asAnyOther,
    depth: 'people',
    creates: { authorizations: 2 * UNPROTECTED.length },
    change: 'Validate pushed requests by the function that validates those of a query.',
    async run(on) {
      await works(on)
      return firstNotHeld(UNPROTECTED, async ([what, changes]): Promise<Finding> => {
        const inQuery = await ask(on, changes)
        if (inQuery.isIssued) return held(inQuery, `${what} is accepted in a query as well`)
        const { answer } = await push(on, changes)
        const { request_uri: uri } = answer.json
        if (typeof uri !== 'string') return held(answer, `${what} in a pushed request is answered by ${describeError(answer)}`) // prettier-ignore
        const asked = await allow(on, presenting(uri))
        const where = `${what} in a pushed request, which is refused in a query: ${describe(asked)}`
        return judge(asked, !asked.isIssued, where, where)
      })
    },
  },
  {
    id: 'pushed-requests/presented',
    clause: TEXT.asAnyOther,
    depth: 'people',
    ...PRESENTED,
    change:
      'Look the request up by request_uri at the authorization endpoint, and take all its parameters from there: state and redirect_uri too.',
    async run(on) {
      const { state, ended } = await presentedOnce(on)
      const received = ended.parameters
      return judge(ended, received?.has('code') === true && received.get('state') === state, 'the client received a code and its state', `the request that was pushed did not lead to a code and its state: ${describe(ended)}`) // prettier-ignore
    },
  },
  {
    id: 'pushed-requests/query-ignored',
    clause: TEXT.onlyPushed,
    depth: 'people',
    creates: { authorizations: 2 },
    ...PRESENTED,
    change:
      'If there is a request_uri, read nothing but client_id in addition. Do not merge the query into the pushed parameters.',
    async run(on) {
      const alone = await presentedOnce(on)
      if (!alone.ended.parameters?.has('code'))
        return notReached(`no code came without them: ${describe(alone.ended)}`, alone.ended)
      // A redirect URI that is not registered may be refused, and so hide that the query is used.
      return firstNotHeld([{}, { redirect_uri: ELSEWHERE }], async (others) => {
        const { presented, state } = await pushed(on)
        const ended = await allow(on, { ...presented, state: newSecret(), ...others })
        if (!ended.isIssued || isAt(ended.page.left!, ELSEWHERE))
          return refusedAt(ELSEWHERE, ended, `a query with ${wordsOf({ state: 'another one', ...others })}`) // prettier-ignore
        return judge(ended, ended.parameters?.get('state') === state, 'the state that was pushed came back', 'the state of the query came back, not the one that was pushed') // prettier-ignore
      })
    },
  },
  {
    id: 'pushed-requests/unknown',
    clause: TEXT.onlyPushed,
    depth: 'anonymous',
    creates: { authorizations: 1 },
    change:
      'Refuse a request_uri that you cannot find. Do not fall back to the parameters of the query.',
    async run(on) {
      await on.endpoint('pushed_authorization_request_endpoint')
      const uri = `urn:ietf:params:oauth:request_uri:${newSecret()}`
      return refusedPresented(await ask(on, { request_uri: uri }), 'an unknown request_uri')
    },
  },
  {
    id: 'pushed-requests/other-client',
    clause: TEXT.bound,
    depth: 'anonymous',
    creates: { authorizations: 1 },
    change:
      'Keep the client with the pushed request, and compare it with client_id at the authorization endpoint.',
    async run(on) {
      const second = await on.client('second')
      const asked = await open(on, null, (await pushed(on)).presented, second)
      if (!asked.isTaken) return refusedPresented(asked, STOLEN)
      // The first one has been used.
      return refusedPresented(await allow(on, (await pushed(on)).presented, second), STOLEN)
    },
  },
  {
    id: 'pushed-requests/opened-again',
    clause: TEXT.again,
    depth: 'people',
    change:
      'Let the browser that has opened a pushed request load it again, until the person has decided.',
    async run(on) {
      const { presented } = await pushed(on)
      const first = await open(on, 0, presented)
      if (!first.isTaken) return notReached(`opened once: ${describe(first)}`, first)
      const again = await open(on, 0, presented)
      return judge(again, again.isTaken, 'the same question is shown again', `opened again: ${describe(again)}`) // prettier-ignore
    },
  },
  {
    id: 'pushed-requests/used-once',
    clause: TEXT.once,
    depth: 'people',
    creates: { authorizations: 2 },
    change:
      'Delete the pushed request when a browser presents it, and let only that browser load it again.',
    async run(on) {
      const { presented } = await pushed(on)
      const ended = await allow(on, presented)
      if (!ended.isIssued) return notReached(`no code came: ${describe(ended)}`, ended)
      return refusedPresented(await ask(on, presented), 'a request_uri that has been used')
    },
  },
]
