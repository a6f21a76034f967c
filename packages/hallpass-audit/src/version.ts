import { readFileSync } from 'node:fs'

/** Returns the version of this package. The manifest is one folder above this file, built or not. */
export function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
