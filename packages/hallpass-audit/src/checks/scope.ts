import {
  type Check,
  type Clause,
  type Finding,
  held,
  judge,
  notApplicable,
  notReached,
  Stop,
  violated,
} from '../check.js'
import { type Audit, describe, type Ended, type Tokens } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import type { Surface } from '../sign-in.js'
import {
  errorOf,
  grantedScopes,
  isRefused,
  NARROW,
  narrowTokens,
  refusedRequest,
  scopesOf,
} from './expect.js'

/** A scope that no server has. */
const UNKNOWN = 'hallpass-audit:unknown'

/** The outcome of a request for a scope. */
interface Asked {
  readonly ended: Ended
  /** Tokens of the code; `null` if there was no code. */
  readonly tokens: Tokens | null
}

async function ask(on: Audit, scope: string | null): Promise<Asked> {
  const ended = await on.authorize({ changes: { scope } })
  const code = ended.parameters?.get('code') ?? null
  if (code === null) return { ended, tokens: null }
  return { ended, tokens: on.tokensOf(await on.redeem({ ...ended, code }), { ...ended, code }) }
}

const TWICE = { shares: [{ name: 'a request with a scope twice', authorizations: 1 }] } as const
const askTwice = (on: Audit): Promise<Asked> =>
  on.once(TWICE.shares[0].name, async () => {
    const { kept, others } = await scopesOf(on)
    return ask(on, [kept, ...others, kept].join(' '))
  })

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

/** The challenge of a path that refused a token for its scope. */
async function challengeOf(
  on: Audit,
): Promise<{ readonly scope: string; readonly challenge: string }> {
  const { path, scope, answer } = await withoutScope(on)
  if (answer.status < 400)
    throw new Stop(notReached(`${path} does not refuse a token without ${scope}`))
  return { scope, challenge: answer.headers.get('www-authenticate') ?? '' }
}

