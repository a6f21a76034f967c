import type { Fault } from '../broken-server.js'
import { both, type Broken, json, requested, storeAt } from '../faults.js'

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

const unsaid: Fault = json(TOKEN, ({ scope: _scope, ...body }) => body)

export const scope: readonly Broken[] = [
  {
    name: 'nothing but unknown scopes that are ignored',
    fault: scopes((all) => all.filter((one) => KNOWN.includes(one))),
    violates: [],
    holds: ['scope/unknown-ignored'],
  },
  {
    name: 'an API asks for a token, and for no scope',
    fault: opensAt('/courses', 'courses:read'),
    violates: ['scope/refused', 'refresh/narrower-scope'],
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
    name: 'openid is read where it comes first',
    fault: scopes((all) => all.filter((one, at) => one !== 'openid' || at === 0)),
    violates: ['scope/order'],
  },
  {
    name: 'a scope that comes twice is an error',
    fault: scopes((all) => (new Set(all).size < all.length ? ['"'] : all)),
    violates: ['scope/twice'],
  },
]
