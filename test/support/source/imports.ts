import { readdirSync } from 'node:fs'
import { join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { mutant, readSource } from './compile.js'

/** One import or re-export. */
export interface Arrow {
  /** Path below `src`. */
  readonly from: string
  /** Path below `src`, or the name of a package as it was written. */
  readonly to: string
  readonly isPackage: boolean
  /** Types alone: nothing of it is left at run time. */
  readonly isType: boolean
}

/** Every source file, as its path below `src`. */
export const SOURCES: readonly string[] = readdirSync(
  fileURLToPath(new URL('../../../src', import.meta.url)),
  { recursive: true },
)
  .map((path) => String(path).replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .sort()

/** Every source file of the packages next to the library, as its path from `src`. */
export const PACKAGE_SOURCES: readonly string[] = readdirSync(
  fileURLToPath(new URL('../../../packages', import.meta.url)),
  { recursive: true },
)
  .map((path) => `../packages/${String(path).replaceAll('\\', '/')}`)
  .filter((path) => /^\.\.\/packages\/[^/]+\/src\/.+\.ts$/.test(path))
  .sort()

/** Every test, and what tests share, of the library and of its packages, as its path from `src`. */
export const TEST_SOURCES: readonly string[] = ['test', 'packages']
  .flatMap((folder) =>
    readdirSync(fileURLToPath(new URL(`../../../${folder}`, import.meta.url)), {
      recursive: true,
    }).map((path) => `../${folder}/${String(path).replaceAll('\\', '/')}`),
  )
  .filter((path) => /^\.\.\/(?:packages\/[^/]+\/)?test\/.+\.ts$/.test(path))
  // A test that compiles has a folder of its own while it runs.
  .filter((path) => !/\/(?:node_modules\/|\.)/.test(path))
  .sort()

const parsed = new Map<string, ts.SourceFile>()

/** The syntax tree of a file below `src`. */
export function parse(path: string): ts.SourceFile {
  const known = parsed.get(path)
  if (known !== undefined && mutant() === undefined) return known
  const tree = ts.createSourceFile(path, readSource(`src/${path}`), ts.ScriptTarget.ESNext, true)
  if (mutant() === undefined) parsed.set(path, tree)
  return tree
}

/** What a file below `src` imports and re-exports, `import('…')` included. */
export function arrowsOf(path: string): readonly Arrow[] {
  const arrows: Arrow[] = []
  visit(parse(path), (node) => {
    const specifier = specifierOf(node)
    if (specifier === null) return
    const isPackage = !specifier.startsWith('.')
    const to = isPackage ? specifier : join(path, '..', specifier).replace(/\.js$/, '.ts')
    arrows.push({ from: path, to, isPackage, isType: isTypeOnly(node) })
  })
  return arrows
}

/** Calls back for a node and everything below it. */
export function visit(node: ts.Node, callback: (node: ts.Node) => void): void {
  callback(node)
  ts.forEachChild(node, (child) => visit(child, callback))
}

function specifierOf(node: ts.Node): string | null {
  const specifier =
    ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
      ? node.moduleSpecifier
      : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
        ? node.arguments[0]
        : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
          ? node.argument.literal
          : undefined
  return specifier !== undefined && ts.isStringLiteral(specifier) ? specifier.text : null
}

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isImportTypeNode(node)) return true
  if (ts.isExportDeclaration(node)) return node.isTypeOnly || areTypes(node.exportClause)
  if (!ts.isImportDeclaration(node) || node.importClause === undefined) return false
  const { isTypeOnly, name, namedBindings } = node.importClause
  return isTypeOnly || (name === undefined && areTypes(namedBindings))
}

function areTypes(bindings: ts.NamedExportBindings | ts.NamedImportBindings | undefined): boolean {
  if (bindings === undefined) return false
  if (!ts.isNamedImports(bindings) && !ts.isNamedExports(bindings)) return false
  return bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly)
}
