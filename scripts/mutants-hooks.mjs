import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('..', import.meta.url)
const { file, find, replace } = JSON.parse(process.env['HALLPASS_MUTANT'] ?? '{}')
const mutated = file === undefined ? null : new URL(file, ROOT).href

/** Resolves `hallpass` to the source: dist does not contain the mutant. */
export function resolve(specifier, context, next) {
  const entry = /^hallpass(?:\/([a-z-]+))?$/.exec(specifier)
  return entry === null
    ? next(specifier, context)
    : next(new URL(`src/${entry[1] ?? 'index'}.ts`, ROOT).href, context)
}

/** Loads the file with the mutant: one text is replaced, the file itself is not changed. */
export async function load(url, context, next) {
  const loaded = await next(url, context)
  if (url.split('?', 1)[0] !== mutated) return loaded
  const source = readFileSync(fileURLToPath(mutated), 'utf8').replace(find, () => replace)
  return { ...loaded, source }
}
