import ts from 'typescript'
import { ROOT } from './pages.js'
import { SOURCES, visit } from './sources.js'

/** What the source refuses with. */
export interface Refusals {
  /** Every reason. */
  readonly reasons: ReadonlySet<string>
  /** `error reason`, where both stand in one call. */
  readonly pairs: ReadonlySet<string>
  /** The errors that some call puts in front of another refusal's reason. */
  readonly forwarding: ReadonlySet<string>
  /** Every member of `OAuthErrorCode`. */
  readonly errors: ReadonlySet<string>
}

/**
 * Reads every call of `refuse` in the source. Types, not texts: a reason that stands in a variable
 * counts as well.
 *
 * @throws Error - for a reason that is neither a literal nor another refusal's
 */
export function findRefusals(): Refusals {
  const files = SOURCES.map((path) => `${ROOT}src/${path}`)
  const config = ts.readConfigFile(`${ROOT}tsconfig.json`, (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT)
  const program = ts.createProgram(files, options)
  const checker = program.getTypeChecker()
  const [reasons, pairs, forwarding, errors] = [0, 1, 2, 3].map(() => new Set<string>())

  const literalsOf = (type: ts.Type): readonly string[] =>
    type.isStringLiteral() ? [type.value] : type.isUnion() ? type.types.flatMap(literalsOf) : []

  for (const path of files)
    visit(program.getSourceFile(path)!, (node) => {
      if (ts.isTypeAliasDeclaration(node) && node.name.text === 'OAuthErrorCode')
        for (const error of literalsOf(checker.getTypeAtLocation(node))) errors!.add(error)
      if (!ts.isCallExpression(node) || node.expression.getText() !== 'refuse') return
      const [error, reason] = node.arguments
      const codes = literalsOf(checker.getTypeAtLocation(error!))
      const found = literalsOf(checker.getTypeAtLocation(reason!))
      if (found.length === 0) {
        if (!reason!.getText().endsWith('.reason'))
          throw new Error(`${path}: ${node.getText()} has a reason that cannot be listed`)
        for (const code of codes) forwarding!.add(code)
      }
      for (const one of found) {
        reasons!.add(one)
        for (const code of codes) pairs!.add(`${code} ${one}`)
      }
    })
  return { reasons: reasons!, pairs: pairs!, forwarding: forwarding!, errors: errors! }
}
