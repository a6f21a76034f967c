import { defineSite, schoolRoles, schoolScopes } from 'hallpass'
import {
  describeAccountApi,
  describeAuthorizationServer,
  describeMcpEndpoint,
  openapiOf,
} from 'hallpass/openapi'
import { createAdminApi } from 'hallpass/admin'
import { configureAuthorizationServer, PATHS } from 'hallpass/authorization-server' // prettier-ignore
import { clientCredentials, deviceGrant, dpop, pushedRequests } from 'hallpass/blocks'
import { createMemoryStore } from 'hallpass/store'
import { createKeyRing } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { testByRedocly, testBySpectral } from '../support/http/openapi-lint.js'
import { getCourse } from '../support/school/get-course.js'
import { ISSUER } from '../support/school/school.js'
import { INTERACT, SEALING } from '../support/school/signing-client.js'

type Json = Readonly<Record<string, unknown>>

const NONCES = { nonceSecret: 'thirty-two random characters, or more' }
const INFO = {
  title: 'School',
  version: '1.0.0',
  description: 'What the staff of the school can do.',
  contact: { name: 'Ines Duarte', url: `${ISSUER}/help`, email: 'ines.duarte@example.com' },
  license: { name: 'As agreed', url: `${ISSUER}/terms` },
}

/** The whole description of a school, with these options of its site and of its server. */
function describedWith({
  site: own = {},
  server = {},
}: { site?: object; server?: object } = {}): Json {
  const site = defineSite({
    issuer: ISSUER,
    name: 'School',
    store: createMemoryStore(),
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: async () => null,
    ...own,
  })
  const keys = createKeyRing(site, SEALING)
  const configuration = configureAuthorizationServer(site, { keys, interact: INTERACT, ...server })
  const { registry } = createAdminApi(site, { operations: [getCourse] })
  return openapiOf(site, {
    registry,
    info: INFO,
    alsoDescribes: [
      describeAuthorizationServer(configuration, PATHS),
      describeAccountApi({ graphql: true, schema: true }),
      describeMcpEndpoint(),
    ],
  })
}

const withDpop = (options: object = {}) =>
  describedWith({
    site: { blocks: [dpop({ once: createMemoryStore(), ...options })] },
  })

/** Returns where a value has what another has not, or otherwise: the paths to it, by what is there. */
function* differences(one: unknown, other: unknown, path = ''): Generator<string> {
  if (JSON.stringify(one) === JSON.stringify(other)) return
  const isBoth = [one, other].every((value) => typeof value === 'object' && value !== null)
  if (!isBoth || Array.isArray(one) || Array.isArray(other)) {
    const mark = other === undefined ? '-' : one === undefined ? '+' : '*'
    yield `${mark} ${path}`
    return
  }
  const names = new Set([...Object.keys(one as Json), ...Object.keys(other as Json)])
  for (const name of names)
    yield* differences((one as Json)[name], (other as Json)[name], path === '' ? name : `${path} ${name}`) // prettier-ignore
}
const changesOf = (description: Json): string[] => [...differences(describedWith(), description)]
/** The members of schemas that differ. Those of metadata follow from the examples. */
const schemaChanges = (description: Json): string[] =>
  changesOf(description)
    .flatMap((one) => {
      const [, mark, name] =
        /^(.) components schemas ((?!Authorization|Protected).* .*)$/.exec(one) ?? []
      return name === undefined ? [] : `${mark} ${name.replace(' properties ', ' ')}`
    })
    .toSorted()

/** The paths that are only here. */
const pathsOf = (description: Json): string[] =>
  changesOf(description).flatMap((one) => /^\+ paths (\S+)$/.exec(one)?.[1] ?? [])

