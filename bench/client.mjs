import { connect } from 'node:net'
import { answerIn, bodyIn, encode } from './wire.mjs'

/**
 * A child process that sends prepared requests over keep-alive connections, one at a time on each, and
 * checks every response. It is written on sockets, because the client of a library uses more CPU time than
 * the fastest subject.
 */
const CONNECTIONS = 16

process.on('message', async ({ port, requests, expect }) => {
  try {
    const wire = requests.map((request) => encode(request, port))
    const began = process.hrtime.bigint()
    let next = 0
    let sample = null
    const work = async () => {
      const connection = await open(port)
      while (next < wire.length) {
        const answer = answerIn(await connection.exchange(wire[next++]), expect)
        sample ??= answer
      }
      connection.close()
    }
    await Promise.all(Array.from({ length: Math.min(CONNECTIONS, wire.length) }, work))
    process.send({ seconds: Number(process.hrtime.bigint() - began) / 1e9, sample })
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
