import { connect, createServer, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeFault } from '../../../examples/school/src/platform/hooks.js'
import { SETTINGS } from '../../../examples/school/src/platform/environment.js'
import { waitForDatabase } from '../../../examples/school/src/platform/wait-for-database.js'
import { startPostgres } from '../../support/databases/test-database.js'
import { freePorts, openPort } from '../../support/processes/ports.js'
import { waitFor } from '../../support/processes/wait.js'

async function listen(server: Server, options?: { port: number }): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  const port = await openPort(server, options)
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return port
}

/** Passes what a client sends to a server, and what that responds. */
const passTo =
  (port: number) =>
  (socket: Socket): void => {
    const upstream = connect(port, '127.0.0.1')
    upstream.on('error', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  }

async function postgres(): Promise<URL> {
  const { url, stop } = await startPostgres()
  onTestFinished(stop)
  return new URL(url)
}

/** What was logged, and a promise for the first of it. */
function journal() {
  const entries: Readonly<Record<string, unknown>>[] = []
  let first = (): void => {}
  const waits = new Promise<void>((resolve) => (first = resolve))
  return {
    entries,
    waits,
    log: (entry: Readonly<Record<string, unknown>>): void => {
      entries.push(entry)
      first()
    },
  }
}

/** What the process says before it ends because of this. */
const lastWords = (waiting: Promise<void>): Promise<string | null> =>
  waiting.then(() => null, describeFault)

const { shape, advice } = SETTINGS.DATABASE_URL
const RULE = `. It ${shape}. ${advice}`

describe('waitForDatabase', () => {
  it('continues at once with a server that is there, and says nothing', async () => {
    const { entries, log } = journal()
    await waitForDatabase((await postgres()).href, { log })
    expect(entries).toEqual([])
  })

  it('waits for a standby that is about to be promoted', async () => {
    const url = await postgres()
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    const name = url.pathname.slice(1)
    const writes = (switched: 'on' | 'off') =>
      client.query(`alter database "${name}" set default_transaction_read_only = ${switched}`)
    await writes('on')
    const { entries, waits, log } = journal()
    const ready = waitForDatabase(url.href, { log })
    await Promise.race([waits, ready])
    await client.query('set default_transaction_read_only = off')
    await writes('off')
    await ready
    await client.end()
    expect(entries).toMatchObject([{ reason: 'it is read-only, as a standby is' }])
  })

  it('waits for a server that is not there yet, and says so once [F-46]', async () => {
    const url = await postgres()
    const target = Number(url.port)
    const port = await freePorts()
    url.port = String(port)
    const { entries, waits, log } = journal()
    const there = waitForDatabase(url.href, { log })
    await Promise.race([waits, there])
    await listen(createServer(passTo(target)), { port })
    await there
    expect(entries).toEqual([
      {
        type: 'waiting',
        for: 'the database',
        setting: `DATABASE_URL, at 127.0.0.1:${port}`,
        reason: `connect ECONNREFUSED 127.0.0.1:${port}`,
        patienceMilliseconds: 30_000,
      },
    ])
  })

  it('says that it waits before a server that is silent has been given up [F-46]', async () => {
    const sockets: Socket[] = []
    const port = await listen(createServer((socket) => void sockets.push(socket)))
    const { entries, waits, log } = journal()
    const asked: unknown[] = []
    // The time of silence is over at once, and the attempt is not.
    const pause = async (milliseconds?: number): Promise<never> => {
      asked.push(milliseconds)
      await waitFor(() => sockets.length > 0)
      return undefined as never
    }
    const url = `postgres://someone:password@127.0.0.1:${port}/none`
    const given = lastWords(waitForDatabase(url, { log, patienceMilliseconds: 0, pause }))
    await waits
    expect(asked).toEqual([1500])
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false])
    expect(entries).toMatchObject([
      { setting: `DATABASE_URL, at 127.0.0.1:${port}`, reason: 'no response so far' },
    ])
    for (const socket of sockets) socket.destroy()
    expect(await given).toContain('nothing answered within 0 seconds')
    expect(entries).toHaveLength(1)
  })

  it('gives up in the end, and says why [F-46]', async () => {
    const port = await freePorts()
    const { entries, log } = journal()
    const url = `postgres://someone:password@127.0.0.1:${port}/none`
    expect(await lastWords(waitForDatabase(url, { log, patienceMilliseconds: 300 }))).toBe(
      `DATABASE_URL, at 127.0.0.1:${port}: nothing answered within 0.3 seconds: connect ECONNREFUSED 127.0.0.1:${port}${RULE}`,
    )
    // None, if the first look took as long as all of them may.
    expect(entries.length).toBeLessThan(2)
  })

  it('names the host that no name server knows [F-46]', async () => {
    const url = 'postgres://database.invalid/none'
    const { log } = journal()
    expect(await lastWords(waitForDatabase(url, { log, patienceMilliseconds: 1 }))).toMatch(
      /^DATABASE_URL, at database\.invalid: nothing answered within 0\.001 seconds: getaddrinfo \w+ database\.invalid\. It must be a URL such as/,
    )
  })

  it('names the server that refuses TLS, and does not wait for it [F-46]', async () => {
    const url = await postgres()
    url.searchParams.set('sslmode', 'require')
    const { entries, log } = journal()
    expect(await lastWords(waitForDatabase(url.href, { log }))).toBe(
      `DATABASE_URL, at ${url.host}: The server does not support SSL connections${RULE}`,
    )
    expect(entries).toEqual([])
  })

  it.each([
    ['closes the connection', (socket: Socket) => socket.end()],
    // cannot_connect_now, as an error of the protocol
    ['is starting', (socket: Socket) => socket.once('data', () => socket.end(errorOf('57P03')))],
  ])('waits for a server that %s [F-46]', async (_, serve) => {
    const url = await postgres()
    const pass = passTo(Number(url.port))
    let connections = 0
    const server = createServer((socket) => (connections++ === 0 ? serve : pass)(socket))
    url.port = String(await listen(server))
    const { entries, log } = journal()
    await waitForDatabase(url.href, { log })
    expect([connections, entries.length]).toEqual([2, 1])
  })

  it('does not wait for a database that does not exist [F-46]', async () => {
    const url = await postgres()
    url.pathname = '/no_such_database'
    const { entries, log } = journal()
    expect(await lastWords(waitForDatabase(url.href, { log }))).toBe(
      `DATABASE_URL, at ${url.host}: database "no_such_database" does not exist${RULE}`,
    )
    expect(entries).toEqual([])
  })
})

function errorOf(code: string): Buffer {
  const fields = `SFATAL\0C${code}\0Mnot yet\0\0`
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(4 + fields.length, 1)
  return Buffer.concat([head, Buffer.from(fields)])
}
