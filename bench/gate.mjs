import { parseArgs } from 'node:util'
import { findNode, NODES } from '../scripts/nodes.mjs'
import { cpuTimes, startChild, WARM_UP_ROUNDS } from './children.mjs'
import { canCount, countInstructions } from './instructions.mjs'
import { machine, quantile, tableOf, writeFigures } from './figures.mjs'
import { SETS } from './sets.mjs'
import { MARGIN, NAMES, SURFACES } from './surfaces.mjs'

/**
 * Fails if a surface costs more than it did. Each target is a process of its own, with sockets in memory; they take
 * turns, and a ratio is that of the CPU times within one round. So other programs on the machine affect both sides of
 * a ratio. A surface beyond its limit is measured again, and fails if it is beyond it four times.
 *
 * At the end the gate slows hallpass down on purpose: if it does not notice, it fails as well.
 */
const { values: flags } = parseArgs({
  options: {
    gate: { type: 'boolean' },
    nodes: { type: 'string', default: Object.keys(NODES).join() },
    rounds: { type: 'string', default: '11' },
    surfaces: { type: 'string', default: SURFACES.map(({ ours }) => ours).join() },
    peers: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const rounds = Number(flags.rounds)
const isForReaders = flags.write || flags.peers
/** How often a surface is measured: on a busy machine a median moves more than the margin allows. */
const TRIES = 4
/** Once so many rounds are on one side of a limit, their median is. */
const deciding = Math.floor(rounds / 2) + 1
const lines = flags.nodes.split(',')
const surfaces = SURFACES.filter(({ ours }) => flags.surfaces.split(',').includes(ours))

/** The share by which the slowed target costs more than usual. */
const SLOWER_BY = 0.5

/** How many lines of Node are measured at the same time. Within a line, one target works at a time. */
const AT_ONCE = 2

const faults = []
const results = []

/** Measures the lines of Node that are left, one after the other. */
async function measureLines() {
  for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
    try {
      results.push(await measureLine(line))
    } catch (error) {
      faults.push(`Node ${line}: ${error.message}`)
    }
  }
}

/** Measures every surface on one line of Node. */
async function measureLine(line) {
  const path = await findNode(line)
  const children = new Map()
  const targets = surfaces.flatMap(targetsOf)
  const subjects = new Set(targets.map(subjectOf))
  try {
    for (const subject of subjects) children.set(subject, await startSubject(subject, path))
    const measured = new Map()
    const due = surfaces.map((surface) => ({ surface, tries: TRIES }))
    for (const { surface, tries } of due) {
      await warmUp(surface, children)
      // The check of the gate itself compares with the first figure.
      const isWhole = isForReaders || surface === surfaces[0]
      const isEnough = (ratios) => !isWhole && isDecided(surface, ratios, line)
      const ratios = await ratiosOf(surface, children, isEnough)
      // After all others, since what disturbed this measurement would disturb one right after it.
      if (tries > 1 && isOver(surface, ratios, line)) due.push({ surface, tries: tries - 1 })
      else noteFaults(surface, ratios, line)
      measured.set(surface, ratios)
      const figures = Object.keys(surface.against).map((target) => spread(ratios.get(target)))
      console.error(`Node ${line}, ${surface.title}: ${figures.join(', ')}`)
    }
    if (!flags.peers && line === lines[0])
      await checkItself(surfaces[0], measured.get(surfaces[0]), path, children)
    return { line, version: NODES[line], measured }
  } finally {
    for (const { child } of children.values()) child.disconnect()
  }
}

const targetsOf = ({ ours, against, peers }) => [
  ...[ours, ...Object.keys(against)],
  ...(flags.peers ? peers : []),
]

const subjectOf = (target) => target.split('/', 2).join('/')

const startSubject = (subject, node) => startChild('server.mjs', subject.split('/'), { node })

/** Returns the CPU time of a request to a target in each round. */
const measure = (target, requests, children, count = rounds) =>
  cpuTimes(children.get(subjectOf(target)), target.split('/')[2], {
    requests,
    rounds: count,
    atOnce: deciding,
  })

async function warmUp({ requests, ...surface }, children) {
  for (const target of targetsOf(surface))
    for await (const _spent of measure(target, requests, children, WARM_UP_ROUNDS)) continue
}

/** Measures a surface until its rounds are enough, and returns its ratio to each of the others, by round. */
async function ratiosOf(surface, children, isEnough = () => false) {
  const targets = targetsOf(surface)
  const ratios = new Map(targets.map((target) => [target, []]))
  const measured = new Map()
  for (const target of targets) measured.set(target, measure(target, surface.requests, children))
  for (let round = 0; round < rounds && !isEnough(ratios); round++) {
    const spent = new Map()
    for (const target of targets) spent.set(target, (await measured.get(target).next()).value)
    for (const target of targets)
      ratios.get(target).push(spent.get(surface.ours) / spent.get(target))
  }
  return ratios
}

const limitOf = ({ reached }, line) => reached[line] * MARGIN

/** Whether more rounds cannot change on which side of its limits a surface is. */
const isDecided = ({ against }, ratios, line) =>
  Object.entries(against).every(([target, figures]) => {
    const under = ratios.get(target).filter((ratio) => ratio <= limitOf(figures, line)).length
    return Math.max(under, ratios.get(target).length - under) >= deciding
  })

const isOver = (surface, ratios, line) => overOf(surface, ratios, line).length > 0

/** Returns the targets to which the ratio is beyond its limit. */
const overOf = ({ against }, ratios, line) =>
  Object.entries(against)
    .filter(([target, figures]) => !(quantile(ratios.get(target), 0.5) <= limitOf(figures, line)))
    .map(([target]) => target)

function noteFaults(surface, ratios, line) {
  for (const target of overOf(surface, ratios, line)) {
    const figures = surface.against[target]
    faults.push(
      `Node ${line}, ${surface.title}: ${spread(ratios.get(target))} × ${nameOf(target)}, ` +
        `at most ${limitOf(figures, line).toFixed(2)} (${figures.reached[line]} was reached)`,
    )
  }
}

/** Measures a surface as it is and with hallpass slowed down, and notes a fault unless the gate tells them apart. */
async function checkItself(surface, usual, path, children) {
  const slowed = await startSubject(subjectOf(surface.ours), path)
  try {
    const both = new Map([...children, [subjectOf(surface.ours), slowed]])
    await warmUp(surface, both)
    const spent = []
    for await (const one of measure(surface.ours, surface.requests, both)) spent.push(one)
    await slowed.ask({ type: 'slow', microseconds: SLOWER_BY * quantile(spent, 0.5) })
    const ratios = await ratiosOf(surface, both)
    for (const other of Object.keys(surface.against)) {
      // By the figure of this run, since that of the table may come from another machine.
      const limit = quantile(usual.get(other), 0.5) * MARGIN
      if (quantile(ratios.get(other), 0.5) <= limit)
        faults.push(
          `${surface.title}, slowed down on purpose: ${spread(ratios.get(other))} × ${nameOf(other)} ` +
            `is below ${limit.toFixed(2)}: the gate does not notice what it should`,
        )
    }
  } finally {
    slowed.child.disconnect()
  }
}

/** Writes the median of ratios, with their quartiles. */
const spread = (ratios) =>
  `${quantile(ratios, 0.5).toFixed(2)} (${quantile(ratios, 0.25).toFixed(2)}–${quantile(ratios, 0.75).toFixed(2)})`

function nameOf(target) {
  const [folder, subject] = target.split('/')
  const set = Object.values(SETS).find((one) => one.folder === folder)
  return NAMES[target] ?? set.subjects[subject]
}

/** Returns the table of the gate, or the one of the other servers: no row is in both. A title is on its first row. */
function reportOf() {
  const rows = surfaces.flatMap((surface) =>
    (flags.peers ? surface.peers : Object.keys(surface.against)).map((target, index) => [
      index === 0 ? surface.title : '',
      nameOf(target),
      ...(flags.peers ? [] : [surface.against[target].aim ?? '–']),
      ...results.map(({ measured }) => spread(measured.get(surface).get(target))),
    ]),
  )
  const versions = results.map(({ version }) => `Node ${version}`)
  const head = ['CPU time of hallpass for', 'divided by that of', ...(flags.peers ? [] : ['aim'])]
  return `${machine()}; ${isForReaders ? rounds : `${deciding} to ${rounds}`} rounds, medians and quartiles.\n\n${tableOf([[...head, ...versions], ...rows])}`
}

const began = Date.now()
const waiting = [...lines]
await Promise.all(Array.from({ length: AT_ONCE }, measureLines))
results.sort((one, other) => lines.indexOf(one.line) - lines.indexOf(other.line))
const report = reportOf()
console.log(report)
if (canCount()) {
  const counted = await countInstructions()
  console.log(`\n${counted.report}`)
  faults.push(...counted.faults)
} else console.error('valgrind is not installed, so instructions are not counted')
console.log(`\n${Math.round((Date.now() - began) / 1000)} seconds`)
if (flags.write) writeFigures(flags.peers ? 'peer figures' : 'gate figures', report)
for (const fault of faults) console.error(`FAILED: ${fault}`)
process.exitCode = faults.length === 0 ? 0 : 1
