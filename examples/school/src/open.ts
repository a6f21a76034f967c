import { setTimeout as wait } from 'node:timers/promises'
import type { McpAdapter } from 'hallpass/mcp'
import type { Telemetry, TelemetryOptions } from 'hallpass-opentelemetry'
import { openCounters } from './platform/counters.js'
import { readSecret } from './platform/data-folder.js'
import { openDatabase } from './platform/database.js'
import { createOpened, type OpenedSchools } from './opened/opened.js'
import { mailFolder } from './demo/mail-folder.js'
import { greeting, greetingBox, mailPath } from './greeting.js'
import type { Environment } from './platform/environment.js'
import { createLog } from './platform/log.js'
import { describeFault, type Log } from './platform/hooks.js'
import { settingFault } from './platform/setting.js'
import { startStep } from './platform/start.js'
import { createStory } from './platform/story.js'
import { standardTerminal, wholeText } from './platform/terminal.js'
import { waitForDatabase } from './platform/wait-for-database.js'
import { within } from './platform/within.js'
import type { SchoolSite } from './school-site.js'
import { createSite } from './site.js'
import { KILN, LANTERN } from './sites.js'

/** The schools that visitors opened, in the log. */
const OPENED = { definition: { id: 'opened' } }
const MAINTENANCE_MILLISECONDS = 5 * 60_000
const DELIVERY_MILLISECONDS = 5000
/** How long what still writes may take, and then the connections. */
const SETTLE_MILLISECONDS = 2000
const CLOSE_MILLISECONDS = 2000

/** Both schools, with their database and counters. */
export interface Schools {
  readonly sites: readonly SchoolSite[]
  /** The schools that visitors open; `null` if they cannot. */
  readonly opened: OpenedSchools | null
  /** Prints where the schools are, and who can sign in. Call it when they listen. */
  readonly greet: () => void
  /**
   * Lets the health checks fail, and waits for `HALLPASS_LEAD_SECONDS`: a load balancer then sends nothing more to this
   * process, which still handles requests.
   */
  readonly leave: () => Promise<void>
  /**
   * Stops the maintenance, waits for what is still being written, and closes all connections. Takes four seconds at
   * most, and never rejects.
   */
  readonly close: () => Promise<void>
}

/** Creates what measures a site: `createTelemetry`, once the SDK has been started. */
export type Measure = (options: Pick<TelemetryOptions, 'site' | 'pool'>) => Telemetry

const terminal = process.stdout.isTTY ? standardTerminal() : null
// The prompt of the shell does not begin after a line of progress.
if (terminal !== null) process.on('exit', terminal.clear)
const story = terminal === null ? null : createStory(terminal)

/** The log of the process: the story of what is decided on a terminal, and lines of JSON elsewhere. */
export const log: Log = story?.log ?? createLog()

/** Shows what takes time, on a terminal. Elsewhere, standard output is for the log. */
export function say(text: string): void {
  terminal?.progress(text)
}

/** Prints why the process ends. */
export function sayLast(fault: unknown): void {
  const text = describeFault(fault)
  terminal?.clear()
  console.error(terminal === null ? text : wholeText(text, terminal.columns()))
}

/**
 * Opens both schools as configured by the environment, maintains them every five minutes, and writes their audit
 * logs every five seconds.
 *
 * @param options - `mcpAdapter`: the implementation of MCP. `measure`: creates what measures a site. Without it,
 *   nothing is measured. `opens`: whether the demo on this computer lets visitors open schools. Default: `false`
 * @throws Error if the secret cannot be read, no database is there within 30 seconds, or `openDatabase` throws
 */
