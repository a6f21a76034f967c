/** The record of earlier results: which of them are still valid, and whether they are sufficient. */
import type { Part } from './settings.js'

/** A change that no test noticed. */
export interface Survivor {
  /** The position among the mutants of its file. */
  readonly index: number
  readonly line: number
  /** The text of the line on which it begins. */
  readonly text: string
  readonly original: string
  readonly replacement: string
  readonly mutator: string
  /** Why no test notices it, in one sentence; `null` if no reason is recorded. */
  readonly why: string | null
}

interface Kills {
  /** The hash of the test file at that time. */
  readonly test: string
  /** The positions among the mutants of the file. */
  readonly indexes: readonly number[]
}

export interface FileRecord {
  /** The hash of the file. */
  readonly source: string
  readonly mutants: number
  /** The killed mutants, by the test file that killed them. */
  readonly kills: Readonly<Record<string, Kills>>
  readonly survivors: readonly Survivor[]
}

export interface MutationRecord {
  readonly node: string
  readonly date: string
  readonly files: Readonly<Record<string, FileRecord>>
}

export const EMPTY: MutationRecord = { node: '', date: '', files: {} }

/** Writes `[1, 2, 3, 7]` as `1-3 7`. */
function toRanges(indexes: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] + 1 === index) last[1] = index
    else ranges.push([index, index])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(' ')
}

function fromRanges(text: string): number[] {
  return text.split(' ').flatMap((range) => {
    const [from, to = from] = range.split('-').map(Number)
    return Array.from({ length: to! - from! + 1 }, (_, step) => from! + step)
  })
}

/** The mutants of one file that must be tried: all, or those whose result is no longer valid. */
export type Stale = 'all' | readonly number[]

/**
 * Returns which mutants of a file must be tried. If the file has changed, those are all. Otherwise a kill
 * remains valid while its test file is the same, and a survivor with a reason remains a survivor.
 *
 * @param options - `unnamed`: whether survivors without a reason are tried again
 */
export function staleOf(
  file: string,
  {
    record,
    source,
    tests,
    unnamed,
  }: {
    record: MutationRecord
    source: string
    tests: Readonly<Record<string, string>>
    unnamed: boolean
  },
): Stale {
  const known = record.files[file]
  if (known === undefined || known.source !== source) return 'all'
  const lost = Object.entries(known.kills)
    .filter(([path, { test }]) => tests[path] !== test)
    .flatMap(([, { indexes }]) => indexes)
  const open = known.survivors.filter(({ why }) => unnamed && why === null)
  return [...lost, ...open.map(({ index }) => index)].sort((a, b) => a - b)
}

/** The result of one mutant: the test file that killed it, or `null` if it survived. */
export interface Tried {
  readonly mutant: Omit<Survivor, 'why'>
  readonly killedBy: string | null
}

const sameChange = (a: Omit<Survivor, 'why'>, b: Omit<Survivor, 'why'>): boolean =>
  a.mutator === b.mutator &&
  a.text === b.text &&
  a.original === b.original &&
  a.replacement === b.replacement

/** Returns the recorded reason of a survivor, if it is the same change to the same line. */
function whyOf(mutant: Omit<Survivor, 'why'>, known: Survivor[]): string | null {
  const at = known.findIndex((one) => sameChange(one, mutant))
  return at === -1 ? null : known.splice(at, 1)[0]!.why
}

/**
 * Returns the record of one file after some or all of its mutants were tried.
 *
 * @param options - `tests`: the hashes of the test files
 */
export function afterTrying(
  known: FileRecord | undefined,
  {
    source,
    tests,
    mutants,
    tried,
  }: {
    source: string
    tests: Readonly<Record<string, string>>
    mutants: number
    tried: readonly Tried[]
  },
): FileRecord {
  const again = new Set(tried.map(({ mutant }) => mutant.index))
  const kept = known?.source === source ? known : undefined
  const kills: Record<string, Kills> = {}
  for (const [path, { test, indexes }] of Object.entries(kept?.kills ?? {})) {
    const left = indexes.filter((index) => !again.has(index))
    if (left.length > 0) kills[path] = { test, indexes: left }
  }
  for (const { mutant, killedBy } of tried)
    if (killedBy !== null)
      kills[killedBy] = {
        test: tests[killedBy]!,
        indexes: [...(kills[killedBy]?.indexes ?? []), mutant.index].sort((a, b) => a - b),
      }
  const reasons = [...(known?.survivors ?? [])]
  const survivors = tried
    .filter(({ killedBy }) => killedBy === null)
    .map(({ mutant }) => ({ ...mutant, why: whyOf(mutant, reasons) }))
  return {
    source,
    mutants,
    kills: Object.fromEntries(Object.entries(kills).sort(([a], [b]) => (a < b ? -1 : 1))),
    survivors: [
      ...(kept?.survivors ?? []).filter(({ index }) => !again.has(index)),
      ...survivors,
    ].sort((a, b) => a.index - b.index),
  }
}

