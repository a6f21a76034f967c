import { createServer } from 'node:http'

/**
 * A child process that serves one subject and reports its own CPU time. It accepts the messages `prepare`,
 * `start` and `stop`, and responds to each with one message.
 */
const [folder, name] = process.argv.slice(2)
const { createSubject } = await import(`./${folder}/${name}.mjs`)
const server = createServer()
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address()
const subject = await createSubject({ origin: `http://127.0.0.1:${port}` })
server.on('request', subject.listener)
server.keepAliveTimeout = 600_000

let began
const answers = {
  async prepare({ scenario, count }) {
    const { prepare, expect } = subject.scenarios[scenario]
    return { port, requests: await prepare(count), expect }
  },
  start() {
    // Collect the garbage of the preparation, so that the requests do not pay for it.
    globalThis.gc()
    began = process.cpuUsage()
    return {}
  },
  stop() {
    const { user, system } = process.cpuUsage(began)
    return { cpuMicroseconds: user + system }
  },
}
process.on('message', async (message) => process.send(await answers[message.type](message)))
process.on('disconnect', () => process.exit())
process.send({ scenarios: Object.keys(subject.scenarios), jwks: subject.jwks ?? null })
