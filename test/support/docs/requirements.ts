import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path/posix'
import ts from 'typescript'
import { readSource } from '../source/compile.js'
import { ROOT } from '../source/root.js'
import { visit } from '../source/imports.js'

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
