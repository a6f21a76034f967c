/**
 * The results of mutants. The book, `test/mutants.json`, has what a reader decides: the reason of each survivor, and the
 * scores of the last whole run. Which test killed what is found again by a run, and only remembered in a cache.
 */
import type { Part } from './settings.js'

/** A change of a line. */
export interface Change {
  /** The text of the line on which it begins. */
  readonly text: string
  readonly original: string
  readonly replacement: string
  readonly mutator: string
}

/** A change that no test notices, and why, in one sentence. */
export interface Reason extends Change {
  readonly why: string
}

export interface Book {
  readonly scores: Scores
  readonly survivors: Readonly<Record<string, readonly Reason[]>>
}

/** The result of a whole run. */
export interface Scores {
  readonly node: string
  readonly date: string
  /** The share of the code lines of `src` that was mutated, in percent. */
  readonly share: number
  readonly parts: Readonly<Record<string, Score>>
}

interface Score {
  readonly mutants: number
  /** How many of them were tried. */
  readonly tried: number
  readonly killed: number
}

/** A change that was tried and that no test noticed. */
export interface Survivor extends Change {
  /** The position among the mutants of its file. */
  readonly index: number
  readonly line: number
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
  /** How many of them were tried. Default: all */
  readonly tried?: number
  /** The killed mutants, by the test file that killed them. */
  readonly kills: Readonly<Record<string, Kills>>
  readonly survivors: readonly Survivor[]
}

/** The results of earlier runs on this machine. */
export type Cache = Readonly<Record<string, FileRecord>>

/** The mutants of one file that must be tried: all, or those whose result is no longer valid. */
export type Stale = 'all' | readonly number[]

/**
 * Returns which mutants of a file must be tried. If the file has changed, those are all. Otherwise a kill
 * remains valid while its test file is the same, and a survivor with a reason remains a survivor; `reasons` is
 * `null` where none is needed.
 */
export function staleOf(
  known: FileRecord | undefined,
  {
    source,
    tests,
    reasons,
  }: {
    source: string
    tests: Readonly<Record<string, string>>
    reasons: readonly Reason[] | null
  },
): Stale {
  if (known === undefined || known.source !== source) return 'all'
  const lost = Object.entries(known.kills)
    .filter(([path, { test }]) => tests[path] !== test)
    .flatMap(([, { indexes }]) => indexes)
  const open =
    reasons === null ? [] : unexplained(known.survivors, reasons).map(({ index }) => index)
  return [...lost, ...open].sort((a, b) => a - b)
}

/** The text of a book: a line for each reason. */
export function textOf({ scores, survivors }: Book): string {
  const files = Object.entries(survivors).map(
    ([file, rows]) =>
      `    ${JSON.stringify(file)}: [\n${rows.map((row) => `      ${JSON.stringify(row)}`).join(',\n')}\n    ]`,
  )
  const head = JSON.stringify({ scores }, null, 2).slice(0, -2)
  return `${head},\n  "survivors": {\n${files.join(',\n')}\n  }\n}\n`
}

/** The result of one mutant: the test file that killed it, or `null` if it survived. */
export interface Tried {
  readonly mutant: Survivor
  readonly killedBy: string | null
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
  const count = kept === undefined ? tried.length : (kept.tried ?? kept.mutants)
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
  return {
    source,
    mutants,
    ...(count < mutants && { tried: count }),
    kills,
    survivors: [
      ...(kept?.survivors ?? []).filter(({ index }) => !again.has(index)),
      ...tried.filter(({ killedBy }) => killedBy === null).map(({ mutant }) => mutant),
    ].sort((a, b) => a.index - b.index),
  }
}

const sameChange = (a: Change, b: Change): boolean =>
  a.mutator === b.mutator &&
  a.text === b.text &&
  a.original === b.original &&
  a.replacement === b.replacement

