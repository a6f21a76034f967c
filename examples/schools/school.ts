// npm run school -- art "School of Art": adds a school, or renames it. With --pause it answers 503, until --resume.
// npm run school: lists the newest.
import { isLabel } from './schools.js'

const [label, name] = process.argv.slice(2)

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}

const states: Readonly<Record<string, boolean>> = { '--pause': true, '--resume': false }

/** Opens the database, which takes seconds, and does what was asked. */
async function run(): Promise<void> {
  const [{ close }, { addSchool }, { domain, schools }] = await Promise.all([
    import('../common/store.js'),
    import('./add.js'),
    import('./platform.js'),
  ])

  async function save(label: string, name: string): Promise<void> {
    const added = await addSchool(label, name)
    if (added !== null) console.log(`${added.issuer}: owner@example.com with ${added.password}`)
    else if (await schools.change(`${label}.${domain}`, { name })) console.log(`It is now ${name}`)
  }

  if (label === undefined || name === undefined)
    for (const { issuer, name, paused } of await schools.list(100))
      console.log(`${issuer} ${name}${paused === true ? ' (paused)' : ''}`)
  else if (!(name in states)) await save(label, name)
  else if (!(await schools.change(`${label}.${domain}`, { paused: states[name]! })))
    fail(`There is no school "${label}": npm run school lists them`)
  await close()
}

if (label !== undefined && !isLabel(label))
  fail(`"${label}" must be 1 to 40 of a-z, 0-9 and -, such as art`)
else if (label !== undefined && name === undefined)
  fail(`Name it: npm run school -- ${label} "School of Art"`)
else await run()
