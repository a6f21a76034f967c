// npm run school -- art "School of Art": adds a school, or renames it. With --pause it answers 503, until --resume.
// npm run school: lists the newest.
import { close } from '../common/store.js'
import { addSchool } from './add.js'
import { domain, schools } from './platform.js'
import { isLabel } from './schools.js'

const [label, name] = process.argv.slice(2)

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}

async function save(label: string, name: string): Promise<void> {
  const added = await addSchool(label, name)
  if (added !== null) console.log(`${added.issuer}: owner@example.com with ${added.password}`)
  else if (await schools.change(`${label}.${domain}`, { name })) console.log(`It is now ${name}`)
}

const states: Readonly<Record<string, boolean>> = { '--pause': true, '--resume': false }

if (label === undefined)
  for (const { issuer, name, paused } of await schools.list(100))
    console.log(`${issuer} ${name}${paused === true ? ' (paused)' : ''}`)
else if (!isLabel(label)) fail(`"${label}" must be 1 to 40 of a-z, 0-9 and -, such as art`)
else if (name === undefined) fail(`Name it: npm run school -- ${label} "School of Art"`)
else if (!(name in states)) await save(label, name)
else if (!(await schools.change(`${label}.${domain}`, { paused: states[name]! })))
  fail(`There is no school "${label}": npm run school lists them`)
await close()
