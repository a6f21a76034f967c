import {
  getNamedType,
  getNullableType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { type OwnField, ownFieldOf } from './own-field.js'
import { accountSchema } from './schema.js'
import type { ValueShape, ViewerField } from './viewer-field.js'

/** How many levels of objects a query has. */
const MAX_LEVELS = 4

/** Describes a field of one's own on `Viewer`. */
export function describeViewerField(schema: GraphQLSchema, name: string): ViewerField {
  const field = (schema.getType('Viewer') as GraphQLObjectType).getFields()[name]!
  const own = ownFieldOf(field)!
  const selected = select(field.type, own, { above: [], scopes: ['account:read', ...own.scopes] })
  const args = field.args.map((arg) => {
    const shape = shapeOf(arg.type)
    const max = own.rowsByDefault !== null && arg.name === 'first' ? { max: own.maxRows! } : {}
    return {
      arg,
      shape: shape && {
        ...shape,
        isNullable: !isRequiredArgument(arg),
        ...describedBy(arg),
        ...max,
      },
    }
  })
  const parts = (of: (name: string, type: GraphQLType) => string): string => {
    const texts = args.map(({ arg }) =>
      of(arg.name, isRequiredArgument(arg) ? arg.type : getNullableType(arg.type)),
    )
    return texts.length === 0 ? '' : `(${texts.join(', ')})`
  }
  const isReadable = selected !== null && args.every(({ shape }) => shape !== null)
  return {
    name,
    description: field.description ?? null,
    scopes: own.scopes,
    query: isReadable
      ? `query${parts((arg, type) => `$${arg}: ${String(type)}`)} { viewer { value: ${name}${parts((arg) => `${arg}: $${arg}`)}${selected.text} } }`
      : null,
    args: Object.fromEntries(args.flatMap(({ arg, shape }) => (shape ? [[arg.name, shape]] : []))),
    value: selected?.shape ?? { kind: 'object', isNullable: true },
  }
}

const describedBy = ({ description }: { description?: string | null | undefined }) =>
  description == null ? {} : { description }

interface Selected {
  /** The selection set, or `''` of a leaf. */
  readonly text: string
  readonly shape: ValueShape
}

interface Within {
  /** The types of the objects around a value. */
  readonly above: readonly GraphQLNamedType[]
  /** The scopes with which it is read. */
  readonly scopes: readonly string[]
}

/** Selects a value; `null` if it cannot be selected, or has nothing to select. */
function select(
  type: GraphQLType,
  own: OwnField | undefined,
  { above, scopes }: Within,
): Selected | null {
  const isNullable = !isNonNullType(type)
  const inner = getNullableType(type)
  if (isListType(inner)) {
    const item = select(inner.ofType, undefined, { above, scopes })
    const max = own?.maxRows == null ? {} : { max: own.maxRows }
    return (
      item && { text: item.text, shape: { kind: 'list', isNullable, item: item.shape, ...max } }
    )
  }
  const leaf = shapeOf(type)
  if (leaf !== null) return { text: '', shape: leaf }
  if (!isObjectType(inner) || above.includes(inner) || above.length >= MAX_LEVELS) return null
  const isOwn = accountSchema().getType(inner.name) === undefined
  const members = Object.values(inner.getFields()).flatMap((field) => {
    const mark = ownFieldOf(field)
    const costs = field.astNode?.directives?.some(({ name }) => name.value === 'cost') ?? false
    const isPlain = isOwn
      ? mark!.scopes.every((scope) => scopes.includes(scope))
      : mark === undefined && !costs
    if (!isPlain || field.args.length > 0) return []
    if (!isOwn && !isLeafType(getNamedType(field.type))) return []
    const member = select(field.type, mark, { above: [...above, inner], scopes })
    return member === null ? [] : [{ field, member }]
  })
  if (members.length === 0) return null
  return {
    text: ` { ${members.map(({ field, member }) => field.name + member.text).join(' ')} }`,
    shape: {
      kind: 'object',
      isNullable,
      members: Object.fromEntries(
        members.map(({ field, member }) => [
          field.name,
          { ...member.shape, ...describedBy(field) },
        ]),
      ),
    },
  }
}

/** Returns the shape of a scalar, an enum or a list of them; `null` for an object. */
function shapeOf(type: GraphQLType): ValueShape | null {
  const isNullable = !isNonNullType(type)
  const inner = getNullableType(type)
  if (isListType(inner)) {
    const item = shapeOf(inner.ofType)
    return item && { kind: 'list', isNullable, item }
  }
  if (isEnumType(inner))
    return { kind: 'enum', isNullable, values: inner.getValues().map(({ name }) => name) }
  return isLeafType(inner) ? { kind: 'scalar', isNullable, name: inner.name } : null
}
