import { type FetchDocument, OptionsError } from 'hallpass'
import { identityAssertion } from 'hallpass/blocks'
import { createConnectedApps } from 'hallpass/clients'
import { createMemoryStore } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import * as jose from 'jose'
import { describe, expect, it } from 'vitest'
import {
  agent,
  createAssertingSchool,
  IDP,
  ISSUER,
  JWT_BEARER,
  SECRET,
} from '../support/school/asserting-client.js'
import { PROVIDER_KEYS } from '../../src/site/fetch-document.js'
import { fetcherFor } from '../node/document-host.js'
import { T } from '../support/school/school.js'

const SCOPE = 'openid courses:read courses:write'
type Options = NonNullable<Parameters<typeof createAssertingSchool>[0]>

describe('a client with an identity assertion', () => {
  it('gets an access token of an hour for the person of the host, and no refresh token [IDJ-04] [IDJ-30]', async () => {
    const { send, assert, store, events } = await createAssertingSchool()
    const response = await send(await assert())
    expect(response.headers.get('cache-control')).toBe('no-store')
    const body = (await response.json()) as { access_token: string }
    expect(body).toEqual({
      access_token: expect.stringMatching(/^hpa_[\w-]{43}$/) as string,
      token_type: 'Bearer',
      expires_in: 3600,
      scope: SCOPE,
    })
    const found = await store.findAccessToken(hashToken(body.access_token))
    expect(found?.grant).toMatchObject({
      clientId: 'agent',
      subject: 'per_ines',
      resource: ISSUER,
      scopes: SCOPE.split(' '),
      expiresAt: T + 3600,
    })
    expect(events).toMatchObject([
      { type: 'oauth.grant.created', clientId: 'agent', subject: 'per_ines', provider: IDP },
      { type: 'oauth.token.issued', clientId: 'agent', subject: 'per_ines' },
    ])
    expect(events[1]).not.toHaveProperty('provider')
  })

  it('has its lifetime from the option', async () => {
    const { send, assert } = await createAssertingSchool({ options: { accessTokenSeconds: 60 } })
    expect(await (await send(await assert())).json()).toMatchObject({ expires_in: 60 })
  })

  it('must be authenticated as itself [IDJ-02]', async () => {
    const { outcome, assert, post } = await createAssertingSchool()
    expect(await outcome(await assert(), { client_secret: 'wrong' })).toEqual([
      401,
      'client_secret_mismatch',
    ])
    const basic = { authorization: `Basic ${btoa(`agent:${encodeURIComponent(SECRET)}`)}` }
    const form = { grant_type: JWT_BEARER, assertion: await assert() }
    expect((await post('token', form)).status).toBe(400)
    expect((await post('token', { ...form, client_id: 'agent' })).status).toBe(401)
    expect((await post('token', form, basic)).status).toBe(200)
  })

  it('may be public, if the provider names it', async () => {
    const clientId = 'https://agent.example/client.json'
    const client = agent({
      clientId,
      kind: 'document',
      tokenEndpointAuthMethod: 'none',
      secrets: [],
    })
    const named = await createAssertingSchool({
      clients: [client],
      provider: { clients: [clientId] },
    })
    const form = { grant_type: JWT_BEARER, client_id: clientId }
    const assertion = await named.assert({ client_id: clientId })
    const response = await named.post('token', { ...form, assertion })
    // No one has reviewed its document, so it may not write.
    expect(await response.json()).toMatchObject({ scope: 'openid courses:read' })
    const other = await createAssertingSchool({ clients: [client] })
    const refused = await other.post('token', {
      ...form,
      assertion: await other.assert({ client_id: clientId }),
    })
    expect(await refused.json()).toMatchObject({ error: 'unauthorized_client' })
  })

  it('is refused without an assertion, and while it is disabled [IDJ-28]', async () => {
    const { post, outcome, assert, store } = await createAssertingSchool()
    const form = { grant_type: JWT_BEARER, client_id: 'agent', client_secret: SECRET }
    expect(await (await post('token', form)).json()).toMatchObject({ error: 'invalid_request' })
    await store.replaceClient({ ...agent(), disabled: true, revision: 2 })
    expect(await outcome(await assert())).toEqual([401, 'client_disabled'])
  })

  it('gets what the role of the person allows [IDJ-03]', async () => {
    const { outcome, assert, people, accounts } = await createAssertingSchool()
    expect(await outcome(await assert({ sub: 'u-ada' }))).toEqual([200, 'openid courses:read'])
    expect(await outcome(await assert({ sub: 'u-ada', scope: 'courses:write' }))).toEqual([
      400,
      'identity_assertion_scope_empty',
    ])
    people.set('per_ines', { ...people.get('per_ines')!, roles: [] })
    expect(await outcome(await assert())).toEqual([400, 'person_has_no_role'])
    people.delete('per_ines')
    expect(await outcome(await assert())).toEqual([400, 'person_gone'])
    accounts.delete('u-ines')
    expect(await outcome(await assert())).toEqual([400, 'identity_assertion_person_unknown'])
  })

  it.each([
    [{}, null],
    [{ auth_time: 0 }, null],
    [{ auth_time: T - 301 }, null],
    [{ auth_time: T - 300 }, 'members:write'],
    [{ auth_time: T + 30 }, 'members:write'],
  ])(
    'gets a sensitive scope by %j after a sign-in of the last five minutes only: %j [IDJ-34]',
    async (signIn, given) => {
      const { outcome, assert, idp } = await createAssertingSchool()
      const sensitive = { scope: 'members:write', ...signIn }
      const alone = await outcome(await assert(sensitive))
      expect(alone).toEqual(given === null ? [400, 'identity_assertion_sign_in_too_old'] : [200, given]) // prettier-ignore
      const scope = `openid courses:read ${sensitive.scope}`
      const beside = await outcome(await assert({ ...sensitive, scope }))
      expect(beside).toEqual([200, given === null ? 'openid courses:read' : scope])
      expect(idp.requests.map(({ path }) => path)).toEqual(['/jwks'])
    },
  )

  it('uses an assertion up only by a token [IDJ-05]', async () => {
    const { outcome, assert, accounts, idp } = await createAssertingSchool()
    const assertion = await assert()
    accounts.delete('u-ines')
    expect((await outcome(assertion))[1]).toBe('identity_assertion_person_unknown')
    accounts.set('u-ines', 'per_ines')
    const forged = await new jose.SignJWT(jose.decodeJwt(assertion))
      .setProtectedHeader({ alg: 'ES256', typ: 'oauth-id-jag+jwt' })
      .sign((await jose.generateKeyPair('ES256')).privateKey)
    expect((await outcome(forged))[1]).toBe('identity_assertion_signature_wrong')
    expect(await outcome(assertion)).toEqual([200, SCOPE])
    expect(await outcome(assertion)).toEqual([400, 'identity_assertion_used_before'])
    expect(idp.requests.map(({ path }) => path)).toEqual(['/jwks'])
  })

  it('is shown to the person, who ends it: the token is over, and the next assertion opens another', async () => {
    const { site, send, assert, outcome, store } = await createAssertingSchool()
    const { access_token: token } = (await (await send(await assert())).json()) as {
      access_token: string
    }
    const apps = createConnectedApps(site)
    expect(await apps.list('per_ines')).toMatchObject([{ client: { clientId: 'agent' } }])
    expect(await apps.disconnect({ subject: 'per_ines', clientId: 'agent' })).toBe(1)
    expect((await store.findAccessToken(hashToken(token)))?.grant.revokedAt).toBe(T)
    expect(await outcome(await assert())).toEqual([200, SCOPE])
  })

  it('is asked about by personOf, which may refuse a client for a person', async () => {
    const asked: unknown[] = []
    const { outcome, assert } = await createAssertingSchool({
      provider: {
        personOf(claims, { clientId }) {
          asked.push([claims.iss, claims.sub, claims['email'], clientId])
          return null
        },
      },
    })
    const refused = await outcome(await assert({ email: 'ines@example.com' }))
    expect(refused).toEqual([400, 'identity_assertion_person_unknown'])
    expect(asked).toEqual([[IDP, 'u-ines', 'ines@example.com', 'agent']])
  })
})

