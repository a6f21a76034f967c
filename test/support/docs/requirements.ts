import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path/posix'
import ts from 'typescript'
import { readSource } from '../source/compile.js'
import { PAGES, rowsOf } from './pages.js'
import { ROOT } from '../source/root.js'
import { visit } from '../source/imports.js'

/** What `docs/requirements.md` lists. */
export interface Requirements {
  /** The names that a source begins with. */
  readonly sources: readonly string[]
  /** Every requirement, in the order of the page. */
  readonly rows: readonly (readonly string[])[]
  /** What stands under "Not yet held". */
  readonly notYetHeld: readonly (readonly string[])[]
  /** What stands under "Held in part". */
  readonly heldInPart: readonly (readonly string[])[]
}

/** Reads `docs/requirements.md`: the rows of its tables, by what their section is for. */
export function readRequirements(): Requirements {
  const { text } = PAGES.find(({ path }) => path === 'docs/requirements.md')!
  const sections = text.split(/^## /m).map((section) => {
    const [heading = ''] = section.split('\n', 1)
    return { heading, rows: rowsOf(section) }
  })
  const under = (heading: string): readonly (readonly string[])[] =>
    sections.find((section) => section.heading === heading)!.rows
  const gaps = ['Not yet held', 'Held in part']
  const [, explained = ''] = /^## Sources\n(.*?)^## /ms.exec(text) ?? []
  return {
    sources: [...explained.matchAll(/\*\*(.+?)\*\*/g)].map(([, name]) => name!),
    rows: sections.filter(({ heading }) => !gaps.includes(heading)).flatMap(({ rows }) => rows),
    notYetHeld: under('Not yet held'),
    heldInPart: under('Held in part'),
  }
}

/** A row of a clause table of `docs/look-up/standards.md`. */
export interface Clause {
  /** The heading of its table, such as `RFC 9449: DPoP`. */
  readonly heading: string
  readonly id: string
  readonly section: string
  /** What the clause demands. */
  readonly what: string
  /** The name of the function, and the file that it is in. */
  readonly name: string
  readonly file: string
  readonly test: string
}

/** A mutant of `test/mutation/requirements.json`. */
export interface NamedMutant {
  readonly file: string
  readonly find: string
  readonly tests?: readonly string[]
}

/** The rows of the clause tables of a page: those that begin with an id. */
export function clausesOf(text: string): readonly Clause[] {
  return text.split(/^## /m).flatMap((section) => {
    const [heading = ''] = section.split('\n', 1)
    return rowsOf(section)
      .filter(([id = '']) => ALONE.test(id))
      .map(([id = '', section = '', what = '', where = '', test = '']) => {
        const [, name = '', file = ''] = /^`(\w+)` in `([^`]+)`$/.exec(where) ?? []
        const [, path = ''] = /^`(test\/.+\.test\.ts)`$/.exec(test) ?? []
        return { heading, id, section, what, name, file, test: path }
      })
  })
}

/** The rows of the clause tables of `docs/look-up/standards.md`. */
export function readClauses(): readonly Clause[] {
  return clausesOf(PAGES.find(({ path }) => path === 'docs/look-up/standards.md')!.text)
}

/** What a clause lacks of a test that its own mutant turns red. */
export function lacksOf(
  clause: Clause,
  {
    files,
    mutants,
    read,
  }: {
    readonly files: readonly FileIds[]
    readonly mutants: Readonly<Record<string, NamedMutant>>
    readonly read: (path: string) => string
  },
): readonly string[] {
  const { id, section, what, name, file, test } = clause
  const mutant = mutants[id]
  const titles = files.find(({ path }) => path === test)?.inTitles
  const isRun = mutant?.tests?.includes(test) ?? true
  const twin = Object.keys(mutants).find(
    (other) =>
      other !== id && mutants[other]!.file === mutant?.file && mutants[other]!.find === mutant.find,
  )
  return [
    /^(?:[A-Z][^§]* )?§\d/.test(section) ? '' : 'a section',
    /^[A-Z`].{20,}\.$/.test(what) ? '' : 'a sentence of what it demands',
    file !== '' && new RegExp(`\\bfunction ${name}\\b`).test(read(file)) ? '' : 'a function that is there', // prettier-ignore
    titles?.has(id) ? '' : `a title in ${test || 'a test file'}`,
    mutant === undefined ? 'a mutant' : '',
    mutant === undefined || mutant.file === file ? '' : `a mutant in ${file}`,
    isRun ? '' : `${test} among the tests of its mutant`,
    twin === undefined ? '' : `a line of its own: that of its mutant is broken for ${twin}`,
  ].filter((lack) => lack !== '')
}

