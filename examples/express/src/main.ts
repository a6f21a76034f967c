import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import {
  createSite,
  DEMO_PASSWORD,
  demoSignIns,
  KILN,
  LANTERN,
  openCounters,
  openDatabase,
  type SchoolSite,
} from '@hallpass/example-school'
import { createApp } from './app.js'
import { type Environment, readEnvironment } from './environment.js'
import { readSecret } from './secret.js'

const MAINTENANCE_MILLISECONDS = 5 * 60_000

async function start(environment: Environment): Promise<void> {
  const { port, host, databaseUrl, dataFolder, demo } = environment
  const sealingSecret = environment.secret ?? readSecret(dataFolder)
  const database = await openDatabase({ url: databaseUrl, folder: dataFolder })
  const counters = await openCounters({ redisUrl: environment.redisUrl })
  const log = (entry: Readonly<Record<string, unknown>>): void =>
    console.log(JSON.stringify({ time: new Date().toISOString(), ...entry }))
  const sites = [
    { definition: LANTERN, origin: environment.lanternOrigin },
    { definition: KILN, origin: environment.kilnOrigin },
  ].map((one) => createSite({ ...one, database, sealingSecret, counters, log }))

  const servers: Server[] = []
  try {
    for (const site of sites) {
      await site.maintain()
      if (demo) await site.seed()
    }
    for (const [index, site] of sites.entries())
      servers.push(await listen(site, { host, port: port + index }))
  } catch (fault) {
    await Promise.all([database.close(), counters.close()])
    throw fault
  }
  const maintenance = setInterval(() => {
    for (const site of sites)
      site.maintain().catch((fault: unknown) => {
        log({ type: 'fault', site: site.definition.id, fault: String(fault) })
      })
  }, MAINTENANCE_MILLISECONDS)

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      clearInterval(maintenance)
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
      void Promise.all([database.close(), counters.close()]).then(() => process.exit(0))
    })
  console.log(greeting(sites, environment))
}

async function listen(
  site: SchoolSite,
  { host, port }: { host: string; port: number },
): Promise<Server> {
  const server = createServer(createApp(site))
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  server.listen(port, host)
  await once(server, 'listening').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EADDRINUSE')
      throw new Error(`Port ${port} is taken: stop what listens there, or set PORT.`)
    throw fault
  })
  return server
}

function greeting(
  sites: readonly SchoolSite[],
  { databaseUrl, dataFolder, demo }: Environment,
): string {
  const people = ({ definition }: SchoolSite): readonly string[] =>
    demo
      ? demoSignIns(definition.id).map(({ email, role }) => `    ${email.padEnd(30)} ${role}`)
      : []
  return [
    '',
    ...sites.flatMap((site) => [
      site.definition.name,
      `  ${site.origin}`,
      `  ${site.origin}/.well-known/oauth-authorization-server`,
      ...(demo ? [`  ${site.origin}/account/graphiql`] : []),
      ...people(site),
      '',
    ]),
    demo
      ? `Everybody's password is ${DEMO_PASSWORD}.`
      : 'No demo people: HALLPASS_DEMO=1 makes them.',
    `Kept in ${databaseUrl === null ? dataFolder : 'PostgreSQL'}. Stop with Ctrl+C.`,
    '',
  ].join('\n')
}

try {
  await start(readEnvironment(process.env))
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault)
  process.exitCode = 1
}
