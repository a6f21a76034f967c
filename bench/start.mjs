import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { buildExpressExample } from '../scripts/build-express.mjs'
import { freePorts } from '../test/support/processes/ports.js'
import { startServer } from '../test/support/databases/postgres-server.js'
import { machine, quantile, tableOf, writeFigures } from './figures.mjs'

/**
 * Measures how long the service takes until it has answered its first page, and its memory then. It starts by `npm
 * start` with nothing built, on a folder without data, on one that has data, and on PostgreSQL. An embedded database
 * with nothing in it is the comparison. All take turns, and the first turn is not counted. Prints a Markdown table.
 */
const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    write: { type: 'boolean', default: false },
  },
})

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'hallpass-start-'))
const empty = join(folder, 'empty')
await (await PGlite.create({ dataDir: empty })).close()
const { program } = await buildExpressExample()
const server = await startServer()

const databaseOnly = `
  const { PGlite } = await import('@electric-sql/pglite')
  const database = await PGlite.create({ dataDir: ${JSON.stringify(empty)} })
  await database.query('select 1')
  console.log('http://127.0.0.1:' + process.env.PORT)
  process.on('SIGTERM', () => void database.close().then(() => process.exit()))
  setInterval(() => {}, 1000)`
const node = [process.execPath, program]
const fresh = join(folder, 'fresh')
const emptied = () => rmSync(fresh, { recursive: true, force: true })
/** Each program with its arguments, the folder of its data, and `before` each start. */
const SUBJECTS = {
  '`npm start` with nothing built, on a new folder': {
    command: ['npm', 'start'],
    data: fresh,
    before() {
      emptied()
      rmSync(join(ROOT, 'examples/school/dist'), { recursive: true, force: true })
    },
  },
  'built, on a new folder': { command: node, data: fresh, before: emptied },
  'on a folder with its data': { command: node, data: join(folder, 'data') },
  'on PostgreSQL, with its data': {
    command: node,
    data: join(folder, 'keys'),
    environment: { DATABASE_URL: server.url },
  },
  'only an empty embedded database': {
    command: [process.execPath, '--input-type=module', '--eval', databaseOnly],
    pages: false,
  },
}

/** Starts a program and ends it: milliseconds until it answers, of the processor as well, and megabytes. */
async function start({ command: [file, ...args], data, environment, before, pages = true }) {
  before?.()
  const port = await freePorts()
  const begun = performance.now()
  const child = spawn(file, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: folder, NODE_ENV: 'production', HALLPASS_DEMO: '1', PORT: String(port), HALLPASS_DATA_DIR: data, ...environment }, // prettier-ignore
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, which ends with it: npm starts a shell.
    detached: true,
  })
  let said = ''
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      said += text
      if (said.includes(`  http://127.0.0.1:${port}`) || said.startsWith('http://')) resolve()
    })
    child.once('exit', () => reject(new Error(`the program ended: ${said}`)))
  })
  if (pages) {
    const page = await fetch(`http://127.0.0.1:${port}/`)
    if (!(await page.text()).includes('Lantern Street')) throw new Error(`${page.status}: no page`)
  }
  const milliseconds = performance.now() - begun
  // The figures of npm are not those of the service.
  const isService = file === process.execPath
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ')
  const processor = isService ? 10 * (Number(fields[11]) + Number(fields[12])) : null
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const megabytes = isService ? Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1000 : null
  process.kill(-child.pid, 'SIGTERM')
  await once(child, 'exit')
  // npm ends before what it started.
  while (isThere(-child.pid)) await sleep(20)
  return [milliseconds, processor, megabytes]
}

function isThere(processes) {
  try {
    return process.kill(processes, 0)
  } catch {
    return false
  }
}

const runs = Object.fromEntries(Object.keys(SUBJECTS).map((name) => [name, []]))
for (let round = 0; round <= Number(flags.rounds); round++)
  for (const [name, subject] of Object.entries(SUBJECTS)) {
    const run = await start(subject)
    if (round > 0) runs[name].push(run)
  }
await server.stop()
rmSync(folder, { recursive: true })

const seconds = (milliseconds) => (milliseconds / 1000).toFixed(1)
const report = [
  `Node ${process.versions.node}, ${machine()}; medians of ${flags.rounds} starts, the fastest and slowest in brackets.`,
  '',
  tableOf([
    ['started', 'first page after', 'processor time', 'memory (RSS)'],
    ...Object.entries(runs).map(([name, of]) => {
      const [ready, processor, memory] = [0, 1, 2].map((column) => of.map((run) => run[column]))
      const [fastest, median, slowest] = [0, 0.5, 1].map((share) => seconds(quantile(ready, share)))
      return [
        name,
        `${median} (${fastest}–${slowest}) s`,
        processor[0] === null ? '–' : `${seconds(quantile(processor, 0.5))} s`,
        memory[0] === null ? '–' : `${quantile(memory, 0.5).toFixed(0)} MB`,
      ]
    }),
  ]),
].join('\n')
console.log(report)
if (flags.write) writeFigures('start figures', report)
