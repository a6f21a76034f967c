import { once } from 'node:events'
import {
  endOnFault,
  type Environment,
  log,
  openSchools,
  readEnvironment,
  type SchoolSite,
} from '@hallpass/example-school'
import { directAdapter } from 'hallpass/mcp'
import { serverAdapter } from 'hallpass/mcp-sdk-v2'
import { createApp } from './app.js'
import { createHttpServer } from './server.js'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

async function start(environment: Environment): Promise<void> {
  const { host, port, trustProxy } = environment
  // The SDK is loaded only where its receiver is named, and starts before what it measures is created.
  const telemetry =
    environment.telemetry === null
      ? null
      : (await import('./telemetry.js')).measureProcess(environment.telemetry, { log })
  const schools = await openSchools(environment, {
    mcpAdapter: directAdapter(serverAdapter),
    ...(telemetry !== null && { measure: telemetry.measure }),
  })
  const servers: ReturnType<typeof createHttpServer>[] = []
  try {
    for (const [index, site] of schools.sites.entries())
      servers.push(await listen(site, { host, port: port + index, trustProxy }))
  } catch (fault) {
    await schools.close()
    throw fault
  }

  const stop = (): void => {
    // Without these listeners, a second signal ends the process immediately.
    for (const signal of SIGNALS) process.off(signal, stop)
    void Promise.all(servers.map(({ drain }) => drain()))
      // The last export reads the store.
      .then(telemetry?.stop)
      .then(schools.close)
      .finally(() => process.exit())
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  console.log(schools.greeting)
}

async function listen(
  site: SchoolSite,
  { host, port, trustProxy }: { host: string; port: number; trustProxy: boolean },
): Promise<ReturnType<typeof createHttpServer>> {
  const server = createHttpServer(createApp(site, { trustProxy }))
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
