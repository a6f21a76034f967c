import { demo, migrated } from '../databases/templates.js'
import type { Child } from './child.js'
import {
  type Environment,
  type Example,
  expressExample,
  nextExample,
  PATIENT,
  type RunningExample,
  running,
  sourceExample,
} from './example-process.js'
import { startPostgres } from '../databases/test-database.js'
import { sharedService } from '../run/shared-service.js'

export { dataFolder, PATIENT, type RunningExample } from './example-process.js'

/** Starts the process of the Express example without waiting until it listens. */
export const spawnExample = async (environment: Environment): Promise<Child> =>
  (await builtExample()).spawnWith(environment)

/** Starts the process of the Next.js example without waiting until it listens. */
export const spawnNextExample = async (environment: Environment): Promise<Child> =>
  (await builtNextExample()).spawnWith(environment)

async function builtNextExample(): Promise<Example> {
  await sharedService('nextBuild')
  return nextExample
}

async function builtExample(): Promise<Example> {
  const { program } = await sharedService('express')
  return isFromSource() ? sourceExample : expressExample(program)
}

// So that a fault is in it which is put into the source: `npm run mutate:requirements`.
const isFromSource = (): boolean => process.env['HALLPASS_TEST_EXAMPLE'] === 'source'

interface Start {
  /**
   * Where its data is; without it, a folder of its own that goes when it is stopped. With it, or with
   * `embedded`, rows are in the embedded database, else in a copy of the demo's on the shared server.
   */
  readonly folder?: string
  readonly embedded?: boolean
  readonly port?: number
  readonly environment?: Environment
}

const isNext = (): boolean => process.env['HALLPASS_TEST_EXAMPLE'] === 'nextjs'

/** Starts the example of this project of vitest.config.ts, and waits until it listens. */
export const startExample = async (start: Start = {}): Promise<RunningExample> =>
  startAs(isNext() ? await builtNextExample() : await builtExample(), start)

/** Starts the Express example, and waits until it listens. */
export const startExpressExample = async (start: Start): Promise<RunningExample> =>
  startAs(await builtExample(), start)

/** Starts the Next.js example, and waits until it listens. */
export async function startNextExample(start: Start): Promise<RunningExample> {
  // It is built on hallpass's `dist`, which may be built at the same time.
  await sharedService('express')
  return startAs(await builtNextExample(), start)
}

/** Starts the Express example as `npm start` does, from its TypeScript, and waits until it listens. */
export async function startFromSource(start: Start): Promise<RunningExample> {
  // It runs on hallpass's `dist` as well.
  await sharedService('express')
  return startAs(sourceExample, start)
}

async function startAs(
  example: Example,
  { folder, embedded = folder !== undefined, port, environment = {} }: Start,
): Promise<RunningExample> {
  const database =
    embedded || 'DATABASE_URL' in environment
      ? null
      : await startPostgres(environment['HALLPASS_DEMO'] === '0' ? migrated : demo)
  // Who brings a database may want to see that it is too slow.
  const patient = database === null ? environment : { ...PATIENT, ...environment }
  return running(example, { folder, port, database, environment: patient })
}

/** An example that other test files may have as well: `stop` leaves it to them. */
export type SharedExample = Omit<RunningExample, 'output' | 'pid' | 'exitCode'>

/**
 * The one running example of this project of vitest.config.ts that test files share. For a file that
 * reads, or whose changes belong to clients and sign-ins of its own: others do so at the same time, and
 * all of them together have 30 sign-ins of each person in ten minutes. Its rate limits are off. Whoever
 * changes the demo's rows, counts requests or reads the log starts an example of their own.
 */
export const sharedExample = (): Promise<SharedExample> =>
  // A fault that comes and goes is not in what started before.
  isFromSource() ? startExample() : (asked ??= askForExample())

let asked: Promise<SharedExample> | undefined

// Of several workers that ask with a copy of the demo's database, the first is answered with its own.
async function askForExample(): Promise<SharedExample> {
  const { url } = await startPostgres(demo)
  const origins = await sharedService(isNext() ? 'nextjs' : 'example', { database: url })
  return { ...origins, stop: async () => {} }
}
