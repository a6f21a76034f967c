import { access, constants, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type AuditReport, auditServer, type AuditServerOptions } from '../audit-server.js'
import { plannedCreations, selectChecks } from '../select.js'
import type { Check, Depth } from '../check.js'
import type { Created } from '../finding.js'
import { clientDocuments } from '../client-documents.js'
import { renderReport } from '../reports/index.js'
import {
  type Accepted,
  clauseOf,
  creationsOf,
  leftLine,
  outcomeOf,
  subjectOf,
} from '../reports/rows.js'
import { count, toJson, visible, wrap } from '../reports/text.js'
import { version } from '../version.js'
import { type Arguments, HELP, Mistake, readArguments } from './arguments.js'
import { acceptedBy, type Baseline, baselineOf, readBaseline, staleIn } from './baseline.js'
import { loadSignIn } from './load-sign-in.js'
import { columnsOf, createProgress, type Output } from './progress.js'

/** The streams, the environment and the folder of a process. */
export interface Surroundings {
  /** Receives the report. */
  readonly stdout: Output
  /** Receives what happens: the plan, the progress and what went wrong. */
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Aborted by Ctrl+C. */
  readonly signal: AbortSignal
  readonly audit?: (origin: string, options: AuditServerOptions) => Promise<AuditReport>
}

/** The exit codes. */
const EXIT = { held: 0, violated: 1, notBegun: 2, notReached: 3, interrupted: 130 } as const

/** The longest that the command waits for what is under way when it is stopped, in milliseconds. */
const LONGEST_STOP = 15_000

/** Runs the command, and returns its exit code. */
export async function runCommand(args: readonly string[], around: Surroundings): Promise<number> {
  const tell = (text: string): void => {
    const width = Math.min(Math.max(columnsOf(around.stderr), 40), 120)
    around.stderr.write(`${wrap(visible(text), width).join('\n')}\n`)
  }
  const progress = createProgress(around.stderr)
  let created: (() => Created) | null = null
  const begin = (all: () => Created): void => {
    created = all
  }
  const interrupted = new Promise<number>((resolve) => {
    const stop = (): void => {
      progress.end()
      if (created === null) tell('Stopped before anything was created.')
      else tell('Stopping, and removing what was created. Press Ctrl+C again to leave it there.')
      if (created === null) resolve(EXIT.interrupted)
      else setTimeout(() => resolve(EXIT.interrupted), LONGEST_STOP).unref()
    }
    if (around.signal.aborted) stop()
    else around.signal.addEventListener('abort', stop, { once: true })
  })
  const ended = run(args, { around, tell, progress, begin }).catch((error: unknown) => {
    progress.end()
    tell(`hallpass-audit: ${error instanceof Error ? error.message : String(error)}`)
    return EXIT.notBegun
  })
  return Promise.race([interrupted, ended])
}

interface Course {
  readonly around: Surroundings
  readonly tell: (text: string) => void
  readonly progress: ReturnType<typeof createProgress>
  readonly begin: (created: () => Created) => void
}

async function run(args: readonly string[], { around, tell, progress, begin }: Course) {
  const given = readArguments(args)
  const { stdout, cwd, audit = auditServer } = around
  const print = (text: string): number => {
    stdout.write(text)
    return EXIT.held
  }
  if (given.help) return print(HELP)
  if (given.version) return print(`${version()}\n`)
  if (given.list) return print(listOf(given))
  if (given.writeClientDocuments !== null) return writeClientDocuments(given, around)
  if (!given.issuer)
    throw new Mistake('name the issuer of the server, such as http://127.0.0.1:3000')
  for (const { file } of [...given.reports, { file: given.writeBaseline }])
    if (file !== null) await requireWritable(file, cwd)
  const baseline = await baselineFrom(given.baseline, cwd)
  const signIn = given.signIn === null ? null : await loadSignIn(given.signIn, cwd)
  const { issuer } = given

  const report = await audit(issuer, {
    ...optionsOf(given),
    ...(signIn !== null && { signIn }),
    onBegin(checks, created) {
      begin(created)
      tell(planOf(checks, { issuer, given, people: signIn?.people.length ?? 0 }))
      progress.begin(checks)
    },
    onRow: progress.row,
    onWait: progress.wait,
    signal: around.signal,
  })
  progress.end()
  if (around.signal.aborted) {
    tell(`Stopped. ${creationsOf(report.created)}. Left there: ${leftLine(report.left)}.`)
    return EXIT.interrupted
  }

  const now = given.writeBaseline === null ? baseline : baselineOf(report, baseline)
  const accepted = acceptedBy(report, now, signIn?.accepts)
  for (const sentence of staleIn(report, now)) tell(`hallpass-audit: ${sentence}`)
  const lost: string[] = []
  for (const { format, file } of given.reports)
    if (file !== null) await write(file, renderReport(report, format, { accepted }))
  if (given.writeBaseline !== null)
    await write(
      given.writeBaseline,
      toJson(now),
      `, which accepts ${count(Object.keys(accepted).length, 'row')}`,
    )
  const printed = given.reports.find(({ file }) => file === null)?.format ?? 'terminal'
  stdout.write(
    renderReport(report, printed, {
      accepted,
      colour: isColoured(around),
      columns: columnsOf(stdout),
    }),
  )
  if (lost.length > 0) throw new Mistake(lost.join('; '))
  return exitOf(report, accepted)

  /** A file that cannot be written must not cost the other reports. */
  async function write(file: string, text: string, what = ''): Promise<void> {
    try {
      await writeFile(resolve(cwd, file), text)
      tell(`Wrote ${file}${what}`)
    } catch (error) {
      lost.push(`${file} cannot be written: ${(error as Error).message}`)
    }
  }
}

