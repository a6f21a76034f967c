import type { FoundRefreshToken } from '../../../../src/store/store.js'
import type { Store } from 'hallpass/store'
import { type Fault, ORIGIN } from '../broken-server.js'
import { answers, both, type Broken, issueAnyway, json, received } from '../faults.js'

const TOKEN = '/api/oauth/token'
const ALL_SCOPES = ['openid', 'profile', 'email', 'courses:read']

/** Changes refresh tokens where the server looks them up. */
const found = (
  change: (
    token: FoundRefreshToken,
    store: Store,
  ) => Promise<FoundRefreshToken> | FoundRefreshToken,
): Fault => ({
  store: (store) => ({
    findRefreshToken: async (hash) => {
      const token = await store.findRefreshToken(hash)
      return token && change(token, store)
    },
  }),
})

/** Stores what a refresh issued, although the store says that it must not. */
const unguarded = (
  store: Store,
  although: 'spent' | 'missing' = 'spent',
): Pick<Store, 'rotateRefreshToken'> => ({
  rotateRefreshToken: async (rotation, events) => {
    const outcome = await store.rotateRefreshToken(rotation, events)
    if (outcome !== although) return outcome
    const { accessToken, successor: refreshToken } = rotation
    const { grant } = (await store.findGrant(refreshToken.grantId))!
    await issueAnyway(store, { grant, accessToken, refreshToken })
    return 'rotated'
  },
})

/** A refresh token as if it was not used yet. */
const unused = (token: FoundRefreshToken): FoundRefreshToken => ({
  ...token,
  refreshToken: { ...token.refreshToken, rotation: null },
  successorUsed: false,
})

/** Takes the client of the request for that of the refresh token. */
function ofAnyClient(isLet: (clientId: string) => boolean): Fault {
  let clientId: string | null = null
  const { store } = found(async (token, all) =>
    clientId === null || !isLet(clientId)
      ? token
      : { ...token, grant: { ...token.grant, clientId }, client: await all.findClient(clientId) },
  )
  return {
    store: store!,
    wrap: (next) => async (request) => {
      if (new URL(request.url).pathname !== TOKEN) return next(request)
      clientId = new URLSearchParams(await request.clone().text()).get('client_id')
      const answer = await next(request)
      clientId = null
      return answer
    },
  }
}

/** Changes the answers to refreshes. */
const refreshed = (change: (answer: Response) => Response | Promise<Response>): Required<Pick<Fault, 'wrap'>> =>
  answers(TOKEN, async (answer, request) => {
    const form = new URLSearchParams(await request.text())
    return answer.status === 200 && form.get('grant_type') === 'refresh_token' ? change(answer) : answer
  }) // prettier-ignore

/** Names the refresh tokens of refreshes by their number. */
function numbered(): Fault {
  const tokens: string[] = []
  const NAME = 'refresh-token-of-the-school-number-'
  return both(
    received(TOKEN, (form) => {
      const [, number] = (form.get('refresh_token') ?? '').split(NAME)
      if (number !== undefined) form.set('refresh_token', tokens[Number(number)] ?? 'unknown')
    }),
    refreshed(async (answer) => {
      const body = (await answer.json()) as Record<string, string>
      if (!tokens.includes(body['refresh_token']!)) tokens.push(body['refresh_token']!)
      const name = NAME + String(tokens.indexOf(body['refresh_token']!)).padStart(8, '0')
      return Response.json({ ...body, refresh_token: name }, { headers: { 'cache-control': 'no-store' } })
    }),
  )
} // prettier-ignore

/** Keeps the first refresh token of a grant for ever. */
function kept(): Fault {
  const newest = new Map<string, string>()
  return {
    wrap: (next) => async (request) => {
      if (new URL(request.url).pathname !== TOKEN) return next(request)
      const form = new URLSearchParams(await request.text())
      const first = form.get('refresh_token') ?? ''
      if (newest.has(first)) form.set('refresh_token', newest.get(first)!)
      const answer = await next(new Request(request.url, { method: 'POST', headers: request.headers, body: form.toString() }))
      if (first === '' || answer.status !== 200) return answer
      const body = (await answer.json()) as Record<string, string>
      newest.set(first, body['refresh_token']!)
      return Response.json({ ...body, refresh_token: first }, { headers: { 'cache-control': 'no-store' } })
    },
  } // prettier-ignore
}

/** Repeats the scope of a refresh in the answer, and issues a token for all that was granted. */
function unread(): Fault {
  let asked: string | null = null
  const { wrap } = received(TOKEN, (form) => {
    asked = form.get('grant_type') === 'refresh_token' ? form.get('scope') : null
    if (asked !== null && !asked.includes('courses:read')) form.delete('scope')
    else asked = null
  })
  const told = json(TOKEN, (body) => ({ ...body, scope: asked ?? body['scope'] }))
  return { wrap: (next, parts) => wrap(told.wrap(next, parts), parts) }
}

/** Takes the scopes of a refresh for those of all that follow. */
function shrinking(): Fault {
  const scopes = new Map<string, readonly string[]>()
  return {
    store: (store) => ({
      findRefreshToken: async (hash) => {
        const token = await store.findRefreshToken(hash)
        const left = scopes.get(hash)
        return token && left ? { ...token, grant: { ...token.grant, scopes: left } } : token
      },
      rotateRefreshToken: (rotation, events) => {
        scopes.set(rotation.successor.tokenHash, rotation.accessToken.scopes)
        return store.rotateRefreshToken(rotation, events)
      },
    }),
  }
}

