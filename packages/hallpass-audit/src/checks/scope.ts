import { type Check } from '../check.js'
import { ADVICE, AS, MUST, oidcCore, rfc6749, rfc9700, RS, SHOULD } from '../clause.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js' // prettier-ignore
import { type Audit, describe, type Ended, type Tokens } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import type { Surface } from '../sign-in.js'
import { grantedScopes, NARROW, narrowTokens, refusedRequest, scopesOf } from './expect.js'

// prettier-ignore
const TEXT = {
  minimum: rfc9700('2.3', SHOULD, AS, 'The privileges associated with an access token SHOULD be restricted to the minimum required for the particular application or use case.'),
  said: rfc6749('3.3', MUST, AS, 'If the issued access token scope is different from the one requested by the client, the authorization server MUST include the "scope" response parameter to inform the client of the actual scope granted.'),
  ignored: oidcCore('3.1.2.1', SHOULD, AS, 'Scope values used that are not understood by an implementation SHOULD be ignored.'),
  omitted: rfc6749('3.3', MUST, AS, 'If the issued access token scope is different from the one requested by the client, the authorization server MUST include the "scope" response parameter to inform the client of the actual scope granted. … If the client omits the scope parameter when requesting authorization, the authorization server MUST either process the request using a pre-defined default value or fail the request indicating an invalid scope.'),
  case: rfc6749('3.3', ADVICE, AS, 'Scopes are case-sensitive. A server that compares them so grants what was asked for, and nothing that looks like it.'),
  order: rfc6749('3.3', ADVICE, AS, 'The order of scopes has no meaning, so that they grant the same in any order.'),
  twice: rfc6749('3.3', ADVICE, AS, 'A scope that is named twice means what it means once. Libraries that join lists send it so.'),
  covers: rfc6749('7', MUST, RS, 'The resource server MUST validate the access token and ensure that it has not expired and that its scope covers the requested resource.'),
}

/** A scope that no server has. */
const UNKNOWN = 'hallpass-audit:unknown'

/** The outcome of a request for a scope. */
interface Asked {
  readonly ended: Ended
  /** Tokens of the code; `null` if there was no code. */
  readonly tokens: Tokens | null
}

/** Sends a request. Stops unless a right one leads to tokens: without that, a refusal says nothing. */
async function ask(on: Audit, scope: string | null): Promise<Asked> {
  await on.sharedTokens()
  const ended = await on.authorize({ changes: { scope } })
  const code = ended.parameters?.get('code') ?? null
  if (code === null) return { ended, tokens: null }
  return { ended, tokens: on.tokensOf(await on.redeem({ ...ended, code }), { ...ended, code }) }
}

const WITH_UNKNOWN = { shares: [{ name: 'an unknown scope', authorizations: 1 }] } as const
const askUnknown = (on: Audit): Promise<Asked> =>
  on.once(WITH_UNKNOWN.shares[0].name, async () =>
    ask(on, `${(await scopesOf(on)).kept} ${UNKNOWN}`),
  )

/** Held if a request was refused for its scope; otherwise what the tokens show. */
const refusedOr = ({ ended, tokens }: Asked, what: string, find: (tokens: Tokens) => Finding): Finding =>
  tokens === null ? refusedRequest(ended, ['invalid_scope', 'invalid_request'], what) : find(tokens) // prettier-ignore

/** The answer of a path of the host to a token without the scope that it requires. */
async function withoutScope(
  on: Audit,
): Promise<{ readonly path: string; readonly scope: string; readonly answer: Answer }> {
  const isNamed = (surface: Surface): surface is Surface & { readonly scope: string } => surface.scope !== undefined // prettier-ignore
  const surfaces = (on.signIn?.surfaces ?? []).filter(isNamed)
  if (surfaces.length === 0)
    throw new Stop(notApplicable('no surface of the sign-in names the scope that it requires'))
  const narrow = await narrowTokens(on)
  const granted = grantedScopes(narrow)
  const surface = surfaces.find(({ scope }) => !granted.includes(scope))
  if (surface === undefined)
    throw new Stop(notReached(`the token has the scopes of all surfaces: ${granted.join(' ')}`, narrow)) // prettier-ignore
  const { path, scope } = surface
  // A path that refuses every token says nothing of a scope.
  const [right] = await on.use((await on.sharedTokens()).accessToken, surface)
  const { status } = right!.answer
  if (status >= 400)
    throw new Stop(notReached(`${path} refuses a token with ${scope} too: ${status}`, right!.answer)) // prettier-ignore
  const [use] = await on.use(narrow.accessToken, surface)
  return { path, scope, answer: use!.answer }
}

