import { fileURLToPath } from 'node:url'
import { PATHS } from 'hallpass/authorization-server'
import { describeAuthorizationServer } from 'hallpass/openapi'
import { describe, expect, it } from 'vitest'
import { expectUnchanged } from '../support/docs/digests.js'

const ISSUER = 'https://lantern.example'
const OPTIONS = { issuer: ISSUER, requireState: true, defaultScopes: null }

describe('describeAuthorizationServer', () => {
  it('describes each endpoint as it did', async () => {
    const { tags, paths, components } = describeAuthorizationServer(OPTIONS, PATHS)
    const described = [
      ['tags', tags] as const,
      ...Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, one]) => [`${method} ${path}`, one] as const),
      ),
      ...Object.entries(components).flatMap(([kind, all]) =>
        Object.entries(all).map(([name, one]) => [`${kind}/${name}`, one] as const),
      ),
    ]
    const texts = described.map(([name, value]) => [name, JSON.stringify(value, null, 1)] as const)
    await expectUnchanged(new Map(texts), fileURLToPath(new URL('server.txt', import.meta.url)))
  })

  it('describes only the endpoints that are served, with their tags', () => {
    const { paths, tags } = describeAuthorizationServer(OPTIONS, { jwks: true, token: undefined })
    expect(Object.keys(paths)).toEqual(['/.well-known/jwks.json'])
    expect(tags.map(({ name }) => name)).toEqual(['discovery'])
    expect(describeAuthorizationServer(OPTIONS, {})).toMatchObject({ paths: {}, tags: [] })
    const { tags: both } = describeAuthorizationServer(OPTIONS, { jwks: true, token: true })
    expect(both.map(({ name }) => name)).toEqual(['discovery', 'oauth'])
  })

  it('requires of an authorization request what the options require', () => {
    const requiredBy = (options: object): string[] => {
      const { paths } = describeAuthorizationServer({ ...OPTIONS, ...options }, { authorize: true })
      const { get, post } = paths['/oauth/authorize'] as {
        get: { parameters: readonly { name: string; required: boolean }[] }
        post: { requestBody: { content: Record<string, { schema: { required: string[] } }> } }
      }
      const inQuery = get.parameters.filter(({ required }) => required).map(({ name }) => name)
      const [form] = Object.values(post.requestBody.content)
      expect(form!.schema.required.toSorted()).toEqual(inQuery.toSorted())
      return inQuery
    }
    const rest = ['response_type', 'client_id', 'redirect_uri', 'code_challenge']
    expect(requiredBy({}).sort()).toEqual(
      [...rest, 'code_challenge_method', 'scope', 'state'].sort(),
    )
    expect(requiredBy({ requireState: false, defaultScopes: ['openid'] }).sort()).toEqual(
      [...rest, 'code_challenge_method'].sort(),
    )
  })

  it('names the cookie of the browser as the site does', () => {
    const cookieAt = (issuer: string): unknown =>
      describeAuthorizationServer({ ...OPTIONS, issuer }, PATHS).components['securitySchemes']![
        'browser'
      ]
    expect(cookieAt(ISSUER)).toMatchObject({ in: 'cookie', name: '__Host-hallpass' })
    expect(cookieAt('http://localhost:3000')).toMatchObject({ name: 'hallpass' })
  })
})
