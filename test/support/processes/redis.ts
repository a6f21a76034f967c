import { createServer, type Socket } from 'node:net'
import { openPort } from './ports.js'

/** A server that counts as Redis does, until it is frozen: then it accepts connections and says nothing. */
export interface FreezableRedis {
  readonly url: string
  readonly freeze: () => void
  /** What was asked meanwhile is then answered, late. */
  readonly thaw: () => void
  /** Answers each command with an error, as a server without memory does. */
  readonly refuse: (message: string | null) => void
  /** The keys that something was counted under. */
  readonly keys: () => readonly string[]
  readonly close: () => Promise<void>
}

/** Starts the part of Redis that the counters use: a hello, and one script that counts. */
export async function startFreezableRedis(): Promise<FreezableRedis> {
  const counts = new Map<string, number>()
  const sockets = new Set<Socket>()
  let isFrozen = false
  let refusal: string | null = null
  let waiting: (() => void)[] = []

  function answer([name = '', ...rest]: readonly string[]): string {
    switch (name.toLowerCase()) {
      case 'hello':
        return '-ERR unknown command HELLO\r\n'
      case 'info':
        return bulk('loading:0')
      case 'eval':
      case 'evalsha': {
        if (refusal !== null) return `-${refusal}\r\n`
        const key = rest[2]!
        counts.set(key, (counts.get(key) ?? 0) + Number(rest[3]))
        return `*2\r\n:${counts.get(key)}\r\n:60000\r\n`
      }
      case 'del':
        return `:${counts.delete(rest[0]!) ? 1 : 0}\r\n`
      default:
        return '+OK\r\n'
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    socket.on('data', (chunk) => {
      for (const command of commandsOf(chunk.toString())) {
        const send = (): void => void socket.write(answer(command))
        if (isFrozen) waiting.push(send)
        else send()
      }
    })
  })
  const port = await openPort(server)
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => {
      isFrozen = true
    },
    thaw() {
      isFrozen = false
      for (const send of waiting) send()
      waiting = []
    },
    refuse: (message) => (refusal = message),
    keys: () => [...counts.keys()],
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`

/** The commands of a chunk; those of a test fit into one, and hold no line break. */
function commandsOf(text: string): readonly (readonly string[])[] {
  const lines = text.split('\r\n')
  const commands: string[][] = []
  for (let at = 0; at < lines.length && lines[at]!.startsWith('*');) {
    const words = Number(lines[at]!.slice(1))
    commands.push(Array.from({ length: words }, (_, index) => lines[at + 2 + 2 * index]!))
    at += 1 + 2 * words
  }
  return commands
}