describe('what the host application and the provider answer', () => {
  const never = new Promise<never>(() => {})
  const giveBack = async (): Promise<void> => {}
  it.each<[string, Options, string]>([
    ['personOf returns an object', { provider: { personOf: () => ({}) as never } }, 'personOf returned an object'],
    ['personOf returns an empty text', { provider: { personOf: () => '' } }, 'personOf returned a string'],
    ['personOf returns true', { provider: { personOf: async () => true as never } }, 'personOf returned a boolean'],
    ['personOf returns too much', { provider: { personOf: () => 'x'.repeat(256) } }, 'personOf returned a string'],
    ['personOf throws', { provider: { personOf: () => { throw new Error('down') } } }, 'personOf threw'],
    ['personOf never answers', { provider: { personOf: () => never } }, 'personOf did not respond within 500 ms'],
    ['useOnce returns true', { options: { once: { useOnce: async () => true as never, giveBack } } }, 'useOnce returned'],
    ['useOnce throws', { options: { once: { useOnce: () => Promise.reject(new Error('down')), giveBack } } }, 'useOnce threw'],
    ['useOnce never answers', { options: { once: { useOnce: () => never, giveBack } } }, 'useOnce did not respond within 500 ms'],
    ['the keys cannot be fetched', { options: { fetchKeys: () => Promise.reject(new Error('refused')) } }, `${IDP}/jwks returned no keys`],
    ['the keys are an error', { options: { fetchKeys: async () => new Response('no', { status: 404 }) } }, 'returned no keys'],
    ['the keys are none', { options: { fetchKeys: async () => Response.json({ keys: 'none' }) } }, 'returned no keys'],
    ['the keys are too many', { options: { fetchKeys: async () => Response.json({ keys: Array.from({ length: 65 }, () => ({})) }) } }, 'returned no keys'],
    ['the keys are too large', { options: { fetchKeys: async () => new Response(' '.repeat(60_001)) } }, 'returned no keys'],
  ])('%s: 503, and the fault is reported [IDJ-06]', async (_, options, message) => {
    const { outcome, assert, faults, events } = await createAssertingSchool({
      ...options,
      callDeadlineMilliseconds: 500,
    })
    expect(await outcome(await assert())).toEqual([503, null])
    expect(faults.map(({ fault }) => `${String(fault)} ${String((fault as Error).cause)}`)).toEqual([
      expect.stringContaining(message),
    ])
    expect(events).toEqual([])
  }) // prettier-ignore

  it('a provider that never answers: 503 after five seconds, and at once for a minute [IDJ-06]', async () => {
    let fetches = 0
    const { outcome, assert, clock } = await createAssertingSchool({
      options: {
        fetchKeys: () => {
          fetches += 1
          return never
        },
      },
    })
    const assertions = await Promise.all(Array.from({ length: 5 }, () => assert()))
    const all = await Promise.all(assertions.map((one) => outcome(one)))
    expect(all.map(([status]) => status)).toEqual([503, 503, 503, 503, 503])
    expect((await outcome(await assert()))[0]).toBe(503)
    expect(fetches).toBe(1)
    clock.now += 60
    expect((await outcome(await assert()))[0]).toBe(503)
    expect(fetches).toBe(2)
  }, 20_000)
})

