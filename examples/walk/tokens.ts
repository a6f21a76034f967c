import type { Client } from 'hallpass/policy'
import { type Check, rfc } from './check.js'
import { type Answer, type Exchange, send } from './exchange.js'
import {
  CODE_SECONDS,
  explainAccess,
  explainApproval,
  explainRedemption,
  explainRefresh,
} from './explain.js'
import { type IdToken, verifyIdToken } from './id-token.js'
import { nowSeconds, randomText } from './proof.js'
import { useAs } from './use.js'
import {
  type ActId,
  type Asked,
  type Code,
  type Outcome,
  type Tokens,
  type Walk,
  withOutcome,
} from './walk.js'

/** A walk that has a client, an authorization request and a code. */
interface Ready extends Walk {
  readonly client: Client
  readonly asked: Asked
  readonly code: Code
}

type ExchangeAct = Extract<ActId, `exchange${string}`>

const OTHER_SCHOOL = 'https://another-school.example'

const SAID: Readonly<Record<ExchangeAct, string>> = {
  exchange:
    'The client exchanged the code for tokens. Someone who had only seen the code could not have done this.',
  'exchange.verifier':
    'Someone who stole the code does not know the verifier. The refusal says only invalid_grant, and the code stays valid for its rightful client: try the right verifier now.',
  'exchange.resource':
    'The code is bound to this school. With another resource it gives no tokens, and it stays valid for its rightful client.',
  'exchange.replay':
    'A code that arrives again may have been stolen, so all tokens that came from it are revoked: use the token now.',
}

const SENT_TWICE =
  'A client may send a code twice by accident. Within five seconds the second request gets nothing and ends nothing. Replay the code again after that.'

const NOT_TRUSTED =
  'It is not certain who signed in, so a client discards the whole response and starts again.'

/** Exchanges the code for tokens, or tries to in a way that must fail. */
export async function exchange(walk: Walk, act: ExchangeAct): Promise<Walk> {
  const ready = walk as Ready
  const form = formOf(ready, act)
  const checks = explainRedemption({ ...ready, form })
  const answer = await send({ method: 'POST', path: '/api/oauth/token', form })
  const outcome = { act, ok: answer.ok, said: SAID[act], exchanges: [answer.exchange], checks }
  if (!answer.ok && act === 'exchange.replay') return afterReplay(ready, outcome)
  if (!answer.ok) {
    const late =
      act === 'exchange'
        ? 'The code gave no tokens. Authorize again: it takes one click.'
        : SAID[act]
    return withOutcome(walk, { ...outcome, said: late })
  }
  const { exchanges, claims, checks: identityChecks } = await identityOf(answer, walk, ready)
  const isTrusted = identityChecks.every(({ ok }) => ok)
  const roles = rolesOf(claims)
  const redeemed = { ...walk, code: { ...ready.code, redeemedAt: nowSeconds() } }
  return withOutcome(
    isTrusted ? { ...redeemed, roles, tokens: tokensOf(answer, walk.tokens) } : redeemed,
    {
      ...outcome,
      ok: isTrusted,
      said: isTrusted ? SAID[act] : NOT_TRUSTED,
      exchanges: [answer.exchange, ...exchanges],
      checks: [
        ...checks,
        ...(claims === null ? [] : [explainApproval(ready.client, roles)]),
        ...identityChecks,
      ],
    },
  )
}

/** Shows whether the access token is still valid after its code was sent again. */
async function afterReplay(ready: Ready, outcome: Outcome): Promise<Walk> {
  const after = await useAs(ready.tokens!, '/api/oauth/userinfo')
  const { code } = ready
  const form = formOf(ready, 'exchange.replay')
  // The server counts the five seconds, and from its own clock: what the token does now tells how.
  const now = after.ok ? code.redeemedAt! : code.arrivedAt + CODE_SECONDS
  return withOutcome(
    { ...ready, ended: after.ok ? ready.ended : 'code_replayed' },
    {
      ...outcome,
      said: after.ok ? SENT_TWICE : SAID['exchange.replay'],
      exchanges: [...outcome.exchanges, after.exchange],
      checks: explainRedemption({ ...ready, form, now }),
    },
  )
}

