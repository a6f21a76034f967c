import type { RefreshPolicies } from 'hallpass/policy'

/**
 * How the processes of a client keep and refresh their tokens, for {@link simulateClients}.
 *
 * @group Simulations of clients
 */
export interface ClientBehaviour {
  readonly name: string
  readonly holder: keyof RefreshPolicies
  /** The number of processes on one computer, which share one credential store. */
  readonly processes: number
  /** When a process reads the store: before each refresh, or only as it starts. */
  readonly reads: 'each time' | 'at start'
  /** How many seconds before the expiry of the access token it is refreshed. */
  readonly earlySeconds: number
  /** How many requests of one process refresh at the same time. */
  readonly parallel: number
  /** How often a refresh without a response is sent again, in seconds between the attempts. */
  readonly retrySeconds: readonly number[]
  /**
   * Reaction to `invalid_grant`. `deletes`: the process deletes what is stored, and the person signs in.
   * `reads again`: the same, unless the store has a newer token. `keeps`: it sends the same token again and
   * again, until the person signs in some hours later.
   */
  readonly refused: 'deletes' | 'reads again' | 'keeps'
  /** Whether a second computer, such as a container, works with a copy of the store. */
  readonly isCopied: boolean
  /** Whether the computer runs day and night. Otherwise it sleeps at night and on some weekends. */
  readonly isServer: boolean
}

const CLAUDE_CODE: ClientBehaviour = {
  name: 'Claude Code',
  holder: 'native',
  processes: 5,
  reads: 'each time',
  earlySeconds: 300,
  parallel: 1,
  retrySeconds: [5, 30],
  refused: 'deletes',
  isCopied: false,
  isServer: false,
}

const CODEX: ClientBehaviour = {
  name: 'Codex',
  holder: 'native',
  processes: 5,
  reads: 'at start',
  earlySeconds: 0,
  parallel: 1,
  retrySeconds: [5],
  refused: 'keeps',
  isCopied: false,
  isServer: false,
}

/**
 * Behaviours of well-known clients, as their public issues describe them in 2026: how many processes share a
 * store, when they read it, and what they do when they are refused.
 *
 * - Claude Code: anthropics/claude-code issues 85236 and 88947. A lock covers one process; a refused one deletes
 *   what all share.
 * - Codex: openai/codex issues 17265, 39054 and 46028. Sessions keep tokens in memory, and a refused one
 *   continues with them.
 * - OpenCode: anomalyco/opencode issues 34074 and 49439. Parallel calls refresh; the SDK deletes the tokens.
 * - Visual Studio Code: the windows share a secret store and read it again. A mobile app and a hosted platform
 *   are made up.
 *
 * @example
 * ```ts
 * import { CLIENT_BEHAVIOURS } from 'hallpass-lab'
 *
 * CLIENT_BEHAVIOURS.find(({ name }) => name === 'Codex')?.reads // => 'at start'
 * ```
 *
 * @group Simulations of clients
 */
export const CLIENT_BEHAVIOURS: readonly ClientBehaviour[] = [
  CLAUDE_CODE,
  { ...CLAUDE_CODE, name: 'Claude Code, copied to a container', processes: 3, isCopied: true },
  CODEX,
  { ...CODEX, name: 'Codex, on a server', processes: 8, isServer: true },
  {
    ...CLAUDE_CODE,
    name: 'OpenCode',
    processes: 4,
    earlySeconds: 0,
    parallel: 3,
    retrySeconds: [],
  },
  {
    ...CLAUDE_CODE,
    name: 'Visual Studio Code',
    processes: 3,
    earlySeconds: 60,
    refused: 'reads again',
  },
  {
    ...CLAUDE_CODE,
    name: 'mobile app',
    holder: 'public',
    processes: 1,
    earlySeconds: 0,
    retrySeconds: [2, 10],
  },
  {
    ...CLAUDE_CODE,
    name: 'hosted platform',
    holder: 'confidential',
    processes: 4,
    refused: 'reads again',
    isServer: true,
  },
]
