import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedExample, sharedExample } from '../support/example.js'

let school: SharedExample
beforeAll(async () => {
  school = await sharedExample()
})
afterAll(() => school.stop())

type Json = Readonly<Record<string, unknown>>

const json = async (path: string): Promise<Json> =>
  (await (await fetch(school.origin + path)).json()) as Json

/** The methods with which clients call the endpoints that discovery names. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  authorization_endpoint: ['get', 'post'],
  token_endpoint: ['post'],
  registration_endpoint: ['post'],
  revocation_endpoint: ['post'],
  introspection_endpoint: ['post'],
  userinfo_endpoint: ['get', 'post'],
  jwks_uri: ['get'],
}

describe('/openapi.json of the running school', () => {
  it('has every endpoint that discovery names, the discovery itself and the APIs [DISC-21]', async () => {
    const { servers, paths } = (await json('/openapi.json')) as {
      servers: readonly { url: string }[]
      paths: Readonly<Record<string, Json>>
    }
    expect(servers).toEqual([{ url: school.origin }])
    const methodsOf = (path: string): readonly string[] => Object.keys(paths[path] ?? {}).sort()
    for (const path of ['oauth-authorization-server', 'openid-configuration']) {
      const metadata = await json(`/.well-known/${path}`)
      const named = Object.entries(metadata).filter(([name]) => /_(?:endpoint|uri)$/.test(name))
      expect(
        Object.fromEntries(
          named.map(([name, url]) => [name, methodsOf(String(url).slice(school.origin.length))]),
        ),
      ).toEqual(METHODS)
      expect(methodsOf(`/.well-known/${path}`)).toEqual(['get'])
    }
    for (const suffix of ['', '/mcp', '/account/graphql'])
      expect(methodsOf(`/.well-known/oauth-protected-resource${suffix}`)).toEqual(['get'])
    expect(methodsOf('/oauth/interaction/{id}')).toEqual(['get', 'post'])
    expect(methodsOf('/account/graphql')).toEqual(['post'])
    expect(methodsOf('/account/schema.graphql')).toEqual(['get'])
    expect(methodsOf('/mcp')).toEqual(['post'])
    expect(methodsOf('/api/v1/courses')).toEqual(['get', 'post'])
  })
})