/** Exchanges the tokens for new ones. */
export async function refresh(walk: Walk): Promise<Walk> {
  const client = walk.client!
  const tokens = walk.tokens!
  const answer = await send({
    method: 'POST',
    path: '/api/oauth/token',
    form: {
      grant_type: 'refresh_token',
      client_id: client.clientId,
      refresh_token: tokens.refreshToken,
    },
  })
  return withOutcome(
    { ...walk, tokens: answer.ok ? tokensOf(answer, tokens) : tokens },
    {
      act: 'refresh',
      ok: answer.ok,
      said: answer.ok
        ? 'A new pair of tokens, without a question to you. The old refresh token is used up. There is no id_token this time, because you did not sign in.'
        : 'The tokens were not renewed.',
      exchanges: [answer.exchange],
      checks: explainRefresh({ tokens, client }),
    },
  )
}

/** Revokes the refresh token, and shows that the access token is revoked with it. */
export async function revoke(walk: Walk): Promise<Walk> {
  const client = walk.client!
  const tokens = walk.tokens!
  const answer = await send({
    method: 'POST',
    path: '/api/oauth/revoke',
    form: { client_id: client.clientId, token: tokens.refreshToken },
  })
  const ended = answer.ok ? 'client_revoked' : walk.ended
  const after = await useAs(tokens, '/api/oauth/userinfo')
  const ok = answer.ok && !after.ok
  return withOutcome(
    { ...walk, ended },
    {
      act: 'revoke',
      ok,
      said: ok
        ? 'The grant has ended, and with it every token that came from it. The same access token opened UserInfo a moment ago, and now gets 401.'
        : 'The grant is still active.',
      exchanges: [answer.exchange, after.exchange],
      checks: [
        explainAccess('May the access token still open UserInfo?', {
          tokens,
          client,
          ended,
          roles: walk.roles,
          required: ['openid'],
        }),
      ],
    },
  )
}

const formOf = ({ client, asked, code }: Ready, act: ExchangeAct): Record<string, string> => ({
  grant_type: 'authorization_code',
  client_id: client.clientId,
  redirect_uri: client.redirectUris[0] ?? '',
  resource: act === 'exchange.resource' ? OTHER_SCHOOL : location.origin,
  code: code.value,
  code_verifier: act === 'exchange.verifier' ? randomText() : asked.verifier,
})

function tokensOf({ json }: Answer, before: Tokens | null): Tokens {
  const issuedAt = nowSeconds()
  const text = (name: string): string | null => (typeof json[name] === 'string' ? json[name] : null)
  const lifetime = json['expires_in']
  return {
    accessToken: text('access_token') ?? '',
    refreshToken: text('refresh_token') ?? before?.refreshToken ?? '',
    scopes: text('scope')?.split(' ') ?? before?.scopes ?? [],
    issuedAt,
    expiresAt: issuedAt + (typeof lifetime === 'number' ? lifetime : 0),
  }
}

/** The identity in the response, with the requests that verified it. */
interface Identity extends Pick<IdToken, 'checks'> {
  readonly exchanges: readonly Exchange[]
  /** The claims, or `null` if there is no ID token. */
  readonly claims: IdToken['claims'] | null
}

async function identityOf(
  { json }: Answer,
  { metadata }: Walk,
  { asked, client }: Ready,
): Promise<Identity> {
  const idToken = json['id_token']
  const isPromised = metadata?.['id_token_signing_alg_values_supported'] !== undefined
  if (typeof idToken !== 'string')
    return { exchanges: [], claims: null, checks: [withoutIdToken({ isPromised })] }
  const { pathname } = new URL(String(metadata?.['jwks_uri']))
  const jwks = await send({ method: 'GET', path: pathname })
  const keys = jwks.json['keys']
  const identity = await verifyIdToken(idToken, {
    keys: Array.isArray(keys) ? (keys as Record<string, unknown>[]) : [],
    issuer: location.origin,
    clientId: client.clientId,
    nonce: asked.nonce,
  })
  return { exchanges: [jwks.exchange], ...identity }
}

const withoutIdToken = ({ isPromised }: { isPromised: boolean }): Check => ({
  said: 'Is there an id_token?',
  ok: !isPromised,
  decision: null,
  answer: isPromised
    ? 'none, but the metadata promises one'
    : 'none, and the metadata promises none: UserInfo says who signed in',
  section: rfc(8414, '2'),
})

const rolesOf = (claims: IdToken['claims'] | null): readonly string[] =>
  Array.isArray(claims?.['roles']) ? (claims['roles'] as string[]) : []
