import type { Execute } from 'hallpass/postgres'
import { createAudit } from '../platform/audit.js'
import type { Transaction } from '../platform/transaction.js'

/** The features that the managers of one site have turned on. */
export interface Settings {
  /** Returns whether MCP connections are on. While they are off, member apps do not work. */
  readonly mcpConnections: () => Promise<boolean>
  readonly setMcpConnections: (on: boolean) => Promise<void>
}

/** Creates access to the features of one site, in its table. A feature that was never set is off. */
export function createSettings({ execute, site }: { execute: Execute; site: string }): Settings {
  return {
    async mcpConnections() {
      const { rows } = await execute('select mcp_connections from school_site where site = $1', [
        site,
      ])
      const [row] = rows as { mcp_connections: boolean }[]
      return row?.mcp_connections ?? false
    },
    async setMcpConnections(on) {
      await execute(
        `insert into school_site (site, mcp_connections) values ($1, $2)
         on conflict (site) do update set mcp_connections = excluded.mcp_connections`,
        [site, on],
      )
    },
  }
}

/** Turns MCP connections on or off. `by`: who did it and when, for the audit log. */
export type FeatureSwitch = (on: boolean, by: { actor: string; at: number }) => Promise<void>

/** Creates the switch of one site. The setting and its entry in the audit log are stored both or neither. */
export const createFeatureSwitch =
  ({ transaction, site }: { transaction: Transaction; site: string }): FeatureSwitch =>
  (on, by) =>
    transaction(async (execute) => {
      await createSettings({ execute, site }).setMcpConnections(on)
      const type = on ? 'feature.enabled' : 'feature.disabled'
      await createAudit({ execute, site }).record({ ...by, type, feature: 'mcp_connections' })
    })
