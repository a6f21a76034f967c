// The packages with versions of their own: all of `packages` that have sources of their own.
import { existsSync, readdirSync } from 'node:fs'

const PACKAGES = new URL('../packages/', import.meta.url)

export const SIBLINGS = readdirSync(PACKAGES)
  .filter((name) => existsSync(new URL(`${name}/src/index.ts`, PACKAGES)))
  .sort()