export async function openSchools(
  environment: Environment,
  {
    mcpAdapter,
    measure,
    opens = false,
  }: { mcpAdapter: McpAdapter; measure?: Measure; opens?: boolean },
): Promise<Schools> {
  const { databaseUrl, dataFolder, demo, rateLimits, blocks, identityProvider } = environment
  const secrets = {
    sealingSecret: environment.secret ?? readSecret(dataFolder),
    previousSealingSecrets: environment.previousSecrets,
  }
  if (databaseUrl !== null) await waitForDatabase(databaseUrl, { log })
  say(databaseUrl === null ? `Opening the database in ${dataFolder}` : 'Opening the database')
  const database = await openDatabase({
    url: databaseUrl,
    folder: dataFolder,
    seconds: environment.databaseSeconds,
    log,
  })
  const counters = await openCounters({
    redisUrl: environment.redisUrl,
    sites: [environment.lanternOrigin, environment.kilnOrigin],
    onChange: (state) => log({ type: 'counters', ...state, setting: 'REDIS_URL' }),
  })
  let isStopping = false
  const closeBoth = async (): Promise<void> => {
    // A server that hangs does not confirm that its connections are closed.
    const closed = Promise.allSettled([database.close(), counters.close()])
    await within(CLOSE_MILLISECONDS, closed).catch(() => {})
  }
  try {
    const { lanternOrigin: origin, kilnOrigin, numbered, trustProxy } = environment
    // Only on the visitor's own computer do names in `localhost` lead here.
    const isHere = demo && !trustProxy && origin.startsWith('http:')
    const opened =
      opens && isHere
        ? await createOpened({
            origin,
            taken: [origin, kilnOrigin],
            numbered,
            database,
            counters,
            mcpAdapter,
            log,
            secret: secrets.sealingSecret,
            previousSecrets: secrets.previousSealingSecrets,
          })
        : null
    const notify = demo ? mailFolder(mailPath(environment)) : null
    const sites = [
      { definition: LANTERN, origin: environment.lanternOrigin },
      { definition: KILN, origin: environment.kilnOrigin },
    ].map((one, index, all) => {
      // Both sites share the pool: with one of them it is counted once.
      const pool = index === 0 && database.pool !== undefined ? { pool: database.pool } : {}
      const telemetry = measure?.({ site: one.definition.id, ...pool })
      return createSite({
        ...one,
        neighbors: all
          .filter(({ origin }) => origin !== one.origin)
          .map(({ definition, origin }) => ({ name: definition.name, origin })),
        ...secrets,
        notify,
        database,
        counters,
        mcpAdapter,
        rateLimits,
        walks: demo,
        opened: index === 0 ? opened : null,
        blocks,
        identityProvider,
        isStopping: () => isStopping,
        log,
        ...(telemetry !== undefined && { telemetry }),
      })
    })
    // The keys in the database are sealed with another secret.
    const nameSecret = (fault: unknown): never => {
      const name = environment.secret === null ? 'HALLPASS_DATA_DIR' : 'HALLPASS_SECRET'
      throw fault instanceof Error && fault.name === 'SealFailure'
        ? settingFault({ name }, fault)
        : fault
    }
    const onWait = (fault: Error): void => log({ type: 'waiting', fault: describeFault(fault) })
    for (const [index, { definition, origin, names }] of sites.entries())
      story?.add({
        id: definition.id,
        origin,
        tag: index === 0 ? undefined : definition.name,
        names,
      })
    for (const site of sites) {
      say(`Preparing ${site.definition.name}`)
      await startStep(() => site.maintain().catch(nameSecret), { onWait })
      await startStep(() => site.deliverEvents(), { onWait })
      if (demo) await startStep(() => site.seed(), { onWait })
    }
    const stops = [
      repeat('maintenance', MAINTENANCE_MILLISECONDS, sites, (site) => site.maintain()),
      ...(opened === null
        ? []
        : [repeat('maintenance', MAINTENANCE_MILLISECONDS, [OPENED], opened.platform.maintain)]),
      repeat('audit', DELIVERY_MILLISECONDS, sites, (site) => site.deliverEvents()),
    ]
    return {
      sites,
      opened,
      greet() {
        if (terminal === null) console.log(greeting(sites, environment))
        else {
          const seconds = performance.now() / 1000
          terminal.clear()
          terminal.print(
            greetingBox(sites, { ...environment, seconds, columns: terminal.columns() }),
          )
        }
      },
      leave: async () => {
        isStopping = true
        await wait(environment.leadSeconds * 1000)
      },
      close: async () => {
        const settled = Promise.all([
          ...stops.map((stop) => stop()),
          ...sites.map(({ settled }) => settled()),
        ])
        await within(SETTLE_MILLISECONDS, settled).catch(() => {})
        await closeBoth()
      },
    }
  } catch (fault) {
    await closeBoth()
    throw fault
  }
}

/**
 * Repeats something for each site. A run that takes longer than the pause is not started a second time.
 *
 * @returns what ends it, and resolves when no run is in progress
 */
function repeat<One extends { readonly definition: Pick<SchoolSite['definition'], 'id'> }>(
  endpoint: string,
  milliseconds: number,
  sites: readonly One[],
  act: (site: One) => Promise<unknown>,
): () => Promise<unknown> {
  const running = new Map<One, Promise<unknown>>()
  const timer = setInterval(() => {
    for (const site of sites) {
      if (running.has(site)) continue
      const run = act(site)
        .catch((fault: unknown) =>
          log({ type: 'fault', site: site.definition.id, endpoint, fault: describeFault(fault) }),
        )
        .finally(() => running.delete(site))
      running.set(site, run)
    }
  }, milliseconds)
  return () => {
    clearInterval(timer)
    return Promise.all(running.values())
  }
}
