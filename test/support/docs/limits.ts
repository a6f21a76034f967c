import ts from 'typescript'
import { readSource } from '../source/compile.js'
import { visit } from '../source/imports.js'

/** A number, or numbers by name. */
type Value = number | { readonly [name: string]: Value }

const trees = new Map<string, ts.SourceFile>()

function parse(path: string): ts.SourceFile {
  const source = readSource(path)
  const known = trees.get(path)
  if (known?.text === source) return known
  const tree = ts.createSourceFile(path, source, ts.ScriptTarget.ESNext, true)
  trees.set(path, tree)
  return tree
}

/**
 * Returns a number as it is in a source file.
 *
 * @param name - a constant, the default of a parameter or the name of a property, then the names inside of
 *   it: `RATES.token`. For a call, they are those of its argument: `slotFor.total`, `slots`
 * @throws Error if the file has no such number, or several
 */
export function limitOf(path: string, name: string): number {
  const [first = '', ...inside] = name.split('.')
  const value = inside.reduce<Value | null>(
    (of, part) => (of !== null && typeof of === 'object' ? (of[part] ?? null) : null),
    declared(parse(path), first),
  )
  if (typeof value === 'number') return value
  throw new Error(`${path} has no number ${name}, or several`)
}

/** Values that a file gives to a name: of constants, else of defaults, else of properties. */
function declared(tree: ts.SourceFile, name: string): Value | null {
  const found: Value[][] = [[], [], []]
  visit(tree, (node) => {
    const rank = [ts.isVariableDeclaration, isDefault, ts.isPropertyAssignment].findIndex((is) =>
      is(node),
    )
    const { name: declaredName, initializer } = node as ts.VariableDeclaration
    if (rank === -1 || initializer === undefined || declaredName.getText() !== name) return
    const value = valueOf(initializer)
    if (value !== null) found[rank]!.push(value)
  })
  const values = new Set((found.find((values) => values.length > 0) ?? []).map((v) => JSON.stringify(v))) // prettier-ignore
  return values.size === 1 ? (JSON.parse([...values][0]!) as Value) : null
}

const isDefault = (node: ts.Node): boolean => ts.isBindingElement(node) || ts.isParameter(node)

function valueOf(node: ts.Expression): Value | null {
  if (ts.isNumericLiteral(node)) return Number(node.text)
  if (ts.isIdentifier(node)) return declared(node.getSourceFile(), node.text)
  if (
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isParenthesizedExpression(node)
  )
    return valueOf(node.expression)
  if (ts.isBinaryExpression(node)) return computed(node)
  if (ts.isObjectLiteralExpression(node)) return membersOf(node)
  if (!ts.isCallExpression(node)) return null
  // A factory has a number, such as `pLimit(2)`, or options.
  const [first] = node.arguments
  if (node.arguments.length === 1 && first !== undefined && ts.isNumericLiteral(first))
    return valueOf(first)
  const options = node.arguments.find(ts.isObjectLiteralExpression)
  return options === undefined ? null : membersOf(options)
}

function computed({ left, operatorToken, right }: ts.BinaryExpression): number | null {
  const [one, other] = [valueOf(left), valueOf(right)]
  if (typeof one !== 'number' || typeof other !== 'number') return null
  if (operatorToken.kind === ts.SyntaxKind.AsteriskToken) return one * other
  return operatorToken.kind === ts.SyntaxKind.AsteriskAsteriskToken ? one ** other : null
}

function membersOf({ properties }: ts.ObjectLiteralExpression): Value | null {
  const members = properties.flatMap((property): readonly (readonly [string, Value])[] => {
    const value = ts.isPropertyAssignment(property)
      ? valueOf(property.initializer)
      : ts.isShorthandPropertyAssignment(property)
        ? valueOf(property.name)
        : null
    return value === null ? [] : [[property.name!.getText(), value]]
  })
  return members.length === 0 ? null : Object.fromEntries(members)
}

/** A constant whose name says that it is a bound. */
const BOUND = /(?:^|_)(?:MAX|LIMITS?|RATES?)(?:_|$)/

/** The bounds of a file: its constants of such a name, each number of an object by itself. */
export function boundsIn(path: string): readonly string[] {
  return parse(path).statements.flatMap((statement) =>
    ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
          .filter(({ name }) => BOUND.test(name.getText()))
          .flatMap(({ name, initializer }) => {
            const value = initializer === undefined ? null : valueOf(initializer)
            return value === null ? [] : leavesOf(name.getText(), value)
          })
      : [],
  )
}

const leavesOf = (name: string, value: Value): readonly string[] =>
  typeof value === 'number'
    ? [name]
    : Object.entries(value).flatMap(([inside, one]) => leavesOf(`${name}.${inside}`, one))

const UNITS: Readonly<Record<string, number>> = {
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
}

/** A row of the table of limits. */
interface LimitRow {
  readonly what: string
  /** The numbers that the row states, in bytes, seconds or pieces. */
  readonly stated: readonly number[]
  /** The same numbers as the source has them. */
  readonly actual: readonly number[]
  /** Where the source has them: `path name`. */
  readonly places: readonly string[]
}

/**
 * Reads a row of the table of limits.
 *
 * @param cells - what is limited, the numbers, their constants, such as `` `MAX_KEYS`, `MAX_NAMES` ``, and their file
 */
export function limitRowOf([
  what = '',
  limit = '',
  names = '',
  file = '',
]: readonly string[]): LimitRow {
  const path = file.replaceAll('`', '')
  const found = [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)
  return {
    what,
    stated: [
      ...limit.matchAll(/(\d[\d,]*(?:\.\d+)?)(?: (KiB|MiB|GiB|second|minute|hour|day)s?\b)?/g),
    ].map(([, digits, unit]) => Number(digits!.replaceAll(',', '')) * (UNITS[unit ?? ''] ?? 1)),
    actual: found.map((name) => limitOf(path, name) / (isMilliseconds(name) ? 1000 : 1)),
    places: found.map((name) => `${path} ${name}`),
  }
}

const isMilliseconds = (name: string): boolean =>
  /(?:milliseconds|millis|timeout|interval)$/i.test(name)
