import { type Check, type Clause } from '../check.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, describe, type Ended, type Tokens } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import type { Surface } from '../sign-in.js'
import { grantedScopes, NARROW, narrowTokens, refusedRequest, scopesOf } from './expect.js'

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

/** A path that refuses every token says nothing of a scope. */
async function requireOpen(on: Audit, surface: Surface): Promise<void> {
  const [use] = await on.use((await on.sharedTokens()).accessToken, surface)
  const { status } = use!.answer
  if (status >= 400)
    throw new Stop(
      notReached(`${surface.path} refuses a token with ${surface.scope} too: ${status}`),
    )
}

/** The answer of a path of the host to a token without the scope that it requires. */
async function withoutScope(
  on: Audit,
): Promise<{ readonly path: string; readonly scope: string; readonly answer: Answer }> {
  const surfaces = on.signIn?.surfaces?.filter(({ scope }) => scope !== undefined) ?? []
  if (surfaces.length === 0)
    throw new Stop(notApplicable('no surface of the sign-in names the scope that it requires'))
  const narrow = await narrowTokens(on)
  const granted = grantedScopes(narrow)
  const surface = surfaces.find(({ scope }) => !granted.includes(scope!))
  if (surface === undefined)
    throw new Stop(notReached(`the token has the scopes of all surfaces: ${granted.join(' ')}`))
  await requireOpen(on, surface)
  const [use] = await on.use(narrow.accessToken, surface)
  return { path: surface.path, scope: surface.scope!, answer: use!.answer }
}

const clause = (
  document: string,
  section: string,
  level: Clause['level'],
  says: string,
): Clause => ({
  document,
  section,
  level,
  says,
})

/** Held if a request was refused for its scope; `null` if tokens came. */
const refusedScope = ({ ended, tokens }: Asked, what: string): Finding | null =>
  tokens === null ? refusedRequest(ended, ['invalid_scope', 'invalid_request'], what) : null

/** Scopes: what is granted, and how a token without one is refused. */
export const scope: readonly Check[] = [
  {
    id: 'scope/within-request',
    clause: clause(
      'RFC 9700',
      '2.3',
      'SHOULD',
      'A token can do what is needed and no more: it has no scope that was not requested.',
    ),
    depth: 'people',
    shares: [NARROW],
    change:
      'Grant the scopes that are requested and allowed. Add none, such as those of the client or of the person.',
    async run(on) {
      const { kept } = await scopesOf(on)
      const further = grantedScopes(await narrowTokens(on)).filter((one) => one !== kept)
      return judge(
        further.length === 0,
        `a request for ${kept} grants no other scope`,
        `a request for ${kept} grants ${further.join(' ')} too`,
      )
    },
  },
  {
    id: 'scope/unknown',
    clause: clause(
      'RFC 6749',
      '3.3',
      'MUST',
      'A scope that was requested and not granted is missing in the scope of the response, or the request fails with invalid_scope.',
    ),
    depth: 'people',
    creates: { authorizations: 1 },
    change:
      'Answer invalid_scope to a scope that you do not know, or leave it out and send scope in the token response.',
    async run(on) {
      const { kept } = await scopesOf(on)
      const asked = await ask(on, `${kept} ${UNKNOWN}`)
      return (
        refusedScope(asked, 'an unknown scope') ??
        judge(
          !grantedScopes(asked.tokens!).includes(UNKNOWN),
          `an unknown scope is left out: ${grantedScopes(asked.tokens!).join(' ')}`,
          asked.tokens!.answer.json['scope'] === undefined
            ? 'the token response has no scope, which says that the unknown scope was granted'
            : 'an unknown scope is granted',
        )
      )
    },
  },
  {
    id: 'scope/omitted',
    clause: clause(
      'RFC 6749',
      '3.3',
      'MUST',
      'A request without scope has a default that the response names, or fails with invalid_scope.',
    ),
    depth: 'people',
    creates: { authorizations: 1 },
    change:
      'Send scope in every token response, or answer invalid_scope to a request without scope.',
    async run(on) {
      const asked = await ask(on, null)
      const { scope: named } = asked.tokens?.answer.json ?? {}
      return (
        refusedScope(asked, 'a request without scope') ??
        judge(
          typeof named === 'string',
          `a request without scope grants ${JSON.stringify(named)}`,
          'a request without scope leads to a token, and no one learns what it can do',
        )
      )
    },
  },
  {
    id: 'scope/case',
    clause: clause(
      'RFC 6749',
      '3.3',
      'MUST',
      'Scopes are case-sensitive: in capital letters one is another scope.',
    ),
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Compare scopes as they are, without changing their case.',
    async run(on) {
      const { kept, others } = await scopesOf(on)
      const scope = others.findLast((one) => one !== one.toUpperCase())
      if (scope === undefined)
        throw new Stop(notApplicable('no scope of the audit has small letters'))
      const asked = await ask(on, `${kept} ${scope.toUpperCase()}`)
      return (
        refusedScope(asked, scope.toUpperCase()) ??
        judge(
          !grantedScopes(asked.tokens!).includes(scope),
          `${scope.toUpperCase()} does not grant ${scope}`,
          `${scope.toUpperCase()} grants ${scope}`,
        )
      )
    },
  },
  {
    id: 'scope/twice',
    clause: clause(
      'RFC 6749',
      '3.3',
      'SHOULD',
      'A scope that is named twice is a valid request, and means what it means once.',
    ),
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Read the scopes into a set.',
    async run(on) {
      const { kept, others } = await scopesOf(on)
      const { ended, tokens } = await ask(on, [kept, ...others, kept].join(' '))
      if (tokens === null) return violated(`a scope that is named twice: ${describe(ended)}`)
      return held(`a scope that is named twice grants ${grantedScopes(tokens).join(' ')}`)
    },
  },
  {
    id: 'scope/refused',
    clause: clause(
      'RFC 6749',
      '7',
      'MUST',
      'A resource server refuses a token whose scope does not cover what the request does.',
    ),
    depth: 'people',
    shares: [NARROW],
    change: 'Check the scopes of the token at each path, before anything is read or written.',
    async run(on) {
      const { path, scope, answer } = await withoutScope(on)
      return judge(
        answer.status >= 400 && answer.status < 500,
        `${path} refuses a token without ${scope}: ${answer.status}`,
        `${path} answers ${answer.status} to a token without ${scope}`,
      )
    },
  },
]
