import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, type Server } from 'node:net'
import {
  boundConnections,
  endOnFault,
  type Environment,
  listenFault,
  log,
  openSchools,
  portInUse,
  readEnvironment,
  say,
  sayLast,
  settingFault,
  within,
} from '@hallpass/example-school'
import * as sdk from '@modelcontextprotocol/server'
import { directAdapter, serverAdapter } from 'hallpass/mcp'
import { createApp, withOpened } from './app.js'
import { createHttpServer } from './server.js'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const CONNECT_MILLISECONDS = 1000
const HOST_MILLISECONDS = 2000

async function start(environment: Environment): Promise<void> {
  const { host, port, trustProxy } = environment
  // Before the database is opened, which may take seconds.
  await checkHost(host)
  for (const at of [port, port + 1]) if (await isInUse(at, host)) throw portInUse(at)
  // The SDK is loaded only where its receiver is named, and starts before what it measures is created.
  const telemetry =
    environment.telemetry === null
      ? null
      : (await import('./telemetry.js')).measureProcess(environment.telemetry, { log })
  const schools = await openSchools(environment, {
    mcpAdapter: directAdapter(serverAdapter(sdk)),
    opens: true,
    ...(telemetry !== null && { measure: telemetry.measure }),
  })
  const servers: ReturnType<typeof createHttpServer>[] = []
  try {
    for (const [index, site] of schools.sites.entries()) {
      const own = createApp(site, { trustProxy })
      const app = index > 0 || schools.opened === null ? own : withOpened(own, schools.opened)
      servers.push(await listen(createHttpServer(app), port + index, host))
    }
    boundConnections(servers, { log })
  } catch (fault) {
    await schools.close()
    throw fault
  }

  const stop = (signal: NodeJS.Signals): void => {
    // Without these listeners, a second signal ends the process immediately.
    for (const signal of SIGNALS) process.off(signal, stop)
    say('Finishing requests, for ten seconds at most; Ctrl+C stops immediately')
    // Ctrl-C is pressed where no load balancer is.
    const left = signal === 'SIGINT' ? Promise.resolve() : schools.leave()
    void left
      .then(() => Promise.all(servers.map(({ drain }) => drain())))
      // The last export reads the store.
      .then(telemetry?.stop)
      .then(schools.close)
      .finally(() => process.exit())
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  schools.greet()
}

/** Takes the address for a moment by UDP: a listener that answers nothing must not be reached. */
async function checkHost(host: string): Promise<void> {
  try {
    // A name server may be silent.
    const { address, family } = await within(HOST_MILLISECONDS, lookup(host))
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
    try {
      socket.bind(0, address)
      await once(socket, 'listening')
    } finally {
      socket.close()
    }
  } catch (cause) {
    throw settingFault({ name: 'HOST' }, cause)
  }
}

/** To listen for a moment instead would reset a connection of a proxy that tries again. */
async function isInUse(port: number, host: string): Promise<boolean> {
  const socket = connect({ port, host, timeout: CONNECT_MILLISECONDS })
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(true))
      // Whatever is wrong with the address, `listen` says it.
      socket.once('error', () => resolve(false)).once('timeout', () => resolve(false))
    })
  } finally {
    socket.destroy()
  }
}

async function listen<Listening extends Server>(
  server: Listening,
  port: number,
  host: string,
): Promise<Listening> {
  server.listen(port, host)
  await once(server, 'listening').catch((fault: NodeJS.ErrnoException) => {
    throw listenFault(fault, { host, port })
  })
  return server
}

endOnFault(log)
try {
  await start(readEnvironment(process.env))
} catch (fault) {
  sayLast(fault)
  // Whatever is open would keep the process, and no supervisor would start it again.
  process.exit(1)
}
