// Runs what `npm run build` has compiled, or else the sources.
import { existsSync, readdirSync, statSync } from 'node:fs'

const at = (name) => new URL(name, import.meta.url)
const sources = readdirSync(at('.')).filter((name) => name.endsWith('.ts'))
const compiledOf = (name) => at(name.replace(/ts$/, 'js'))
const isNewer = (name) => statSync(at(name)).mtimeMs > statSync(compiledOf(name)).mtimeMs

if (!sources.some((name) => existsSync(compiledOf(name)))) await import('tsx')
else {
  const old = sources.find((name) => !existsSync(compiledOf(name)) || isNewer(name))
  if (old !== undefined) {
    console.error(`${old} changed since npm run build: run it again, or delete the .js files`)
    process.exit(1)
  }
}
