import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { buildExpressExample } from '../scripts/build-express.mjs'
import { freePorts } from '../test/support/processes/ports.js'
import { startServer } from '../test/support/databases/postgres-server.js'

/**
 * Measures how long the service takes to start, and its memory then. It starts on the embedded database
 * and on PostgreSQL, after a first start that is not counted. An embedded database with nothing in it is the
 * comparison. All take turns. Prints a Markdown table.
 */
const { values: flags } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } })

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
const SUBJECTS = {
  'embedded database': [[program], { HALLPASS_DATA_DIR: join(folder, 'data') }],
  PostgreSQL: [[program], { HALLPASS_DATA_DIR: join(folder, 'keys'), DATABASE_URL: server.url }],
  'only an empty embedded database': [['--input-type=module', '--eval', databaseOnly], {}],
}

/** Starts a program and ends it: milliseconds until it says where it listens, of the processor as well, and megabytes. */
async function start([args, environment]) {
  const port = await freePorts()
  const begun = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { PATH: process.env.PATH, NODE_ENV: 'production', HALLPASS_DEMO: '1', PORT: String(port), ...environment }, // prettier-ignore
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  const ready = new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      said += text
      if (said.includes(`  http://127.0.0.1:${port}`) || said.startsWith('http://')) resolve()
    })
    child.once('exit', () => reject(new Error(`the program ended: ${said}`)))
  })
  await ready
  const milliseconds = performance.now() - begun
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ')
  const processor = 10 * (Number(fields[11]) + Number(fields[12]))
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const megabytes = Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1000
  child.kill('SIGTERM')
  await once(child, 'exit')
  return [milliseconds, processor, megabytes]
}

const runs = Object.fromEntries(Object.keys(SUBJECTS).map((name) => [name, []]))
for (let round = 0; round <= Number(flags.rounds); round++)
  for (const [name, subject] of Object.entries(SUBJECTS)) {
    const run = await start(subject)
    if (round > 0) runs[name].push(run)
  }
await server.stop()
rmSync(folder, { recursive: true })

const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1]
console.log(
  `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model}; medians of ${flags.rounds} starts.\n`,
)
console.log('| started | ready after | processor time | memory (RSS) |')
console.log('| --- | --: | --: | --: |')
for (const [name, of] of Object.entries(runs)) {
  const [ready, processor, memory] = [0, 1, 2].map((column) => median(of.map((run) => run[column])))
  console.log(
    `| ${name} | ${(ready / 1000).toFixed(1)} s | ${(processor / 1000).toFixed(1)} s | ${memory.toFixed(0)} MB |`,
  )
}
