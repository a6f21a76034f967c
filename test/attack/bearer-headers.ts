import { type Attack, type AttackClass, mutated } from '../support/attack/run.js'
import { bearer, JSON_HEADERS, MEMBER_SCOPES, STAFF_SCOPES } from '../support/attack/service.js'
import type { Answer, Sent } from '../support/attack/wire.js'
import { hashToken } from 'hallpass/token'

const LIST_TOOLS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
const MCP_HEADERS = { ...JSON_HEADERS, accept: 'application/json, text/event-stream' }

/** Everything that a token opens, and a request to it. */
const SURFACES: readonly (readonly [name: string, request: Sent])[] = [
  ['UserInfo', { path: '/api/oauth/userinfo' }],
  ['the Account API', { path: '/account/graphql', headers: JSON_HEADERS, body: '{"query":"{ viewer { id } }"}' }],
  ['the admin API', { path: '/api/v1/courses' }],
  ['/mcp', { path: '/mcp', headers: MCP_HEADERS, body: LIST_TOOLS }],
] // prettier-ignore

/** Forms of a header that are not `Bearer` and one token. */
const formsOf = (token: string): readonly string[] => [
  '', ' ', 'Bearer', 'Bearer ', `Bearer${token}`, `Bearer  ${token} x`, `Bearer ${token},${token}`, `Bearer ${token} ${token}`,
  `Bearer "${token}"`, `Bearer '${token}'`, `Bearer ${token};x`, `Bearer ${token}, Bearer ${token}`, `Bearer token=${token}`,
  `Bearer access_token="${token}"`, `Basic ${token}`, `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
  `Basic ${Buffer.from(`${token}:`).toString('base64')}`, `DPoP ${token}`, `MAC ${token}`, `Digest ${token}`, `Token ${token}`,
  `OAuth ${token}`, `JWT ${token}`, token, `Negotiate ${token}`, `Bearer\t\t${token}\tx`, `Bearer ${token.slice(0, -1)}`,
  `Bearer ${token}x`, `Bearer ${token}=`, `Bearer ${token}%00`, `Bearer ${token.toUpperCase()}`, `Bearer ${token.toLowerCase()}`,
  `Bearer ${encodeURIComponent(` ${token}`)}`, `Bearer ${Buffer.from(token).toString('base64')}`, `Bearer ${hashToken(token)}`,
  `Bearer hpa_${'a'.repeat(43)}`, `Bearer ${'a'.repeat(6000)}`, 'Bearer null', 'Bearer undefined', 'Bearer true', 'Bearer {}',
  'Bearer *', 'Bearer %', "Bearer ' or 1=1 --", 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZW1fbDAxIn0.', 'Bearer ../../x', 'Bearer __proto__',
] // prettier-ignore

function faultOf({ headers, text }: Answer): string | null {
  const challenge = String(headers['www-authenticate'] ?? '')
  if (!challenge.startsWith('Bearer ')) return 'it has no challenge'
  if (!challenge.includes('resource_metadata="http')) return 'the challenge names no metadata'
  return /"(?:data|viewer|tools|sub)":/.test(text) ? 'it has content' : null
}

/** Only one header with one living token opens anything. */
export const bearerHeaders: AttackClass = {
  name: 'bearer headers',
  least: 280,
  async build(service) {
    const staff = await service.mint()
    const member = await service.mint({ clientId: 'study-buddy', subject: 'mem_l05', scopes: MEMBER_SCOPES }) // prettier-ignore
    const ofSurface = (name: string): string =>
      name === 'the Account API' ? member.accessToken : staff.accessToken
    const dead: readonly (readonly [name: string, token: string])[] = [
      ['an expired token', (await service.mint({ expired: true })).accessToken],
      ['a revoked token', (await service.mint({ revoked: true })).accessToken],
      ['a token of the other school', (await service.mint({ site: 'kiln' })).accessToken],
      ['a refresh token', staff.refreshToken],
      ['a grant id', staff.grantId],
      ['a code', await service.mintCode()],
      ['a client secret', 'portfolio-hub-demo-secret'],
      ['a token of a disabled client', (await service.mint({ clientId: 'old-tracker', subject: 'mem_l05', scopes: MEMBER_SCOPES })).accessToken],
      ['a token of a blocked document', (await service.mint({ clientId: 'https://bad.example/client.json' })).accessToken],
      ['a token of a client that is gone', (await service.mint({ clientId: 'nobody' })).accessToken],
      ['a token of a person that is gone', (await service.mint({ subject: 'mem_none' })).accessToken],
      ['a token of a suspended person', (await service.mint({ subject: 'mem_l12' })).accessToken],
      ['a token for another server', (await service.mint({ resource: '.evil.test' })).accessToken],
      ['a token for another path', (await service.mint({ resource: '/elsewhere' })).accessToken],
    ] // prettier-ignore
    const refused = (
      name: string,
      surface: string,
      request: Sent,
      statuses = [400, 401],
    ): Attack => ({
      name: `${surface}: ${name}`,
      request,
      statuses,
      fault: faultOf,
    })
    const withHeader = (request: Sent, authorization: string | readonly string[]): Sent => ({
      ...request,
      headers: { ...request.headers, authorization },
    })
    const lacking: Attack[] = []
    for (const [name, grant] of [
      ['a token of a member app', { clientId: 'study-buddy', subject: 'mem_l01', scopes: MEMBER_SCOPES }],
      ['a token of a member app that names the scopes of staff', { clientId: 'study-buddy', subject: 'mem_l01', scopes: STAFF_SCOPES }],
      ['a token of a student that names the scopes of staff', { subject: 'mem_l05' }],
      ['a token without the scope', { scopes: ['openid', 'posts:read'] }],
    ] as const) {
      const { accessToken } = await service.mint(grant)
      lacking.push({
        name: `the admin API: ${name}`,
        request: { path: '/api/v1/courses', headers: bearer(accessToken) },
        statuses: [403],
        without: ['"data"'],
      })
    } // prettier-ignore
    const staffAtAccount = await service.mint({ scopes: [...STAFF_SCOPES, 'account:read'] })
    return {
      attacks: [
        ...SURFACES.flatMap(([surface, request]) => [
          ...formsOf(ofSurface(surface)).map((value) =>
            refused(JSON.stringify(value.slice(0, 40)), surface, withHeader(request, value)),
          ),
          ...mutated(ofSurface(surface), 12)
            .filter((token) => /^[\x21-\x7e]+$/.test(token))
            .map((token) => refused(`a changed token ${token}`, surface, withHeader(request, `Bearer ${token}`))),
          refused('two headers', surface, withHeader(request, [`Bearer ${ofSurface(surface)}`, `Bearer ${ofSurface(surface)}`])), // prettier-ignore
          refused('two headers, one of another scheme', surface, withHeader(request, [`Bearer ${ofSurface(surface)}`, 'Basic eDp5'])), // prettier-ignore
          ...dead.map(([name, token]) => refused(name, surface, withHeader(request, `Bearer ${token}`))),
          // Anonymous, and /mcp has tools for everybody.
          ...(surface === '/mcp' ? [] : [
            refused('no header', surface, request),
            refused('a token in the query', surface, { ...request, path: `${request.path}?access_token=${ofSurface(surface)}` }),
            refused('a token in a cookie', surface, { ...request, headers: { ...request.headers, cookie: `access_token=${ofSurface(surface)}` } }),
            refused('a token in X-Authorization', surface, { ...request, headers: { ...request.headers, 'x-authorization': `Bearer ${ofSurface(surface)}` } }),
            refused('a token in Proxy-Authorization', surface, { ...request, headers: { ...request.headers, 'proxy-authorization': `Bearer ${ofSurface(surface)}` } }),
          ]),
        ]),
        refused('a token in the form', 'UserInfo', {
          path: '/api/oauth/userinfo', body: `access_token=${staff.accessToken}`, headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
        ...lacking,
        {
          name: 'the Account API: a token of a staff app that names account:read',
          request: { path: '/account/graphql', headers: { ...JSON_HEADERS, ...bearer(staffAtAccount.accessToken) }, body: '{"query":"{ viewer { id } }"}' },
          statuses: [401, 403],
          without: ['"viewer"'],
        },
      ],
      controls: SURFACES.flatMap(([surface, request]) =>
        ['Bearer', 'bearer', 'BEARER'].map((scheme): Attack => ({
          name: `${surface} with ${scheme}`,
          request: withHeader(request, `${scheme} ${ofSurface(surface)}`),
          statuses: [200],
        })),
      ),
    } // prettier-ignore
  },
}