/** Every test file, as its path from the root of the repository. Those that a test writes may be gone when they are read. */
const TEST_FILES: readonly string[] = [
  'test',
  ...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/test`),
]
  .filter((folder) => existsSync(join(ROOT, folder)))
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true }).map(
      (path) => `${folder}/${String(path).replaceAll('\\', '/')}`,
    ),
  )
  .filter((path) => path.endsWith('.test.ts') && !/\/(?:\.tmp|node_modules)\//.test(path))
  .sort()

const IN_BRACKETS = /\[([A-Z]+-\d+(?:, ?[A-Z]+-\d+)*)\]/g
const ALONE = /^[A-Z]+-\d+$/

/** The ids in the brackets of a text. */
function idsIn(text: string): readonly string[] {
  return [...text.matchAll(IN_BRACKETS)].flatMap(([, ids = '']) => ids.split(/, ?/))
}

/** The ids of a test file: those of its titles, and whatever stands in brackets as one. */
export interface FileIds {
  readonly path: string
  readonly inTitles: ReadonlySet<string>
  readonly anywhere: ReadonlySet<string>
}

/** The ids of every test file that has any. */
export function readTestIds(): readonly FileIds[] {
  return TEST_FILES.map((path) => ({ path, text: readSource(path) }))
    .map(({ path, text }) => ({ path, text, anywhere: new Set(idsIn(text)) }))
    .filter(({ text, anywhere }) => anywhere.size > 0 || /'[A-Z]+-\d+'/.test(text))
    .map(({ path, text, anywhere }) => ({ path, inTitles: idsInTitles(text), anywhere }))
}

/**
 * The ids that the titles of a test file name: in the title of `it`, `test` or `describe`, or in the
 * table that `each` puts into it.
 */
export function idsInTitles(text: string): ReadonlySet<string> {
  const file = ts.createSourceFile('x.test.ts', text, ts.ScriptTarget.ESNext)
  const tables = new Map<string, ts.Expression>()
  visit(file, (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      tables.set(node.name.text, node.initializer)
  })
  const ids = new Set<string>()
  visit(file, (node) => {
    if (!ts.isCallExpression(node)) return
    const [title] = node.arguments
    if (title === undefined) return
    if (isRunner(node.expression)) for (const id of idsIn(textOf(title))) ids.add(id)
    const table = tableOf(node.expression)
    if (table === null) return
    for (const id of idsIn(textOf(title))) ids.add(id)
    // A cell that is an id and nothing else counts where the title has brackets for it.
    const takesCells = textOf(title).includes('[%s]')
    for (const cell of textsOf(table, tables)) {
      for (const id of idsIn(cell)) ids.add(id)
      if (takesCells && ALONE.test(cell)) ids.add(cell)
    }
  })
  return ids
}

const isRunner = (node: ts.Expression): boolean =>
  ts.isIdentifier(node) && ['it', 'test', 'describe'].includes(node.text)

/** The table of `it.each(table)`; `null` = another expression. */
function tableOf(callee: ts.Expression): ts.Expression | null {
  if (!ts.isCallExpression(callee) || !ts.isPropertyAccessExpression(callee.expression)) return null
  const { expression, name } = callee.expression
  return name.text === 'each' && isRunner(expression) ? (callee.arguments[0] ?? null) : null
}

/** A literal as text; what a template puts in is left out. */
function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return ''
  return node.head.text + node.templateSpans.map(({ literal }) => literal.text).join('')
}

/** Every literal of a table, also of the constants that it is made of. */
function textsOf(
  table: ts.Expression,
  constants: ReadonlyMap<string, ts.Expression>,
  seen = new Set<string>(),
): readonly string[] {
  const texts: string[] = []
  visit(table, (node) => {
    texts.push(textOf(node))
    if (!ts.isIdentifier(node) || seen.has(node.text)) return
    seen.add(node.text)
    const constant = constants.get(node.text)
    if (constant !== undefined) texts.push(...textsOf(constant, constants, seen))
  })
  return texts
}
