import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHROMIUM_ARGUMENTS, chromiumPath } from '../support/browser/chromium.js'
import { startChild } from '../support/processes/child.js'
import { freePorts } from '../support/processes/ports.js'
import type { Environment } from '../support/processes/example-process.js'
import { ROOT } from '../support/source/root.js'
import type { BLOCK_CLIENTS, Outcome, RealLibrary, Step } from './clients.js'
import { OWNER, STUDENT, type TrialSchool } from './school.js'

const FOLDER = join(ROOT, 'test/real-clients')

/** Where Debian has the libraries of Go, which are compiled without asking anybody for a module. */
const GO = {
  GO111MODULE: 'off',
  GOPATH: '/usr/share/gocode',
  GOCACHE: join(FOLDER, '.generated/go'),
}

/** How a step of a client's life went. */
interface Seen {
  readonly ok: boolean
  /** What the client said. */
  readonly words: string
}

/** A client's life, as its driver told it. */
export interface Life {
  readonly steps: ReadonlyMap<string, Seen>
  /** Whose attempts to read if something is wrong; `null` for the newest of all. */
  readonly clientId: string | null
  /** How many tools each of them sees. */
  readonly tools: Readonly<Record<string, number>>
  /** What the driver printed besides, and how it ended. */
  readonly rest: string
}

/** No client takes longer, whatever it waits for. */
const PATIENCE_MILLISECONDS = 240_000

/** Runs a client's whole life in a process of its own. */
export async function live(school: TrialSchool, client: RealLibrary): Promise<Life> {
  const port = await freePorts()
  const addresses = ['127.0.0.1', 'localhost'].map(
    (host) => `http://${host}:${port}${client.callback ?? '/callback'}`,
  )
  const isPublic = client.isPublic ?? false
  const app = await school.createApp({ name: client.name, redirectUris: addresses, isPublic })
  const trial = {
    school: school.origin,
    people: school.people,
    owner: OWNER,
    student: STUDENT,
    port,
    redirectUri: addresses[0],
    mcp: school.origin + (client.path ?? '/mcp'),
    mcpOfMembers: `${school.origin}/mcp/member`,
    ...app,
    ...(client.family === 'browser' && {
      chromium: { executablePath: await chromiumPath(), args: CHROMIUM_ARGUMENTS },
    }),
  }
  const own = [process.execPath, `drivers/${client.family}.mjs`, client.name]
  const { output, late } = await drive(client.driver ?? own, trial)
  return read(output, { clientId: app.id, rest: late })
}

/** Runs a client of a block, whose steps are those of its driver. */
export const liveWithBlock = (
  name: (typeof BLOCK_CLIENTS)[number]['name'],
  trial: object,
  environment: Environment = {},
): Promise<Life> => liveBy([process.execPath, 'drivers/blocks.mjs', name], trial, environment)

/** Runs a driver whose steps are its own. */
export async function liveBy(
  driver: readonly string[],
  trial: object,
  environment: Environment = {},
): Promise<Life> {
  const { output, late } = await drive(driver, trial, environment)
  return read(output, { clientId: null, rest: late })
}

/** Runs a driver until it ends, or has taken too long. */
async function drive(
  [command = '', ...args]: readonly string[],
  trial: object,
  environment: Environment = {},
): Promise<{ output: string; late: readonly string[] }> {
  const { ended, output, until } = startChild(command, args, {
    cwd: FOLDER,
    environment: { ...GO, ...environment, HALLPASS_TRIAL: JSON.stringify(trial) },
  })
  let isOver = false
  const over = ended.then(() => (isOver = true))
  // That it ended while it was waited for is no fault.
  const late = await until(() => isOver, { patienceMilliseconds: PATIENCE_MILLISECONDS }).then(
    () => [],
    (fault: Error) => (/^[^\n]*waited/.test(fault.message) ? ['it took too long'] : []),
  )
  await over
  return { output: output(), late }
}

interface Line {
  readonly step?: string
  readonly ok?: boolean
  readonly words?: string
  readonly clientId?: string
  readonly ended?: boolean
  readonly tools?: Readonly<Record<string, number>>
}

function read(
  output: string,
  { clientId, rest }: { clientId: string | null; rest: readonly string[] },
): Life {
  const steps = new Map<string, Seen>()
  const others = [...rest]
  let id: string | null = clientId
  let counts: Readonly<Record<string, number>> = {}
  for (const text of output.split('\n')) {
    const at = text.indexOf('STEP {')
    if (at === -1) {
      if (text.trim() !== '') others.push(text)
      continue
    }
    const line = JSON.parse(text.slice(at + 5)) as Line
    id = line.clientId ?? id
    counts = line.tools ?? counts
    if (line.ended === false) others.push(line.words ?? '')
    const { step, ok, words = '' } = line
    // A step with two parts has failed when one of them has.
    if (step !== undefined && ok !== undefined && steps.get(step)?.ok !== false)
      steps.set(step, { ok, words })
  }
  return { steps, clientId: id, tools: counts, rest: others.join('\n') }
}

/** What of a client's life is not as its row says: a line each. */
export function differences(client: RealLibrary, { steps, tools }: Life): readonly string[] {
  const expected = new Map<string, Outcome>(Object.entries(client.steps) as [Step, Outcome][])
  if (client.untold !== undefined) expected.set('untold', 'ok')
  const wrong: string[] = []
  for (const name of new Set([...expected.keys(), ...steps.keys()])) {
    const [outcome, seen] = [expected.get(name), steps.get(name)]
    if (outcome === undefined || seen === undefined) {
      wrong.push(
        `${name}: ${seen === undefined ? 'did not happen' : `is in no row: ${seen.words}`}`,
      )
      continue
    }
    const words =
      name === 'untold' ? client.untold! : typeof outcome === 'object' ? outcome.fails : ''
    const isExpected = seen.ok === (typeof outcome !== 'object') && seen.words.includes(words)
    if (!isExpected) wrong.push(`${name}: ${seen.ok ? 'works' : 'fails'}: ${seen.words}`)
  }
  for (const who of ['anonymous', 'owner', 'student'] as const)
    if (tools[who] !== client.tools?.[who]) wrong.push(`tools, ${who}: ${tools[who]}`)
  return wrong
}

/** The package that was run: as the lock file has it, or Debian. */
export function packageOf({
  name,
  npm = name,
  debian,
  maven,
}: Pick<RealLibrary, 'name' | 'npm' | 'debian' | 'maven'>): {
  readonly of: 'npm' | 'Debian' | 'Maven'
  readonly name: string
  readonly version: string
} {
  if (debian !== undefined) return { of: 'Debian', ...debian }
  if (maven !== undefined) return { of: 'Maven', ...maven }
  const lock = JSON.parse(readFileSync(join(FOLDER, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<
      Record<string, { readonly name?: string; readonly version: string }>
    >
  }
  const found = lock.packages[`node_modules/${npm}`]
  if (found === undefined) throw new Error(`${npm} is not in the lock file`)
  // Some have a version for each platform.
  const version = found.version.replace(/-linux-x64$/, '')
  return { of: 'npm', name: found.name ?? npm, version }
}