describe('the keys of a provider', () => {
  it('are fetched once, and again for a new key within a minute [IDJ-07]', async () => {
    const { outcome, assert, idp, clock } = await createAssertingSchool()
    expect((await outcome(await assert()))[0]).toBe(200)
    expect((await outcome(await assert()))[0]).toBe(200)
    expect(idp.requests).toHaveLength(1)
    const old = await assert()
    await idp.rotate()
    expect(await outcome(await assert())).toEqual([400, 'identity_assertion_signature_wrong'])
    expect(idp.requests).toHaveLength(1)
    clock.now += 60
    expect((await outcome(await assert()))[0]).toBe(200)
    expect(idp.requests).toHaveLength(2)
    expect(await outcome(old)).toEqual([400, 'identity_assertion_signature_wrong'])
  })

  it('are fetched by bad assertions no more than once a minute [IDJ-07]', async () => {
    const { outcome, assert, idp, clock } = await createAssertingSchool()
    expect((await outcome(await assert()))[0]).toBe(200)
    clock.now += 60
    const bad = await Promise.all(
      Array.from({ length: 20 }, () => assert({ jti: crypto.randomUUID() }, { kid: 'other' })),
    )
    await Promise.all(bad.map((one) => outcome(one)))
    for (const one of bad) await outcome(one)
    expect(idp.requests).toHaveLength(2)
  })

  it('that are withdrawn are trusted for ten minutes, and for an hour while the provider is down [IDJ-07]', async () => {
    let isDown = false
    const school = await createAssertingSchool({
      options: {
        fetchKeys: async (url) =>
          isDown ? new Response(null, { status: 502 }) : school.idp.handle(new Request(url)),
      },
    })
    const { outcome, assert, idp, clock } = school
    const withOld = await createAssertingSchool()
    expect(withOld.idp.jwks()).not.toEqual(idp.jwks())
    expect((await outcome(await assert()))[0]).toBe(200)
    isDown = true
    clock.now += 3599
    expect((await outcome(await assert()))[0]).toBe(200)
    clock.now += 1
    expect((await outcome(await assert()))[0]).toBe(503)
    isDown = false
    clock.now += 60
    expect((await outcome(await assert()))[0]).toBe(200)
    const old = await assert({ exp: clock.now + 1200 })
    await idp.rotate()
    clock.now += 600
    expect(await outcome(old)).toEqual([400, 'identity_assertion_signature_wrong'])
  })

  it('may be in the options, and sign with its algorithms only [IDJ-26]', async () => {
    const { privateKey, publicKey } = await jose.generateKeyPair('RS256')
    const keys = { keys: [await jose.exportJWK(publicKey)] }
    const school = await createAssertingSchool({
      provider: { keys, jwksUri: undefined as never },
    })
    const claims = jose.decodeJwt(await school.assert())
    const sign = (alg: string, key: jose.CryptoKey) =>
      new jose.SignJWT(claims).setProtectedHeader({ alg, typ: 'oauth-id-jag+jwt' }).sign(key)
    expect((await school.outcome(await sign('RS256', privateKey)))[0]).toBe(200)
    const es256 = await createAssertingSchool({
      provider: { keys, jwksUri: undefined as never },
      options: { algorithms: ['ES256'] },
    })
    expect(await es256.outcome(await sign('RS256', privateKey))).toEqual([
      400,
      'identity_assertion_signature_wrong',
    ])
  })

  it('are found among several without kid', async () => {
    const pairs = await Promise.all([1, 2, 3].map(() => jose.generateKeyPair('ES256')))
    const keys = { keys: await Promise.all(pairs.map((one) => jose.exportJWK(one.publicKey))) }
    const school = await createAssertingSchool({ provider: { keys, jwksUri: undefined as never } })
    const assertion = await new jose.SignJWT(jose.decodeJwt(await school.assert()))
      .setProtectedHeader({ alg: 'ES256', typ: 'oauth-id-jag+jwt' })
      .sign(pairs[2]!.privateKey)
    expect((await school.outcome(assertion))[0]).toBe(200)
  })
})

