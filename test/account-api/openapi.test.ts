import { describeAccountApi } from 'hallpass/openapi'
import { expect, it } from 'vitest'

it('describes the endpoints of the Account API that are served, and no other', () => {
  const pathsOf = (...endpoints: Parameters<typeof describeAccountApi>): readonly string[] =>
    Object.keys(describeAccountApi(...endpoints).paths)
  expect(pathsOf({ graphql: true, schema: true })).toEqual([
    '/account/graphql',
    '/account/schema.graphql',
  ])
  expect(pathsOf({ graphql: true })).toEqual(['/account/graphql'])
  expect(pathsOf({ schema: true, graphql: undefined })).toEqual(['/account/schema.graphql'])
})
