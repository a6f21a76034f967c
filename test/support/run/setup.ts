import { createServer } from 'node:http'
import type { TestProject } from 'vitest/node'
import { openPort } from '../processes/ports.js'
import type { Example, RunningExample } from '../processes/example-process.js'

/** What is slow to start and the same for every test file. */
export interface Shared {
  /** A PostgreSQL server, and what the name of each database of this run begins with. */
  readonly postgres: { readonly url: string; readonly prefix: string }
  /** `dist` as new as the source, and the Express example as JavaScript. */
  readonly express: { readonly program: string }
  /** The Next.js example, built: half a minute or more. */
  readonly nextBuild: Readonly<Record<string, never>>
  /** The Express example and the one on Next.js, running, with the demo in them. */
  readonly example: Origins
  readonly nextjs: Origins
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
  const made = new Map<string, Promise<unknown>>()
  const endings: Ending[] = []
  const makers = makersOf(make, (ending) => void endings.push(ending))
  function make<Name extends keyof Shared>(name: Name, database = ''): Promise<Shared[Name]> {
    if (!made.has(name)) made.set(name, makers[name](database))
    return made.get(name) as Promise<Shared[Name]>
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://door')
    make(pathname.slice(1) as keyof Shared, searchParams.get('database') ?? '').then(
      (value) => response.end(JSON.stringify(value)),
      (fault: unknown) => response.writeHead(500).end(String(fault)),
    )
  })
  const port = await openPort(server)
  project.provide('shared', `http://127.0.0.1:${port}`)
  return async () => {
    server.close()
    server.closeAllConnections()
    await Promise.allSettled(made.values())
    // What was started last may still use what was started first.
    for (const end of endings.toReversed()) await end()
  }
}

type Origins = Pick<RunningExample, 'origin' | 'kiln'>

type Ending = () => Promise<void>

type Make = <Name extends keyof Shared>(name: Name) => Promise<Shared[Name]>

function makersOf(
  make: Make,
  atEnd: (ending: Ending) => void,
): { readonly [Name in keyof Shared]: (database: string) => Promise<Shared[Name]> } {
  return {
    async postgres() {
      const given = process.env['DATABASE_URL'] ?? ''
      if (given !== '') {
        atEnd(() => dropDatabases(given))
        return { url: given, prefix }
      }
      const { startServer } = await import('../databases/postgres-server.js')
      const { url, stop } = await startServer()
      atEnd(stop)
      return { url, prefix }
    },
    async express() {
      const { buildExpressExample, buildHallpass } =
        await import('../../../scripts/build-express.mjs')
      await buildHallpass()
      return buildExpressExample()
    },
    async example(database) {
      const { expressExample } = await import('../processes/example-process.js')
      return start(expressExample((await make('express')).program), database, atEnd)
    },
    async nextBuild() {
      const { buildNextExample } = await import('../processes/example-process.js')
      await buildNextExample()
      return {}
    },
    async nextjs(database) {
      const { nextExample } = await import('../processes/example-process.js')
      await make('nextBuild')
      return start(nextExample, database, atEnd)
    },
  }
}

async function start(
  example: Example,
  url: string,
  atEnd: (ending: Ending) => void,
): Promise<Origins> {
  const { PATIENT, running } = await import('../processes/example-process.js')
  // The database goes with its server, or with all that have the prefix.
  const database = { url, stop: async () => {} }
  // All files come from one address, and a minute of all of them is more than it may send.
  const environment = { ...PATIENT, HALLPASS_RATE_LIMITS: 'off' }
  const { origin, kiln, stop } = await running(example, { database, environment })
  atEnd(stop)
  return { origin, kiln }
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