const operationAt = (description: Json, path: string, method = 'post') =>
  (description['paths'] as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[path]![
    method
  ] as {
    // prettier-ignore
    security?: readonly object[]
    parameters?: readonly object[]
    responses: Readonly<Record<string, { $ref?: string; headers?: Json }>>
  }

describe('the OpenAPI description of a site with dpop', () => {
  const TOKEN_PATHS = [
    ['/api/oauth/userinfo', 'get'],
    ['/api/oauth/userinfo', 'post'],
    ['/account/graphql', 'post'],
    ['/mcp', 'post'],
    ['/mcp/member', 'post'],
    ['/api/v1/courses/{id}', 'get'],
  ] as const

  it.each(TOKEN_PATHS)(
    'has the scheme DPoP beside the other at %s by %s [DPOP-51]',
    (path, method) => {
      const off = operationAt(describedWith(), path, method)
      const on = operationAt(withDpop(), path, method)
      expect(on.security).toEqual([...off.security!, { dpop: [] }])
      expect(on.parameters).toEqual([
        ...(off.parameters ?? []),
        expect.objectContaining({ name: 'DPoP', in: 'header', required: false }),
      ])
      // Without nonces, no response has one.
      expect(on.responses).toEqual(off.responses)
    },
  )

  it('has the scheme as HTTP has it, and nothing for who sends no token', () => {
    const on = withDpop()
    const { securitySchemes } = on['components'] as Readonly<Record<string, Json>>
    expect(securitySchemes!['dpop']).toMatchObject({ type: 'http', scheme: 'DPoP' })
    expect(
      changesOf(on).filter((one) => /paths (\/oauth|\/api\/oauth\/(?:revoke|register))/.test(one)),
    ).toEqual([
      // prettier-ignore
      '* paths /oauth/authorize get parameters',
      '+ paths /oauth/authorize post requestBody content application/x-www-form-urlencoded schema properties dpop_jkt',
    ])
    expect(JSON.stringify(on)).not.toContain('DPoP-Nonce')
  })

  it('has the nonce of each response to a proof, if there are nonces [DPOP-52]', () => {
    const on = withDpop(NONCES)
    const nonce = { $ref: '#/components/headers/DPoP-Nonce' }
    const whole = JSON.stringify(on)
    for (const [path, method] of [...TOKEN_PATHS, ['/api/oauth/token', 'post'] as const]) {
      const { responses } = operationAt(on, path, method)
      const { responses: shared } = on['components'] as Readonly<Record<string, Json>>
      for (const response of Object.values(responses)) {
        const name = response.$ref?.split('/').at(-1)
        const { headers } = name === undefined ? response : (shared![name] as { headers: Json })
        expect(headers, `${path} ${name}`).toHaveProperty('DPoP-Nonce', nonce)
      }
    }
    expect(whole).toContain('"DPoP-Nonce":{"description"')
    for (const path of ['/api/oauth/revoke', '/api/oauth/register', '/api/oauth/introspect'])
      expect(JSON.stringify(operationAt(on, path))).not.toContain('DPoP-Nonce')
  })

  it('has what its endpoints read and answer [BLK-08, BLK-09]', () => {
    const on = withDpop()
    expect(operationAt(on, '/api/oauth/token').parameters).toMatchObject([{ name: 'DPoP' }])
    expect(schemaChanges(on)).toEqual([
      '* AccountRefusal error enum',
      '* Introspection token_type enum',
      '* OAuthError error enum',
      '* TokenResponse token_type enum',
      '+ ClientMetadata dpop_bound_access_tokens',
      '+ Introspection cnf',
      '+ RegisteredClient dpop_bound_access_tokens',
    ])
  })

  testByRedocly(() => withDpop(NONCES))
  testBySpectral(() => withDpop(NONCES), { isWhole: true })
})

describe('the OpenAPI description of a server', () => {
  const page = () => new Response('yours')

  it('with pushed requests has their endpoint, and request_uri in place of a request [BLK-10]', () => {
    const on = describedWith({
      site: { blocks: [pushedRequests()] },
    })
    expect(pathsOf(on)).toEqual(['/api/oauth/par'])
    expect(schemaChanges(on)).toEqual([
      '+ ClientMetadata require_pushed_authorization_requests',
      '+ RegisteredClient require_pushed_authorization_requests',
    ])
    const required = operationAt(on, '/oauth/authorize', 'get').parameters!.filter((one) => (one as { required: boolean }).required) // prettier-ignore
    expect(required).toMatchObject([{ name: 'client_id' }])
  })

  it('with the device grant has its endpoints and its parameter [BLK-11]', () => {
    const on = describedWith({
      site: { blocks: [deviceGrant({ page })] },
    })
    expect(pathsOf(on)).toEqual(['/api/oauth/device_authorization', '/oauth/device'])
    expect(changesOf(on)).toContain(
      '+ paths /api/oauth/token post requestBody content application/x-www-form-urlencoded schema properties device_code',
    )
  })

  it('with a grant of a service has no endpoint more, and no refresh token for all [BLK-12]', () => {
    const on = describedWith({
      site: { blocks: [clientCredentials({ serviceOf: () => null })] },
    })
    expect(pathsOf(on)).toEqual([])
    expect(changesOf(on)).toContain('* components schemas TokenResponse required')
    expect(changesOf(on)).toContain('+ components schemas Introspection properties scope_fixed')
  })
})
