import fc, { type GeneratorValue } from 'fast-check'
import {
  getNamedType, getNullableType, type GraphQLInputType, type GraphQLNamedType, isAbstractType, isCompositeType,
  isEnumType, isInputObjectType, isInterfaceType, isListType, isNonNullType, isObjectType,
} from 'graphql' // prettier-ignore
import { accountSchema } from 'hallpass/account'

const SCALARS: Readonly<Record<string, readonly string[]>> = {
  Int: ['0', '1', '3', '100', '101', '-1', '2147483647', '2147483648', '1.5'],
  ID: ['"enr_1"', '"ord_2"', '"reg_3"', '"sub_1"', '"dig_1"', '"mem_mei"', '"c1"', '"1-l0"', '""', '7'],
  String: ['"mine-1"', '"Mei"', '""', '"pt-PT"', '"Europe/Lisbon"', '"WzEsIngiLG51bGwsImUxIl0"', '"\\u0000"'],
  Boolean: ['true', 'false'],
  DateTime: ['"2026-11-20T08:59:00Z"', '"2030-01-01T00:00:00+02:00"', '"0000-00-00T00:00:00Z"', '"now"'],
  URL: ['"https://images.example/x.png"', '"http://x.example"', '"//x"'],
} // prettier-ignore

/** By name, where only some values lead anywhere. */
const LIKELY: Readonly<Record<string, readonly string[]>> = {
  courseId: ['"c1"', '"c2"', '"c9"'],
  lectureId: ['"1-l0"', '"1-l1"', '"2-l0"'],
  registrationId: ['"reg_1"', '"reg_2"', '"reg_9"'],
  slug: ['"mine-1"', '"theirs-1"'],
  positionSeconds: ['0', '600', '601'],
}

/** Among them names that every object of JavaScript has. */
const ALIASES = ['alias0', 'alias1', 'alias2', 'then', 'toString', '__proto__']

/** A document of the schema's own fields, nearly valid. */
export function documentOf(g: GeneratorValue, schema = accountSchema()): string {
  const chance = (percent: number): boolean => g(fc.nat, { max: 99 }) < percent
  const pick = <Value>(values: readonly Value[]): Value =>
    values[g(fc.nat, { max: values.length - 1 })]!

  function value(type: GraphQLInputType, name = ''): string {
    if (chance(3)) return pick(['null', '[]', '{}', '"x"', 'X', '1e400', '$v'])
    const inner = getNullableType(type)
    if (isListType(inner))
      return `[${[1, 2]
        .slice(0, g(fc.nat, { max: 2 }))
        .map(() => value(inner.ofType))
        .join(' ')}]`
    const named = getNamedType(type)
    if (isEnumType(named)) return pick(named.getValues()).name
    if (isInputObjectType(named))
      return `{ ${Object.values(named.getFields())
        .filter((field) => isNonNullType(field.type) || chance(40))
        .map((field) => `${field.name}: ${value(field.type, field.name)}`)
        .join(' ')} }`
    return pick(LIKELY[name] ?? SCALARS[named.name]!)
  }

  function selection(type: GraphQLNamedType, depth: number): string {
    if (!isCompositeType(type)) return ''
    const all = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {}
    const fields = Object.values(all).filter(
      (field) => depth > 0 || !isCompositeType(getNamedType(field.type)),
    )
    const some = fields.filter(() => chance(fields.length > 6 ? 25 : 60))
    const chosen = some.length === 0 && fields.length > 0 ? [pick(fields)] : some
    const parts = chosen.map((field) => {
      const args = field.args
        .filter((arg) => isNonNullType(arg.type) || chance(20))
        .map((arg) => `${arg.name}: ${value(arg.type, arg.name)}`)
      const inner = getNamedType(field.type)
      return [
        chance(5) ? `${pick(ALIASES)}:` : '',
        field.name,
        args.length > 0 ? `(${args.join(' ')})` : '',
        chance(3) ? '@include(if: true)' : '',
        selection(inner, depth - 1),
      ].join(' ')
    })
    const kinds = isAbstractType(type) ? schema.getPossibleTypes(type) : []
    const narrowed =
      kinds.length > 0 ? [`... on ${pick(kinds).name} ${selection(pick(kinds), depth - 1)}`] : []
    return `{ __typename ${[...parts, ...narrowed].join(' ')} }`
  }

  const root = chance(60) ? schema.getQueryType()! : schema.getMutationType()!
  const name = root === schema.getQueryType() ? 'query' : 'mutation'
  return `${name} ${chance(5) ? '($v: Int)' : ''} ${selection(root, 1 + g(fc.nat, { max: 5 }))}`
}
