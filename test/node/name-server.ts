import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** What a name server says about a name: addresses, an error by its RCODE, or `null` for nothing at all. */
export interface Zone {
  readonly a: readonly string[] | keyof typeof RCODES | null
  readonly aaaa: readonly string[] | keyof typeof RCODES | null
}

const RCODES = { SERVFAIL: 2, NXDOMAIN: 3 }
const TYPES: Readonly<Record<number, 'a' | 'aaaa'>> = { 1: 'a', 28: 'aaaa' }

/** A name server on loopback, until the test is over. */
export interface NameServer {
  /** As the option `nameServers` names it. */
  readonly address: string
  /** Every question it got: type and name. */
  readonly questions: readonly string[]
}

/** Starts a name server that speaks UDP. A name for which `zoneOf` returns `null` gets no response. */
export async function serveNames(zoneOf: (name: string) => Zone | null): Promise<NameServer> {
  const questions: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (message, { port, address }) => {
    const { name, type, end } = questionOf(message)
    questions.push(`${type} ${name}`)
    const said = zoneOf(name)?.[type] ?? null
    if (said !== null) socket.send(responseTo(message, end, said), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, questions }
}

function questionOf(message: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: TYPES[message.readUInt16BE(at + 1)]!,
    end: at + 5,
  }
}

function responseTo(
  message: Buffer,
  end: number,
  said: readonly string[] | keyof typeof RCODES,
): Buffer {
  const isError = typeof said === 'string'
  const question = Buffer.from(message.subarray(0, end))
  question.writeUInt16BE(0x8180 | (isError ? RCODES[said] : 0), 2)
  question.writeUInt16BE(isError ? 0 : said.length, 6)
  // No additional section, which is where a question has its EDNS options.
  question.writeUInt16BE(0, 10)
  return Buffer.concat([question, ...(isError ? [] : said.map(recordOf))])
}

function recordOf(address: string): Buffer {
  const data = address.includes(':')
    ? Buffer.from(groupsOf(address).flatMap((group) => [group >> 8, group & 255]))
    : Buffer.from(address.split('.').map(Number))
  const head = Buffer.alloc(12)
  // The name is the one at offset 12, the class is IN, the record may be kept for a minute.
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(data.length === 4 ? 1 : 28, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(60, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function groupsOf(address: string): number[] {
  const [left = '', right] = address.split('::')
  const numbers = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  if (right === undefined) return numbers(left)
  const [before, after] = [numbers(left), numbers(right)]
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}
