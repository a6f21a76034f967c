import { type AccountExecutor, accountTools } from 'hallpass/member-tools'
import { operationTools } from 'hallpass/mcp'
import { describe, expect, it } from 'vitest'
import { ISSUER, OWNER, STUDENT, T } from '../support/school.js'
import { ADAPTERS, METADATA, openMcp, resultOf } from './support.js'

const CALL = { method: 'tools/call', params: { name: 'check_connection', arguments: {} } }

describe.each(ADAPTERS)('check_connection over %s', (_entry, adapter) => {
  const SITE = { id: 'site_lantern', name: 'Lantern Street Drawing School', url: ISSUER }
  const AT = { authorization_server: ISSUER, resource: `${ISSUER}/mcp` }
  const open = () => openMcp({ adapter, toolsets: { teaching: ['get_course'] } })

  it('says to nobody how to become somebody', async () => {
    const { rpc } = await open()
    const result = await resultOf(await rpc(CALL))
    expect(result['structuredContent']).toEqual({
      caller: 'anonymous',
      site: SITE,
      scopes: [],
      effective_scopes: [],
      tool_count: 2,
      toolsets: ['teaching', 'all'],
      connect: {
        ...AT,
        how: 'Call a tool that needs an access token. The 401 response names where to sign in (OAuth 2.1 with PKCE). Staff may use any known client; members need a client that their school set up.',
      },
    })
    expect(result['_meta']).toMatchObject({
      'mcp/www_authenticate': [
        `Bearer error="invalid_token", error_description="sign in to use more than the public tools", resource_metadata="${METADATA}"`,
      ],
    })
  })

  it('says to a member who they are', async () => {
    const { rpc, memberToken, account } = await open()
    const token = await memberToken('openid', 'account:read')
    const result = await resultOf(await rpc({ ...CALL, token }))
    expect(result['structuredContent']).toEqual({
      caller: 'member',
      site: SITE,
      subject: STUDENT.subject,
      roles: ['student'],
      client: { id: 'study-buddy', name: 'Study Buddy' },
      scopes: ['openid', 'account:read'],
      effective_scopes: ['openid', 'account:read'],
      expires_at: new Date((T + 3600) * 1000).toISOString(),
      tool_count: 2 + readsOf(account.api),
      toolsets: ['teaching', 'all'],
      connect: {
        ...AT,
        how: 'Connected as a member. To get more scopes, call a tool that needs them, or sign in again.',
      },
    })
    expect(result['_meta'] ?? {}).not.toHaveProperty('mcp/www_authenticate')
  })

  it('says to an operator what has an effect now', async () => {
    const { rpc, operator } = await open()
    operator.people.set(OWNER.subject, { ...OWNER, roles: ['lecturer'] })
    const token = await operator.tokenOf({ scopes: ['courses:read', 'orders:read'] })
    const result = await resultOf(await rpc({ ...CALL, token }))
    expect(result['structuredContent']).toEqual({
      caller: 'operator',
      site: SITE,
      subject: OWNER.subject,
      roles: ['lecturer'],
      client: { id: 'app_desk', name: 'Desk CLI' },
      scopes: ['courses:read', 'orders:read'],
      effective_scopes: ['courses:read'],
      expires_at: new Date((T + 3600) * 1000).toISOString(),
      tool_count: 2 + operationTools(operator.api).length,
      toolsets: ['teaching', 'all'],
      connect: {
        ...AT,
        how: 'Connected as an operator. To get more scopes, call a tool that needs them, or sign in again.',
      },
    })
  })
})

/** How many tools of members only read. */
const readsOf = (account: AccountExecutor): number =>
  accountTools(account).filter(({ actions }) => actions[0].effect === 'read').length
