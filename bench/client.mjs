import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { answerIn, bodyIn, encode } from './wire.mjs'

/**
 * A child process that sends prepared requests over keep-alive connections, one at a time on each, and
 * checks every response. With a `rate`, each request is due at a time. How long it took, in milliseconds, begins then: a
 * wait for a free connection is part of it. It is written on sockets, because the client of a library uses more CPU time
 * than the fastest subject.
 */
const CONNECTIONS = 16

process.on('message', async ({ port, ports = [port], requests, expect, rate = Infinity }) => {
  try {
    const wire = requests.map((request) => encode(request, port))
    const connections = []
    for (let index = 0; index < Math.min(CONNECTIONS * ports.length, wire.length); index++)
      connections.push(await open(ports[index % ports.length]))
    const times = []
    const began = performance.now()
    let next = 0
    let sample = null
    const work = async (connection) => {
      while (next < wire.length) {
        const index = next++
        const due = rate === Infinity ? performance.now() : began + (1000 * index) / rate
        while (performance.now() < due) await pause(Math.max(0, due - performance.now()))
        const answer = answerIn(await connection.exchange(wire[index]), expect)
        times.push(performance.now() - due)
        sample ??= answer
      }
      connection.close()
    }
    await Promise.all(connections.map(work))
    process.send({ seconds: (performance.now() - began) / 1000, sample, times })
  } catch (error) {
    process.send({ error: error.message })
  }
})
process.on('disconnect', () => process.exit())

async function open(port) {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  let text = ''
  let waiting
  socket.on('data', (chunk) => {
    text += chunk
    if (bodyIn(text) === null) return
    const whole = text
    text = ''
    waiting.resolve(whole)
  })
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')))
  return {
    exchange: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}
