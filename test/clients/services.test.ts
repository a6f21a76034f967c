import { createClientManagement, decideManager, defineClient } from 'hallpass/clients'
import { schoolRoles } from 'hallpass/scope'
import { testSite } from 'hallpass/testing'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import type { SiteEvent } from '../../src/site/events.js'

const DRAFT = { name: ' Payroll sync ', description: '', scopes: ['orders:read', 'courses:read'] }

function office(role = 'owner', roles: object = schoolRoles) {
  const events: SiteEvent[] = []
  const test = testSite({ roles: roles as never, onEvent: (event) => events.push(event) })
  const { site } = test
  const person = { subject: 'per_ines', orgId: site.id, name: 'Ines', email: null, picture: null }
  const decided = decideManager({ person: { ...person, roles: [role] }, table: site.roles })
  if (!decided.ok) throw new Error(decided.reason)
  const clients = createClientManagement(site)
  const create = (draft: Partial<typeof DRAFT> = {}) =>
    clients.createService(decided.manager, { ...DRAFT, ...draft })
  return { ...test, clients, manager: decided.manager, create, events }
}

describe('createService', () => {
  it('creates an operator client with a secret, without redirect URIs, and says who did it', async () => {
    const { create, site, events, clock } = office()
    const created = await create()
    if (!created.ok) throw new Error(created.reason)
    const { client, clientSecret } = created
    expect(clientSecret).toMatch(/^hps_[\w-]{43}$/)
    expect(client).toEqual({
      ...defineClient({
        clientId: 'any',
        kind: 'vendor',
        name: 'Payroll sync',
        redirectUris: ['https://any.example'],
        createdAt: clock.now(),
        scopes: ['courses:read', 'orders:read'],
        tokenEndpointAuthMethod: 'client_secret_post',
        secrets: [{ hash: hashToken(clientSecret), expiresAt: null }],
      }),
      clientId: expect.stringMatching(/^service_[\w-]{43}$/) as string,
      redirectUris: [],
    })
    expect(await site.store.findClient(client.clientId)).toEqual(client)
    const { clientId } = client
    expect(events).toMatchObject([
      { type: 'oauth.client.created', clientId, clientName: 'Payroll sync', actor: 'per_ines' },
    ])
  })

  it.each([
    [' Sends pay slips. ', 'Sends pay slips.'],
    [null, null],
  ])('keeps the description %j as %j', async (description, kept) => {
    const { create } = office()
    expect(await create({ description } as never)).toMatchObject({
      ok: true,
      client: { description: kept },
    })
  })

  it('says that a scope of members is not for services', async () => {
    const { create } = office()
    const refused = await create({ scopes: ['account:read'] })
    expect('faults' in refused && refused.faults.map(({ description }) => description)).toEqual([
      'account:read is not available to services.',
    ])
  })

  it('rotates, disables and removes it like any client', async () => {
    const { create, clients, manager } = office()
    const created = await create()
    const clientId = created.ok ? created.client.clientId : ''
    expect(await clients.rotateSecret(manager, { clientId, overlapSeconds: 0 })).toMatchObject({
      ok: true,
    })
    expect(await clients.disable(manager, clientId)).toMatchObject({ client: { disabled: true } })
    expect(await clients.remove(manager, clientId)).toMatchObject({ ok: true })
    expect(await clients.disable(manager, clientId)).toMatchObject({ reason: 'client_unknown' })
  })

  it.each<[string, Partial<typeof DRAFT>, readonly string[]]>([
    ['name', { name: '  ' }, ['name_malformed']],
    ['description', { description: 'x'.repeat(301) }, ['description_malformed']],
    ['no scope', { scopes: [] }, ['scopes_missing']],
    ['an unknown scope', { scopes: ['till'] }, ['scope_unknown']],
    [
      'scopes of people and of members',
      { scopes: ['openid', 'account:read', 'orders:read'] },
      ['scope_of_other_audience', 'scope_of_other_audience'],
    ],
  ])('names each mistake in a draft: %s', async (_, draft, reasons) => {
    const { create, events } = office()
    const refused = await create(draft)
    expect('faults' in refused && refused.faults.map(({ reason }) => reason)).toEqual(reasons)
    expect(events).toEqual([])
  })

  it('gives no scope that the roles of the manager do not hold', async () => {
    const clerk = { staff: true, scopes: ['orders:read'], managesClients: true }
    const { create } = office('clerk', { ...schoolRoles, clerk })
    expect(await create()).toEqual({
      ok: false,
      error: 'invalid_scope',
      reason: 'scope_beyond_reviewer',
      description: 'a manager can give a service only scopes that their own roles hold',
    })
    expect(await create({ scopes: ['orders:read'] })).toMatchObject({ ok: true })
  })
})
