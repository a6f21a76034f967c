import { describe, expect, it } from 'vitest'
import { createHttpServer, SEND_LIMITS } from '../../examples/express/src/server.js'
import { readSource } from '../support/source/compile.js'
import { RUNGS } from '../support/source/ladder.js'

/** How long proxies keep idle connections by default, in milliseconds: 60 seconds, or less. */
const PROXY_MILLISECONDS = 60_000

describe('a server behind a proxy that keeps connections', () => {
  it('keeps them longer than the proxy [F-42]', () => {
    const { keepAliveTimeout, headersTimeout } = createHttpServer(() => {})
    expect(keepAliveTimeout).toBeGreaterThan(PROXY_MILLISECONDS)
    // A slow head ends earlier than an idle connection: `test/node/guard-server.test.ts` shows that they differ.
    expect(headersTimeout).toBe(SEND_LIMITS.headersTimeout)
  })

  it.each([...RUNGS, 'fastify', 'hono'])(
    'is guarded in %s, and drained at SIGTERM [F-42]',
    (rung) => {
      const text = readSource(`examples/${rung}/server.ts`)
      expect(text).toMatch(/\nconst guarded = guardServer\((?:listener|app\.server)\)\n/)
      expect(text).toMatch(/\nstopOnSignal\(guarded\)\n$/)
    },
  )

  it('is guarded in front of Next.js, and has the limits of Express [F-42, LIM-04]', () => {
    const { scripts } = JSON.parse(readSource('examples/nextjs/package.json')) as {
      scripts: { start: string }
    }
    expect(scripts.start).toBe('NODE_ENV=production node server.js')
    const text = readSource('examples/nextjs/server.js')
    expect(text).toMatch(/\nconst \{ drain \} = guardServer\(server\)\n/)
    const [, limits = ''] = /\nconst limits = \{ (.*) \}\n/.exec(text) ?? []
    const pairs = limits.split(', ').map((pair) => pair.replace('_', '').split(': '))
    expect(Object.fromEntries(pairs.map(([name, value]) => [name, Number(value)]))).toEqual(
      SEND_LIMITS,
    )
  })

  it('is what the page about deployment tells [F-42]', () => {
    const page = readSource('docs/do/deploy.md')
    expect(page).toContain('guardServer(server')
    expect(page).toContain('keepAliveMilliseconds: 65_000')
    expect(page).toContain('[start a custom server](frameworks.md#nextjs)')
  })
})
