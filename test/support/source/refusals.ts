import ts from 'typescript'
import { REFUSALS } from '../../../src/policy/refusals.js'
import { createProgram } from './compile.js'
import { ROOT } from './root.js'
import { SOURCES, visit } from './imports.js'

/** A function that decides: each of the policy, and every other that does not return just any refusal. */
interface Decider {
  readonly name: string
  /** Those that its signature names. */
  readonly declared: readonly string[]
  /** Those of what it returns. */
  readonly returned: readonly string[]
}

const ALL = new Set(Object.values(REFUSALS).flatMap((reasons) => Object.keys(reasons)))

/** What the source refuses with, and what its signatures say of that. */
export interface Refusals {
  /** `error reason`, of every call of `refuse`. */
  readonly pairs: ReadonlySet<string>
  readonly deciders: readonly Decider[]
}

/** Reads the source by its types, so that a reason in a variable counts as well. */
export function findRefusals(): Refusals {
  const files = SOURCES.map((path) => `${ROOT}src/${path}`)
  const program = createProgram(files)
  const checker = program.getTypeChecker()
  const pairs = new Set<string>()
  const deciders: Decider[] = []

  const literalsOf = (type: ts.Type): readonly string[] =>
    type.isStringLiteral() ? [type.value] : type.isUnion() ? type.types.flatMap(literalsOf) : []

  /** The reasons of the refusals among the members of a type. */
  function reasonsOf(type: ts.Type): readonly string[] {
    const members = type.isUnion() ? type.types : [type]
    return members.flatMap((member) => {
      const [ok, reason] = ['ok', 'reason'].map((name) => member.getProperty(name))
      if (ok === undefined || reason === undefined) return []
      const isRefusal = checker.typeToString(checker.getTypeOfSymbol(ok)) === 'false'
      return isRefusal ? literalsOf(checker.getTypeOfSymbol(reason)) : []
    })
  }

  function readCall({ expression, arguments: [error, reason] }: ts.CallExpression): void {
    // The decision about a proof has one error, and names only the reason.
    if (expression.getText() === 'invalid')
      for (const one of literalsOf(checker.getTypeAtLocation(error!)))
        pairs.add(`invalid_dpop_proof ${one}`)
    if (!/^refuse(?:Device)?$/.test(expression.getText())) return
    for (const code of literalsOf(checker.getTypeAtLocation(error!)))
      for (const one of literalsOf(checker.getTypeAtLocation(reason!))) pairs.add(`${code} ${one}`)
  }

  function readFunction(node: ts.FunctionDeclaration, path: string): void {
    const signature = checker.getSignatureFromDeclaration(node)
    if (signature === undefined || node.body === undefined) return
    const declared = reasonsOf(signature.getReturnType())
    const isAny = new Set(declared).size === ALL.size
    if (declared.length === 0 || (isAny && !path.includes('/src/policy/'))) return
    const returned = returnsOf(node.body).flatMap((one) =>
      reasonsOf(checker.getTypeAtLocation(one)),
    )
    deciders.push({
      name: node.name!.text,
      declared: sorted(declared),
      returned: sorted(returned),
    })
  }

  for (const path of files)
    visit(program.getSourceFile(path)!, (node) => {
      if (ts.isCallExpression(node)) readCall(node)
      if (ts.isFunctionDeclaration(node)) readFunction(node, path)
    })
  return { pairs, deciders }
}

const sorted = (values: readonly string[]): readonly string[] => [...new Set(values)].sort()

/** What a function returns, but for functions within it. */
function returnsOf(body: ts.Node): readonly ts.Expression[] {
  const found: ts.Expression[] = []
  const walk = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return
    if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression)
    ts.forEachChild(node, walk)
  }
  walk(body)
  return found
}
