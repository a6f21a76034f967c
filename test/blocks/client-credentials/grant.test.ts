import { createAccountApi } from 'hallpass/account'
import { clientCredentials } from 'hallpass/blocks'
import { authorizeBearer } from 'hallpass'
import { hashToken } from 'hallpass/token'
import * as jose from 'jose'
import { describe, expect, it } from 'vitest'
import { createSource } from '../../support/school/account.js'
import { T } from '../../support/school/school.js'
import { form } from '../../support/school/signing-client.js'
import {
  createServiceSchool,
  type Fields,
  ISSUER,
  SECRET,
  serviceClient,
  type ServiceSchool,
  someone,
} from './support.js'

/** Returns whom a gate takes the bearer of a token for, or why it refuses it. */
const openedBy = async ({ site }: ServiceSchool, accessToken: string, ...required: string[]) => {
  const authorization = `Bearer ${accessToken}`
  const decided = await authorizeBearer(site, { authorization, required })
  return decided.ok ? decided.access.person.subject : decided.reason
}
/** Returns a form without the fields that are empty. */
const filled = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
const ASK = { grant_type: 'client_credentials', client_id: 'payroll', client_secret: SECRET }

describe('a service', () => {
  it('gets an access token that is its own, and neither a refresh token nor an ID token [SVC-13]', async () => {
    const school = await createServiceSchool()
    const response = await school.ask({ scope: 'orders:read' })
    expect(response.headers.get('cache-control')).toBe('no-store')
    const body = (await response.json()) as { access_token: string }
    expect(body).toEqual({
      access_token: expect.stringMatching(/^hpa_[\w-]{43}$/) as string,
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'orders:read',
    })
    expect(await openedBy(school, body.access_token, 'orders:read')).toBe('srv_payroll')
    expect(await openedBy(school, body.access_token, 'courses:read')).toBe('scope_not_granted')
    expect(
      school.events.map((event) => [event.type, 'subject' in event ? event.subject : null]),
    ).toEqual([
      ['oauth.grant.created', 'srv_payroll'],
      ['oauth.token.issued', 'srv_payroll'],
    ])
  })

  it('gets all that its client may have if it asks for no scope, and says so [SVC-01]', async () => {
    const body = (await (await (await createServiceSchool()).ask()).json()) as object
    expect(body).toMatchObject({ scope: 'courses:read orders:read' })
  })

  it.each<[string, (school: ServiceSchool) => Promise<readonly [Fields, Fields]>]>([
    ['its secret in the form', async () => [{}, {}]],
    [
      'its secret by HTTP Basic',
      async () => [
        { client_secret: '', client_id: '' },
        { authorization: `Basic ${btoa(`payroll:${encodeURIComponent(SECRET)}`)}` },
      ],
    ],
  ])('authenticates with %s [SVC-02]', async (_, by) => {
    const school = await createServiceSchool()
    const [fields, headers] = await by(school)
    expect((await school.ask(fields, headers)).status).toBe(200)
  })

  it('authenticates with an assertion that it signs [SVC-02]', async () => {
    const school = await createServiceSchool({
      clients: [serviceClient({ tokenEndpointAuthMethod: 'private_key_jwt', secrets: [] })],
    })
    const claims = { iss: 'payroll', sub: 'payroll', aud: ISSUER, exp: T + 60, jti: 'one' }
    const assertion = await new jose.SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256' })
      .sign(school.privateKey)
    const fields = { grant_type: 'client_credentials', ...form(assertion) }
    expect((await school.post('token', fields)).status).toBe(200)
    expect((await school.post('token', fields)).status).toBe(401)
  })

  it.each<
    [
      string,
      number,
      Fields,
      (school: ServiceSchool) => unknown,
      Parameters<typeof serviceClient>[0]?,
    ]
  >([
    ['client_secret_missing', 401, { client_secret: '' }, () => {}],
    ['client_secret_mismatch', 401, { client_secret: 'other' }, () => {}],
    ['client_disabled', 401, {}, () => {}, { disabled: true }],
    ['client_ended', 401, {}, () => {}, { endsAt: T }],
    [
      'service_client_public',
      400,
      { client_secret: '' },
      () => {},
      { tokenEndpointAuthMethod: 'none', secrets: [] },
    ],
    ['service_client_of_members', 400, {}, () => {}, { kind: 'member', scopes: ['account:read'] }],
    ['client_not_a_service', 400, {}, ({ services }) => services.clear()],
    ['service_unlimited', 400, {}, () => {}, { scopes: null }],
    ['service_gone', 400, {}, ({ people }) => people.delete('srv_payroll')],
    [
      'service_has_no_role',
      400,
      {},
      ({ people }) => people.set('srv_payroll', someone('srv_payroll')),
    ],
    [
      'scope_beyond_service',
      400,
      { scope: 'orders:read' },
      ({ people }) => people.set('srv_payroll', someone('srv_payroll', 'assistant')),
    ],
    ['scope_not_allowed_for_client', 400, { scope: 'members:read' }, () => {}],
    ['scope_of_other_audience', 400, { scope: 'account:read' }, () => {}],
    ['scope_of_person', 400, { scope: 'openid' }, () => {}],
    ['resource_unknown', 400, { resource: 'https://other.example' }, () => {}],
  ])(
    'gets nothing with %s, and the store keeps nothing [SVC-14]',
    async (reason, status, fields, change, client) => {
      const school = await createServiceSchool({ clients: [serviceClient(client)] })
      change(school)
      const response = await school.post('token', filled({ ...ASK, ...fields }))
      expect([response.status, school.refusals[0]?.reason]).toEqual([status, reason])
      expect(((await response.json()) as { error: string }).error).toBe(school.refusals[0]?.error)
      expect([school.events, school.faults]).toEqual([[], []])
    },
  )

  it('tells a client only that it is no service, whatever is missing [SVC-14]', async () => {
    const school = await createServiceSchool()
    const bodies = new Set<string>()
    const note = async () => bodies.add(await (await school.ask()).text())
    school.people.set('srv_payroll', someone('srv_payroll'))
    await note()
    school.people.delete('srv_payroll')
    await note()
    school.services.clear()
    await note()
    expect(bodies.size).toBe(1)
  })

  it('is asked about only if its client may have one [SVC-15]', async () => {
    const asked: string[] = []
    const school = await createServiceSchool({
      clients: [
        serviceClient({ tokenEndpointAuthMethod: 'none', secrets: [] }),
        serviceClient({ clientId: 'study', kind: 'member' }),
        serviceClient({ clientId: 'export' }),
      ],
      options: { serviceOf: ({ clientId }) => (asked.push(clientId), null) },
    })
    for (const client_id of ['payroll', 'study', 'export', 'unknown'])
      await school.post('token', filled({ ...ASK, client_id, ...(client_id === 'payroll' && { client_secret: '' }) })) // prettier-ignore
    await school.ask({ client_id: 'export', client_secret: 'wrong' })
    expect(asked).toEqual(['export'])
  })

  it.each<[string, unknown]>([
    ['serviceOf returned a number', 7],
    ['serviceOf returned an empty text', ''],
    ['serviceOf returned 256 characters', 'x'.repeat(256)],
    ['serviceOf returned the whole service', someone('srv_payroll', 'owner')],
    ['serviceOf returned true', true],
  ])('gets 503 if %s [SVC-16]', async (_, returned) => {
    const school = await createServiceSchool({ options: { serviceOf: () => returned as never } })
    const response = await school.ask()
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { error: 'temporarily_unavailable' },
    ])
    expect((school.faults[0]!.fault as Error).message).toMatch(/^serviceOf returned /)
    expect(school.events).toEqual([])
  })

  it('gets 503 in bounded time if serviceOf never answers, or throws [SVC-16]', async () => {
    const never = await createServiceSchool({
      options: { serviceOf: () => new Promise(() => {}) },
      callDeadlineMilliseconds: 500,
    })
    expect((await never.ask()).status).toBe(503)
    expect(String((never.faults[0]!.fault as Error).cause)).toContain('serviceOf')
    const broken = await createServiceSchool({
      options: {
        serviceOf: () => {
          throw new Error('no such table')
        },
      },
    })
    expect((await broken.ask()).status).toBe(503)
    expect((broken.faults[0]!.fault as Error).message).toBe('serviceOf threw an exception')
  })

  it('has none if serviceOf returns undefined, as for a row that is not found [SVC-16]', async () => {
    const school = await createServiceSchool({ options: { serviceOf: () => undefined as never } })
    expect(await school.outcome()).toEqual([400, 'client_not_a_service'])
  })

  it('is at its end at once when it is switched off, loses its role, or its client does [SVC-17]', async () => {
    const school = await createServiceSchool()
    const token = await school.token()
    const opened = () => openedBy(school, token, 'orders:read')
    expect(await opened()).toBe('srv_payroll')
    school.people.set('srv_payroll', someone('srv_payroll', 'assistant'))
    expect(await opened()).toBe('scope_beyond_role')
    school.people.set('srv_payroll', someone('srv_payroll'))
    expect(await opened()).toBe('person_has_no_role')
    school.people.delete('srv_payroll')
    expect(await opened()).toBe('person_gone')
    school.people.set('srv_payroll', someone('srv_payroll', 'manager'))
    await school.store.replaceClient(serviceClient({ scopes: ['courses:read'], revision: 2 }))
    expect(await opened()).toBe('scope_beyond_client')
    await school.store.replaceClient(serviceClient({ disabled: true, revision: 3 }))
    expect(await opened()).toBe('client_disabled')
    await school.store.replaceClient(serviceClient({ endsAt: school.clock.now, revision: 4 }))
    expect(await opened()).toBe('client_ended')
    await school.store.replaceClient(serviceClient({ revision: 5 }))
    expect(await opened()).toBe('srv_payroll')
    const revocation = { clientId: 'payroll', subject: 'srv_payroll', revokedAt: T }
    await school.store.revokeGrants({ ...revocation, revokedReason: 'service_ended' })
    expect(await opened()).toBe('grant_revoked')
  })

  it('keeps a token for as long as the option says, and never beyond its client [SVC-18]', async () => {
    const school = await createServiceSchool({ options: { accessTokenSeconds: 60 } })
    const token = await school.token()
    school.clock.now += 59
    expect(await openedBy(school, token)).toBe('srv_payroll')
    school.clock.now += 1
    expect(await openedBy(school, token)).toBe('grant_expired')

    const ending = await createServiceSchool({ clients: [serviceClient({ endsAt: T + 10 })] })
    expect(await (await ending.ask()).json()).toMatchObject({ expires_in: 10 })
  })

  it('fills no store in a loop: its client pays, others do not, and what has expired is purged [SVC-19]', async () => {
    const others = serviceClient({ clientId: 'other' })
    const school = await createServiceSchool({
      clients: [serviceClient(), others],
      allowances: { codesOfPerson: { amount: 5, seconds: 3600 } },
    })
    school.services.set('other', 'srv_payroll')
    const live = async () => {
      const query = { of: 'everyone', after: null, limit: 100 } as const
      return (await school.store.listGrants({ ...query, now: school.clock.now })).length
    }
    for (let second = 0; second < 60; second++) {
      await school.ask()
      school.clock.now += 1
    }
    expect(await live()).toBe(5)
    const paced = await school.ask()
    expect([paced.status, paced.headers.get('retry-after')]).toEqual([429, '660'])
    expect(school.refusals.at(-1)?.reason).toBe('code_paced')
    expect((await school.ask({ client_id: 'other' })).status).toBe(200)
    school.clock.now += 3600
    expect(await live()).toBe(0)
    const { rows } = await school.store.purge({ now: school.clock.now + 86_400, limit: 1000 })
    expect(rows).toBeGreaterThanOrEqual(6 * 3)
    expect((await school.ask()).status).toBe(200)
  })

  it('takes a resource of the site in every spelling, and is bound to the site [SVC-12]', async () => {
    const school = await createServiceSchool()
    const token = await school.token({ resource: `${ISSUER}/mcp` })
    expect((await school.store.findAccessToken(hashToken(token)))?.grant.resource).toBe(ISSUER)
  })

  it('may give up its token, and its client can introspect it', async () => {
    const school = await createServiceSchool()
    const [client_id, client_secret] = ['payroll', SECRET]
    const token = await school.token()
    const form = { token, client_id, client_secret }
    expect(await (await school.post('introspect', form)).json()).toMatchObject({
      active: true,
      sub: 'srv_payroll',
      client_id,
      scope: 'courses:read orders:read',
    })
    expect((await school.post('revoke', form)).status).toBe(200)
    expect(await openedBy(school, token)).toBe('access_token_revoked')
  })
})

