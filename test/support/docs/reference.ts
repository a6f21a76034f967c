import ts from 'typescript'
import { createProgram } from '../source/compile.js'
import { ROOT } from '../source/root.js'

/** A name that an entry of the package exports. */
interface Export {
  /** Such as `policy`, or `index`. */
  readonly entry: string
  readonly name: string
  /** Where it is declared. */
  readonly path: string
  readonly line: number
  readonly isFunction: boolean
  readonly comment: Comment
}

/** What a TSDoc comment holds. */
interface Comment {
  readonly text: string
  readonly examples: readonly string[]
  readonly groups: readonly string[]
  /** The text of every `@see`. */
  readonly references: readonly string[]
}

/** An optional property of options. */
interface Option {
  readonly path: string
  readonly line: number
  /** Such as `SiteOptions.now`. */
  readonly name: string
  readonly comment: string
}

/** What the package exports, as its reference shows it. */
export interface Reference {
  readonly exports: readonly Export[]
  readonly options: readonly Option[]
  /** For each entry its module comment. */
  readonly modules: ReadonlyMap<string, Comment>
}

/**
 * Reads the public names of entries, and what their comments say.
 *
 * @param entries - name of each to its file
 */
export function readReference(entries: Readonly<Record<string, string>>): Reference {
  const program = createProgram(Object.values(entries).map((path) => ROOT + path))
  const checker = program.getTypeChecker()
  const exports: Export[] = []
  const options = new Map<string, Option>()
  const modules = new Map<string, Comment>()
  for (const [entry, path] of Object.entries(entries)) {
    const source = program.getSourceFile(ROOT + path)!
    modules.set(entry, moduleComment(source))
    for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)) {
      const symbol =
        (exported.flags & ts.SymbolFlags.Alias) === 0
          ? exported
          : checker.getAliasedSymbol(exported)
      const declaration = symbol.declarations![0]!
      const place = placeOf(declaration)
      exports.push({
        entry,
        name: exported.name,
        ...place,
        isFunction: isCallable(symbol, declaration, checker),
        comment: commentOf(
          ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration,
        ),
      })
      if (ts.isInterfaceDeclaration(declaration) && exported.name.endsWith('Options'))
        for (const member of declaration.members)
          if (ts.isPropertySignature(member) && member.questionToken !== undefined) {
            const name = `${exported.name}.${member.name.getText()}`
            options.set(name, { name, ...placeOf(member), comment: commentOf(member).text })
          }
    }
  }
  return { exports, options: [...options.values()], modules }
}

function isCallable(symbol: ts.Symbol, declaration: ts.Node, checker: ts.TypeChecker): boolean {
  if ((symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Variable)) === 0) return false
  return checker.getTypeOfSymbolAtLocation(symbol, declaration).getCallSignatures().length > 0
}

function placeOf(node: ts.Node): { path: string; line: number } {
  const source = node.getSourceFile()
  return {
    path: source.fileName.slice(ROOT.length),
    line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
  }
}

/** The comment at the head of an entry, which TypeDoc shows on the page of the module. */
function moduleComment(source: ts.SourceFile): Comment {
  const [first] = ts.getLeadingCommentRanges(source.text, 0) ?? []
  const text = first === undefined ? '' : source.text.slice(first.pos, first.end)
  return /@module\b/.test(text) ? parseComment(text) : parseComment('')
}

/** The comment in front of a declaration; of an overloaded function the first. */
function commentOf(node: ts.Node): Comment {
  const { text } = node.getSourceFile()
  const ranges = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []
  const last = ranges.filter(({ pos }) => text.startsWith('/**', pos)).at(-1)
  return parseComment(last === undefined ? '' : text.slice(last.pos, last.end))
}

function parseComment(raw: string): Comment {
  const text = raw.replace(/^\/\*\*|\*\/$/g, '').replace(/^[ \t]*\* ?/gm, '')
  return {
    text,
    examples: [...text.matchAll(/^@example\b[^\n]*\n```ts\n(.*?)^```$/gms)].map(
      ([, code]) => code!,
    ),
    groups: [...text.matchAll(/^@group (.+)$/gm)].map(([, group]) => group!.trim()),
    references: [...text.matchAll(/^@see ([^\n]+(?:\n(?!@|\s*$)[^\n]+)*)/gm)].map(
      ([, see]) => see!,
    ),
  }
}

/**
 * Makes a program of an example that fails where the example is wrong: `value // => expected` compares the
 * two, `call() // throws OptionsError` expects that error.
 *
 * @throws Error if the example compares nothing, or if a comment is behind a statement that has no value
 */
export function runnable(code: string): string {
  const source = ts.createSourceFile('example.ts', code, ts.ScriptTarget.ESNext, true)
  let checks = /from 'node:assert\/strict'/.test(code) ? 1 : 0
  let program = ''
  let at = 0
  for (const statement of source.statements) {
    const behind = /^[ \t]*\/\/ (=>|throws) (.+)/.exec(code.slice(statement.end))
    if (behind === null) continue
    checks++
    const [, kind, expected = ''] = behind
    program += code.slice(at, statement.getStart())
    at = statement.end
    if (ts.isExpressionStatement(statement)) {
      const value = statement.expression.getText()
      program +=
        kind === '=>'
          ? `check.deepEqual(await (${value}), (${expected}))`
          : `await check.rejects(async () => { await (${value}) }, { name: '${expected.trim()}' })`
      continue
    }
    const declared = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : undefined
    const name = declared?.length === 1 ? declared[0]!.name : undefined
    if (kind !== '=>' || name === undefined || !ts.isIdentifier(name))
      throw new Error(`"// ${kind} ${expected}" is behind a statement that has no value`)
    program += `${statement.getText()}; check.deepEqual(${name.text}, (${expected}))`
  }
  if (checks === 0) throw new Error('the example compares nothing')
  return `import * as check from 'node:assert/strict'\n${program}${code.slice(at)}\nexport {}\n`
}
