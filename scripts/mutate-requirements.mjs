// Proof per requirement: for each identifier in a test title one fault that breaks its promise. The
// identifier is held when one of its tests turns red by that fault. No file is ever written: the fault
// exists only in what vitest and the examples load.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createVitest } from 'vitest/node'

const ROOT = join(import.meta.dirname, '..')
const LIMIT_SECONDS = 60
const ROW_ID = /'([A-Z]{1,4}-\d\d)'/g
const TITLE_ID = /\[((?:[A-Z]+-\d+)(?:, [A-Z]+-\d+)*)\]/g

const mutants = JSON.parse(readFileSync(join(ROOT, 'test/mutation/requirements.json'), 'utf8'))
const started = Date.now()
const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`

const vitest = await createVitest('test', {
  config: join(ROOT, 'scripts/mutants.config.mjs'),
  watch: false,
})
process.once('SIGINT', () => process.exit(130))

const specifications = await vitest.globTestSpecifications()
const pathOf = ({ moduleId }) => relative(ROOT, moduleId)
const idsIn = (text) => [...text.matchAll(TITLE_ID)].flatMap(([, ids]) => ids.split(', '))
// Most stand in the title itself, some in a row of a table that the title is made of.
const idsOfSource = (text) => [...idsIn(text), ...[...text.matchAll(ROW_ID)].map(([, id]) => id)]
const filesOf = new Map()
for (const specification of specifications)
  for (const id of new Set(idsOfSource(readFileSync(specification.moduleId, 'utf8'))))
    filesOf.set(id, [...(filesOf.get(id) ?? []), specification])

const asked = process.argv.slice(2)
const ids = asked.length > 0 ? asked : [...new Set([...filesOf.keys(), ...Object.keys(mutants)])]
const byNumber = new Intl.Collator('en', { numeric: true })
ids.sort(byNumber.compare)

const specificationsOf = (id) => {
  const { tests } = mutants[id] ?? {}
  const all = filesOf.get(id) ?? []
  return tests === undefined ? all : all.filter((one) => tests.includes(pathOf(one)))
}

/** The tests that ran, of those whose title holds one of the identifiers. */
async function run(wanted, files) {
  vitest.setGlobalTestNamePattern(new RegExp(`[[ ](?:${wanted.join('|')})[\\],]`))
  const { testModules } = await vitest.runTestSpecifications(files)
  const paths = new Set(files.map(({ moduleId }) => moduleId))
  return testModules
    .filter(({ moduleId }) => paths.has(moduleId))
    .flatMap((module) => [...module.children.allTests()])
    .map((test) => ({ ids: idsIn(test.fullName), state: test.result().state, name: test.fullName }))
    .filter(({ state }) => state === 'passed' || state === 'failed')
}

/** Whether a test of the identifier turns red by its fault. */
async function judge(id) {
  const { file, find, replace } = mutants[id]
  process.env.HALLPASS_MUTANT = JSON.stringify({ file, find, replace })
  vitest.invalidateFile(join(ROOT, file))
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(null), LIMIT_SECONDS * 1000)
  })
  const ran = await Promise.race([run([id], specificationsOf(id)), late])
  clearTimeout(timer)
  delete process.env.HALLPASS_MUTANT
  vitest.invalidateFile(join(ROOT, file))
  if (ran === null) return 'no verdict within 60 s'
  if (ran.length === 0) return 'no test ran with the mutant'
  return ran.some(({ state }) => state === 'failed') ? 'held' : 'mutant survived'
}

const listed = ids.filter((id) => mutants[id] !== undefined && specificationsOf(id).length > 0)
const whole = await run(listed, [...new Set(listed.flatMap(specificationsOf))])
console.log(
  `${whole.length} tests of ${listed.length} requirements without a mutant: ${seconds(started)}`,
)

async function verdictOf(id) {
  if (filesOf.get(id) === undefined) return 'no test ran: no title holds it'
  if (mutants[id] === undefined) return 'no mutant'
  const own = whole.filter((test) => test.ids.includes(id))
  if (own.length === 0) return 'no test ran'
  const red = own.find(({ state }) => state === 'failed')
  return red === undefined ? judge(id) : `red without a mutant: ${red.name}`
}

const open = []
for (const id of ids) {
  const since = Date.now()
  const verdict = await verdictOf(id)
  console.log(`${id}: ${verdict === 'held' ? '' : 'NOT HELD: '}${verdict} (${seconds(since)})`)
  if (verdict !== 'held') open.push(id)
  // A test that hangs would hold up all that follow.
  if (verdict.startsWith('no verdict')) break
}
console.log(`${ids.length - open.length} of ${ids.length} held, in ${seconds(started)}`)
if (open.length > 0) console.error(`Not held: ${open.join(', ')}`)
process.exit(open.length > 0 ? 1 : 0)
