/** A client that a visitor can connect, and what to paste for it. */
export interface ConnectClient {
  readonly id: string
  readonly name: string
  /** Returns what to copy, for the name of the server and its address. */
  readonly lines: (server: string, url: string) => string
  /** The next step of the person, as sentences. */
  readonly next: string
  /** The command, or the place, that shows whether the client knows the server. */
  readonly check: string
}

// A shell reads a question mark as a pattern, so the address is in quotation marks.
export const CONNECT_CLIENTS: readonly [ConnectClient, ...ConnectClient[]] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    lines: (server, url) =>
      `claude mcp add --transport http ${server} "${url}"\nclaude mcp login ${server}`,
    next: 'Run both lines in a terminal. Your browser opens.',
    check: 'claude mcp list',
  },
  {
    id: 'codex',
    name: 'Codex',
    lines: (server, url) => `codex mcp add ${server} --url "${url}"\ncodex mcp login ${server}`,
    next: 'Run both lines in a terminal. Your browser opens.',
    check: 'codex mcp list',
  },
  {
    id: 'other',
    name: 'Another client',
    lines: (server, url) =>
      JSON.stringify({ mcpServers: { [server]: { type: 'http', url } } }, null, 2),
    next: 'Put it into the settings of any MCP client, or give the client only the address.',
    check: 'the list of servers in your client',
  },
]
