// Further faults, of kinds that real servers had: in codes, tokens, proofs and challenges. Most are in one place only.
import { Answer, INTROSPECT, KEYS, REVOKE, TOKEN } from './proxy.mjs'
import {
  asClient,
  asConfidential,
  claimsOfProof,
  CONFIDENTIAL,
  COURSES,
  hasCredentials,
  ID,
  idTokens,
  isMcp,
  isRefresh,
  random,
  sha256,
  withAnother,
} from './tools.mjs'

export const TOKENS = [
  {
    name: 'forwarded-host-in-challenges',
    breaks: 'advice',
    only: ['resource-metadata', 'mcp', 'bearer', 'metadata'],
    answer({ headers }, call) {
      const host = call.headers['x-forwarded-host']
      if (host && headers['www-authenticate'])
        headers['www-authenticate'] = headers['www-authenticate'].replace(/127\.0\.0\.1:\d+/, host)
    },
  },
  {
    name: 'code-of-another-public-client',
    breaks: 'RFC 6749 4.1.3',
    only: ['code', 'token'],
    request(call, { codes }) {
      const asked = call.path === TOKEN && codes.get(call.params.get('code'))
      if (asked && !hasCredentials(call) && asked.client_id !== CONFIDENTIAL.id)
        asClient(call, asked.client_id)
    },
  },
  {
    name: 'lower-case-scheme-refused-at-mcp',
    breaks: 'RFC 9110 11.1',
    only: ['bearer', 'mcp'],
    request(call) {
      if (isMcp(call) && /^(?!Bearer |DPoP )\S/.test(call.headers.authorization ?? ''))
        call.headers.authorization = 'Bearer none'
    },
  },
  {
    name: 'replayed-refresh-token-ends-nothing',
    breaks: 'RFC 9700 4.14.2',
    only: ['refresh'],
    request(call, { kept }) {
      const next = isRefresh(call) && kept.get(call.params.get('refresh_token'))
      return next && kept.has(next) ? Answer.json({ error: 'invalid_grant' }, 400) : undefined
    },
    answer({ status, json }, call, { kept }) {
      if (isRefresh(call) && status === 200)
        kept.set(call.params.get('refresh_token'), json.refresh_token)
    },
  },
  {
    name: 'narrower-refresh-keeps-its-scope',
    breaks: 'RFC 6749 6',
    only: ['refresh', 'scope'],
    request(call, { tokens, kept }) {
      const issued = isRefresh(call) && tokens.get(call.params.get('refresh_token'))
      const scopes = call.params.get('scope')?.split(' ')
      if (!issued || !scopes?.every((one) => issued.scope?.split(' ').includes(one))) return
      kept.set(call, call.params.get('scope'))
      call.params.delete('scope')
    },
    answer(answer, call, { kept }) {
      if (kept.has(call) && answer.status === 200)
        answer.json = { ...answer.json, scope: kept.get(call) }
    },
  },
  {
    name: 'refresh-without-the-secret',
    breaks: 'RFC 6749 6',
    only: ['refresh', 'client-authentication'],
    request(call) {
      if (isRefresh(call) && call.clientId === CONFIDENTIAL.id && !hasCredentials(call))
        asConfidential(call)
    },
  },
  {
    name: 'resource-ignored-at-refresh',
    breaks: 'RFC 8707 2.2',
    only: ['refresh', 'resource'],
    answer({ status }, call, _, forward) {
      if (!isRefresh(call) || !call.params.has('resource') || status === 200) return
      const again = call.copy()
      again.params.delete('resource')
      return forward(again)
    },
  },
  {
    name: 'nonce-cut-after-64-characters',
    breaks: 'OpenID Connect Core 2',
    only: ID,
    ...idTokens((claims) => {
      if (!(claims.nonce?.length > 64)) return false
      claims.nonce = claims.nonce.slice(0, 64)
    }),
  },
  {
    name: 'kid-missing-with-two-keys',
    breaks: 'OpenID Connect Core 10.1',
    only: ID,
    ...idTokens((_, { header }) => void delete header.kid),
  },
  {
    name: 'at-hash-of-the-refresh-token',
    breaks: 'OpenID Connect Core 3.1.3.6',
    only: ID,
    ...idTokens((claims, { json }) => {
      const hash = Buffer.from(sha256(json.refresh_token ?? ''), 'base64url')
      claims.at_hash = hash.subarray(0, 16).toString('base64url')
    }),
  },
  {
    name: 'private-key-published',
    breaks: 'OpenID Connect Core 10.1.1, Discovery 3',
    only: ID,
    answer(answer, { path }) {
      const { keys: [first, ...others] = [] } = answer.json
      if (path === KEYS && first) answer.json = { keys: [{ ...first, d: random() }, ...others] }
    },
  },
  {
    name: 'htu-unchecked-at-mcp',
    breaks: 'RFC 9449 4.3',
    only: ['dpop'],
    answer({ status }, call, memory, forward) {
      const { htu } = claimsOfProof(call)
      if (isMcp(call) && status === 401 && htu && !htu.endsWith(call.path))
        return withAnother(call, memory, forward)
    },
  },
  {
    name: 'bound-token-as-bearer-at-one-path',
    breaks: 'RFC 9449 7.1',
    only: ['dpop', 'bearer'],
    answer({ status }, call, memory, forward) {
      const isBound = memory.tokens.get(call.token)?.token_type === 'DPoP'
      if (call.path === COURSES && status === 401 && isBound && !call.headers.dpop)
        return withAnother(call, memory, forward)
    },
  },
  {
    name: 'old-proof-at-the-token-endpoint',
    breaks: 'RFC 9449 4.3',
    only: ['dpop'],
    request(call, { kept }) {
      if (call.path !== TOKEN || !(claimsOfProof(call).iat < Date.now() / 1000 - 60)) return
      delete call.headers.dpop
      kept.set(call)
    },
    answer(answer, call, { kept }) {
      if (kept.has(call) && answer.status === 200)
        answer.json = { ...answer.json, token_type: 'DPoP' }
    },
  },
  {
    name: 'scope-unchecked-at-one-path',
    breaks: 'RFC 6750 3.1',
    only: ['scope', 'bearer'],
    answer({ status }, call, memory, forward) {
      if (call.path === COURSES && status === 403)
        return withAnother(call, memory, forward, ({ scope }) => scope?.includes('courses:read'))
    },
  },
  {
    name: 'introspection-without-credentials',
    breaks: 'RFC 7662 2.1',
    only: ['introspection'],
    request(call) {
      if (call.path === INTROSPECT && !hasCredentials(call)) asConfidential(call)
    },
  },
  {
    name: 'revocation-trusts-the-hint',
    breaks: 'RFC 7009 2.1',
    only: ['revocation'],
    request({ path, params }, { tokens }) {
      const [token, hint] = [params.get('token'), params.get('token_type_hint')]
      const kind = ['access_token', 'refresh_token'].find(
        (one) => tokens.get(token)?.[one] === token,
      )
      return path === REVOKE && kind && hint && hint !== kind ? Answer.json({}) : undefined
    },
  },
  {
    name: 'token-in-query-at-mcp',
    breaks: 'MCP Authorization, RFC 9700 4.3.2',
    only: ['bearer', 'mcp'],
    request(call) {
      if (!isMcp(call) || !call.query.has('access_token')) return
      call.headers.authorization = `Bearer ${call.query.get('access_token')}`
      call.query.delete('access_token')
    },
  },
  {
    name: 'invalid-token-as-no-token-at-mcp',
    breaks: 'MCP Authorization, RFC 6750 3.1',
    only: ['bearer', 'mcp'],
    answer({ status }, call, _, forward) {
      if (!isMcp(call) || status !== 401 || !call.token || call.json.method !== 'tools/list') return
      const again = call.copy()
      delete again.headers.authorization
      return forward(again)
    },
  },
  {
    name: 'no-resource-metadata-for-invalid-tokens',
    breaks: 'RFC 9728 5.1, MCP Authorization',
    only: ['bearer', 'mcp', 'resource-metadata'],
    answer({ headers }, call) {
      const challenge = headers['www-authenticate']
      if (isMcp(call) && call.token && challenge)
        headers['www-authenticate'] = challenge.replace(/,? ?resource_metadata="[^"]*"/, '')
    },
  },
]
