// Prints what test/words.test.ts finds below the paths that are named, so that a writer need not run the test.
import { readFileSync } from 'node:fs'
import { findingsIn } from '../test/support/docs/words.js'
import { TEXT_FILES } from '../test/support/docs/texts.js'

const chosen = process.argv.slice(2)
const paths = TEXT_FILES.filter(
  (path) => chosen.length === 0 || chosen.some((start) => path.startsWith(start)),
)
const findings = paths.flatMap((path) =>
  findingsIn(path, readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')),
)
for (const { path, line, what, instead } of findings)
  console.log(`${path}:${line} ${what} → ${instead}`)
console.log(`${findings.length} findings in ${paths.length} files`)
