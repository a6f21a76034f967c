import {
  type ASTNode,
  concatAST,
  type DocumentNode,
  extendSchema,
  type FieldDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  KnownTypeNamesRule,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
  PossibleTypeExtensionsRule,
  ProvidedRequiredArgumentsRule,
  type TypeNode,
  UniqueArgumentDefinitionNamesRule,
  UniqueDirectivesPerLocationRule,
  UniqueEnumValueNamesRule,
  UniqueFieldDefinitionNamesRule,
  UniqueInputFieldNamesRule,
  UniqueTypeNamesRule,
  validate,
  validateSchema,
  type ValidationRule,
} from 'graphql'
import { MAX_PAGE_SIZE } from './connection.js'
import type { OwnField } from './own-field.js'
import { accountSchema } from './schema.js'

/** Added to the schema with the first field of one's own. */
export const LIST_SIZE_SDL = `"""How many rows the list has at most."""
directive @listSize(assumedSize: Int!) on FIELD_DEFINITION`

/** Most rows that `@listSize` can state: those of scalars cost nothing. */
const MAX_LIST_SIZE = 1000

/** The types of the library that may get fields: their objects are records of the source. */
const EXTENDABLE: ReadonlySet<string> = new Set([
  'Query',
  'Mutation',
  'Viewer',
  'Site',
  'EnrolledCourse',
  'CourseSection',
  'Lecture',
  'Order',
  'OrderItem',
  'EventRegistration',
  'Subscription',
  'OwnedDigitalProduct',
])

/** The roots of a document: no field returns one of them. */
const ROOTS: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Viewer'])

/** Objects of the library that tell nothing of the member unless a field of one's own does. */
const VALUES: ReadonlySet<string> = new Set(['Money', 'UserError'])

// graphql-js checks an extension of a schema with these rules and some that it does not export. They read of their context
// only what a check of operations has as well.
const RULES = [
  UniqueTypeNamesRule,
  UniqueFieldDefinitionNamesRule,
  UniqueEnumValueNamesRule,
  UniqueInputFieldNamesRule,
  UniqueArgumentDefinitionNamesRule,
  KnownTypeNamesRule,
  KnownDirectivesRule,
  UniqueDirectivesPerLocationRule,
  PossibleTypeExtensionsRule,
  KnownArgumentNamesRule,
  ProvidedRequiredArgumentsRule,
] as readonly unknown[] as readonly ValidationRule[]

/** A field as the text defines it. */
export interface DefinedField extends Omit<OwnField, 'weight'> {
  readonly type: string
  readonly name: string
  /** Whether its type is one of the library. */
  readonly isExtension: boolean
  /** The weight of `@cost`, or `null`. */
  readonly weight: number | null
  /** The scope of `@requiresScope`, or `null`. */
  readonly scope: string | null
}

/** Reads definitions of fields, or finds their mistakes. */
export function readTypeDefs(
  typeDefs: string,
): { schema: GraphQLSchema; fields: readonly DefinedField[] } | { mistakes: readonly string[] } {
  let document: DocumentNode
  try {
    document = parse(typeDefs)
  } catch (fault) {
    return { mistakes: [mistakeOf(fault)] }
  }
  const whole = concatAST([parse(LIST_SIZE_SDL), document])
  const mistakes: string[] = []
  const fields = fieldsOf(document, (node, text) => void mistakes.push(at(node, text)))
  mistakes.push(...validate(accountSchema(), whole, RULES).map(mistakeOf))
  if (mistakes.length > 0) return { mistakes }
  try {
    const schema = extendSchema(accountSchema(), whole)
    const faults = validateSchema(schema)
    return faults.length > 0 ? { mistakes: faults.map(mistakeOf) } : { schema, fields }
  } catch (fault) {
    return { mistakes: [mistakeOf(fault)] }
  }
}

const lineOf = (line: number | undefined): string => (line === undefined ? '' : `, line ${line}`)

const mistakeOf = (fault: unknown): string =>
  `typeDefs${lineOf(fault instanceof GraphQLError ? fault.locations?.[0]?.line : undefined)}: ${(fault as Error).message}`

const at = ({ loc }: ASTNode, text: string): string =>
  `typeDefs${lineOf(loc?.startToken.line)}: ${text}`

type Report = (node: ASTNode, text: string) => void

function fieldsOf(document: DocumentNode, report: Report): readonly DefinedField[] {
  return document.definitions.flatMap((node) => {
    switch (node.kind) {
      case Kind.OBJECT_TYPE_EXTENSION:
        if (!EXTENDABLE.has(node.name.value))
          report(node, `${node.name.value} cannot be extended: only ${[...EXTENDABLE].join(', ')}`)
        return fieldsOfType(node, report)
      case Kind.OBJECT_TYPE_DEFINITION:
        if (node.name.value.endsWith('Connection'))
          report(node, `${node.name.value} must not end with Connection: only hallpass makes pages`)
        return fieldsOfType(node, report)
      case Kind.UNION_TYPE_DEFINITION:
        for (const { name } of node.types ?? [])
          if (accountSchema().getType(name.value) !== undefined)
            report(
              node,
              `${node.name.value} must not include ${name.value}: only types of your own`,
            )
        return []
      case Kind.ENUM_TYPE_DEFINITION:
      case Kind.INPUT_OBJECT_TYPE_DEFINITION:
        return []
      default:
        report(node, 'only extend type, type, enum, input and union can be used')
        return []
    }
  })
}

