import { type AccountExecutor, accountTools, operationTools } from 'hallpass/mcp'
import { describe, expect, it } from 'vitest'
import { ISSUER, OWNER, STUDENT, T } from '../support/school/school.js'
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
        how: 'Call a tool that needs an access token. The 401 response names where to sign in (OAuth 2.1 with PKCE). Staff may use any known client; members need a client that their school set up. A client that starts its sign-in only when it is asked connects to https://lantern.example/mcp/signed-in or, for members, to https://lantern.example/mcp/member.',
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

describe('check_connection of a site with links for more scopes', () => {
  const call = async (
    { rpc }: Awaited<ReturnType<typeof openMcp>>,
    token: string | null,
    args: Readonly<Record<string, unknown>> = {},
  ): Promise<Record<string, unknown>> => {
    const params = { name: 'check_connection', arguments: args }
    return resultOf(await rpc({ method: 'tools/call', params, token }))
  }
  const open = () => openMcp({ stepUpLinks: true })

  it('names the scopes that client and role permit, and where the person can add some [STEP-08]', async () => {
    const mcp = await open()
    mcp.operator.people.set(OWNER.subject, { ...OWNER, roles: ['assistant'] })
    const token = await mcp.operatorToken('openid', 'courses:read')
    const { structuredContent: plain } = await call(mcp, token)
    expect(plain).toMatchObject({
      addable_scopes: expect.arrayContaining(['comments:read']) as unknown,
      connect: { how: expect.stringContaining('show the person its allow_url') as unknown },
    })
    expect(plain).not.toHaveProperty('allow_url')
    expect(JSON.stringify(plain)).not.toMatch(/account:read|"courses:write"|"email"/)
    const { structuredContent: asked } = await call(mcp, token, {
      scopes: ['courses:read', 'comments:read'],
    })
    expect(asked).toMatchObject({
      allow_url: expect.stringMatching(
        /^https:\/\/lantern\.example\/oauth\/interaction\/[\w-]+\?add=comments:read$/,
      ) as unknown,
    })
    expect((await call(mcp, token, { scopes: ['courses:read'] }))['structuredContent']).toEqual(
      plain,
    )
  })

  it('has no address for what the person cannot add [STEP-02]', async () => {
    const mcp = await open()
    mcp.operator.people.set(OWNER.subject, { ...OWNER, roles: ['assistant'] })
    const token = await mcp.operatorToken('courses:read')
    for (const scope of ['courses:write', 'account:read', 'x:y']) {
      const { isError, content } = (await call(mcp, token, { scopes: [scope] })) as {
        isError: boolean
        content: { text: string }[]
      }
      expect(isError).toBe(true)
      expect(JSON.parse(content[0]!.text)).toMatchObject({
        code: 'INVALID_INPUT',
        message: `this person cannot add ${scope} to this app`,
      })
    }
  })

  it('offers an anonymous caller nothing to add', async () => {
    const { structuredContent } = await call(await open(), null, { scopes: ['courses:read'] })
    expect(structuredContent).not.toHaveProperty('addable_scopes')
    expect(structuredContent).not.toHaveProperty('allow_url')
  })

  it('takes no scopes where the site has no link', async () => {
    const mcp = await openMcp()
    const token = await mcp.operatorToken('courses:read')
    expect(await call(mcp, token, { scopes: ['courses:write'] })).toMatchObject({ isError: true })
    expect((await call(mcp, token))['structuredContent']).not.toHaveProperty('addable_scopes')
  })
})
