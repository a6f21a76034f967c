import { type Attack, type AttackClass, mutated } from '../support/attack/run.js'
import { bearer, JSON_HEADERS, MEMBER_SCOPES, STAFF_SCOPES } from '../support/attack/service.js'
import { form, SURFACES } from '../support/attack/requests.js'
import type { RungClass } from '../support/attack/rungs.js'
import type { Answer, Sent } from '../support/attack/wire.js'
import { hashToken } from 'hallpass/token'

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

const refused = (name: string, surface: string, request: Sent, statuses = [400, 401]): Attack => ({
  name: `${surface}: ${name}`,
  request,
  statuses,
  fault: faultOf,
})
const withHeader = (request: Sent, authorization: string | readonly string[]): Sent => ({
  ...request,
  headers: { ...request.headers, authorization },
})

/** Every form of a header that opens a surface, but the right one. */
function refusedAt(
  [surface, request]: (typeof SURFACES)[number],
  token: string,
  dead: readonly (readonly [name: string, token: string])[],
): readonly Attack[] {
  return [
    ...formsOf(token).map((value) =>
      refused(JSON.stringify(value.slice(0, 40)), surface, withHeader(request, value)),
    ),
    ...mutated(token, 12)
      .filter((changed) => /^[\x21-\x7e]+$/.test(changed))
      .map((changed) => refused(`a changed token ${changed}`, surface, withHeader(request, `Bearer ${changed}`))),
    refused('two headers', surface, withHeader(request, [`Bearer ${token}`, `Bearer ${token}`])), // prettier-ignore
    refused('two headers, one of another scheme', surface, withHeader(request, [`Bearer ${token}`, 'Basic eDp5'])), // prettier-ignore
    ...dead.map(([name, one]) => refused(name, surface, withHeader(request, `Bearer ${one}`))),
    // Anonymous, and /mcp has tools for everybody.
    ...(surface === '/mcp' ? [] : [
      refused('no header', surface, request),
      refused('a token in the query', surface, { ...request, path: `${request.path}?access_token=${token}` }),
      refused('a token in a cookie', surface, { ...request, headers: { ...request.headers, cookie: `access_token=${token}` } }),
      refused('a token in X-Authorization', surface, { ...request, headers: { ...request.headers, 'x-authorization': `Bearer ${token}` } }),
      refused('a token in Proxy-Authorization', surface, { ...request, headers: { ...request.headers, 'proxy-authorization': `Bearer ${token}` } }),
    ]),
  ] // prettier-ignore
}

const controlsAt = (
  [surface, request]: (typeof SURFACES)[number],
  token: string,
): readonly Attack[] =>
  ['Bearer', 'bearer', 'BEARER'].map((scheme): Attack => ({
    name: `${surface} with ${scheme}`,
    request: withHeader(request, `${scheme} ${token}`),
    statuses: [200],
  }))

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
        ...SURFACES.flatMap((one) => refusedAt(one, ofSurface(one[0]), dead)),
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
      controls: SURFACES.flatMap((one) => controlsAt(one, ofSurface(one[0]))),
    } // prettier-ignore
  },
}

/** The same for a rung, whose own API is a list of courses. */
export const bearerHeadersOfRung: RungClass = {
  name: bearerHeaders.name,
  needs: [],
  least: 60,
  async build({ clientId, grant, send, serves, code }) {
    const staff = await grant('staff', 'openid courses:read students:read')
    const narrow = await grant('staff', 'openid')
    const revoked = await grant('staff')
    await send(form('/api/oauth/revoke', { client_id: clientId, token: revoked.refreshToken }))
    const dead = [
      ['a refresh token', staff.refreshToken],
      ['a revoked token', revoked.accessToken],
      ['a code', (await code())['code']!],
      ['a client id', clientId],
    ] as const
    const [userInfo, account, mcp] = ['UserInfo', 'the Account API', '/mcp'].map((name) =>
      SURFACES.find(([one]) => one === name)!,
    )
    const courses = ['the courses', { path: '/courses' }] as const
    const opened: (readonly [(typeof SURFACES)[number], string])[] = [
      [userInfo!, staff.accessToken],
    ]
    if (serves.has('courses')) opened.push([courses, staff.accessToken])
    if (serves.has('MCP')) opened.push([mcp!, staff.accessToken])
    const lacking: Attack[] = []
    const forbidden = (name: string, request: Sent, token: string): void =>
      void lacking.push({
        name, request: withHeader(request, `Bearer ${token}`), statuses: [401, 403], without: ['"data":[', '"viewer":', '"structuredContent"'],
      }) // prettier-ignore
    if (serves.has('courses')) forbidden('the courses: a token without the scope', courses[1], narrow.accessToken) // prettier-ignore
    if (serves.has('member apps')) {
      const member = await grant('member')
      forbidden('the courses: a token of a member app', courses[1], member.accessToken)
      if (serves.has('Account API')) {
        opened.push([account!, member.accessToken])
        forbidden('the Account API: a token of staff', account![1], staff.accessToken)
      }
    }
    return {
      attacks: [
        ...opened.flatMap(([surface, token]) => refusedAt(surface, token, dead)),
        ...lacking,
      ],
      controls: opened.flatMap(([surface, token]) => controlsAt(surface, token)),
    } // prettier-ignore
  },
}