describe('the documents of a server that trusts a provider', () => {
  it('name the grant type and its profile, and no provider [IDJ-08] [IDJ-31]', async () => {
    const { router } = await createAssertingSchool()
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const text = await (await router(new Request(`${ISSUER}/.well-known/${name}`))).text()
      expect(JSON.parse(text)).toMatchObject({
        grant_types_supported: ['authorization_code', 'refresh_token', JWT_BEARER],
        authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
      })
      expect(text).not.toContain(IDP)
    }
  })
})

describe('the options', () => {
  const store = createMemoryStore()
  const provider = { keys: { keys: [] }, clients: ['agent'], personOf: () => null }
  const mistakesOf = (options: object): readonly string[] => {
    try {
      identityAssertion({ providers: { [IDP]: provider }, once: store, ...options })
      return []
    } catch (error) {
      return (error as OptionsError).mistakes
    }
  }
  const ofProvider = (more: object): readonly string[] =>
    mistakesOf({ providers: { [IDP]: { ...provider, ...more } } })

  it('are named in every mistake [IDJ-02]', () => {
    const name = `providers["${IDP}"]`
    expect(mistakesOf({})).toEqual([])
    expect(mistakesOf({ providers: {} })).toEqual(['providers must name a provider, by its issuer'])
    expect(mistakesOf({ providers: [] })[0]).toContain('providers must be an object')
    expect(mistakesOf({ once: {} })[0]).toContain('once lacks the function useOnce')
    expect(mistakesOf({ algorithms: [] })[0]).toContain('algorithms must name an algorithm')
    expect(mistakesOf({ algorithms: ['HS256'] })[0]).toContain('algorithms[0] must be')
    expect(mistakesOf({ accessTokenSeconds: 59 })[0]).toContain('a whole number from 60 to 86400')
    expect(mistakesOf({ fetchKeys: 'fetch' })[0]).toContain('fetchKeys must be a function')
    expect(ofProvider({ clients: undefined })[0]).toContain(`${name}.clients is missing`)
    expect(ofProvider({ clients: [] })).toEqual([
      `${name}.clients must name a client: no other gets a token`,
    ])
    expect(ofProvider({ clients: ['a', ['b']] })[0]).toContain(`${name}.clients must be a list`)
    expect(ofProvider({ clients: ['a', ['b', 'c']] })).toEqual([])
    expect(ofProvider({ personOf: undefined })[0]).toContain(`${name}.personOf is missing`)
    expect(ofProvider({ keys: undefined })).toEqual([`${name} must have either jwksUri or keys`])
    expect(ofProvider({ jwksUri: 'https://idp.example/jwks' })).toHaveLength(1)
    expect(ofProvider({ keys: { keys: [1] } })[0]).toContain(`${name}.keys must be a JWK Set`)
    expect(ofProvider({ tenant: ' ' })[0]).toContain(`${name}.tenant must be a string`)
    for (const jwksUri of ['http://idp.example/jwks', 'idp.example', 7])
      expect(ofProvider({ keys: undefined, jwksUri })[0]).toContain(
        `${name}.jwksUri must be an https`,
      )
  })

  /** A school whose provider is asked by the fetcher of its documents. */
  const withDocuments = (fetchDocument: FetchDocument): ReturnType<typeof createAssertingSchool> =>
    createAssertingSchool({
      documents: { fetchDocument, allowedHosts: [] },
      options: { fetchKeys: undefined as never },
    })

  it('have their keys fetched as documents of the site are, by default [OUT-01]', async () => {
    const asked: unknown[] = []
    const school = await withDocuments(async (url, what) => {
      asked.push([url, what])
      return school.idp.handle(new Request(url))
    })
    expect((await school.outcome(await school.assert()))[0]).toBe(200)
    expect(asked).toEqual([[`${IDP}/jwks`, PROVIDER_KEYS]])
  })

  it('have their keys fetched from public addresses only [OUT-01]', async () => {
    const { fetchDocument, lookups, connections } = fetcherFor(
      { port: 0 },
      { answers: ['10.0.0.1'] },
    )
    const school = await withDocuments(fetchDocument)
    expect(await school.outcome(await school.assert())).toEqual([503, null])
    const { cause } = school.faults[0]!.fault as Error
    expect(String(cause)).toContain('10.0.0.1 is not a public unicast address')
    expect([lookups, connections]).toEqual([['idp.example'], []])
  })

  it('have no keys fetched without a function that says how [OUT-01]', async () => {
    const options = { fetchKeys: undefined as never }
    await expect(createAssertingSchool({ options })).rejects.toThrow(
      'fetchKeys is missing: a function such as createDocumentFetcher() from hallpass/node',
    )
    const [mistake] = ofProvider({ keys: undefined, jwksUri: 'http://127.0.0.1:9/jwks' })
    expect(mistake).toContain(`providers["${IDP}"].jwksUri is on this computer: pass fetchKeys`)
  })
})
