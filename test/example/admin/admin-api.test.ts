import { defineClient } from 'hallpass/clients'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import {
  isTargetSigned,
  signTarget,
  targetKeyOf,
} from '../../../examples/school/src/school/upload-policy.js'
import { type AreaSite, openAreaDatabase, openAreaSite, ORIGIN } from '../support/area.js'
import { T } from '../../support/school/school.js'

let database: Database
beforeAll(async () => {
  database = await openAreaDatabase()
})
afterAll(() => database.close())

// The secret that those sites are opened with.
const SEALING_SECRET = 'a sealing secret of thirty-two characters'
const REDIRECT = 'http://127.0.0.1:7777/callback'

/** A site with a tool of its owner and an app of its members. */
async function openSite(): Promise<AreaSite> {
  const site = await openAreaSite(database)
  await database.execute(
    "update school_person set member_id = 'mem_' || member_id where member_id not like 'mem\\_%'",
    [],
  )
  const client = { name: 'Desk', redirectUris: [REDIRECT], createdAt: T }
  await site.store.insertClient(
    defineClient({ ...client, clientId: 'desk', kind: 'loopback', scopes: null }),
  )
  await site.store.insertClient(
    defineClient({ ...client, clientId: 'app', kind: 'member', scopes: ['account:read'] }),
  )
  return site
}

/** Calls as the owner. */
async function ownerOf(
  site: AreaSite,
  scope: string,
): Promise<(method: string, path: string, body?: object, etag?: string) => Promise<Response>> {
  const { access_token: token } = await site.connect({
    memberId: 'mem_ines',
    clientId: 'desk',
    scope,
  })
  return (method, path, body, etag) =>
    site.fetch(
      new Request(`${ORIGIN}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(etag !== undefined && { 'if-match': etag }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
}

describe('the admin API of a whole site', () => {
  it('signs upload targets by a key of its sealing secret, so that a restart breaks none', async () => {
    const site = await openSite()
    const call = await ownerOf(site, 'storage:write')
    const answer = await call('POST', '/uploads', {
      filename: 'guide.pdf',
      content_type: 'application/pdf',
      size: 9,
      purpose: 'lecture',
    })
    expect(answer.status).toBe(201)
    const { id, target } = (await answer.json()) as { id: string; target: { url: string } }
    const { searchParams } = new URL(target.url)
    const { rows } = await database.execute('select site from school_upload where id = $1', [id])
    const signed = {
      site: (rows as { site: string }[])[0]!.site,
      id,
      expiresAt: Number(searchParams.get('expires')),
      signature: searchParams.get('signature')!,
      now: T,
    }
    expect(isTargetSigned([targetKeyOf(SEALING_SECRET)], signed)).toBe(true)
    expect(isTargetSigned([targetKeyOf(`${SEALING_SECRET}!`)], signed)).toBe(false)
    expect(isTargetSigned([SEALING_SECRET], signed)).toBe(false)
  })

  it('signs upload targets that a receiver accepts across a rotation of the secret [KEY-07]', () => {
    const [old, next] = [targetKeyOf(SEALING_SECRET), targetKeyOf(`${SEALING_SECRET}!`)]
    const target = { site: 'site_lantern', id: 'upl_one', expiresAt: T + 900 }
    for (const key of [old, next]) {
      const signed = { ...target, signature: signTarget(key, target), now: T }
      expect(isTargetSigned([next, old], signed)).toBe(true)
      expect(isTargetSigned([], signed)).toBe(false)
    }
  })

  it('changes the name, time zone and currency that members are told', async () => {
    const site = await openSite()
    const { access_token: token } = await site.connect({
      memberId: 'mem_mei',
      clientId: 'app',
      scope: 'account:read',
    })
    const told = async (): Promise<unknown> => {
      const query = '{ viewer { site { name timeZone currencyCode } } }'
      const answer = await site.fetch(
        new Request(`${ORIGIN}/account/graphql`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
        }),
      )
      return ((await answer.json()) as { data?: { viewer: { site: unknown } } }).data?.viewer.site
    }
    const before = {
      name: 'Lantern Street Drawing School',
      timeZone: 'Europe/Lisbon',
      currencyCode: 'EUR',
    }
    expect(await told()).toEqual(before)
    const call = await ownerOf(site, 'school:read school:write')
    const change = async (body: object): Promise<void> => {
      const etag = (await call('GET', '/school')).headers.get('etag')!
      expect((await call('PATCH', '/school', body, etag)).status).toBe(200)
    }
    await change({ name: 'Lantern Street' })
    expect(await told()).toEqual({ ...before, name: 'Lantern Street' })
    await change({ time_zone: 'Atlantic/Azores', currency: 'USD' })
    expect(await told()).toEqual({
      name: 'Lantern Street',
      timeZone: 'Atlantic/Azores',
      currencyCode: 'USD',
    })
  })
})
