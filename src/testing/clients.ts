import { devin, mistral, perplexity } from './callback-clients.js'
import { claudeCode, codex, geminiCli, openCode } from './command-clients.js'
import { cursor, visualStudioCode, zed } from './editor-clients.js'
import { chatgpt, claude, grok } from './hosted-clients.js'
import type { RealClient } from './real-client.js'
import { mcpInspector, mcpRemote } from './tool-clients.js'

/**
 * What real MCP clients register and send, from what their makers publish and from what they were seen
 * to do, each with the month of the last look. Clients change: where one does something else by now,
 * pass a corrected copy to `whoCanConnect`.
 */
export const realClients: readonly RealClient[] = [
  claude,
  claudeCode,
  chatgpt,
  codex,
  visualStudioCode,
  cursor,
  mcpInspector,
  mcpRemote,
  geminiCli,
  zed,
  openCode,
  grok,
  perplexity,
  mistral,
  devin,
]
