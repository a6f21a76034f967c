import { createServer } from 'node:http'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { boundConnections } from '../../../examples/school/src/platform/connections.js'
import { openServer, openSocket } from '../../support/http/open-server.js'

async function listening() {
  const server = createServer((_request, response) => void response.end('hello'))
  const port = await openServer(server)
  return { server, open: () => openSocket(port) }
}

describe('the connections of a process', () => {
  it('leave it the descriptors that it needs, and are closed beyond that with one line a minute', async () => {
    const entries: Readonly<Record<string, unknown>>[] = []
    const [one, two] = [await listening(), await listening()]
    boundConnections([one.server, two.server], {
      log: (entry) => entries.push(entry),
      descriptors: 64 + 5,
    })
    const kept = [await one.open(), await one.open(), await two.open()]
    const closed = [await one.open(), await one.open()]
    for (const socket of closed) if (!socket.closed) await once(socket.resume(), 'close')
    expect(entries).toEqual([
      {
        type: 'full',
        connections: 2,
        closed: 1,
        remedy:
          'the process may open 69 files: raise that with ulimit -n, or LimitNOFILE of systemd',
      },
    ])
    for (const socket of kept) {
      socket.write('GET / HTTP/1.1\r\nHost: school.example\r\n\r\n')
      await once(socket, 'data')
    }
  })

  it('have no bound where the system has none, and at least one is accepted', () => {
    const servers = [createServer(), createServer()]
    boundConnections(servers, { log: () => {}, descriptors: null })
    expect(servers.map(({ maxConnections }) => maxConnections ?? null)).toEqual([null, null])
    boundConnections(servers, { log: () => {}, descriptors: 10 })
    expect(servers.map(({ maxConnections }) => maxConnections)).toEqual([1, 1])
  })

  it('are bounded by what the system allows', () => {
    const server = createServer()
    boundConnections([server], { log: () => {} })
    const { userLimits } = process.report.getReport() as {
      userLimits: { open_files: { soft: number } }
    }
    expect(server.maxConnections).toBe(userLimits.open_files.soft - 64)
  })
})
