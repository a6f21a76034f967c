import { describe, expect, it } from 'vitest'
import { BAD_TOKEN, METADATA, openMcp } from './support.js'

const LIST = { method: 'tools/list' }
const challengeOf = (response: Response): [number, string | null] => [
  response.status,
  response.headers.get('www-authenticate'),
]

describe('an address of /mcp that always asks', () => {
  it.each(['/mcp/signed-in', '/mcp/member', '/mcp/signed-in/', '/mcp/member?toolset=courses'])(
    '%s answers 401 without a token, whatever the message [MCP-19]',
    async (target) => {
      const { rpc, send, reasons } = await openMcp({ toolsets: { courses: [] } })
      const bare = `Bearer resource_metadata="${METADATA}${target.slice('/mcp'.length)}"`
      expect(challengeOf(await rpc({ ...LIST, target }))).toEqual([401, bare])
      expect(challengeOf(await rpc({ method: 'initialize', target }))).toEqual([401, bare])
      expect(challengeOf(await send('no message', { target }))).toEqual([401, bare])
      for (const verb of ['GET', 'DELETE'])
        expect((await send(null, { verb, target })).status).toBe(405)
      expect(reasons).toEqual([
        'access_token_missing',
        'access_token_missing',
        'access_token_missing',
      ])
    },
  )

  it('serves the same tools with the same token [MCP-19]', async () => {
    const { rpc, memberToken, operatorToken } = await openMcp()
    for (const token of [await memberToken('account:read'), await operatorToken('courses:read')]) {
      const [there, ...others] = await Promise.all(
        ['/mcp', '/mcp/signed-in', '/mcp/member'].map(async (target) => {
          const response = await rpc({ ...LIST, token, target })
          expect(response.status).toBe(200)
          return response.text()
        }),
      )
      expect(others).toEqual([there, there])
    }
  })

  it.each([
    '/mcp',
    '/mcp/',
    '/mcp?toolset=courses',
    '/mcp/elsewhere',
    '/tools/signed-in',
    '/MCP/signed-in',
  ])('%s is none: it serves the public tools [MCP-01, MCP-19]', async (target) => {
    const { rpc } = await openMcp({ toolsets: { courses: [] } })
    expect((await rpc({ ...LIST, target })).status).toBe(200)
  })
})

describe('a challenge', () => {
  it.each([
    ['/mcp', ''],
    ['/mcp/', '/'],
    ['/mcp?toolset=courses', '?toolset=courses'],
    ['/mcp/?toolset=all', '/?toolset=all'],
    ['/mcp/signed-in?toolset=courses', '/signed-in?toolset=courses'],
    ['/mcp?toolset=courses&a=b', ''],
    ['/mcp?a=b', ''],
    ['/elsewhere/', ''],
    ['/elsewhere?toolset=courses', ''],
  ])('at %s leads to the metadata of this spelling [DISC-29]', async (target, suffix) => {
    const { rpc } = await openMcp({ toolsets: { courses: [] } })
    expect(challengeOf(await rpc({ ...LIST, token: 'unknown', target }))).toEqual([
      401,
      BAD_TOKEN.replace(METADATA, METADATA + suffix),
    ])
  })
})
