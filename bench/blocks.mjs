import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { cpuTimes, startChild, WARM_UP_ROUNDS } from './children.mjs'
import { machine, quantile, tableOf, writeFigures } from './figures.mjs'

/**
 * Measures what opt-in blocks cost a request that uses none of them: hallpass without a block, and with the blocks on.
 * Both run against hallpass of the commit before there were blocks, taken out of the history of this clone. All
 * are processes of their own, with sockets in memory. They take turns, and a ratio is that of the CPU times within one
 * round. The commit before is measured twice: the ratio of the two says what the machine does to a ratio.
 */
const { values: flags } = parseArgs({
  options: {
    before: { type: 'string', default: '1d4fb50a' },
    requests: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '21' },
    write: { type: 'boolean', default: false },
  },
})
const requests = Number(flags.requests)
const rounds = Number(flags.rounds)
const SCENARIOS = {
  gate: 'a gate, bearer token',
  exchange: 'code exchange',
  refresh: 'refresh',
  authorize: 'authorization request',
}
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BENCH = join(ROOT, 'bench')

const folder = mkdtempSync(join(BENCH, '.before-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

/** The sources of a commit, below the folder. */
function sourcesOf(commit) {
  const path = join(folder, 'sources')
  mkdirSync(path)
  const archive = execFileSync('git', ['archive', commit, 'src'], { cwd: ROOT, maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x'], { cwd: path, input: archive })
  return path
}

/** Bundles a subject on the sources at a place, as a subject of its own. */
async function bundle(name, { subject, root }) {
  await build({
    entryPoints: [join(BENCH, 'subjects', `${subject}.mjs`)],
    outfile: join(folder, `${name}.mjs`),
    bundle: true,
    format: 'esm',
    platform: 'node',
    // A block that is not there yet is not on.
    logOverride: { 'import-is-undefined': 'silent' },
    nodePaths: [join(ROOT, 'node_modules')],
    plugins: [
      {
        name: 'sources',
        setup({ onResolve }) {
          onResolve({ filter: /^hallpass(?:\/.+)?$/ }, ({ path }) => {
            const file = join(root, 'src', `${path.slice('hallpass/'.length) || 'index'}.ts`)
            if (!existsSync(file)) throw new Error(`${file} is not there`)
            return { path: file, sideEffects: false }
          })
        },
      },
    ],
  })
  return `${relative(BENCH, folder)}/${name}`
}

const before = sourcesOf(flags.before)
const targets = {
  before: await bundle('before', { subject: 'hallpass', root: before }),
  again: await bundle('again', { subject: 'hallpass', root: before }),
  without: await bundle('without', { subject: 'hallpass', root: ROOT }),
  on: await bundle('on', { subject: 'hallpass-blocks', root: ROOT }),
}
const children = {}
for (const [name, target] of Object.entries(targets)) {
  const at = target.lastIndexOf('/')
  children[name] = await startChild('server.mjs', [target.slice(0, at), target.slice(at + 1)])
}

/** The median of ratios, with their quartiles. */
const spread = (all) =>
  `${quantile(all, 0.5).toFixed(3)} (${quantile(all, 0.25).toFixed(3)}–${quantile(all, 0.75).toFixed(3)})`

const rows = []
for (const [scenario, title] of Object.entries(SCENARIOS)) {
  for (const child of Object.values(children))
    for await (const _spent of cpuTimes(child, scenario, { requests, rounds: WARM_UP_ROUNDS }))
      continue
  const measured = Object.entries(children).map(([name, child]) => [
    name,
    cpuTimes(child, scenario, { requests, rounds, atOnce: 7 }),
  ])
  const ratios = { again: [], without: [], on: [] }
  const first = []
  for (let round = 0; round < rounds; round++) {
    const spent = {}
    // Each begins a round in turn: the first one pays for what the others left in the caches.
    const order = measured.map((_, index) => measured[(index + round) % measured.length])
    for (const [name, times] of order) spent[name] = (await times.next()).value
    first.push(spent.before)
    for (const name of Object.keys(ratios)) ratios[name].push(spent[name] / spent.before)
  }
  rows.push([title, `${quantile(first, 0.5).toFixed(0)} µs`, ...Object.values(ratios).map(spread)])
  console.error(rows.at(-1).join(' | '))
}
const head = ['CPU time of', 'before', 'before, again', 'no block', 'blocks on, not used']
const report = `${machine()}, Node ${process.version}; ${rounds} rounds of ${requests} requests, in turns. The first column is commit ${flags.before}; the others are divided by it, medians and quartiles.\n\n${tableOf([head, ...rows])}`
console.log(report)
if (flags.write) writeFigures('block figures', report)
for (const { child } of Object.values(children)) child.disconnect()
