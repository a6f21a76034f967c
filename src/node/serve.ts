import { createServer, type Server as NodeServer, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Server } from '../authorization-server/whole-server.js'
import { checkOptions, kindOf, optional, OptionsError, text, whole } from '../options/check.js'
import { type GuardedServer, guardServer } from './guard-server.js'
import type { Platform } from '../platform/platform.js'
import { toNodeHandler } from './handler.js'

/** How long a client may take to send, in milliseconds. */
const SEND_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  // By default, Node looks for late requests only every 30 seconds.
  connectionsCheckingInterval: 1000,
} satisfies ServerOptions

/** How long after one maintenance the next one begins, in milliseconds. */
const MAINTAIN_MILLISECONDS = 5 * 60_000

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program listens there. Stop it, or choose another port, such as PORT=3001 if your issuer has the port of that variable',
  EACCES: 'this process may not. Choose a port of at least 1024',
  EADDRNOTAVAIL: 'this computer has no such address. Choose another host, such as 0.0.0.0',
}

/**
 * Serves a server of `createServer` on `node:http`, on the host and port of its issuer, and maintains its site: before
 * it listens, and again five minutes after each maintenance. What a later maintenance throws goes to `onFault`. A platform
 * of `createPlatform` is served in the same way, on a port that you choose.
 *
 * The server is bounded by {@link guardServer}, and ends the connection of a client that sends too slowly. TLS is for a
 * proxy in front.
 *
 * @param server - the server from `createServer` from hallpass, or the platform from hallpass/platform
 * @returns what stops the server, such as on SIGTERM
 * @throws OptionsError for an option that is unknown or invalid, or an https issuer without `port`
 * @throws Error that names the address and says what to do, if the server cannot listen
 * @throws whatever the first maintenance throws, such as a `StorageFailure` if the store cannot be reached
 * @group HTTP server
 * @example
 * ```ts
 * import { createServer } from 'hallpass'
 * import { serve } from 'hallpass/node'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite() // its issuer is https://school.example
 * const page = () => new Response('your page')
 * const server = createServer(site, {
 *   sealingSecret: 'use at least 32 random characters here',
 *   interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
 * })
 * const { port, stop } = await serve(server, { port: 0 })
 * const jwks = await fetch(`http://127.0.0.1:${port}/.well-known/jwks.json`)
 * jwks.status // => 200
 * await stop() // => 0
 *
 * await serve(server) // throws OptionsError
 * ```
 */
export async function serve(
  server: Server | Platform,
  options: {
    /**
     * The port to listen on: an integer from 0 to 65,535, where 0 is any port that is free. Default: that of the issuer.
     * Required for an https issuer, because a proxy has that port, and calls this one without TLS.
     */
    readonly port?: number
    /**
     * The host to listen on, such as `0.0.0.0` in a container. Default: the host of an http issuer, which is a loopback
     * host, and `127.0.0.1` for an https issuer or a name such as `art.localhost`. Browsers resolve such a name, and not
     * every system does.
     */
    readonly host?: string
  } = {},
): Promise<{
  /** The port on which it listens. */
  readonly port: number
  /**
   * Stops the server as `drain` of {@link GuardedServer} does: no more connections, and the responses in progress are
   * finished. Then it waits for the maintenance that is under way. The database may be closed after that.
   *
   * @returns how many responses the deadline has cut off: 0 if all were finished
   */
  readonly stop: GuardedServer['drain']
}> {
  const address = addressOf(server, options)
  const { notifyFault } = 'site' in server ? server.site : server
  await server.maintain()
  const onError = (fault: unknown): void => notifyFault('serve', fault)
  const handler =
    'site' in server
      ? toNodeHandler(server, { origin: server.site.issuer, onError })
      : toNodeHandler(server, { onError })
  const listener = createServer(SEND_LIMITS, handler)
  const { drain } = guardServer(listener)
  const port = await listen(listener, address)
  listener.on('error', onError)

  let isStopped = false
  let timer: NodeJS.Timeout
  let maintenance: Promise<void> = Promise.resolve()
  async function maintainAgain(): Promise<void> {
    try {
      await server.maintain()
    } catch (fault) {
      notifyFault('maintain', fault)
    }
    if (!isStopped) schedule()
  }
  function schedule(): void {
    timer = setTimeout(() => {
      maintenance = maintainAgain()
    }, MAINTAIN_MILLISECONDS)
  }
  schedule()
  return {
    port,
    async stop(chosen) {
      isStopped = true
      clearTimeout(timer)
      const cut = await drain(chosen)
      await maintenance
      return cut
    },
  }
}

interface Address {
  readonly host: string
  readonly port: number
}

/** Listens, and returns the port. */
const listen = (listener: NodeServer, { host, port }: Address): Promise<number> =>
  new Promise((resolve, reject) => {
    const fail = (fault: NodeJS.ErrnoException): void => {
      const reason = REASONS[fault.code ?? ''] ?? fault.message
      reject(new Error(`serve cannot listen on ${host}:${port}: ${reason}`, { cause: fault }))
    }
    listener.once('error', fail)
    listener.listen(port, host, () => {
      listener.off('error', fail)
      resolve((listener.address() as AddressInfo).port)
    })
  })

function addressOf(
  server: Server | Platform,
  options: NonNullable<Parameters<typeof serve>[1]>,
): Address {
  if (typeof server?.maintain !== 'function')
    throw new OptionsError('serve', [
      `the first argument must be a server created by createServer from hallpass, not ${kindOf(server)}`,
    ])
  const issuer = 'site' in server ? server.site.issuer : null
  const { protocol, hostname, port } = new URL(issuer ?? 'https://many.invalid')
  const isHttps = protocol === 'https:'
  const needsAddress = isHttps || hostname.endsWith('.localhost')
  const given = checkOptions(
    'serve',
    options,
    { port: optional(whole(0, 65_535)), host: optional(text('"0.0.0.0"')) },
    (chosen) =>
      isHttps && chosen.port === undefined
        ? [
            `port is missing: the issuer ${issuer === null ? 'is that of each school' : 'is https'}, so name the port that your proxy calls, such as 3000`,
          ]
        : [],
  )
  return {
    host: given.host ?? (needsAddress ? '127.0.0.1' : hostname.replace(/^\[(.*)\]$/, '$1')),
    port: given.port ?? Number(port === '' ? 80 : port),
  }
}
