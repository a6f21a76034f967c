import {
  configureAuthorizationServer,
  createAuthorizationEndpoint,
  createMetadataEndpoints,
  createRouter,
  createTokenEndpoint,
} from 'hallpass/authorization-server'
import { defineScopes } from 'hallpass/scope'
import { testSite } from 'hallpass/testing'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { describe, expect, it } from 'vitest'
import { NOTES_DOCUMENT } from '../support/school/metadata-documents.js'
import { createSchool, ISSUER, type School } from '../support/school/school.js'
import { BARE_SERVER } from '../support/school/bare-server.js'

const WELL_KNOWN = {
  server: '/.well-known/oauth-authorization-server',
  openid: '/.well-known/openid-configuration',
  resource: '/.well-known/oauth-protected-resource',
  mcp: '/.well-known/oauth-protected-resource/mcp',
  signedIn: '/.well-known/oauth-protected-resource/mcp/signed-in',
  member: '/.well-known/oauth-protected-resource/mcp/member',
  account: '/.well-known/oauth-protected-resource/account/graphql',
  jwks: '/.well-known/jwks.json',
} as const
const EVERY = Object.values(WELL_KNOWN)

type Document = Record<string, unknown>

async function read(school: School, path: string): Promise<Document> {
  const response = await school.fetch(ISSUER + path)
  expect(response.status).toBe(200)
  return (await response.json()) as Document
}

/** The scope table of the service description. */
const SCOPES = `openid profile email courses:read courses:write students:read students:write
  members:read members:write analytics:read curriculum:read curriculum:write orders:read school:read
  school:write appearance:read appearance:write events:read events:write membership_plans:read
  membership_plans:write coupons:read coupons:write posts:read posts:write subscriptions:read
  subscriptions:write digital_products:read digital_products:write comments:read lecturers:read
  lecturers:write storage:write forms:read pages:read pages:write account:read account:write`
  .trim()
  .split(/\s+/)

const IDENTITY = ['openid', 'profile', 'email']
const MEMBER_READS = [...IDENTITY, 'account:read']
const OPERATOR_READS = [
  ...IDENTITY,
  ...SCOPES.filter((scope) => scope.endsWith(':read') && scope !== 'account:read'),
]

