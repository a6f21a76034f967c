import { Cluster, Redis } from 'ioredis'
import { describeFault } from './hooks.js'
import { TookTooLong, within } from './within.js'

/** How long a request waits for Redis. */
const PATIENCE_MILLISECONDS = 150
/** How long the start waits for the first connection. */
const START_MILLISECONDS = 1000
/** How often an unavailable Redis is tried again. */
const PROBE_MILLISECONDS = 1000

/** Whether Redis is used, and why not. */
export type RedisState = { readonly isUp: true } | { readonly isUp: false; readonly reason: string }

/** A connection to one server, or to a Redis Cluster. */
export type RedisClient = Redis | Cluster

/** A Redis that may fail or hang. No request waits for it longer than 150 ms. */
export interface SharedRedis {
  readonly client: RedisClient
  /**
   * Runs a command. Once one has failed or taken too long, none is sent until Redis works again, so that not
   * every request waits.
   *
   * @returns the result, or `null` if Redis is unavailable
   */
  readonly attempt: <Result extends object>(
    command: () => Promise<Result>,
  ) => Promise<Result | null>
  readonly close: () => void
}

/**
 * Connects to Redis. If it does not respond, the start continues without it.
 *
 * @param url - of a server; or the URLs of several nodes of a Redis Cluster, separated by commas
 * @param options - `probe`: a command that writes, because a read-only Redis cannot count; `onChange`: called
 *   each time that Redis becomes unavailable or available
 */
export async function openRedis(
  url: string,
  {
    probe,
    onChange,
  }: {
    probe: (client: RedisClient) => () => Promise<object>
    onChange: (state: RedisState) => void
  },
): Promise<SharedRedis> {
  const client = clientOf(url)
  // ioredis reconnects on its own. A command only says that the connection is closed, and this says why.
  let broken: Error | null = null
  client.on('error', (fault: Error) => (broken = fault))
  client.on('ready', () => (broken = null))
  const writes = probe(client)
  let isUp = true
  let timer: NodeJS.Timeout | undefined

  function lose(fault: unknown): void {
    // The connection may lead to a peer that has stopped. Until a probe succeeds, nothing depends on it.
    if (fault instanceof TookTooLong && client.status === 'ready') client.disconnect(true)
    if (isUp) {
      isUp = false
      onChange({ isUp, reason: describeFault(broken ?? fault) })
    }
    timer = setTimeout(() => void tryAgain(), PROBE_MILLISECONDS).unref()
  }

  async function tryAgain(): Promise<void> {
    try {
      await within(PATIENCE_MILLISECONDS, writes())
      if (isClosed) return
      isUp = true
      onChange({ isUp })
    } catch (fault) {
      if (!isClosed) lose(fault)
    }
  }

  let isClosed = false
  try {
    await within(START_MILLISECONDS, client.connect())
  } catch (fault) {
    lose(fault)
  }
  return {
    client,
    async attempt(command) {
      if (!isUp) return null
      try {
        return await within(PATIENCE_MILLISECONDS, command())
      } catch (fault) {
        if (isUp) lose(fault)
        return null
      }
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      client.disconnect()
    },
  }
}

const retryStrategy = (times: number): number => Math.min(times * 100, 500)

function clientOf(url: string): RedisClient {
  const connection = {
    maxRetriesPerRequest: 1,
    connectTimeout: 1000,
    // Also ends the handshake with a server that accepts connections and does not respond.
    commandTimeout: 1000,
  }
  const common = { lazyConnect: true, enableOfflineQueue: false }
  const [first = '', ...others] = url.split(',')
  if (others.length === 0) return new Redis(first, { ...connection, ...common, retryStrategy })
  const { protocol, username, password } = new URL(first)
  return new Cluster([first, ...others], {
    ...common,
    clusterRetryStrategy: retryStrategy,
    maxRedirections: 3,
    // The nodes tell each other's addresses, and nothing else that a connection needs.
    redisOptions: {
      ...connection,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  })
}

/** A Redis Cluster chooses the node of a key by what is in braces: one node has all that is counted for a site. */
export const slotOf = (site: string): string => `{${site}}`