/** Scopes: what is granted, and how a token without one is refused. */
export const scope: readonly Check[] = [
  {
    id: 'scope/within-request',
    clause: TEXT.minimum,
    depth: 'people',
    shares: [NARROW],
    change:
      'Grant the scopes that are requested and allowed. Add none, such as those of the client or of the person.',
    async run(on) {
      const { kept } = await scopesOf(on)
      const tokens = await narrowTokens(on)
      const further = grantedScopes(tokens).filter((one) => one !== kept)
      return judge(tokens, further.length === 0, `a request for ${kept} grants no other scope`, `a request for ${kept} grants ${further.join(' ')} too`) // prettier-ignore
    },
  },
  {
    id: 'scope/unknown',
    clause: TEXT.said,
    depth: 'people',
    ...WITH_UNKNOWN,
    change:
      'Send scope in the token response if you leave out a scope that you do not know. Without it, the client has to take it as granted.',
    run: async (on) =>
      refusedOr(await askUnknown(on), 'an unknown scope', (tokens) => {
        const granted = grantedScopes(tokens)
        const isSilent = tokens.answer.json['scope'] === undefined
        return judge(tokens, !granted.includes(UNKNOWN), `an unknown scope is left out: ${granted.join(' ')}`, isSilent ? 'the token response has no scope, which says that the unknown scope was granted' : 'an unknown scope is granted') // prettier-ignore
      }),
  },
  {
    id: 'scope/unknown-ignored',
    clause: TEXT.ignored,
    depth: 'people',
    ...WITH_UNKNOWN,
    change: 'Leave out the scopes that you do not know, and grant the others.',
    async run(on) {
      await on.openid()
      const { kept } = await scopesOf(on)
      if (kept !== 'openid') return notApplicable('the audit does not request openid')
      const { ended, tokens } = await askUnknown(on)
      const where = `openid and an unknown scope: ${describe(ended)}`
      return judge(tokens ?? ended, tokens !== null, where, where)
    },
  },
  {
    id: 'scope/omitted',
    clause: TEXT.omitted,
    depth: 'people',
    creates: { authorizations: 1 },
    change:
      'Send scope in every token response, or answer invalid_scope to a request without scope.',
    run: async (on) =>
      refusedOr(await ask(on, null), 'a request without scope', (tokens) => {
        const { scope: named } = tokens.answer.json
        return judge(tokens, typeof named === 'string', `a request without scope grants ${JSON.stringify(named)}`, 'a request without scope leads to a token, and no one learns what it can do') // prettier-ignore
      }),
  },
  {
    id: 'scope/case',
    clause: TEXT.case,
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Compare scopes as they are, without changing their case.',
    async run(on) {
      const { kept, others } = await scopesOf(on)
      const small = others.findLast((one) => one !== one.toUpperCase())
      if (small === undefined) return notApplicable('no scope of the audit has small letters')
      const capital = small.toUpperCase()
      return refusedOr(await ask(on, `${kept} ${capital}`), capital, (tokens) => {
        const isGranted = grantedScopes(tokens).includes(small)
        return judge(tokens, !isGranted, `${capital} does not grant ${small}`, `${capital} grants ${small}`) // prettier-ignore
      })
    },
  },
  {
    id: 'scope/order',
    clause: TEXT.order,
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Read the scopes into a set. openid need not be the first one.',
    async run(on) {
      const { kept, others } = await scopesOf(on)
      const { ended, tokens } = await ask(on, [...others.toReversed(), kept].join(' '))
      const where = `scopes in another order: ${describe(ended)}`
      if (tokens === null) return violated(ended, where)
      const granted = grantedScopes(tokens)
      return judge(tokens, granted.includes(kept), where, `${where}, without ${kept}`)
    },
  },
  {
    id: 'scope/twice',
    clause: TEXT.twice,
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Read the scopes into a set.',
    async run(on) {
      const { kept, others } = await scopesOf(on)
      const { ended, tokens } = await ask(on, [kept, ...others, kept].join(' '))
      if (tokens === null) return violated(ended, `a scope that is named twice: ${describe(ended)}`)
      return held(tokens, `a scope that is named twice grants ${grantedScopes(tokens).join(' ')}`)
    },
  },
  {
    id: 'scope/refused',
    clause: TEXT.covers,
    depth: 'people',
    shares: [NARROW],
    change: 'Check the scopes of the token at each path, before anything is read or written.',
    async run(on) {
      const { path, scope, answer } = await withoutScope(on)
      const { status } = answer
      const where = `${path} answers ${status} to a token without ${scope}`
      return judge(answer, status >= 400 && status < 500, where, where)
    },
  },
]
