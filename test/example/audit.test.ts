import { defineClient } from 'hallpass/clients'
import type { Execute } from 'hallpass/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createFeatureSwitch,
  createSettings,
} from '../../examples/school/src/applications/settings.js'
import { createAudit } from '../../examples/school/src/platform/audit.js'
import type { Database } from '../../examples/school/src/platform/transaction.js'
import { T } from '../support/school/school.js'
import { openAreaDatabase, openAreaSite } from './support/area.js'

let database: Database
beforeAll(async () => {
  database = await openAreaDatabase()
})
afterAll(() => database.close())

const CLIENT = defineClient({
  clientId: 'left',
  kind: 'loopback',
  name: 'Left behind',
  redirectUris: ['http://127.0.0.1/callback'],
  createdAt: T,
})

describe('the audit log of the school', () => {
  it('has each change once, however often its event is delivered [EVT-04]', async () => {
    const { audit, store } = await openAreaSite(database)
    const event = {
      id: 'event_1',
      type: 'oauth.grant.created',
      at: T,
      clientId: 'buddy',
      subject: 'mei',
      grantId: 'g',
    }
    await audit.append([event, { ...event, id: 'event_2', grantId: 'h' }])
    await audit.append([event])
    const grants = (await audit.recent({ clientId: 'buddy', limit: 10 })).map(
      ({ event: one }) => one['grantId'],
    )
    expect(grants).toEqual(['h', 'g'])
    expect(await store.listEvents({ limit: 10 })).toEqual([])
  })

  it('has what another process left in the store [EVT-04]', async () => {
    const { id, audit, store } = await openAreaSite(database)
    await store.insertClient(CLIENT, [
      {
        id: 'event_left',
        type: 'oauth.client.registered',
        at: T,
        clientId: CLIENT.clientId,
        clientName: CLIENT.name,
      },
    ])
    const unread = createAudit({ execute: database.execute, site: id })
    const clientId = CLIENT.clientId
    expect(await unread.recent({ clientId, limit: 10 })).toEqual([])
    expect(await audit.recent({ clientId, limit: 10 })).toMatchObject([
      { type: 'oauth.client.registered', clientId },
    ])
    expect(await store.listEvents({ limit: 10 })).toEqual([])
  })

  it('changes together with the switch of a feature, or not at all [EVT-04]', async () => {
    const { id, audit } = await openAreaSite(database)
    const { execute } = database
    const settings = createSettings({ execute, site: id })
    await settings.setMcpConnections(false)
    const failing: Database['transaction'] = (work) =>
      database.transaction((inside) => {
        const broken: Execute = (sql, parameters) =>
          sql.includes('school_audit')
            ? Promise.reject(new Error('no space left'))
            : inside(sql, parameters)
        return work(broken)
      })
    const by = { actor: 'ines', at: T }
    await expect(createFeatureSwitch({ transaction: failing, site: id })(true, by)).rejects.toThrow(
      'no space left',
    )
    expect(await settings.mcpConnections()).toBe(false)
    await createFeatureSwitch({ transaction: database.transaction, site: id })(true, by)
    expect(await settings.mcpConnections()).toBe(true)
    const entries = await audit.recent({ limit: 10 })
    const entry = entries.find(({ type }) => type.startsWith('feature.'))
    expect(entry).toMatchObject({
      type: 'feature.enabled',
      actor: 'ines',
      event: { feature: 'mcp_connections' },
    })
  })
})
