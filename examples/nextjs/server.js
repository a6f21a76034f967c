import { once } from 'node:events'
import { createServer } from 'node:http'
import { guardServer } from 'hallpass/node'
import next from 'next'

// `next start` does not limit the requests in progress, allows a client five minutes to send one, and does not close
// the database. Next.js does not compile this file, so it is JavaScript.
const hostname = process.env.HOST || '127.0.0.1'
const port = Number(process.env.PORT || 3000)
const app = next({ dev: false, dir: import.meta.dirname, hostname, port })
const handle = app.getRequestHandler()

const limits = { headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 1000 }
const server = createServer(limits, (request, response) => {
  void prepared.then(() => handle(request, response))
})
const { drain } = guardServer(server)
const prepared = once(server, 'listening').then(() => app.prepare())

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
function stop(signal) {
  // Without these listeners, a second signal ends the process immediately.
  for (const signal of SIGNALS) process.off(signal, stop)
  // Set by lib/school.ts when the schools are open.
  const schools = globalThis.hallpassSchools
  const left = signal === 'SIGINT' ? undefined : schools?.leave()
  void Promise.resolve(left)
    .then(() => drain())
    .then(() => schools?.close())
    .finally(() => process.exit())
}

// Next.js logs an exception that nothing catches. If no one reads its output, that fails again, and again. With a full
// disk it serves without a log.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code }) => code === 'EPIPE' && process.exit(1))

try {
  server.listen(port, hostname)
  await prepared
  for (const signal of SIGNALS) process.on(signal, stop)
} catch (fault) {
  // Next.js logs an exception that nothing catches, and keeps the process.
  console.error(
    fault.code === 'ERR_SOCKET_BAD_PORT'
      ? 'PORT must be a port from 0 to 65534. Set another, or unset it for 3000'
      : fault.code === 'EADDRINUSE'
        ? `Port ${port} is in use: stop the program that listens there, or set PORT.`
        : server.listening
          ? fault.message
          : `Set HOST to an address of this computer, or PORT to 1024 or more: nothing can listen at ${hostname}:${port}: ${fault.message}`,
  )
  process.exit(1)
}