const SERVER_DOCUMENT = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/oauth/authorize`,
  token_endpoint: `${ISSUER}/api/oauth/token`,
  registration_endpoint: `${ISSUER}/api/oauth/register`,
  revocation_endpoint: `${ISSUER}/api/oauth/revoke`,
  introspection_endpoint: `${ISSUER}/api/oauth/introspect`,
  userinfo_endpoint: `${ISSUER}/api/oauth/userinfo`,
  jwks_uri: `${ISSUER}/.well-known/jwks.json`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
  revocation_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
  introspection_endpoint_auth_methods_supported: ['client_secret_post'],
  scopes_supported: SCOPES,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: false,
  subject_types_supported: ['public'],
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  claims_supported: [
    'sub',
    'email',
    'name',
    'picture',
    'org_id',
    'roles',
    'iss',
    'aud',
    'exp',
    'iat',
    'nonce',
    'auth_time',
  ],
  id_token_signing_alg_values_supported: ['ES256'],
}

const fetchDocument = async (): Promise<Response> => new Response(null, { status: 404 })
const PINNED = [{ metadata: NOTES_DOCUMENT, scopes: null, checkedOn: '2026-11-01' }]

describe('authorization server metadata', () => {
  it('is this document and not one member more [DISC-01, DISC-02, DISC-03, DISC-05, DISC-07, DISC-18]', async () => {
    const school = await createSchool()
    expect(await read(school, WELL_KNOWN.server)).toStrictEqual(SERVER_DOCUMENT)
  })

  it('lists the 38 scopes of the description, each once [DISC-06]', async () => {
    const { scopes_supported } = await read(await createSchool(), WELL_KNOWN.server)
    expect(SCOPES).toHaveLength(38)
    expect(scopes_supported).toEqual(SCOPES)
  })

  it('is the OpenID configuration too, with what OpenID Connect would take for granted denied [DISC-04, DISC-09, DISC-11]', async () => {
    expect(await read(await createSchool(), WELL_KNOWN.openid)).toStrictEqual({
      ...SERVER_DOCUMENT,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      claims_parameter_supported: false,
    })
  })

  it('says that no metadata document resolves as a client [DISC-08]', async () => {
    const school = await createSchool()
    for (const path of [WELL_KNOWN.server, WELL_KNOWN.openid])
      expect((await read(school, path))['client_id_metadata_document_supported']).toBe(false)
  })

  it.each<[string, NonNullable<Parameters<typeof createSchool>[0]>['options'], boolean]>([
    ['one is in the configuration', { pinnedDocuments: PINNED }, true],
    ['one is, and none is fetched', { pinnedDocuments: PINNED, documents: { fetchDocument } }, true],
    ['a host is allowed', { documents: { fetchDocument, allowedHosts: ['notes.example'] } }, true],
    ['every host is', { documents: { fetchDocument, openRegistration: true } }, true],
    ['no host is', { documents: { fetchDocument } }, false],
  ])('says whether a metadata document resolves as a client, where %s [DISC-08]', async (_, options = {}, expected) => {
    const document = await read(await createSchool({ options }), WELL_KNOWN.server)
    expect(document['client_id_metadata_document_supported']).toBe(expected)
  }) // prettier-ignore

  it('publishes keys but no algorithm where nothing is signed [DISC-10]', async () => {
    const school = await createSchool({ signing: false })
    for (const path of [WELL_KNOWN.server, WELL_KNOWN.openid]) {
      const document = await read(school, path)
      expect(document).not.toHaveProperty('id_token_signing_alg_values_supported')
      expect(document['jwks_uri']).toBe(`${ISSUER}/.well-known/jwks.json`)
    }
    expect((await read(school, WELL_KNOWN.jwks))['keys']).toHaveLength(1)
  })

  it('leaves out what the server was built without [DISC-18, REG-26]', async () => {
    const configuration = configureAuthorizationServer(testSite({ issuer: ISSUER }).site, {
      ...BARE_SERVER,
      keys: {
        jwks: async () => ({ keys: [] }),
        signer: async () => ({ kid: 'k', sign: () => '' }),
        refreshSecrets: () => [],
      },
    })
    const endpoints = {
      authorize: createAuthorizationEndpoint(configuration),
      token: createTokenEndpoint(configuration),
    }
    const router = createRouter({
      ...endpoints,
      ...createMetadataEndpoints(configuration, endpoints),
    })
    const response = await router(new Request(ISSUER + WELL_KNOWN.server))
    const {
      registration_endpoint: _register,
      revocation_endpoint: _revoke,
      revocation_endpoint_auth_methods_supported: _revokeMethods,
      introspection_endpoint: _introspect,
      introspection_endpoint_auth_methods_supported: _introspectMethods,
      userinfo_endpoint: _userinfo,
      jwks_uri: _jwks,
      id_token_signing_alg_values_supported: _algorithms,
      ...rest
    } = SERVER_DOCUMENT
    expect(await response.json()).toStrictEqual(rest)
    const register = new Request(`${ISSUER}/api/oauth/register`, { method: 'POST', body: '{' })
    expect((await router(register)).status).toBe(404)
  })
})

describe('protected resource metadata', () => {
  it.each([
    [WELL_KNOWN.resource, ISSUER, IDENTITY],
    [WELL_KNOWN.mcp, `${ISSUER}/mcp`, OPERATOR_READS],
    [WELL_KNOWN.signedIn, `${ISSUER}/mcp/signed-in`, OPERATOR_READS],
    [WELL_KNOWN.member, `${ISSUER}/mcp/member`, MEMBER_READS],
    [WELL_KNOWN.account, `${ISSUER}/account/graphql`, MEMBER_READS],
  ])(
    'at %s names %s, and what its clients need to be useful [DISC-12, DISC-13, DISC-28]',
    async (path, resource, scopes) => {
      expect(await read(await createSchool(), path)).toStrictEqual({
        resource,
        authorization_servers: [ISSUER],
        bearer_methods_supported: ['header'],
        scopes_supported: scopes,
        resource_name: 'Lantern Street Drawing School',
      })
    },
  )

  it.each([WELL_KNOWN.mcp, WELL_KNOWN.signedIn, WELL_KNOWN.member])(
    'at %s names the toolset that was asked for [DISC-29]',
    async (path) => {
      const school = await createSchool()
      const address = path.slice(WELL_KNOWN.resource.length)
      const { scopes_supported: usual } = await read(school, path)
      for (const toolset of ['?toolset=sales', '?toolset=all']) {
        const document = await read(school, path + toolset)
        expect(document).toMatchObject({
          resource: ISSUER + address + toolset,
          scopes_supported: usual,
        })
      }
      for (const other of ['?toolset=Sales', '?a=b', '?toolset=sales&a=b'])
        expect((await read(school, path + other))['resource']).toBe(ISSUER + address)
    },
  )

  it('names the slash at the end, where the host application serves it [DISC-29]', async () => {
    const { mcpResourceMetadata, accountResourceMetadata, protectedResourceMetadata } =
      createMetadataEndpoints(configureAuthorizationServer(testSite().site, BARE_SERVER), {})
    const resourceAt = async (
      endpoint: (request: Request) => Promise<Response>,
      path: string,
    ): Promise<unknown> =>
      ((await (await endpoint(new Request(`https://school.example${path}`))).json()) as Document)[
        'resource'
      ]
    expect([
      await resourceAt(mcpResourceMetadata, `${WELL_KNOWN.mcp}/`),
      await resourceAt(mcpResourceMetadata, `${WELL_KNOWN.mcp}/?toolset=sales`),
      await resourceAt(accountResourceMetadata, `${WELL_KNOWN.account}/?toolset=sales`),
      await resourceAt(protectedResourceMetadata, WELL_KNOWN.resource),
    ]).toEqual([
      'https://school.example/mcp/',
      'https://school.example/mcp/?toolset=sales',
      'https://school.example/account/graphql/',
      'https://school.example',
    ])
  })

  it('recommends nothing sensitive, and of a list of yours what its readers may request [DISC-28]', async () => {
    const table = {
      openid: { audience: 'any', access: 'identity', group: 'You', consent: 'You' },
      'notes:read': { audience: 'operator', access: 'read', group: 'Notes', consent: 'Notes' },
      'health:read': {
        audience: 'operator',
        access: 'read',
        group: 'Health',
        consent: 'Health',
        sensitive: true,
      },
      'own:read': { audience: 'member', access: 'read', group: 'You', consent: 'Yours' },
      'own:write': { audience: 'member', access: 'write', group: 'You', consent: 'Yours' },
    } as const
    const { site } = testSite({ scopes: defineScopes(table), roles: {} })
    const listsOf = async (options: object): Promise<unknown> => {
      const { mcpResourceMetadata, accountResourceMetadata, protectedResourceMetadata } =
        createMetadataEndpoints(
          configureAuthorizationServer(site, { ...BARE_SERVER, ...options }),
          {},
        )
      const lists = [protectedResourceMetadata, mcpResourceMetadata, accountResourceMetadata].map(
        async (endpoint) =>
          ((await (await endpoint(new Request(ISSUER))).json()) as Document)['scopes_supported'],
      )
      return Promise.all(lists)
    }
    expect(await listsOf({})).toEqual([
      ['openid'],
      ['openid', 'notes:read'],
      ['openid', 'own:read'],
    ])
    expect(await listsOf({ baselineScopes: ['own:write', 'health:read'] })).toEqual([
      undefined,
      ['health:read'],
      ['own:write'],
    ])
  })

  it('has no empty list, and never offline_access [DISC-12]', async () => {
    const school = await createSchool({ options: { baselineScopes: [] } })
    expect(await read(school, WELL_KNOWN.resource)).not.toHaveProperty('scopes_supported')
    await expect(createSchool({ options: { baselineScopes: ['offline_access'] } })).rejects.toThrow(
      'baselineScopes names the scope "offline_access", which is not in the scope registry',
    )
  })
})

