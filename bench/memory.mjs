import { Duplex } from 'node:stream'
import { answerIn, bodyIn, encode } from './wire.mjs'

const CONNECTIONS = 16
/** A server that sends nothing for so long has stopped to respond, however busy the machine is. */
const PATIENCE_MILLISECONDS = 60_000

/** A connection without a kernel: what the server writes is kept as text, until it is a whole response. */
class MemorySocket extends Duplex {
  remoteAddress = '127.0.0.1'
  onResponse = () => {}
  #text = ''

  constructor() {
    super({ decodeStrings: false })
  }

  _read() {}

  _write(chunk, _encoding, done) {
    this.#take(chunk)
    done()
  }

  _writev(chunks, done) {
    for (const { chunk } of chunks) this.#take(chunk)
    done()
  }

  #take(chunk) {
    this.#text += typeof chunk === 'string' ? chunk : chunk.latin1Slice()
    if (bodyIn(this.#text) === null) return
    const whole = this.#text
    this.#text = ''
    this.onResponse(whole)
  }

  // Methods of `node:net` that `node:http` calls.
  setTimeout() {
    return this
  }
  setNoDelay() {
    return this
  }
  setKeepAlive() {
    return this
  }
  ref() {
    return this
  }
  unref() {
    return this
  }
  destroySoon() {
    this.destroy()
  }
}

/**
 * Sends requests to a server over sockets in memory, one at a time on each, and measures the CPU time of
 * this process. The server's parser and responses are real. Without system calls, whose cost is the same for
 * all, the time of a handler weighs more. Every response is checked after the measurement.
 *
 * @returns `load`, which takes prepared requests, and `drive`, which sends the next of them and returns the CPU time of
 *   all in microseconds
 */
export function createDriver(server) {
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = new MemorySocket()
    server.emit('connection', socket)
    return socket
  })
  const loaded = new Map()
  const load = (scenario, { port, requests, expect }) => {
    const waiting = requests.map((request) => Buffer.from(encode(request, port)))
    loaded.set(scenario, { waiting, expect })
  }
  const drive = async (scenario, count) => {
    const { waiting, expect } = loaded.get(scenario)
    if (waiting.length < count) throw new Error(`${scenario}: only ${waiting.length} requests left`)
    const wire = waiting.splice(0, count)
    const responses = []
    let next = 0
    const began = process.cpuUsage()
    let fail
    let timer
    await new Promise((resolve, reject) => {
      fail = () => reject(new Error('the server closed the connection'))
      const stopped = () => reject(new Error(`${responses.length} of ${wire.length} responses`))
      timer = setTimeout(stopped, PATIENCE_MILLISECONDS)
      for (const socket of sockets) {
        const send = () => {
          if (next < wire.length) socket.push(wire[next++])
        }
        socket.onResponse = (text) => {
          timer.refresh()
          if (responses.push(text) === wire.length) resolve()
          else setImmediate(send)
        }
        socket.once('close', fail)
        send()
      }
    })
    const { user, system } = process.cpuUsage(began)
    clearTimeout(timer)
    for (const socket of sockets) socket.off('close', fail)
    for (const text of responses) answerIn(text, expect)
    return user + system
  }
  return { load, drive }
}
