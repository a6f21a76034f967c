import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { createDriver } from './memory.mjs'

/**
 * A child process that serves one subject and reports its own CPU time. A client over TCP needs the messages
 * `prepare`, `start` and `stop`. Processes of one server share BENCH_ORIGIN. `load` prepares requests that `drive` sends within this process. The response to each
 * is one message.
 */
const [folder, name] = process.argv.slice(2)
const { createSubject } = await import(`./${folder}/${name}.mjs`)
const server = createServer()
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address()
const origin = process.env.BENCH_ORIGIN ?? `http://127.0.0.1:${port}`
const subject = await createSubject({ origin })
server.on('request', subject.listener)
server.keepAliveTimeout = 600_000

let began
let asked
let driver
/** How many statements the subject has sent to its database. */
const statements = () => subject.statements?.() ?? 0
const answers = {
  async prepare({ scenario, count }) {
    const { prepare, expect } = subject.scenarios[scenario]
    return { port, requests: await prepare(count), expect }
  },
  start() {
    // Collect the garbage of the preparation, so that the requests do not pay for it.
    globalThis.gc()
    asked = statements()
    began = process.cpuUsage()
    return {}
  },
  stop() {
    const { user, system } = process.cpuUsage(began)
    return { cpuMicroseconds: user + system, statements: statements() - asked }
  },
  async load(message) {
    driver ??= createDriver(server)
    driver.load(message.scenario, await answers.prepare(message))
    globalThis.gc()
    return {}
  },
  async drive({ scenario, count }) {
    return { cpuMicroseconds: await driver.drive(scenario, count) }
  },
  /** From now on, each request takes this much more CPU time: to show that the gate notices it. */
  slow({ microseconds }) {
    server.prependListener('request', wasteOf(microseconds))
    return {}
  },
}

/** Returns a function that takes about this much CPU time. It counts hashes, since a clock also runs while others do. */
function wasteOf(microseconds) {
  const work = (count) => {
    for (let index = 0; index < count; index++) createHash('sha256').update('waste').digest('hex')
  }
  work(20_000)
  const before = process.cpuUsage()
  work(20_000)
  const { user, system } = process.cpuUsage(before)
  const count = Math.round((microseconds * 20_000) / (user + system))
  return () => work(count)
}

process.on('message', async (message) => {
  try {
    process.send(await answers[message.type](message))
  } catch (error) {
    process.send({ error: error.message })
  }
})
process.on('disconnect', () => process.exit())
process.send({ scenarios: Object.keys(subject.scenarios), jwks: subject.jwks ?? null })