/** Returns the record as JSON text, with one line for the kills of each test file. */
export function toText({ files, ...rest }: MutationRecord): string {
  const shown = Object.entries(files).map(([path, { kills, ...file }]) => [
    path,
    {
      ...file,
      kills: Object.fromEntries(
        Object.entries(kills).map(([name, { test, indexes }]) => [
          name,
          `${test} ${toRanges(indexes)}`,
        ]),
      ),
    },
  ])
  return `${JSON.stringify({ ...rest, files: Object.fromEntries(shown) as object }, null, 2)}\n`
}

interface WrittenRecord extends Omit<MutationRecord, 'files'> {
  files: Record<string, Omit<FileRecord, 'kills'> & { kills: Record<string, string> }>
}

export function fromText(text: string): MutationRecord {
  const { files, ...rest } = JSON.parse(text) as WrittenRecord
  const read = Object.entries(files).map(([path, { kills, ...file }]): [string, FileRecord] => [
    path,
    {
      ...file,
      kills: Object.fromEntries(
        Object.entries(kills).map(([name, written]) => {
          const [test = '', ...ranges] = written.split(' ')
          return [name, { test, indexes: fromRanges(ranges.join(' ')) }]
        }),
      ),
    },
  ])
  return { ...rest, files: Object.fromEntries(read) }
}

export interface Score {
  readonly name: string
  readonly threshold: number
  readonly mutants: number
  readonly killed: number
  readonly survived: number
  readonly unnamed: number
}

export function scoresOf(record: MutationRecord, parts: readonly Part[]): Score[] {
  return parts.map(({ name, threshold, files }) => {
    const found = files.flatMap((file) => record.files[file] ?? [])
    const survivors = found.flatMap((file) => file.survivors)
    const mutants = found.reduce((sum, file) => sum + file.mutants, 0)
    return {
      name,
      threshold,
      mutants,
      killed: mutants - survivors.length,
      survived: survivors.length,
      unnamed: survivors.filter(({ why }) => why === null || why.trim() === '').length,
    }
  })
}

/**
 * Returns the share of the code lines of `src` that the record is about, in percent.
 *
 * @param codeOf - the code of each file of `src`, by its path from the root
 */
export function shareOf(
  record: MutationRecord,
  codeOf: ReadonlyMap<string, { readonly lines: number }>,
): number {
  const all = [...codeOf]
  const lines = (rows: typeof all): number => rows.reduce((sum, [, code]) => sum + code.lines, 0)
  return (100 * lines(all.filter(([file]) => file in record.files))) / lines(all)
}

/** Returns why the results are not sufficient, one sentence each; none if they are. */
export function complaintsOf(
  record: MutationRecord,
  { parts, untried }: { parts: readonly Part[]; untried: number },
): string[] {
  const missing = parts.flatMap(({ files }) => files.filter((file) => !(file in record.files)))
  const low = scoresOf(record, parts)
    .filter(({ killed, mutants, threshold }) => killed < threshold * mutants)
    .map(
      ({ name, killed, mutants, threshold }) =>
        `${name}: ${killed} of ${mutants} mutants are killed, which is less than ${threshold * 100} %.`,
    )
  const unnamed = Object.entries(record.files).flatMap(([file, { survivors }]) =>
    survivors
      .filter(({ why }) => why === null || why.trim() === '')
      .map(
        ({ line, original, replacement }) =>
          `${file}:${line} no test notices when \`${original}\` becomes \`${replacement}\`, and no reason is recorded.`,
      ),
  )
  return [
    ...missing.map((file) => `${file} was never tried.`),
    ...low,
    ...unnamed,
    ...(untried > 0
      ? [
          `${untried} mutants of what changed could not be tried in time: run \`npm run mutate\` and commit test/mutants.json.`,
        ]
      : []),
  ]
}
