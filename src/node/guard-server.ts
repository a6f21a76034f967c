import type { RequestListener, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { checkOptions, optional, type Rules, whole } from '../options/check.js'
import { hasTwoHosts, TWO_HOSTS } from './host.js'

/**
 * A server of `node:http` that sheds load and can be stopped without losing a request. Created by
 * {@link guardServer}.
 *
 * @group HTTP server
 */
export interface GuardedServer {
  /**
   * Stops the server. It accepts no more connections and finishes the responses in progress, with
   * `Connection: close`. A request that still arrives on an open connection is served too. Connections that
   * are silent for a second are closed.
   *
   * It never rejects. Every call after the first returns the result of the first.
   *
   * @returns how many responses the deadline has cut off: 0 if all were finished
   */
  readonly drain: (options?: {
    /**
     * How long responses in progress may take, in milliseconds: a whole number of at least 1. What is not
     * finished then is cut off. Default: 10,000.
     */
    readonly deadlineMilliseconds?: number
  }) => Promise<number>
}

/** How many connections can wait until a server of Node.js accepts them, unless `listen` sets another number. */
const LISTEN_BACKLOG = 511

/** How long an open connection may be silent while the server stops, in milliseconds. */
const SILENT_MILLISECONDS = 1000

/**
 * How long the work for a client that has disconnected is counted, in milliseconds. An endpoint that
 * {@link toNodeHandler} serves says when it is finished; other code may just stop.
 */
const ABANDONED_MILLISECONDS = 10_000

/**
 * Bounds the requests that a server of `node:http` works on, keeps idle connections longer than a proxy
 * does, and stops the server without losing a request. Call it after the framework has added its listener;
 * listeners that are added later are not bounded.
 *
 * A request is in progress once it has arrived entirely, until its response begins, whether its client is still
 * connected or not. So a client that sends or reads slowly does not use up the bound.
 *
 * Beyond the bound, the response is 503 with `Retry-After: 5` and an error of OAuth in JSON. It is sent
 * before any code of the application runs. So is 400 to a request with two `Host` lines (RFC 9112, section 3.2).
 *
 * @returns what stops the server
 * @throws OptionsError that lists every mistake in the options. `drain` does so too
 * @see [RFC 9110, section 15.6.4](https://www.rfc-editor.org/rfc/rfc9110#section-15.6.4)
 * @group HTTP server
 * @example
 * ```ts
 * import { guardServer } from 'hallpass/node'
 * import { once } from 'node:events'
 * import { createServer } from 'node:http'
 *
 * const server = createServer((_request, response) => response.end('hello'))
 * const { drain } = guardServer(server, { maxInFlight: 150 })
 * await once(server.listen(0), 'listening')
 * server.keepAliveTimeout // => 65000
 *
 * // On SIGTERM, before the database is closed:
 * await drain({ deadlineMilliseconds: 5000 }) // => 0
 *
 * guardServer(server, { maxInFlight: 0 }) // throws OptionsError
 * ```
 */
export function guardServer(
  server: Server,
  options: {
    /**
     * How many requests are worked on at the same time: a whole number of at least 1. A further one gets
     * 503 immediately. Choose the requests that the process can handle in the longest time that a client should wait,
     * such as 150 for 150 a second and one second. Default: 100.
     */
    readonly maxInFlight?: number
    /**
     * How long an idle connection is kept, in milliseconds: a whole number of at least 1. It has to be longer
     * than a proxy in front keeps one, or else the proxy sends requests into connections that are closing.
     * Default: 65,000, because most proxies keep connections for 60 seconds.
     */
    readonly keepAliveMilliseconds?: number
  } = {},
): GuardedServer {
  const { maxInFlight = 100, keepAliveMilliseconds = 65_000 } = checkOptions(
    'guardServer',
    options,
    RULES,
  )
  const connections = new Set<Socket>()
  const open = new Set<ServerResponse>()
  const abandoned = new Set<ServerResponse>()
  let accepted = 0
  let isClosing = false
  let drained: Promise<number> | null = null

  function isFull(): boolean {
    if (open.size + abandoned.size < maxInFlight) return false
    let count = 0
    for (const { headersSent, req } of open) if (!headersSent && req.complete) count++
    for (const response of abandoned)
      if (response.headersSent) abandoned.delete(response)
      else count++
    return count >= maxInFlight
  }

  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const isAmbiguous = hasTwoHosts(request)
    if (isClosing || isAmbiguous) response.setHeader('connection', 'close')
    if (isAmbiguous) {
      response.writeHead(TWO_HOSTS.status, [...TWO_HOSTS.headers]).end(TWO_HOSTS.body)
      return
    }
    if (isFull()) {
      response.writeHead(503, BUSY_HEADERS).end(BUSY)
      return
    }
    open.add(response)
    response.once('close', () => {
      open.delete(response)
      if (response.headersSent || !request.complete) return
      abandoned.add(response)
      setTimeout(() => abandoned.delete(response), ABANDONED_MILLISECONDS).unref()
    })
    for (const listener of listeners) listener.call(server, request, response)
  })
  server.on('connection', (socket) => {
    accepted++
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  server.keepAliveTimeout = keepAliveMilliseconds

  const stop = (deadline: number): Promise<number> =>
    new Promise((resolve) => {
      const closeSilent = (): void => {
        server.closeIdleConnections()
        // To Node, a connection without any request is not idle: the request may be on its way.
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
      }
      let silence: NodeJS.Timeout | undefined
      const end = setTimeout(() => {
        resolve(open.size)
        server.closeAllConnections()
      }, deadline)
      server.once('close', () => {
        clearTimeout(silence)
        clearTimeout(end)
        resolve(0)
      })
      const stopListening = (): void => {
        // `server.close` would also close idle connections immediately, and lose a request that is on its way there.
        NetServer.prototype.close.call(server)
        // Not earlier: clients that must open new connections would meet a listener that is about to close.
        isClosing = true
        server.keepAliveTimeout = SILENT_MILLISECONDS
        for (const response of open)
          if (!response.headersSent) response.setHeader('connection', 'close')
        // After a blocked event loop, the timer comes before what has arrived is read.
        silence = setTimeout(() => setImmediate(closeSilent), SILENT_MILLISECONDS)
      }
      // Connections that wait in the queue of the listener are accepted first: one in each round of the event loop.
      const acceptWaiting = (rounds: number): void => {
        const before = accepted
        setImmediate(() => {
          if (accepted > before && rounds > 0) acceptWaiting(rounds - 1)
          else stopListening()
        })
      }
      setImmediate(acceptWaiting, LISTEN_BACKLOG)
    })

  return {
    drain(chosen = {}) {
      const { deadlineMilliseconds = 10_000 } = checkOptions('drain', chosen, DRAIN_RULES)
      return (drained ??= stop(deadlineMilliseconds))
    },
  }
}

const BUSY = JSON.stringify({
  error: 'temporarily_unavailable',
  error_description: 'the server is busy: try again shortly',
})
const BUSY_HEADERS = {
  'content-length': String(BUSY.length),
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'retry-after': '5',
}

const RULES: Rules<NonNullable<Parameters<typeof guardServer>[1]>> = {
  maxInFlight: optional(whole(1)),
  keepAliveMilliseconds: optional(whole(1)),
}
const DRAIN_RULES: Rules<NonNullable<Parameters<GuardedServer['drain']>[0]>> = {
  deadlineMilliseconds: optional(whole(1)),
}
