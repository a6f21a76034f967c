const JIT = new URL('jit-graphql.mjs', import.meta.url).href

/** Resolves `graphql` to the module with the compiled `execute`, for hallpass only. */
export async function resolve(specifier, context, next) {
  const isOurs = specifier === 'graphql' && context.parentURL?.includes('/dist/')
  return isOurs && !context.parentURL.includes('/node_modules/')
    ? { url: JIT, shortCircuit: true }
    : next(specifier, context)
}
