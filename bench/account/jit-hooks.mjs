const JIT = new URL('jit-graphql.mjs', import.meta.url).href

/** Gives hallpass, and nobody else, the graphql with the compiled `execute`. */
export async function resolve(specifier, context, next) {
  const isOurs = specifier === 'graphql' && context.parentURL?.includes('/dist/')
  return isOurs && !context.parentURL.includes('/node_modules/')
    ? { url: JIT, shortCircuit: true }
    : next(specifier, context)
}
