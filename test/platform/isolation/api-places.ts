import { USERINFO } from './hand.js'
import { asBearer, type Place } from './place.js'
import { B } from './world.js'

const MCP_PATHS = ['/mcp', '/mcp/signed-in', '/mcp/member']

/** The places of resource servers. */
export const API_PLACES: readonly Place[] = [
  {
    name: 'UserInfo',
    takes: /^(bound )?access token/,
    accepts: /"sub"/,
    build: async (credential, sending) =>
      sending.chance.is(0.8)
        ? { path: USERINFO, headers: await asBearer(credential, sending, USERINFO) }
        : { path: USERINFO, form: { access_token: credential.value } },
  },
  {
    name: 'Account API',
    takes: /^(bound )?access token/,
    accepts: /"data":\{/,
    build: async (credential, sending) => ({
      path: '/account/graphql',
      json: { query: '{ __typename }' },
      headers: await asBearer(credential, sending, '/account/graphql'),
    }),
  },
  {
    name: 'MCP',
    takes: /^(bound )?access token/,
    accepts: /crs_|"title"/,
    async build(credential, sending) {
      const path = sending.chance.pick(MCP_PATHS)
      const params = sending.chance.pick([
        ['tools/list', {}],
        ['tools/call', { name: 'get_course', arguments: { id: 'crs_1' } }],
        ['initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }],
      ] as const) // prettier-ignore
      const [method, given] = params
      return {
        path,
        json: { jsonrpc: '2.0', id: 1, method, params: given },
        headers: {
          ...(await asBearer(credential, sending, path)),
          ...(sending.chance.is(0.2) && { 'mcp-session-id': credential.value.slice(0, 80) }),
        },
      }
    },
  },
  {
    name: 'admin API',
    takes: /^(bound )?access token/,
    accepts: /crs_/,
    build: async (credential, sending) => ({
      path: sending.chance.pick(['/api/v1/courses', '/api/v1/courses/crs_1', '/api/v1/courses?limit=1']), // prettier-ignore
      headers: await asBearer(credential, sending, '/api/v1/courses'),
    }),
  },
  {
    name: 'UserInfo, proof',
    takes: /^proof/,
    accepts: /"sub"/,
    build: ({ value }, { own }) => ({
      path: USERINFO,
      headers: { authorization: `DPoP ${own.bound}`, dpop: value },
    }),
  },
  {
    name: 'cursor of a list',
    takes: /^cursor/,
    accepts: /never/,
    build: ({ value }, { own }) => ({
      path: `/api/v1/courses?limit=1&sort=created_at&cursor=${encodeURIComponent(value)}`,
      headers: { authorization: `Bearer ${own.staff}` },
    }),
  },
  {
    name: 'idempotency key',
    takes: /^idempotency/,
    accepts: /never/,
    build: ({ value }, { own }) => ({
      path: '/api/v1/courses',
      json: { title: `made at ${B}` },
      headers: { authorization: `Bearer ${own.staff}`, 'idempotency-key': value.slice(0, 200) },
    }),
  },
]
