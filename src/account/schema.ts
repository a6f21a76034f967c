import { buildSchema, type GraphQLScalarType, type GraphQLSchema, isObjectType, isScalarType } from 'graphql' // prettier-ignore
import { accountResolvers } from './resolvers.js'
import { accountScalars } from './scalars.js'
import { accountSdl } from './sdl.js'

let built: GraphQLSchema | null = null

/**
 * Returns the executable account schema: {@link accountSdl} with {@link accountResolvers} and
 * {@link accountScalars}. It is built on the first call, and every call returns the same object.
 *
 * @returns a schema to execute with a context value of {@link createAccountContext}
 * @example
 * ```ts
 * import { parse, validate } from 'graphql'
 * import { accountSchema } from 'hallpass/account'
 *
 * validate(accountSchema(), parse('{ viewer { orders(first: 5) { totalCount } } }')) // => []
 * ```
 * @group Schema
 */
export function accountSchema(): GraphQLSchema {
  built ??= build()
  return built
}

function build(): GraphQLSchema {
  const schema = buildSchema(accountSdl)
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type) && Object.hasOwn(accountScalars, type.name)) attach(type)
    const resolvers = isObjectType(type) ? accountResolvers[type.name] : undefined
    if (!isObjectType(type) || resolvers === undefined) continue
    for (const [name, resolve] of Object.entries(resolvers)) {
      const field = type.getFields()[name]
      if (field === undefined)
        throw new TypeError(`accountSchema: the SDL has no field ${type.name}.${name}`)
      field.resolve = resolve as NonNullable<typeof field.resolve>
    }
  }
  return schema
}

function attach(type: GraphQLScalarType): void {
  const { description, astNode } = type
  Object.assign(type, accountScalars[type.name], { description, astNode })
}
