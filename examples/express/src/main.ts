import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:net'
import {
  endOnFault,
  type Environment,
  log,
  openSchools,
  readEnvironment,
} from '@hallpass/example-school'
import { directAdapter } from 'hallpass/mcp'
import { serverAdapter } from 'hallpass/mcp-sdk-v2'
import { createApp } from './app.js'
import { createHttpServer } from './server.js'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

async function start(environment: Environment): Promise<void> {
  const { host, port, trustProxy } = environment
  // Before the database is opened, which may take seconds.
  for (const at of [port, port + 1])
    (
      await listen(
        createServer((request) => request.destroy()),
        at,
        host,
      )
    ).close()
  const schools = await openSchools(environment, { mcpAdapter: directAdapter(serverAdapter) })
  const servers: ReturnType<typeof createHttpServer>[] = []
  try {
    for (const [index, site] of schools.sites.entries())
      servers.push(
        await listen(createHttpServer(createApp(site, { trustProxy })), port + index, host),
      )
  } catch (fault) {
    await schools.close()
    throw fault
  }

  const stop = (): void => {
    // Without these listeners, a second signal ends the process immediately.
    for (const signal of SIGNALS) process.off(signal, stop)
    void Promise.all(servers.map(({ drain }) => drain()))
      .then(schools.close)
      .finally(() => process.exit())
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  console.log(schools.greeting)
}

async function listen<Listening extends Server>(
  server: Listening,
  port: number,
  host: string,
): Promise<Listening> {
  server.listen(port, host)
  await once(server, 'listening').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EADDRINUSE')
      throw new Error(`Port ${port} is in use: stop the program that listens there, or set PORT.`)
    throw fault
  })
  return server
}

endOnFault(log)
try {
  await start(readEnvironment(process.env))
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault)
  // Whatever is open would keep the process, and no supervisor would start it again.
  process.exit(1)
}