describe('a token of a service', () => {
  it('opens no UserInfo: a service is no person [SVC-21]', async () => {
    const school = await createServiceSchool()
    const authorization = `Bearer ${await school.token()}`
    const request = new Request(`${ISSUER}/api/oauth/userinfo`, { headers: { authorization } })
    const response = await school.router(request)
    expect([response.status, school.refusals.at(-1)?.reason]).toEqual([403, 'scope_not_granted'])
  })

  it('opens no Account API, whoever its subject is [SVC-21]', async () => {
    const school = await createServiceSchool({ options: { serviceOf: () => 'per_ines' } })
    const { graphql } = createAccountApi(school.site, { source: createSource(new Map()).source })
    const post = async (query: string) => {
      const response = await graphql(
        new Request(`${ISSUER}/account/graphql`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${await school.token()}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ query }),
        }),
      )
      return [response.status, school.refusals.at(-1)?.reason]
    }
    expect(await post('{ viewer { id email } }')).toEqual([403, 'scope_beyond_client'])
  })

  it('is refreshed by nothing that the client or a thief knows [SVC-13]', async () => {
    const school = await createServiceSchool()
    const refresh_token = await school.token()
    const fields = { ...ASK, grant_type: 'refresh_token', refresh_token }
    const response = await school.post('token', fields)
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: 'invalid_grant' },
    ])
  })

  it('is redeemed as no code: nobody knows one [SVC-13]', async () => {
    const school = await createServiceSchool()
    const code = await school.token()
    const redirect_uri = 'https://payroll.example/cb'
    const sent = { code, code_verifier: 'v'.repeat(43), redirect_uri }
    const fields = { ...ASK, grant_type: 'authorization_code', ...sent }
    const response = await school.post('token', fields)
    expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^invalid_/) })
    expect(school.refusals.at(-1)?.reason).toBe('code_unknown')
  })
})

describe('clientCredentials', () => {
  it('names each mistake in its options at the start', () => {
    expect(() =>
      clientCredentials({ serviceOf: 'payroll', accessTokenSeconds: 59 } as never),
    ).toThrow(
      expect.objectContaining({
        name: 'OptionsError',
        mistakes: [
          expect.stringContaining('serviceOf must be a function'),
          'accessTokenSeconds must be a whole number from 60 to 86400, not 59',
        ],
      }) as Error,
    )
  })

  it('is a grant type of the metadata, in place of none [SVC-22]', async () => {
    const { router } = await createServiceSchool()
    const metadata = async (name: string) =>
      (await (await router(new Request(`${ISSUER}/.well-known/${name}`))).json()) as object
    for (const name of ['oauth-authorization-server', 'openid-configuration'])
      expect(await metadata(name)).toMatchObject({
        grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      })
  })
})
