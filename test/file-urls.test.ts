import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { ROOT } from './support/source/root.js'
import { visit } from './support/source/imports.js'

const NOT_WRITTEN = ['node_modules', 'dist', 'templates', '.*'].map((name) => `**/${name}`)
const SOURCES = [ROOT, `${ROOT}docs/.vitepress`]
  .flatMap((folder) => ts.sys.readDirectory(folder, ['.ts', '.mts', '.mjs', '.js'], NOT_WRITTEN))
  .map((path) => relative(ROOT, path))

/** Finds a part of a URL that is used as a path, and a URL that is put together: both fail where a path has a space. */
function faultsIn(text: string): readonly string[] {
  const tree = ts.createSourceFile('a.ts', text, ts.ScriptTarget.ESNext, true)
  const fileUrls = new Set<string>()
  visit(tree, (node) => {
    if (ts.isVariableDeclaration(node) && node.initializer && isFileUrl(node.initializer))
      fileUrls.add(node.name.getText())
  })
  const faults: string[] = []
  visit(tree, (node) => {
    const isPathname =
      ts.isPropertyAccessExpression(node) &&
      node.name.text === 'pathname' &&
      (isFileUrl(node.expression) || fileUrls.has(node.expression.getText()))
    if (isPathname || isBuiltByHand(node)) faults.push(node.getText())
  })
  return faults
}

const isFileUrl = (node: ts.Node): boolean =>
  ts.isNewExpression(node) && /^new URL\([^]*\bimport\.meta\.url\s*,?\s*\)$/.test(node.getText())

const isBuiltByHand = (node: ts.Node): boolean =>
  (ts.isTemplateExpression(node) && node.head.text.startsWith('file:')) ||
  (ts.isBinaryExpression(node) && /^(['"])file:[^]*\1 \+/.test(node.getText()))

describe('a path and its file URL', () => {
  it('are made of each other by functions of Node, in every source, test and script', () => {
    expect(SOURCES).toEqual(
      expect.arrayContaining([
        'bench/gate.mjs',
        'docs/.vitepress/config.ts',
        'examples/workers/start.mjs',
        'scripts/release.mjs',
        'test/file-urls.test.ts',
        'vitest.config.ts',
      ]),
    )
    const faults = SOURCES.flatMap((path) => {
      const text = readFileSync(ROOT + path, 'utf8')
      return /import\.meta|file:/.test(text) ? faultsIn(text).map((one) => `${path}: ${one}`) : []
    })
    expect(faults).toEqual([])
  })

  it.each([
    "readFileSync(new URL('a.txt', import.meta.url).pathname)",
    "const path = new URL('a.txt', import.meta.url)\nreadFileSync(path.pathname)",
    "const { href } = new URL(\n  'a.txt',\n  import.meta.url,\n).pathname",
    'await import(`file://${ROOT}/a.js`)',
    "await import('file://' + path)",
  ])('are mixed up: %s', (text) => {
    expect(faultsIn(text)).toHaveLength(1)
  })

  it.each([
    "readFileSync(fileURLToPath(new URL('a.txt', import.meta.url)))",
    "readFileSync(new URL('a.txt', import.meta.url))",
    'await import(pathToFileURL(path).href)',
    'const { pathname } = new URL(request.url)',
    "const origins = ['file://', 'https://evil.test']",
  ])('are not mixed up: %s', (text) => {
    expect(faultsIn(text)).toEqual([])
  })
})
