import {
  buildSchema,
  defaultFieldResolver,
  getNullableType,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
  type GraphQLSchema,
  isListType,
  isObjectType,
  isScalarType,
  versionInfo,
} from 'graphql'
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
    if (!isObjectType(type)) continue
    const fields = type.getFields()
    for (const [name, resolve] of Object.entries(accountResolvers[type.name] ?? {})) {
      const field = fields[name]
      if (field === undefined)
        throw new TypeError(`accountSchema: the SDL has no field ${type.name}.${name}`)
      field.resolve = resolve as NonNullable<typeof field.resolve>
    }
    for (const field of Object.values(fields)) keepRows(field)
  }
  return schema
}

function attach(type: GraphQLScalarType): void {
  const { description, astNode } = type
  Object.assign(type, accountScalars[type.name], { description, astNode })
}

/**
 * Keeps graphql-js 16 from forgetting the promises of earlier rows of a list when a later row is invalid immediately: Node.js
 * ends the process when one of them rejects. The fault of a row becomes a rejection, with which graphql-js waits for all
 * rows. A plan of a document calls resolvers without `info`, and keeps the promises itself.
 */
export function keepRows(field: GraphQLField<unknown, unknown>): void {
  if (versionInfo.major !== 16 || !isListType(getNullableType(field.type))) return
  const { resolve = defaultFieldResolver } = field
  const planned = { fieldName: field.name } as GraphQLResolveInfo
  field.resolve = (parent, args, context, info: GraphQLResolveInfo | undefined) => {
    const rows = resolve(parent, args, context, info ?? planned)
    if (info === undefined) return rows
    return isPromise(rows) ? rows.then(kept) : kept(rows)
  }
}

function kept(rows: unknown): unknown {
  if (typeof rows !== 'object' || rows === null || !(Symbol.iterator in rows)) return rows
  const all = Array.isArray(rows) ? (rows as unknown[]) : Array.from(rows as Iterable<unknown>)
  return all.map((row) => (isPromise(row) ? row : new KeptRow(row)))
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'

/** A row that is completed immediately, as a value would be: an actual promise would cost more than the row. */
class KeptRow {
  readonly #row: unknown

  constructor(row: unknown) {
    this.#row = row
  }

  // oxlint-disable-next-line unicorn/no-thenable -- only graphql-js calls it
  then(complete: (row: unknown) => unknown): unknown {
    try {
      return complete(this.#row)
    } catch (fault) {
      return Promise.reject(fault)
    }
  }
}
