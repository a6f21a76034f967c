import { once } from 'node:events'
import type { Server } from 'node:http'
import {
  type Environment,
  openSchools,
  readEnvironment,
  type SchoolSite,
} from '@hallpass/example-school'
import { serverAdapter } from 'hallpass/mcp-sdk-v2'
import { createApp } from './app.js'
import { createHttpServer } from './server.js'

async function start(environment: Environment): Promise<void> {
  const { host, port, trustProxy } = environment
  const schools = await openSchools(environment, { mcpAdapter: serverAdapter })
  const servers: Server[] = []
  try {
    for (const [index, site] of schools.sites.entries())
      servers.push(await listen(site, { host, port: port + index, trustProxy }))
  } catch (fault) {
    await schools.close()
    throw fault
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
      void schools.close().then(() => process.exit(0))
    })
  console.log(schools.greeting)
}

async function listen(
  site: SchoolSite,
  { host, port, trustProxy }: { host: string; port: number; trustProxy: boolean },
): Promise<Server> {
  const server = createHttpServer(createApp(site, { trustProxy }))
  server.listen(port, host)
  await once(server, 'listening').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EADDRINUSE')
      throw new Error(`Port ${port} is in use: stop the program that listens there, or set PORT.`)
    throw fault
  })
  return server
}

try {
  await start(readEnvironment(process.env))
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault)
  process.exitCode = 1
}
