import ts from 'typescript'
import { createProgram } from './compile.js'
import { ROOT } from './pages.js'
import { parse, SOURCES, visit } from './sources.js'

/** What the source refuses with. */
export interface Refusals {
  /** Every reason. */
  readonly reasons: ReadonlySet<string>
  /** `error reason`, where both stand in one call. */
  readonly pairs: ReadonlySet<string>
  /** The errors that some call puts in front of another refusal's reason. */
  readonly forwarding: ReadonlySet<string>
}

/**
 * Reads every call of `refuse` in the source. Types, not texts: a reason that stands in a variable
 * counts as well.
 *
 * @throws Error - for a reason that is neither a literal nor another refusal's
 */
export function findRefusals(): Refusals {
  const files = SOURCES.map((path) => `${ROOT}src/${path}`)
  const program = createProgram(files)
  const checker = program.getTypeChecker()
  const [reasons, pairs, forwarding] = [0, 1, 2].map(() => new Set<string>())

  const literalsOf = (type: ts.Type): readonly string[] =>
    type.isStringLiteral() ? [type.value] : type.isUnion() ? type.types.flatMap(literalsOf) : []

  for (const path of files)
    visit(program.getSourceFile(path)!, (node) => {
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
  return { reasons: reasons!, pairs: pairs!, forwarding: forwarding! }
}

/** Every member of `OAuthErrorCode`. */
export function oauthErrors(): readonly string[] {
  const errors: string[] = []
  visit(parse('policy/decision.ts'), (node) => {
    if (!ts.isTypeAliasDeclaration(node) || node.name.text !== 'OAuthErrorCode') return
    visit(node.type, (part) => {
      if (ts.isStringLiteral(part)) errors.push(part.text)
    })
  })
  return errors
}
