import { register } from 'node:module'

/** The Account API with graphql-jit where graphql's `execute` was. */
export async function createSubject(options) {
  register('./jit-hooks.mjs', import.meta.url)
  const { createSubject: create } = await import('./hallpass.mjs')
  return create(options)
}