/** An attribute of a challenge, which is a token or in quotation marks. */
const attributeOf = (challenge: string, name: string): string | null => {
  const [, quoted, bare] =
    new RegExp(`(?:^|[\\s,])${name}=(?:"([^"]*)"|([^\\s,]+))`, 'i').exec(challenge) ?? []
  return quoted ?? bare ?? null
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
    ...TWICE,
    change: 'Read the scopes into a set.',
    async run(on) {
      const { ended, tokens } = await askTwice(on)
      if (tokens === null) return violated(`a scope that is named twice: ${describe(ended)}`)
      return held(`a scope that is named twice grants ${grantedScopes(tokens).join(' ')}`)
    },
  },
  {
    id: 'scope/refused',
    clause: clause(
      'RFC 9700',
      '2.3',
      'MUST',
      'A resource server refuses a token that was not issued for what the request does.',
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
  {
    id: 'scope/status',
    clause: clause(
      'RFC 6750',
      '3.1',
      'SHOULD',
      'A token with too few scopes is answered by 403 with the error insufficient_scope.',
    ),
    depth: 'people',
    shares: [NARROW],
    change:
      'Answer 403, with WWW-Authenticate: Bearer error="insufficient_scope". 401 would say that the token is not valid.',
    async run(on) {
      const { path, scope, answer } = await withoutScope(on)
      if (answer.status < 400)
        throw new Stop(notReached(`${path} does not refuse a token without ${scope}`))
      const error = attributeOf(answer.headers.get('www-authenticate') ?? '', 'error')
      return judge(
        answer.status === 403 && error === 'insufficient_scope',
        `${path} answers 403 insufficient_scope`,
        `${path} answers ${answer.status} with ${error === null ? 'no error' : error} in WWW-Authenticate`,
      )
    },
  },
  {
    id: 'scope/challenge-scope',
    clause: clause(
      'MCP Authorization',
      'Runtime Insufficient Scope Errors',
      'SHOULD',
      'The challenge names the scopes that the request needs, so that a client can ask for them.',
    ),
    depth: 'people',
    shares: [NARROW],
    change: 'Add scope="…" to WWW-Authenticate, with every scope that the request needs.',
    async run(on) {
      await on.mcpPath()
      const { scope, challenge } = await challengeOf(on)
      const named = attributeOf(challenge, 'scope')
      return judge(
        named?.split(' ').includes(scope) === true,
        `the challenge names ${named}`,
        named === null
          ? 'the challenge has no scope'
          : `the challenge names ${named}, and not ${scope}`,
      )
    },
  },
  {
    id: 'scope/challenge-metadata',
    clause: clause(
      'MCP Authorization',
      'Runtime Insufficient Scope Errors',
      'SHOULD',
      'The challenge names the metadata of the resource, as that of a missing token does.',
    ),
    depth: 'people',
    shares: [NARROW],
    change:
      'Add resource_metadata="…" to WWW-Authenticate, with the address of the protected resource metadata.',
    async run(on) {
      await on.mcpPath()
      const url = attributeOf((await challengeOf(on)).challenge, 'resource_metadata')
      if (url === null) return violated('the challenge has no resource_metadata')
      const { status, json } = URL.canParse(url) ? await on.send(url) : { status: 0, json: {} }
      return judge(
        status === 200 && 'resource' in json,
        `${url} is the metadata`,
        `${url} is not the metadata of a resource`,
      )
    },
  },
  {
    id: 'scope/claims',
    clause: clause(
      'OpenID Connect Core 1.0',
      '5.4',
      'SHOULD',
      'UserInfo says what the scopes of the token allow: with openid only it has no name and no email address.',
    ),
    depth: 'people',
    shares: [NARROW],
    change: 'Choose the claims of UserInfo by the scopes of the token, at each request.',
    async run(on) {
      const userinfo = await on.endpoint('userinfo_endpoint')
      const { kept } = await scopesOf(on)
      if (kept !== 'openid') throw new Stop(notApplicable('the audit does not request openid'))
      const claimsOf = async ({ accessToken }: Tokens): Promise<readonly string[]> => {
        const { json } = await on.send(userinfo, {
          headers: { authorization: `Bearer ${accessToken}` },
        })
        return Object.keys(json)
      }
      const personal = (await claimsOf(await on.sharedTokens())).filter((name) =>
        PERSONAL.includes(name),
      )
      if (personal.length === 0)
        throw new Stop(notApplicable('no token of the audit reads a name or an email address'))
      const granted = grantedScopes(await narrowTokens(on))
      if (granted.length > 1)
        throw new Stop(notReached(`the narrow token has ${granted.join(' ')}`))
      const told = (await claimsOf(await narrowTokens(on))).filter((name) =>
        personal.includes(name),
      )
      return judge(
        told.length === 0,
        `a token with openid only does not read ${personal.join(', ')}`,
        `a token with openid only reads ${told.join(', ')}`,
      )
    },
  },
  {
    id: 'scope/narrowed-by-refresh',
    clause: clause(
      'RFC 6749',
      '6',
      'MUST',
      'A refresh for fewer scopes leads to a token that has only these.',
    ),
    depth: 'people',
    ...TWICE,
    change: 'Keep scopes with each access token, and not only with its grant.',
    async run(on) {
      const { kept } = await scopesOf(on)
      const { ended, tokens } = await askTwice(on)
      if (tokens === null) throw new Stop(notReached(`no code came: ${describe(ended)}`))
      const answer = await on.refresh(tokens, { scope: kept })
      if (answer.status !== 200)
        throw new Stop(
          notReached(`a refresh for ${kept} is answered by ${answer.status} ${errorOf(answer)}`),
        )
      const { scope: said = kept, access_token: accessToken } = answer.json
      const granted = String(said).split(' ')
      const lost = on.signIn?.surfaces?.find(
        ({ scope }) => scope !== undefined && !granted.includes(scope),
      )
      if (lost === undefined || typeof accessToken !== 'string')
        return judge(
          granted.every((one) => one === kept),
          `the refreshed token has ${granted.join(' ')}`,
          `a refresh for ${kept} leads to ${granted.join(' ')}`,
        )
      await requireOpen(on, lost)
      const [use] = await on.use(accessToken, lost)
      return judge(
        use!.answer.status >= 400,
        `the refreshed token has ${granted.join(' ')}, and ${lost.path} refuses it`,
        `the refreshed token has ${granted.join(' ')}, and ${lost.path} takes it without ${lost.scope}`,
      )
    },
  },
  {
    id: 'scope/widened-by-refresh',
    clause: clause(
      'RFC 6749',
      '6',
      'MUST NOT',
      'A refresh grants no scope that the person did not.',
    ),
    depth: 'people',
    shares: [NARROW],
    change: 'Answer invalid_scope if a refresh names a scope that is not of the grant.',
    async run(on) {
      const { kept, others } = await scopesOf(on)
      const tokens = await narrowTokens(on)
      const before = grantedScopes(tokens)
      const answer = await on.refresh(tokens, { scope: [kept, ...others].join(' ') })
      if (isRefused(answer))
        return held(`a refresh for more scopes is answered by ${answer.status} ${errorOf(answer)}`)
      // Without a scope the response says that all were granted.
      const { scope: said = [kept, ...others].join(' ') } = answer.json
      const further = String(said)
        .split(' ')
        .filter((one) => !before.includes(one))
      return judge(
        further.length === 0,
        `a refresh for more scopes leads to ${String(said)}`,
        `a refresh grants ${further.join(' ')}, which no one has allowed`,
      )
    },
  },
]

/** Claims of the scopes profile and email. */
const PERSONAL = ['name', 'given_name', 'family_name', 'preferred_username', 'picture', 'email']