/** Answers a refresh token that is not found as it answers a form without one. */
function unknown(): Fault {
  let isKnown = true
  return {
    store: (store) => ({
      findRefreshToken: async (hash) => {
        const token = await store.findRefreshToken(hash)
        isKnown = token !== null
        return token
      },
    }),
    ...json(TOKEN, (body) => (isKnown ? body : { error: 'invalid_request' }), 400),
  }
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Answers a refresh with an ID token of these claims. */
const withIdToken = (claims: object): Fault =>
  json(TOKEN, (body) =>
    'id_token' in body
      ? body
      : { ...body, id_token: `${part({ alg: 'ES256' })}.${part({ iss: ORIGIN, ...claims })}.c2ln` },
  )

export const refresh: readonly Broken[] = [
  {
    name: 'the access token of a refresh is not stored',
    fault: {
      store: (store) => ({
        rotateRefreshToken: (rotation, events) =>
          store.rotateRefreshToken(
            { ...rotation, accessToken: { ...rotation.accessToken, tokenHash: 'another hash' } },
            events,
          ),
      }),
    },
    violates: ['refresh/works'],
  },
  {
    name: 'an unknown refresh token is a request that nobody understands',
    fault: unknown(),
    violates: ['refresh/unknown'],
  },
  {
    name: 'a refresh token stays the same',
    fault: kept(),
    violates: ['refresh/rotated'],
  },
  {
    name: 'the scope of a refresh is repeated and not read',
    fault: unread(),
    violates: ['refresh/narrower-scope'],
  },
  {
    name: 'a refresh for less is for ever',
    fault: shrinking(),
    violates: ['refresh/full-scope-again'],
  },
  {
    name: 'a refresh gives what the client may request',
    fault: found((token) => ({ ...token, grant: { ...token.grant, scopes: ALL_SCOPES } })),
    violates: ['refresh/wider-scope'],
  },
  {
    name: 'the ID token of a refresh is of somebody else',
    fault: withIdToken({ sub: 'per_nobody', aud: 'nobody' }),
    violates: ['refresh/id-token'],
  },
  {
    name: 'a refresh token is an access token',
    fault: {
      store: (store) => ({
        findAccessToken: async (hash) => {
          const access = await store.findAccessToken(hash)
          const token = access === null ? await store.findRefreshToken(hash) : null
          if (token === null) return access
          const { refreshToken, grant, client } = token
          return { accessToken: { ...refreshToken, scopes: grant.scopes, revokedAt: null }, grant, client } // prettier-ignore
        },
      }),
    },
    violates: ['refresh/is-no-access-token'],
  },
  {
    name: 'an access token is a refresh token',
    fault: {
      store: (store) => ({
        ...unguarded(store, 'missing'),
        findRefreshToken: async (hash) => {
          const token = await store.findRefreshToken(hash)
          const access = token === null ? await store.findAccessToken(hash) : null
          if (access === null) return token
          const { accessToken, grant, client } = access
          return { refreshToken: { ...accessToken, rotation: null }, grant, client, successorUsed: false } // prettier-ignore
        },
      }),
    },
    violates: ['refresh/access-token'],
  },
  {
    name: 'any client refreshes',
    fault: ofAnyClient(() => true),
    violates: ['refresh/of-another-client'],
    whole: true,
  },
  {
    name: 'a client with a secret refreshes for all',
    fault: ofAnyClient((clientId) => clientId === 'desk'),
    violates: ['refresh/of-another-client'],
  },
  {
    name: 'a cache may keep the answer to a refresh',
    fault: refreshed(({ body, headers: sent }) => {
      const headers = new Headers(sent)
      headers.set('cache-control', 'private')
      return new Response(body, { headers })
    }),
    violates: ['headers/tokens-not-stored'],
  },
  {
    name: 'the answer to a refresh has no token_type',
    fault: refreshed(async (answer) => {
      const { token_type: _, ...body } = (await answer.json()) as Record<string, string>
      return Response.json(body, { headers: { 'cache-control': 'no-store' } })
    }),
    violates: ['refresh/token-type'],
  },
  {
    name: 'the refresh tokens of refreshes are counted',
    fault: numbered(),
    violates: ['refresh/unguessable'],
  },
  {
    name: 'a refresh token works for a while after its first use',
    fault: {
      store: (store) => ({
        ...unguarded(store),
        findRefreshToken: async (hash) => {
          const token = await store.findRefreshToken(hash)
          return token === null || token.successorUsed ? token : unused(token)
        },
      }),
    },
    violates: ['refresh/sent-again', 'refresh/raced'],
  },
  {
    name: 'two refreshes at once each get tokens of their own',
    fault: { store: (store) => unguarded(store) },
    violates: ['refresh/raced'],
  },
  {
    name: 'a refresh token works for ever',
    fault: {
      store: (store) => ({ ...unguarded(store), ...found(unused).store!(store) }),
    },
    violates: ['refresh/sent-again', 'refresh/stale', 'refresh/stale-ends-family', 'refresh/raced'],
  },
  {
    name: 'a family survives the theft of its token',
    fault: {
      store: (store) => ({
        revokeGrant: async (revocation, events) =>
          revocation.revokedReason === 'refresh_token_reused'
            ? 'missing'
            : store.revokeGrant(revocation, events),
      }),
    },
    violates: ['refresh/stale-ends-family'],
  },
]
