import { execute as interpret } from 'graphql'
import { compileQuery } from 'graphql-jit'

export * from 'graphql'

/** Documents that were executed once, then what they compiled to. */
const compiled = new WeakMap()

/** Compiles a document when it comes for the second time, as mercurius does with `jit: 1`. */
export function execute(args) {
  const { schema, document, operationName, contextValue, variableValues } = args
  const known = compiled.get(document)
  if (known === undefined) {
    compiled.set(document, null)
    return interpret(args)
  }
  if (known !== null) return known.query(undefined, contextValue, variableValues)
  const query = compileQuery(schema, document, operationName ?? undefined)
  if (typeof query.query !== 'function') throw new Error('graphql-jit compiled nothing')
  compiled.set(document, query)
  return query.query(undefined, contextValue, variableValues)
}