/** Pairs each survivor with its reason, if it is the same change to the same line; each reason is used once. */
function explained<Found extends Change>(
  survivors: readonly Found[],
  reasons: readonly Reason[],
): (readonly [survivor: Found, reason: Reason | null])[] {
  const left = [...reasons]
  return survivors.map((survivor) => {
    const at = left.findIndex((one) => sameChange(one, survivor))
    return [survivor, at === -1 ? null : left.splice(at, 1)[0]!]
  })
}

/** The survivors that have no reason. */
export const unexplained = <Found extends Change>(
  survivors: readonly Found[],
  reasons: readonly Reason[],
): Found[] =>
  explained(survivors, reasons).flatMap(([survivor, reason]) =>
    reason === null || reason.why.trim() === '' ? [survivor] : [],
  )

/** The rows of the book for a file of which all mutants were tried: a survivor without a reason waits for one. */
export const rowsOf = (survivors: readonly Survivor[], reasons: readonly Reason[]): Reason[] =>
  explained(survivors, reasons).map(([{ text, original, replacement, mutator }, reason]) => ({
    text,
    original,
    replacement,
    mutator,
    why: reason?.why ?? '',
  }))

export function scoresOf(cache: Cache, parts: readonly Part[]): Scores['parts'] {
  return Object.fromEntries(
    parts.map(({ name, files }) => {
      const found = files.flatMap((file) => cache[file] ?? [])
      const sum = (of: (file: FileRecord) => number): number =>
        found.reduce((total, file) => total + of(file), 0)
      const tried = sum((file) => file.tried ?? file.mutants)
      const killed = tried - sum((file) => file.survivors.length)
      return [name, { mutants: sum((file) => file.mutants), tried, killed }]
    }),
  )
}

/**
 * Returns the share of the code lines of `src` that some files are, in percent.
 *
 * @param codeOf - the code of each file of `src`, by its path from the root
 */
export function shareOf(
  files: readonly string[],
  codeOf: ReadonlyMap<string, { readonly lines: number }>,
): number {
  const all = [...codeOf]
  const lines = (rows: typeof all): number => rows.reduce((sum, [, code]) => sum + code.lines, 0)
  return (100 * lines(all.filter(([file]) => files.includes(file)))) / lines(all)
}

/** Returns the parts of which too few mutants are killed, one sentence each. */
export const complaintsOf = (scores: Scores['parts'], parts: readonly Part[]): string[] =>
  parts.flatMap(({ name, threshold }) => {
    const { tried = 0, killed = 0 } = scores[name] ?? {}
    if (tried > 0 && killed >= threshold * tried) return []
    return `${name}: ${killed} of ${tried} mutants are killed, which is less than ${threshold * 100} %.`
  })

/** Returns the sentence about a survivor without a reason. */
export const complaintOf = (file: string, { line, original, replacement }: Survivor): string =>
  `${file}:${line} no test notices when \`${original}\` becomes \`${replacement}\`, and test/mutants.json has no reason.`

/** Puts values into an order that a seed decides. */
export const shuffled = <One>(all: readonly One[], random: () => number): One[] =>
  all
    .map((one) => [random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one)

/** Puts what a commit should try first: mutants of changed lines, then the others; both in an order that a seed decides. */
export function sampled<One extends { readonly file: string; readonly line: number }>(
  mutants: readonly One[],
  { changed, random }: { changed: ReadonlyMap<string, ReadonlySet<number>>; random: () => number },
): One[] {
  const isChanged = ({ file, line }: One): boolean => changed.get(file)?.has(line) ?? false
  const all = shuffled(mutants, random)
  return [...all.filter(isChanged), ...all.filter((one) => !isChanged(one))]
}

/** The lines of each file that a diff without context (`git diff -U0`) adds or changes. */
export function changedLines(diff: string): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>()
  let lines = new Set<number>()
  for (const line of diff.split('\n')) {
    const [, path] = /^\+\+\+ b\/(.+)$/.exec(line) ?? []
    if (path !== undefined) found.set(path, (lines = new Set()))
    const [, from, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    if (from !== undefined) for (let at = 0; at < Number(count); at++) lines.add(Number(from) + at)
  }
  return found
}
