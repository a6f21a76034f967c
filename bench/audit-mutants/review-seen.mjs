// Faults of a review that the audit of that time saw. Each says which text it breaks, and in which subjects it could be
// seen; `advice` is what no text demands.
import { randomInt } from 'node:crypto'
import { AUTHORIZE, DEVICE, INTROSPECT, REVOKE, TOKEN, USERINFO } from './proxy.mjs'
import {
  asClient,
  claimsOfProof,
  codes,
  COURSES,
  DEVICE_CODE,
  ID,
  idTokens,
  inLocation,
  isGrant,
  isIssued,
  isMcp,
  isRefresh,
  isToApp,
  random,
  sha256,
  withAnother,
} from './tools.mjs'

export const SEEN = [
  {
    name: 'iss-dropped-with-a-code',
    breaks: 'RFC 9207 2',
    only: ['issuer', 'authorization'],
    answer(answer) {
      if (isToApp(answer) && answer.location.searchParams.has('code'))
        inLocation(answer, (query) => query.delete('iss'))
    },
  },
  {
    name: 'tokens-swapped',
    breaks: 'RFC 6749 5.1',
    only: ['bearer', 'refresh', 'token', 'userinfo'],
    answer(answer, { path }) {
      const { access_token: access, refresh_token: refresh, ...rest } = answer.json
      if (path === TOKEN && access && refresh)
        answer.json = { ...rest, access_token: refresh, refresh_token: access }
    },
  },
  {
    name: 'token-answer-cached-for-3-s',
    breaks: 'RFC 6749 4.1.3',
    only: ['code', 'token', 'refresh', 'id-token'],
    request({ path, method }, { kept }) {
      const [answer, at] = kept.get('cached') ?? []
      return path === TOKEN && method === 'POST' && Date.now() - at < 3000 ? answer : undefined
    },
    answer(answer, { path }, { kept }) {
      if (path === TOKEN && answer.status === 200) kept.set('cached', [answer, Date.now()])
    },
  },
  {
    name: 'revoked-token-works-at-one-path',
    breaks: 'RFC 7009 2',
    only: ['revocation', 'bearer'],
    answer(answer, call, memory, forward) {
      if (call.path === COURSES && answer.status === 401 && isIssued(call, memory))
        return withAnother(call, memory, forward)
    },
  },
  {
    name: 'access-token-outlives-its-refresh-token-at-mcp',
    breaks: 'RFC 7009 2.1',
    only: ['revocation', 'refresh', 'mcp'],
    answer(answer, call, memory, forward) {
      if (call.path === REVOKE) memory.kept.set(call.params.get('token'))
      const isLeft = isIssued(call, memory) && !memory.kept.has(call.token)
      if (isMcp(call) && answer.status === 401 && isLeft) return withAnother(call, memory, forward)
    },
  },
  {
    name: 'plain-challenges',
    breaks: 'RFC 9700 2.1.1',
    only: ['pkce'],
    request({ path, params }) {
      if (path !== AUTHORIZE || !params.has('code_challenge')) return
      if ((params.get('code_challenge_method') ?? 'plain') !== 'plain') return
      params.set('code_challenge', sha256(params.get('code_challenge')))
      params.set('code_challenge_method', 'S256')
    },
  },
  {
    name: 'refresh-of-any-client',
    breaks: 'RFC 6749 6',
    only: ['refresh'],
    request(call, { tokens }) {
      if (isRefresh(call)) asClient(call, tokens.get(call.params.get('refresh_token'))?.client_id)
    },
  },
  {
    name: 'old-refresh-token-for-ever',
    breaks: 'RFC 9700 4.14.2',
    only: ['refresh'],
    request(call, { kept }) {
      if (!isRefresh(call)) return
      let token = call.params.get('refresh_token')
      while (kept.has(token)) token = kept.get(token)
      call.params.set('refresh_token', token)
    },
    answer({ status, json }, call, { kept }) {
      if (isRefresh(call) && status === 200)
        kept.set(call.params.get('refresh_token'), json.refresh_token)
    },
  },
  {
    name: 'refresh-scope-grows',
    breaks: 'RFC 6749 6',
    only: ['refresh', 'scope'],
    request(call, { kept }) {
      if (!isRefresh(call) || !call.params.has('scope')) return
      kept.set(call, call.params.get('scope'))
      call.params.delete('scope')
    },
    answer(answer, call, { kept }) {
      if (kept.has(call) && answer.status === 200)
        answer.json = { ...answer.json, scope: kept.get(call) }
    },
  },
  {
    name: 'proof-twice',
    breaks: 'RFC 9449 11.1',
    only: ['dpop'],
    async answer(answer, call, memory, forward) {
      const { jti } = claimsOfProof(call)
      const isKnown = memory.kept.has(jti)
      if (jti !== undefined && answer.status < 400) memory.kept.set(jti)
      if (!isKnown || answer.status < 400) return
      if (call.path !== TOKEN) return withAnother(call, memory, forward)
      const again = call.copy()
      delete again.headers.dpop
      const other = await forward(again)
      if (other.status === 200) other.json = { ...other.json, token_type: 'DPoP' }
      return other
    },
  },
  {
    name: 'pushed-request-twice',
    breaks: 'RFC 9126 2.2',
    only: ['pushed-requests'],
    request(call, { pushed, codes }) {
      const asked = call.path === AUTHORIZE && pushed.get(call.query.get('request_uri'))
      if (!asked || ![...codes.values()].includes(asked)) return
      call.query.delete('request_uri')
      const { isPushed: _, ...given } = asked
      for (const [name, value] of Object.entries(given)) call.query.set(name, value)
    },
  },
  {
    name: 'user-code-of-4-digits',
    breaks: 'RFC 8628 5.1',
    only: ['device'],
    request(call, { kept }) {
      for (const list of [call.query, call.form])
        if (kept.has(list.get('user_code'))) list.set('user_code', kept.get(list.get('user_code')))
    },
    answer(answer, call, { kept }) {
      if (call.path === DEVICE && answer.status === 200)
        kept.set(String(randomInt(1000, 10_000)), answer.json.user_code)
      for (const [digits, code] of kept) {
        answer.body = answer.body.replaceAll(code, digits)
        if (answer.headers.location) answer.headers.location = answer.headers.location.replaceAll(code, digits) // prettier-ignore
      }
    },
  },
  {
    name: 'device-code-of-any-client',
    breaks: 'RFC 8628 3.4',
    only: ['device'],
    request(call, { devices }) {
      if (isGrant(call, DEVICE_CODE))
        asClient(call, devices.get(call.params.get('device_code'))?.client_id)
    },
  },
  {
    name: 'sub-changes',
    breaks: 'OpenID Connect Core 2',
    only: ID,
    ...idTokens((claims, { json, memory }) => {
      claims.sub = random()
      memory.kept.set(json.access_token, claims.sub)
    }),
  },
  {
    name: 'sub-shared',
    breaks: 'OpenID Connect Core 2',
    only: ID,
    answer(answer, call, ...rest) {
      idTokens((claims) => void (claims.sub = 'person')).answer(answer, call, ...rest)
      if (call.path === USERINFO && answer.json.sub) answer.json = { ...answer.json, sub: 'person' }
    },
  },
  {
    name: 'id-token-as-access-token',
    breaks: 'RFC 9068 5, advice',
    only: ['id-token', 'bearer'],
    request(call, { tokens }) {
      const issued = tokens.get(call.token)
      if (issued?.id_token === call.token && call.token)
        call.headers.authorization = `Bearer ${issued.access_token}`
    },
  },
  {
    name: 'codes-of-6-digits',
    breaks: 'RFC 6749 10.10',
    only: ['code'],
    ...codes(() => String(randomInt(100_000, 1_000_000))),
  },
  {
    name: 'cors-with-credentials-at-userinfo',
    breaks: 'advice',
    only: ['headers', 'userinfo'],
    answer({ headers }, call) {
      if (call.path !== USERINFO) return
      headers['access-control-allow-origin'] = call.headers.origin ?? '*'
      headers['access-control-allow-credentials'] = 'true'
    },
  },
  {
    name: 'introspection-says-yes',
    breaks: 'RFC 7662 2.2',
    only: ['introspection'],
    answer(answer, { path }) {
      if (path === INTROSPECT && answer.status === 200)
        answer.json = { ...answer.json, active: true }
    },
  },
]
