import { readdirSync } from 'node:fs'
import { ROOT } from '../source/root.js'

const PLACES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'src',
  'examples',
  'packages',
  'skills',
  'docs',
  'scripts',
  'bench',
]
const MADE = new Set(['node_modules', 'dist', 'next-env.d.ts', 'reference', 'templates'])

/** Every file whose English somebody reads: sources, examples, scripts and pages, not the tests. */
export const TEXT_FILES: readonly string[] = filesIn('').filter((path) =>
  /\.(?:md|mjs|tsx?)$/.test(path),
)

function filesIn(folder: string): readonly string[] {
  return readdirSync(ROOT + folder, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry
    if (folder === '' ? !PLACES.includes(name) : MADE.has(name) || name.startsWith('.')) return []
    return entry.isDirectory() ? filesIn(`${folder}${name}/`) : [folder + name]
  })
}
