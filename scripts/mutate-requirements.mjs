// Proves each requirement: for every identifier in a test title there is one fault that breaks its promise.
// The identifier is held if one of its tests fails with that fault. No file is changed: the fault exists only
// in the modules that vitest and the examples load.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createVitest } from 'vitest/node'

const ROOT = join(import.meta.dirname, '..')
const LIMIT_SECONDS = 60
const ROW_ID = /'([A-Z]{1,6}-\d{2,3})'/g
const TITLE_ID = /\[((?:[A-Z]+-\d+)(?:, [A-Z]+-\d+)*)\]/g

// A title that is the subject of a test, and not its name, has an id that is not a row.
const mutants = JSON.parse(readFileSync(join(ROOT, 'test/mutation/requirements.json'), 'utf8'))
const started = Date.now()
const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`

process.once('SIGINT', () => process.exit(130))

/** Returns a Vitest server, and the test files that it can run, by path. */
async function open() {
  const vitest = await createVitest('test', {
    config: join(ROOT, 'scripts/mutants.config.mjs'),
    watch: false,
  })
  const found = await vitest.globTestSpecifications()
  const specifications = new Map(found.map((one) => [relative(ROOT, one.moduleId), one]))
  return { vitest, specifications }
}
let session = await open()

const idsIn = (text) => [...text.matchAll(TITLE_ID)].flatMap(([, ids]) => ids.split(', '))
// Most identifiers are in the title itself, some in a row of the table from which the title is built.
const idsOfSource = (text) => [...idsIn(text), ...[...text.matchAll(ROW_ID)].map(([, id]) => id)]
const filesOf = new Map()
for (const path of session.specifications.keys())
  for (const id of new Set(idsOfSource(readFileSync(join(ROOT, path), 'utf8'))))
    filesOf.set(id, [...(filesOf.get(id) ?? []), path])

const asked = process.argv.slice(2)
const all = Object.keys(mutants).filter((id) => mutants[id].file !== undefined)
// A name without a number means all that begin with it.
const ids =
  asked.length === 0
    ? all
    : asked.flatMap((name) =>
        name.includes('-') ? [name] : all.filter((id) => id.startsWith(`${name}-`)),
      )
const byNumber = new Intl.Collator('en', { numeric: true })
ids.sort((one, other) => byNumber.compare(one, other))

const pathsOf = (id) => {
  const all = filesOf.get(id) ?? []
  const { tests = all } = mutants[id] ?? {}
  return all.filter((path) => tests.includes(path))
}

/** Runs the tests whose titles contain one of the identifiers, and returns those that ran. */
async function run(wanted) {
  const idsByPath = new Map()
  for (const id of wanted)
    for (const path of pathsOf(id)) idsByPath.set(path, [...(idsByPath.get(path) ?? []), id])
  const asked = [...idsByPath].map(([path, ids]) => {
    const { project, moduleId } = session.specifications.get(path)
    const testNamePattern = new RegExp(`[[ ](?:${ids.join('|')})[\\],]`)
    return project.createSpecification(moduleId, { testNamePattern })
  })
  const { testModules } = await session.vitest.runTestSpecifications(asked)
  return testModules
    .map((module) => ({ module, path: relative(ROOT, module.moduleId) }))
    .filter(({ path }) => idsByPath.has(path))
    .flatMap(({ module, path }) =>
      [...module.children.allTests()].map((test) => {
        const { state, errors } = test.result()
        const name = test.fullName
        return { path, name, ids: idsIn(name), state, fault: errors?.[0]?.message ?? '' }
      }),
    )
    .filter(({ state }) => state === 'passed' || state === 'failed')
}

/** Returns `held` if a test of the identifier fails with its fault, and otherwise why not. */
async function judge(id) {
  const { file, find, replace } = mutants[id]
  const { vitest } = session
  process.env['HALLPASS_MUTANT'] = JSON.stringify({ file, find, replace })
  vitest.invalidateFile(join(ROOT, file))
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(null), LIMIT_SECONDS * 1000)
  })
  const ran = await Promise.race([run([id]), late])
  clearTimeout(timer)
  delete process.env['HALLPASS_MUTANT']
  vitest.invalidateFile(join(ROOT, file))
  if (ran === null) {
    // A run that hangs would block all that follow, so it gets a new server.
    void vitest.close().catch(() => {})
    session = await open()
    return `no verdict within ${LIMIT_SECONDS} s`
  }
  if (ran.length === 0) return 'no test ran with the mutant'
  return ran.some(({ state }) => state === 'failed') ? 'held' : 'mutant survived'
}

const listed = ids.filter((id) => mutants[id]?.file !== undefined && pathsOf(id).length > 0)
const whole = await run(listed)
console.log(
  `${whole.length} tests of ${listed.length} requirements without a mutant: ${seconds(started)}`,
)

async function verdictOf(id) {
  if (filesOf.get(id) === undefined) return 'no test ran: no title contains it'
  if (mutants[id]?.file === undefined) return 'no mutant'
  const paths = pathsOf(id)
  const own = whole.filter((test) => test.ids.includes(id) && paths.includes(test.path))
  if (own.length === 0) return 'no test ran'
  const red = own.find(({ state }) => state === 'failed')
  return red === undefined ? judge(id) : `fails without a mutant: ${red.name}: ${red.fault}`
}

const notHeld = []
for (const id of ids) {
  const since = Date.now()
  const verdict = await verdictOf(id)
  console.log(`${id}: ${verdict === 'held' ? '' : 'NOT HELD: '}${verdict} (${seconds(since)})`)
  if (verdict !== 'held') notHeld.push(id)
}
console.log(`${ids.length - notHeld.length} of ${ids.length} held, in ${seconds(started)}`)
if (notHeld.length > 0) console.error(`Not held: ${notHeld.join(', ')}`)
process.exit(notHeld.length > 0 ? 1 : 0)
