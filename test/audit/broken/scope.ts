import type { Fault } from '../broken-server.js'
import { answers, both, type Broken, headers, json, requested, storeAt } from '../faults.js'

const TOKEN = '/api/oauth/token'
const KNOWN = ['openid', 'profile', 'email', 'courses:read']

/** Changes the scopes of a request. */
const scopes = (change: (all: readonly string[]) => readonly string[]): Fault =>
  requested((query) => query.set('scope', change((query.get('scope') ?? '').split(' ')).join(' ')))

/** Takes every valid token for one that has these scopes. */
const opensAt = (path: string, ...further: readonly string[]): Fault =>
  storeAt(path, (store) => ({
    findAccessToken: async (hash) => {
      const found = await store.findAccessToken(hash)
      if (found === null) return null
      const { accessToken } = found
      return {
        ...found,
        accessToken: { ...accessToken, scopes: [...accessToken.scopes, ...further] },
      }
    },
  }))

const challenge = (change: (value: string) => string): Fault =>
  headers('/courses', (all) => {
    const value = all.get('www-authenticate')
    if (value !== null) all.set('www-authenticate', change(value))
  })

const unsaid: Fault = json(TOKEN, ({ scope: _scope, ...body }) => body)

export const scope: readonly Broken[] = [
  {
    name: 'an API asks for a token, and for no scope',
    fault: opensAt('/courses', 'courses:read'),
    violates: ['scope/refused', 'scope/narrowed-by-refresh', 'refresh/narrower-scope'],
    whole: true,
  },
  {
    name: 'every client gets profile and email',
    fault: scopes((all) => [...all, 'profile', 'email']),
    violates: ['scope/within-request'],
  },
  {
    name: 'unknown scopes are dropped, and nobody learns of it',
    fault: both(
      scopes((all) => all.filter((one) => KNOWN.includes(one))),
      unsaid,
    ),
    violates: ['scope/unknown'],
  },
  {
    name: 'a request without scope gets a default, and nobody learns of it',
    fault: both(
      requested((query) => {
        if (!query.has('scope')) query.set('scope', 'openid profile')
      }),
      unsaid,
    ),
    violates: ['scope/omitted'],
  },
  {
    name: 'scopes are compared in small letters',
    fault: scopes((all) => all.map((one) => one.toLowerCase())),
    violates: ['scope/case'],
  },
  {
    name: 'a scope that comes twice is an error',
    fault: scopes((all) => (new Set(all).size < all.length ? ['"'] : all)),
    violates: ['scope/twice'],
  },
  {
    name: 'a token with too few scopes is called invalid',
    fault: both(
      answers(
        '/courses',
        ({ status, body, headers: all }) =>
          new Response(body, { status: status === 403 ? 401 : status, headers: all }),
      ),
      challenge((value) => value.replace('insufficient_scope', 'invalid_token')),
    ),
    violates: ['scope/status'],
  },
  {
    name: 'the challenge does not name the scopes',
    fault: challenge((value) => value.replace(/scope="[^"]*", /, '')),
    violates: ['scope/challenge-scope'],
  },
  {
    name: 'the challenge names the scopes of the token',
    fault: challenge((value) => value.replace(/scope="[^"]*"/, 'scope="openid"')),
    violates: ['scope/challenge-scope'],
  },
  {
    name: 'the challenge does not name the metadata',
    fault: challenge((value) => value.replace(/, resource_metadata="[^"]*"/, '')),
    violates: ['scope/challenge-metadata'],
  },
  {
    name: 'the challenge names metadata that is elsewhere',
    fault: challenge((value) => value.replace('/.well-known/', '/well-known/')),
    violates: ['scope/challenge-metadata'],
  },
  {
    name: 'UserInfo tells all to every token',
    fault: opensAt('/api/oauth/userinfo', 'profile', 'email'),
    violates: ['scope/claims'],
  },
  {
    name: 'a refreshed token has the scopes of its grant',
    fault: {
      store: (store) => ({
        rotateRefreshToken: async (rotation, events) => {
          const found = await store.findRefreshToken(rotation.tokenHash)
          const accessToken = { ...rotation.accessToken, scopes: found?.grant.scopes ?? [] }
          return store.rotateRefreshToken({ ...rotation, accessToken }, events)
        },
      }),
    },
    violates: ['scope/narrowed-by-refresh'],
  },
  {
    name: 'a refresh grants what the client may request',
    fault: storeAt(TOKEN, (store) => ({
      findRefreshToken: async (hash) => {
        const found = await store.findRefreshToken(hash)
        return found && { ...found, grant: { ...found.grant, scopes: KNOWN } }
      },
    })),
    violates: ['scope/widened-by-refresh'],
  },
]
