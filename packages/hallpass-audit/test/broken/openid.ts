import { decodeProtectedHeader } from 'jose'
import type { Fault } from '../broken-server.js'
import { type Broken, requested } from '../faults.js'
import { signing } from './id-token.js'

/** Shows an error for some authorization requests. */
const refusing = (isRefused: (query: URLSearchParams) => boolean): Fault => ({
  wrap: (next) => (request) => {
    const { pathname, searchParams } = new URL(request.url)
    return pathname === '/oauth/authorize' && isRefused(searchParams)
      ? new Response('<h1>Bad request</h1>', { status: 400, headers: { 'content-type': 'text/html' } })
      : next(request)
  },
}) // prettier-ignore

/** Knows some parameters, and takes any other for an error. */
const without = (name: string): Broken => ({
  name: `${name} is an error`,
  fault: refusing((query) => query.has(name)),
  violates: [`openid/${name.replaceAll('_', '-')}`],
})

export const openid: readonly Broken[] = [
  {
    name: 'prompt=none is for people only who are not signed in',
    fault: requested((query) => query.delete('prompt', 'none')),
    violates: ['openid/prompt-none'],
  },
  {
    name: 'auth_time is the time of the request',
    fault: signing({ claims: ({ auth_time: time, ...claims }) => ({ ...claims, ...(time !== undefined && { auth_time: claims['iat'] }) }) }),
    violates: ['openid/max-age'],
  },
  {
    name: 'a hint is ignored',
    fault: requested((query) => query.delete('id_token_hint')),
    violates: ['openid/hint-of-another-person'],
  },
  {
    name: 'a made-up hint is refused',
    fault: refusing((query) => query.has('id_token_hint') && decodeProtectedHeader(query.get('id_token_hint')!).kid === undefined),
    violates: [],
    holds: ['openid/made-up-hint'],
  },
  {
    name: 'any hint is an error',
    fault: refusing((query) => query.has('id_token_hint')),
    violates: ['openid/id-token-hint'],
    holds: ['openid/made-up-hint'],
  },
  without('display'),
  without('ui_locales'),
  without('claims_locales'),
  without('acr_values'),
  without('claims'),
  without('login_hint'),
] // prettier-ignore
