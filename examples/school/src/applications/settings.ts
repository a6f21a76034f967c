import type { Execute } from 'hallpass/postgres'

/** What the people in charge of one site have switched on. */
export interface Settings {
  /** Whether MCP connections are on: the site has member applications, and they work. */
  readonly mcpConnections: () => Promise<boolean>
  readonly setMcpConnections: (on: boolean) => Promise<void>
}

/** The settings of one site, in its table. What was never set is off. */
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
