// Copies the examples that a project can begin as into the package before it is packed, and removes the
// copies afterwards: in the repository the examples themselves are used.
import { cp, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { exampleFor, FRAMEWORKS, SERVICES } from './project.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const examples = new Set([
  'common',
  'schools',
  'store',
  ...Object.keys(FRAMEWORKS).flatMap((framework) =>
    Object.keys(SERVICES).map((serve) => exampleFor({ framework, serve })),
  ),
])

await rm(here('templates'), { recursive: true, force: true })
if (!process.argv.includes('--remove')) {
  for (const example of examples)
    await cp(here(`../../examples/${example}`), here(`templates/${example}`), {
      recursive: true,
      filter: (path) => !/[/\\](?:node_modules|\.data|dist|README\.md)$/.test(path),
    })
  console.log(`${examples.size} templates`)
}
