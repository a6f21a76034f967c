import { describeMcpEndpoint } from 'hallpass/mcp'
import { expect, it } from 'vitest'

it('describes /mcp with an access token, which is optional where anonymous callers are served', () => {
  const securityOf = (...options: Parameters<typeof describeMcpEndpoint>): unknown => {
    const { paths } = describeMcpEndpoint(...options)
    expect(Object.keys(paths)).toEqual(['/mcp'])
    const { post, ...others } = paths['/mcp'] as { post: { security: unknown } }
    expect(others).toEqual({})
    return post.security
  }
  const token = { accessToken: [] }
  expect(securityOf()).toEqual([{}, token])
  expect(securityOf({ anonymous: 'serve' })).toEqual([{}, token])
  expect(securityOf({ anonymous: 'challenge' })).toEqual([token])
})
