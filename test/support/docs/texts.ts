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
/** What is made, and tests. */
const LEFT_OUT = new Set([
  'node_modules',
  'dist',
  'next-env.d.ts',
  'reference',
  'templates',
  'test',
])

/** Every file whose English somebody reads: sources, examples, scripts and pages, not the tests. */
export const TEXT_FILES: readonly string[] = filesIn('').filter((path) =>
  /\.(?:md|mjs|tsx?)$/.test(path),
)

function filesIn(folder: string): readonly string[] {
  return readdirSync(ROOT + folder, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry
    if (folder === '' ? !PLACES.includes(name) : LEFT_OUT.has(name) || name.startsWith('.'))
      return []
    return entry.isDirectory() ? filesIn(`${folder}${name}/`) : [folder + name]
  })
}
