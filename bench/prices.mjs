import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { machine, tableOf, writeFigures } from './figures.mjs'
import { createDriver } from './memory.mjs'

/**
 * Measures the parts of a query of the Account API by a profile of the processor. The time of a function belongs to its
 * file in `src`; that of Node and of the language, to the file that called it. The first row whose pattern fits has it.
 */
const PARTS = {
  'the courses of the host, in memory, and their page':
    /^bench\/account|account\/(page-of|cursor|own)/,
  'GraphQL: variables, execution': /\/graphql\/|account\/api\/(executor|deadline|query-plan)/,
  'resolvers of the schema': /account\/(?!api|returned)/,
  'check of what the host returns': /account\/returned|options\/|store\/(guard|returned|arguments)/,
  'gate: token, client, person, scopes': /protected-resource\/|policy\/|store\/|scope\/|encoding\//,
  'limits, cost and points of the query':
    /account\/api\/(admission|documents|limits|plan|cost)|site\/(budget|payer)/,
  'body, headers, deadline, events': /account\/api|http\/|site\/|node\/|graphql-http|time\//,
  'Node: parser, response, promises, garbage': /^$|^bench\//,
}
const [WARM_UP, REQUESTS] = [6000, 6000]

const server = createServer()
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address()
const { createSubject } = await import('./account/hallpass.mjs')
const { listener, scenarios } = await createSubject({ origin: `http://127.0.0.1:${port}` })
server.on('request', listener)

const { prepare, expect } = scenarios.known
const driver = createDriver(server)
driver.load('known', { port, requests: await prepare(WARM_UP + REQUESTS), expect })
await driver.drive('known', WARM_UP)
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.setSamplingInterval', { interval: 100 })
await session.post('Profiler.start')
await driver.drive('known', REQUESTS)
const { profile } = await session.post('Profiler.stop')
server.close()

const times = new Map(Object.keys(PARTS).map((part) => [part, 0]))
const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
const parents = new Map(
  profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
)
for (const [index, id] of profile.samples.entries()) {
  const part = partOf(id)
  if (part !== null) times.set(part, times.get(part) + profile.timeDeltas[index])
}
const all = [...times.values()].reduce((sum, time) => sum + time)
const report = [
  `Node ${process.versions.node}, ${machine()}; ${REQUESTS.toLocaleString('en')} queries of twenty courses.`,
  '',
  tableOf([
    ['part', 'µs', 'share'],
    ...[...times].map(([part, time]) => [
      part,
      (time / REQUESTS).toFixed(0),
      `${((100 * time) / all).toFixed(0)} %`,
    ]),
  ]),
].join('\n')
for (const [part, time] of times) if (time === 0) throw new Error(`no time was seen in ${part}`)
console.log(report)
if (process.argv.includes('--write')) writeFigures('price figures', report)

/** The part of a sample: that of the nearest caller which has a file; `null` if it is not of the server. */
function partOf(id) {
  const { functionName } = nodes.get(id).callFrame
  if (functionName === '(idle)' || functionName === '(program)') return null
  let file = ''
  for (let at = id; at !== undefined && file === ''; at = parents.get(at))
    file = fileOf(nodes.get(at).callFrame)
  // The client, which checks the responses.
  if (file === 'bench/wire.mjs') return null
  return Object.keys(PARTS).find((part) => PARTS[part].test(file)) ?? miss(file)
}

function miss(file) {
  throw new Error(`${file} belongs to no part`)
}

/** The file of a function: within the bundle, the one that esbuild names above it. */
function fileOf({ url, lineNumber }) {
  if (!url.startsWith('file:')) return ''
  const path = fileURLToPath(url)
  const [, own] = /\/(bench\/.*|node_modules\/.*)$/.exec(path) ?? []
  return own ?? marksOf(path).findLast(([line]) => line <= lineNumber)?.[1] ?? ''
}

function marksOf(path) {
  marksOf.known ??= new Map()
  if (!marksOf.known.has(path)) {
    const lines = readFileSync(path, 'utf8').split('\n')
    const marks = lines.flatMap((text, line) =>
      text.startsWith('// src/') ? [[line, text.slice(3)]] : [],
    )
    marksOf.known.set(path, marks)
  }
  return marksOf.known.get(path)
}
