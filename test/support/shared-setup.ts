import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'

/** What is slow to start and the same for every test file. */
export interface Shared {
  /** A PostgreSQL server, and what the name of each database of this run begins with. */
  readonly postgres: { readonly url: string; readonly prefix: string }
  /** `dist` as new as the source, and the Express example as JavaScript. */
  readonly express: { readonly program: string }
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Where {@link Shared} can be asked for. */
    shared: string
  }
}

const prefix = `hallpass_test_${process.pid}`

/**
 * What vitest does once before the tests: it opens a door on loopback at which the first test that
 * needs something slow has it started. A run that needs nothing starts nothing, and loads nothing for it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const endings: (() => Promise<void>)[] = []
  const makers: { readonly [Name in keyof Shared]: () => Promise<Shared[Name]> } = {
    async postgres() {
      const given = process.env['DATABASE_URL'] ?? ''
      if (given !== '') {
        endings.push(() => dropDatabases(given))
        return { url: given, prefix }
      }
      const { startServer } = await import('./postgres-server.js')
      const { url, stop } = await startServer()
      endings.push(stop)
      return { url, prefix }
    },
    async express() {
      const { buildExpressExample } = await import('./build-express.js')
      return buildExpressExample()
    },
  }
  const made = new Map<string, Promise<unknown>>()
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1)
    if (!made.has(name)) made.set(name, makers[name as keyof Shared]())
    made.get(name)!.then(
      (value) => response.end(JSON.stringify(value)),
      (fault: unknown) => response.writeHead(500).end(String(fault)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  project.provide('shared', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    server.closeAllConnections()
    await Promise.allSettled(made.values())
    for (const end of endings) await end()
  }
}

/** Leaves a server that somebody else keeps as it was. */
async function dropDatabases(url: string): Promise<void> {
  const { Client } = (await import('pg')).default
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [prefix],
  )
  for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`)
  await client.end()
}
