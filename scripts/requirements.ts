import { readFileSync } from 'node:fs'

/** A row of `test/mutation/requirements.json`. */
export interface Requirement {
  /** The promise of the server, as a sentence. */
  readonly requirement: string
  /** The sections that demand it, separated by `; `. */
  readonly source: string
  /** The part that no test shows yet. */
  readonly missing?: string
  /** The file with the line that keeps the promise; absent if no test shows it. */
  readonly file?: string
  /** A text that is there once. */
  readonly find?: string
  /** The text in its place that breaks the promise. */
  readonly replace?: string
  /** The files whose tests are run; without them, all that name the requirement. */
  readonly tests?: readonly string[]
}

/** Every requirement by its id. */
export const REQUIREMENTS = JSON.parse(
  readFileSync(new URL('../test/mutation/requirements.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Requirement>>

const line = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => line(...cells)).join('\n')

const byNumber = new Intl.Collator('en', { numeric: true })

/** Puts the requirements into their page, by the table of how ids begin, for the site and the package. */
export function withRequirements(page: string): string {
  const rows = Object.entries(REQUIREMENTS).sort(([one], [other]) => byNumber.compare(one, other))
  const sections = [...page.matchAll(/^\| ([A-Z]+) +\| (.+?) +\|$/gm)].map(([, begin, about]) => {
    const own = rows.filter(([id]) => id.startsWith(`${begin}-`))
    const cells = own.map(([id, { requirement, source, file }]) => [
      id,
      requirement,
      source,
      file === undefined ? '' : `\`${file}\``,
    ])
    return `## ${about}\n\n${tableOf(['id', 'requirement', 'source', 'file'], cells)}`
  })
  const open = rows.flatMap(([id, { missing }]) => (missing === undefined ? [] : [[id, missing]]))
  return page
    .replace('<!-- requirements -->', () => sections.join('\n\n'))
    .replace('<!-- open -->', () => tableOf(['id', 'what is missing'], open))
}