function fieldsOfType(
  node: ObjectTypeDefinitionNode | ObjectTypeExtensionNode,
  report: Report,
): readonly DefinedField[] {
  // The scopes of a document are found by the types that it names: those behind an interface would be missed.
  if (node.interfaces !== undefined && node.interfaces.length > 0)
    report(node, `${node.name.value} must not implement an interface`)
  return (node.fields ?? []).map((field) => readField(field, node, report))
}

function readField(
  node: FieldDefinitionNode,
  { kind, name: { value: type } }: ObjectTypeDefinitionNode | ObjectTypeExtensionNode,
  report: Report,
): DefinedField {
  const name = node.name.value
  const place = `${type}.${name}`
  const fault = (text: string): void => report(node, `${place} ${text}`)
  const { named, lists } = typeOf(node.type)
  if (lists > 1) fault('must not be a list of lists: its size is unknown')
  if (named.endsWith('Connection'))
    fault(
      `must not return ${named}: only hallpass makes pages. Return a list, with an argument first`,
    )
  if (ROOTS.has(named)) fault(`must not return ${named}`)

  const scope = directiveOf(node, 'requiresScope', 'scope', Kind.STRING)
  if (scope === '') fault('needs a name in @requiresScope')
  if (scope === null && (type === 'Query' || type === 'Mutation'))
    fault('needs @requiresScope(scope: "…"): nothing above it requires one')
  const weight = numberOf(directiveOf(node, 'cost', 'weight', Kind.INT))
  if (weight !== null && !(weight >= 0)) fault('needs a weight of at least 0 in @cost')
  const assumed = numberOf(directiveOf(node, 'listSize', 'assumedSize', Kind.INT))
  if (assumed !== null && lists === 0) fault('has @listSize and is not a list')
  if (assumed !== null && !(assumed >= 1 && assumed <= MAX_LIST_SIZE))
    fault(`needs an assumedSize from 1 to ${MAX_LIST_SIZE} in @listSize`)
  const maxRows = lists === 0 ? null : (assumed ?? MAX_PAGE_SIZE)
  const rowsByDefault = maxRows === null ? null : firstOf(node, maxRows)
  if (rowsByDefault !== null && !(rowsByDefault >= 0 && rowsByDefault <= maxRows!))
    fault(`needs a default of first from 0 to ${maxRows}`)

  const isExtension = kind === Kind.OBJECT_TYPE_EXTENSION
  const isOfLibrary = readsMember(named)
  return {
    type,
    name,
    isExtension,
    scope,
    scopes: [...(scope === null ? [] : [scope]), ...(isOfLibrary ? ['account:read'] : [])],
    weight,
    maxRows,
    rowsByDefault,
  }
}

/** Whether a type has fields of the library, which otherwise are behind one that requires `account:read`. */
function readsMember(type: string): boolean {
  const known = accountSchema().getType(type)
  return known !== undefined && 'getInterfaces' in known && !VALUES.has(type)
}

function typeOf(node: TypeNode, lists = 0): { named: string; lists: number } {
  if (node.kind === Kind.NAMED_TYPE) return { named: node.name.value, lists }
  return typeOf(node.type, lists + (node.kind === Kind.LIST_TYPE ? 1 : 0))
}

/** Returns the default of the argument `first` of a list, or `null` if it has none that is an `Int`. */
function firstOf({ arguments: args = [] }: FieldDefinitionNode, maxRows: number): number | null {
  const first = args.find(({ name }) => name.value === 'first')
  if (first === undefined) return null
  const { named, lists } = typeOf(first.type)
  if (named !== 'Int' || lists > 0) return null
  return first.defaultValue?.kind === Kind.INT ? Number(first.defaultValue.value) : maxRows
}

/** Returns the argument of a directive as its text; `''` if it is of another kind. */
function directiveOf(
  { directives = [] }: FieldDefinitionNode,
  directive: string,
  argument: string,
  kind: Kind.STRING | Kind.INT,
): string | null {
  const found = directives.find(({ name }) => name.value === directive)
  const value = found?.arguments?.find(({ name }) => name.value === argument)?.value
  if (value === undefined) return null
  return value.kind === kind && 'value' in value ? value.value : ''
}

const numberOf = (text: string | null): number | null =>
  text === null ? null : text === '' ? Number.NaN : Number(text)