const isColoured = ({ stdout, env }: Surroundings): boolean =>
  stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'

function exitOf({ rows }: AuditReport, accepted: Accepted): number {
  const left = rows.map((row) => outcomeOf(row, accepted))
  if (left.includes('violated')) return EXIT.violated
  return left.includes('not reached') ? EXIT.notReached : EXIT.held
}

/** The options of the audit that the arguments say. */
function optionsOf(given: Arguments): AuditServerOptions & { readonly depth: Depth } {
  const {
    origins,
    depth,
    only,
    against,
    clientDocument,
    token,
    signIn,
    timeout,
    pause,
    most,
    patient,
  } = given
  return {
    depth: depth ?? (signIn === null ? 'anonymous' : 'people'),
    ...(origins.length > 0 && { otherOrigins: origins }),
    ...(only !== null && { only }),
    ...(against !== null && { against }),
    ...(clientDocument !== null && { clientDocument }),
    ...(token !== null && { token }),
    ...(timeout !== null && { timeout }),
    ...(pause !== null && { pause }),
    ...(most !== null && { most }),
    ...(patient !== null && { patient }),
  }
}

/** Says before the first check what will be there afterwards. */
function planOf(
  checks: readonly Check[],
  { issuer, given, people }: { issuer: string; given: Arguments; people: number },
): string {
  const { clients, authorizations } = plannedCreations(checks)
  const what = [
    ...(clients > 0 ? [`registers at most ${count(clients, 'client')}`] : []),
    ...(authorizations > 0
      ? [
          `answers at most ${count(authorizations, 'authorization request')} as ${people === 1 ? 'one person' : 'two people'}, each of which may leave a grant`,
        ]
      : []),
  ]
  const creates = what.length === 0 ? 'creates nothing, and deletes nothing' : `${what.join(' and ')}. At its end it removes what the server lets it remove, and nothing that was there before` // prettier-ignore
  const { patient } = given
  const waits =
    patient === null
      ? ''
      : ` It waits up to ${count(patient, 'minute')} until something has expired.`
  return `hallpass-audit ${version()} runs ${count(checks.length, 'check')} against ${issuer}, at the depth ${optionsOf(given).depth}.${waits} It ${creates}.`
}

/** The checks that would run, by subject, each with its clause. */
function listOf(given: Arguments): string {
  const { checks } = selectChecks({ ...optionsOf(given), patient: given.patient ?? 1 }, given.depth ?? 'people') // prettier-ignore
  const subjects = [...new Set(checks.map(({ id }) => subjectOf(id)))]
  const parts = subjects.map((subject) => {
    const lines = checks
      .filter(({ id }) => subjectOf(id) === subject)
      .flatMap(({ id, clause, depth, patient }) => [
        `${id}  ${clause.level}  ${clauseOf({ clause })}  (${depth}${patient === true ? ', --patient' : ''})`,
        ...wrap(clause.quote, 76).map((line) => `    ${line}`),
      ])
    return lines.join('\n')
  })
  return `${parts.join('\n\n')}\n\n${count(checks.length, 'check')}\n`
}

/** Writes the client metadata documents of an audit, for the folder in which `--client-document` will be. */
async function writeClientDocuments(given: Arguments, { cwd, stdout }: Surroundings) {
  const { clientDocument, writeClientDocuments: folder } = given
  if (clientDocument === null || folder === null || !URL.canParse(clientDocument))
    throw new Mistake(`--client-document ${clientDocument} is not a URL`)
  const base = new URL('.', clientDocument).href
  const documents = clientDocuments(base)
  const path = resolve(cwd, folder)
  await mkdir(path, { recursive: true })
  for (const { name, content } of documents) await writeFile(join(path, name), content)
  stdout.write(
    `Wrote ${count(documents.length, 'document')} to ${visible(folder)}: publish them below ${base} as application/json\n`,
  )
  return EXIT.held
}

/** Throws before the audit, which takes a minute, if a file is one that cannot be written after it. */
async function requireWritable(file: string, cwd: string): Promise<void> {
  const path = resolve(cwd, file)
  const folder = dirname(path)
  const found = await stat(folder).catch(() => null)
  if (found?.isDirectory() !== true) throw new Mistake(`${file} cannot be written: there is no folder ${folder}`) // prettier-ignore
  const old = await stat(path).catch(() => null)
  if (old?.isDirectory() === true) throw new Mistake(`${file} cannot be written: it is a folder`)
  await access(old === null ? folder : path, constants.W_OK).catch((error: Error) => {
    throw new Mistake(`${file} cannot be written: ${error.message}`)
  })
}

async function baselineFrom(file: string | null, cwd: string): Promise<Baseline> {
  if (file === null) return {}
  const text = await readFile(resolve(cwd, file), 'utf8').catch((error: Error) => {
    throw new Mistake(`--baseline ${file} cannot be read: ${error.message}`)
  })
  return readBaseline(text, file)
}
