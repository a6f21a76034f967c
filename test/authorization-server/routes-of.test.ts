import { routesOf } from 'hallpass/authorization-server'
import { expect, it } from 'vitest'
import { createSchool } from '../support/school/school.js'

const METADATA = '/.well-known/oauth-protected-resource'

it('has the metadata of every address alone, and with other parts only of those that they serve', async () => {
  const { server } = await createSchool()
  const endpoint = server.token
  const metadata = (parts: readonly { readonly routes: Record<string, typeof endpoint> }[]) =>
    routesOf(server, ...parts)
      .map(([path]) => path)
      .filter((path) => path.startsWith(METADATA))
      .sort()
  const all = metadata([])
  expect(all).toContain(`${METADATA}/mcp`)
  expect(all).toContain(`${METADATA}/account/graphql`)
  expect(metadata([{ routes: { '/mcp': endpoint } }])).toEqual([METADATA, `${METADATA}/mcp`])
  expect(metadata([{ routes: {} }])).toEqual([METADATA])
  const paths = routesOf(server, { routes: { '/own': endpoint } }).map(([path]) => path)
  expect(paths).toEqual(expect.arrayContaining(['/own', '/api/oauth/token', '/oauth/authorize']))
})
