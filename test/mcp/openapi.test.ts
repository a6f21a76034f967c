import { describeMcpEndpoint } from 'hallpass/openapi'
import { expect, it } from 'vitest'

it('describes /mcp with an access token, which is optional where anonymous callers are served', () => {
  const token = { accessToken: [] }
  const securityOf = (...options: Parameters<typeof describeMcpEndpoint>): unknown => {
    const { paths } = describeMcpEndpoint(...options)
    expect(Object.keys(paths)).toEqual(['/mcp', '/mcp/signed-in', '/mcp/member'])
    const always = [paths['/mcp/signed-in'], paths['/mcp/member']] as {
      post: { operationId: string; security: unknown }
    }[]
    expect(always.map(({ post }) => [post.operationId, post.security])).toEqual([
      ['mcp.send_signed_in', [token]],
      ['mcp.send_member', [token]],
    ])
    const { post, ...others } = paths['/mcp'] as { post: { security: unknown } }
    expect(others).toEqual({})
    return post.security
  }
  expect(securityOf()).toEqual([{}, token])
  expect(securityOf({ anonymous: 'serve' })).toEqual([{}, token])
  expect(securityOf({ anonymous: 'challenge' })).toEqual([token])
})
