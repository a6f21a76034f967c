import { createServer } from 'node:http'
import * as sdk from '@modelcontextprotocol/server'
import { defineClient } from 'hallpass/clients'
import { serverAdapter } from 'hallpass/mcp'
import { createPostgresStore } from 'hallpass/postgres'
import { createApp } from '../../examples/express/testing.js'
import { LANTERN } from '../../examples/school/demo.js'
import { createSite, openCounters } from '../../examples/school/testing.js'
import { demo, openTestDatabase } from '../support/databases/templates.js'
import { freePorts, openPort } from '../support/processes/ports.js'
import { withPkce } from './pkce.js'
import { startTls } from './tls.js'

/** The people of the demo who sign in. Both may read all that the plans ask for. */
export const PEOPLE = {
  owner: 'ines.duarte@example.com',
  manager: 'tomasz.wilk@example.com',
  password: 'hallpass-demo',
}

/** The demo school over TLS. */
export interface School {
  readonly origin: string
  /** The version of its PostgreSQL. */
  readonly database: string
  /** The faults and the reasons of refusals since the last call. */
  readonly take: () => { readonly faults: readonly unknown[]; readonly reasons: readonly string[] }
  readonly stop: () => Promise<void>
}

type Blocks = NonNullable<Parameters<typeof createSite>[0]['blocks']>
/** A client as a plan registers it. */
export type Registered = Omit<Parameters<typeof defineClient>[0], 'kind' | 'createdAt'>

/** Starts the demo school with blocks and clients, on a PostgreSQL database of its own, behind nginx. */
export async function startSchool({
  blocks,
  clients,
  addsPkce = false,
}: {
  blocks: Blocks
  clients: readonly Registered[]
  addsPkce?: boolean
}): Promise<School> {
  const port = await freePorts()
  const origin = `https://localhost:${port}`
  const database = await openTestDatabase({ template: demo, connections: 4 })
  let taken: { faults: unknown[]; reasons: string[] } = { faults: [], reasons: [] }
  const site = createSite({
    definition: LANTERN,
    origin,
    database,
    sealingSecret: 'a sealing secret of thirty-two characters',
    counters: await openCounters({ redisUrl: null }),
    mcpAdapter: serverAdapter(sdk),
    rateLimits: false,
    blocks,
    log(entry) {
      if (entry['type'] === 'fault') taken.faults.push(entry)
      if (entry['type'] === 'refused') taken.reasons.push(String(entry['reason']))
    },
  })
  await site.maintain()
  await site.seed()
  const store = createPostgresStore({ execute: database.execute, site: LANTERN.id })
  for (const client of clients)
    // A client of a vendor acts for operators and needs no `resource`, which the suite does not send.
    await store.insertClient(defineClient({ ...client, kind: 'vendor', createdAt: 1 }))
  const app = createApp(site)
  const http = createServer(addsPkce ? withPkce(app) : app)
  const tls = await startTls({ port, target: await openPort(http) })
  const { rows } = await database.execute('show server_version', [])
  return {
    origin,
    database: String(Object.values(rows[0]!)[0]),
    take() {
      const last = taken
      taken = { faults: [], reasons: [] }
      return last
    },
    async stop() {
      await tls.stop()
      http.closeAllConnections()
      http.close()
      await site.settled()
      await database.close()
    },
  }
}
