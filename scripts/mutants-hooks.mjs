import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('..', import.meta.url)
const { file, find, replace } = JSON.parse(process.env['HALLPASS_MUTANT'] ?? '{}')
const mutated = file === undefined ? null : new URL(file, ROOT).href

/** An example stands on the source and not on dist, which holds no mutant. */
export function resolve(specifier, context, next) {
  const entry = /^hallpass(?:\/([a-z-]+))?$/.exec(specifier)
  return entry === null
    ? next(specifier, context)
    : next(new URL(`src/${entry[1] ?? 'index'}.ts`, ROOT).href, context)
}

/** One file of the working tree, with one text replaced. */
export async function load(url, context, next) {
  const loaded = await next(url, context)
  if (url.split('?', 1)[0] !== mutated) return loaded
  const source = readFileSync(fileURLToPath(mutated), 'utf8').replace(find, () => replace)
  return { ...loaded, source }
}