describe('every well-known document', () => {
  it.each(EVERY)(
    '%s is JSON that any origin may read, without credentials [DISC-01, DISC-15, IDT-06]',
    async (path) => {
      const response = await (
        await createSchool()
      ).fetch(ISSUER + path, {
        headers: { origin: 'https://evil.test' },
      })
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.has('access-control-allow-credentials')).toBe(false)
      expect(response.headers.get('cache-control')).toBe(
        `public, max-age=${path === WELL_KNOWN.jwks ? 600 : 300}`,
      )
    },
  )

  it.each(EVERY)('%s answers a preflight with 204 [DISC-15]', async (path) => {
    const response = await (
      await createSchool()
    ).fetch(ISSUER + path, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.test', 'access-control-request-method': 'GET' },
    })
    expect(response.status).toBe(204)
    expect(await response.text()).toBe('')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS')
    expect(response.headers.has('access-control-allow-credentials')).toBe(false)
  })

  it.each(
    EVERY.flatMap((path) => ['POST', 'PUT', 'DELETE', 'PATCH'].map((method) => [method, path])),
  )('answers 405 with Allow to %s %s [DISC-17]', async (method, path) => {
    const response = await (await createSchool()).fetch(ISSUER + path, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  })

  it.each(EVERY)('%s answers HEAD with the headers of GET and no body [DISC-17]', async (path) => {
    const school = await createSchool()
    const get = await school.fetch(ISSUER + path)
    const head = await school.fetch(ISSUER + path, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    expect([...head.headers]).toEqual([...get.headers])
  })

  it.each(EVERY)('%s answers 304 to whoever holds it already', async (path) => {
    const school = await createSchool()
    const etag = (await school.fetch(ISSUER + path)).headers.get('etag')!
    const again = await school.fetch(ISSUER + path, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
    const other = await school.fetch(ISSUER + path, { headers: { 'if-none-match': '"other"' } })
    expect(other.status).toBe(200)
  })

  it.each(EVERY)(
    '%s does not follow what Host and X-Forwarded headers say [DISC-16]',
    async (path) => {
      const school = await createSchool()
      const plain = await (await school.fetch(ISSUER + path)).text()
      const response = await school.router(
        new Request(`http://evil.test${path}`, {
          headers: {
            'x-forwarded-host': 'evil.test',
            'x-forwarded-proto': 'http',
            forwarded: 'host=evil.test;proto=http',
          },
        }),
      )
      expect(await response.text()).toBe(plain)
      expect(plain).not.toContain('evil.test')
    },
  )
})

describe('the published keys', () => {
  it('are public ES256 signing keys with one kid each [IDT-06]', async () => {
    const { keys } = await read(await createSchool(), WELL_KNOWN.jwks)
    expect(keys).toStrictEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.stringMatching(/^[\w-]{43}$/),
        y: expect.stringMatching(/^[\w-]{43}$/),
        kid: expect.stringMatching(/^[\w-]{43}$/),
        use: 'sig',
        alg: 'ES256',
      },
    ])
  })
})

describe("strangers' clients", () => {
  it.each(['oidc', 'oauth2'] as const)(
    'discover the server with %s [DISC-19]',
    async (algorithm) => {
      const school = await createSchool()
      const issuer = new URL(ISSUER)
      const found = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, {
          algorithm,
          [oauth.customFetch]: (url: string, init: object) => school.fetch(url, init),
        }),
      )
      expect(found.issuer).toBe(ISSUER)
      const configuration = await openid.discovery(
        issuer,
        'study-buddy',
        undefined,
        openid.None(),
        {
          algorithm,
          [openid.customFetch]: (url: string, init: object) => school.fetch(url, init),
        },
      )
      expect(configuration.serverMetadata().issuer).toBe(ISSUER)
      expect(configuration.serverMetadata().supportsPKCE()).toBe(true)
    },
  )
})
