import {
  type AuthorizationServerOptions,
  configureAuthorizationServer,
  routesOf,
} from 'hallpass/endpoint'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { ACME, createSchool, ISSUER, T } from '../support/school.js'

const PINNED = {
  metadata: {
    client_id: 'https://notes.example/client.json',
    client_name: 'Notes',
    redirect_uris: ['https://notes.example/cb'],
  },
  scopes: null,
  checkedOn: '2026-11-01',
}

const configure = (changes: object = {}) =>
  configureAuthorizationServer({
    issuer: ISSUER,
    siteName: 'Lantern Street Drawing School',
    store: createMemoryStore(),
    keys: { jwks: async () => ({ keys: [] }), signer: async () => null },
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: async () => null,
    interact: {} as AuthorizationServerOptions['interact'],
    ...changes,
  })

describe('the configuration of an authorization server', () => {
  it('has the lifetimes that were decided, unless told otherwise [D-03, D-04, D-05, D-06, D-21]', () => {
    expect(configure()).toMatchObject({
      codeSeconds: 60,
      accessTokenSeconds: 3600,
      refreshIdleSeconds: 30 * 86_400,
      grantSeconds: 180 * 86_400,
      refreshRetrySeconds: 60,
      interactionSeconds: 600,
      requireState: true,
      defaultScopes: null,
      baselineScopes: ['openid', 'profile', 'email'],
      loopbackHosts: ['127.0.0.1', '[::1]', 'localhost'],
      introspectionClientIds: [],
      vendors: [],
    })
    expect(configure({ codeSeconds: 600 }).codeSeconds).toBe(600)
  })

  it('takes every option that it reads', () => {
    const everything = {
      vendors: [ACME, { ...ACME, clientId: 'other', name: 'Other' }],
      documents: { fetchDocument: async () => new Response(), allowedHosts: ['notes.example'] },
      pinnedDocuments: [PINNED],
      memberClients: () => true,
      extraClaims: () => ({}),
      introspectionClientIds: ['api'],
      baselineScopes: ['openid'],
      requireState: false,
      defaultScopes: ['openid'],
      loopbackHosts: ['127.0.0.1'],
      codeSeconds: 60,
      accessTokenSeconds: 60,
      refreshIdleSeconds: 60,
      grantSeconds: 60,
      refreshRetrySeconds: 0,
      interactionSeconds: 60,
      errorUri: null,
      onEvent: () => {},
      onRefusal: () => {},
      onFault: () => {},
      now: () => T,
      randomBytes: (length: number) => new Uint8Array(length),
    }
    expect(configure(everything)).toMatchObject({
      introspectionClientIds: ['api'],
      grantSeconds: 60,
    })
  })

  it('tells of a hook that fails, by its name, and goes on', () => {
    const faults: unknown[] = []
    const fault = new Error('the log is full')
    const fail = (): never => {
      throw fault
    }
    const { onEvent, notifyRefusal } = configure({
      onEvent: fail,
      onRefusal: fail,
      onFault: (notice: unknown) => faults.push(notice),
      now: () => T,
    })
    onEvent({ type: 'oauth.authorization.denied', at: T, clientId: 'a', subject: 'b' })
    notifyRefusal('token', { ok: false, error: 'invalid_grant', reason: 'code_unknown' }, null)
    expect(faults).toEqual([
      { at: T, endpoint: 'onEvent', fault },
      { at: T, endpoint: 'onRefusal', fault },
    ])
  })

  it('takes its time from the clock of the machine where none is given', () => {
    const now = configure().now()
    expect(Number.isInteger(now)).toBe(true)
    expect(Math.abs(now - Date.now() / 1000)).toBeLessThan(60)
  })

  it.each([
    'https://school.example', 'https://school.example:8443', 'http://127.0.0.1:3000', 'http://localhost', 'http://[::1]:3000',
  ])('takes the issuer %s', (issuer) => {
    expect(configure({ issuer }).resource.canonical).toBe(issuer)
  }) // prettier-ignore

  it.each([
    'https://school.example/', 'https://school.example/path', 'https://School.example', 'https://school.example:443', 'http://school.example',
    'http://127.0.0.1.evil.test', 'https://u@school.example', 'https://school.example?x', 'https://school.example#x', 'ftp://school.example',
    'school.example', '', 'http://127.0.0.2:3000', 'https://',
  ])('does not start with the issuer %j [DISC-01]', (issuer) => {
    expect(() => configure({ issuer })).toThrow(`issuer "${issuer}" is not an origin`)
  }) // prettier-ignore

  it.each<[string, object, string]>([
    ['an option nobody reads', { skipPkce: true }, 'unknown option "skipPkce"'],
    [
      'an unknown baseline scope',
      { baselineScopes: ['x'] },
      'baselineScopes names the unknown scope "x"',
    ],
    [
      'an unknown default scope',
      { defaultScopes: ['x'] },
      'defaultScopes names the unknown scope "x"',
    ],
    [
      'a vendor with an unknown scope',
      { vendors: [{ ...ACME, scopes: ['x'] }] },
      'vendors names the unknown scope "x"',
    ],
    [
      'two vendors with one identifier',
      { vendors: [ACME, { ...ACME, name: 'Other' }] },
      'vendors share a clientId',
    ],
    [
      'a code of eleven minutes',
      { codeSeconds: 660 },
      'codeSeconds must be a whole number from 1 to 600',
    ],
    [
      'a code that never counts',
      { codeSeconds: 0 },
      'codeSeconds must be a whole number from 1 to 600',
    ],
    [
      'half a second',
      { accessTokenSeconds: 0.5 },
      'accessTokenSeconds must be a whole number from 1 to 86400',
    ],
    [
      'a second and a half',
      { accessTokenSeconds: 1.5 },
      'accessTokenSeconds must be a whole number from 1 to 86400',
    ],
    [
      'a vendor at fault',
      {
        vendors: [
          ACME,
          {
            ...ACME,
            name: 'Other',
            clientId: '',
            redirectUris: ['javascript:alert(1)'],
            scope: null,
          },
        ],
      },
      `vendors[1]: unknown field "scope"; vendors[1]: clientId must be printable ASCII such as "study-app"; vendors[1]: redirectUris must be https, http on loopback, or of an app's own scheme, such as https://app.example/callback, http://127.0.0.1/callback or com.example.app:/callback, not "javascript:alert(1)"`,
    ],
    [
      'a vendor of another time',
      { vendors: [{ ...ACME, reviewedOn: '20 November' }] },
      'vendors[0]: reviewedOn must be a day such as "2026-11-20"',
    ],
    [
      'a pinned document with an unknown scope',
      { pinnedDocuments: [{ ...PINNED, scopes: ['x'] }] },
      'pinnedDocuments names the unknown scope "x"',
    ],
    [
      'a pinned document that is none',
      { pinnedDocuments: [PINNED, { ...PINNED, metadata: null }] },
      'pinnedDocuments[1]: a client_id URL is https, with a lower-case host and a path; without fragment, user information, dot segments, :443, or characters that need escaping',
    ],
    [
      'a lifetime in words',
      { grantSeconds: '180' },
      'grantSeconds must be a whole number from 1 to 315360000',
    ],
    [
      'no number',
      { refreshIdleSeconds: Number.NaN },
      'refreshIdleSeconds must be a whole number from 1 to 31536000',
    ],
    [
      'a negative window',
      { refreshRetrySeconds: -1 },
      'refreshRetrySeconds must be a whole number from 0 to 600',
    ],
    [
      'a request that waits a day',
      { interactionSeconds: 86_400 },
      'interactionSeconds must be a whole number from 30 to 3600',
    ],
  ])('does not start with %s', (_, changes, message) => {
    expect(() => configure(changes)).toThrow(new TypeError(`authorization server: ${message}`))
  })

  it('names every fault at once', () => {
    expect(() => configure({ a: 1, codeSeconds: 0, defaultScopes: ['x'] })).toThrow(
      'authorization server: unknown option "a"; defaultScopes names the unknown scope "x"; codeSeconds must be a whole number from 1 to 600',
    )
  })

  it('takes vendors on every loopback host, and on those that the site names', () => {
    const vendor = { ...ACME, redirectUris: ['http://localhost/cb', 'http://devbox.test/cb'] }
    const configureWith = (loopbackHosts: readonly string[]) => () =>
      configure({ vendors: [vendor], loopbackHosts })
    expect(configureWith(['devbox.test'])).not.toThrow()
    expect(configureWith(['127.0.0.1'])).toThrow('not "http://devbox.test/cb"')
  })

  it('does not start with two vendors of one name', () => {
    expect(() => configure({ vendors: [ACME, { ...ACME, clientId: 'acme-2' }] })).toThrow('vendors')
  })
})

describe('the routes of an authorization server', () => {
  it('are every endpoint by its path, the interaction with a segment more', async () => {
    const { server } = await createSchool()
    expect(routesOf(server).map(([path]) => path)).toEqual([
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource/account/graphql',
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      '/.well-known/jwks.json',
      '/api/oauth/register',
      '/oauth/authorize',
      '/oauth/interaction/:id',
      '/api/oauth/token',
      '/api/oauth/userinfo',
      '/api/oauth/revoke',
      '/api/oauth/introspect',
    ])
    for (const [path, endpoint] of routesOf(server)) {
      const name = Object.entries(server).find(([, one]) => one === endpoint)?.[0]
      expect(name, path).toBeDefined()
    }
  })

  it('are fewer for fewer endpoints', async () => {
    const { server } = await createSchool()
    expect(routesOf({ token: server.token })).toEqual([['/api/oauth/token', server.token]])
  })
})
