import { expect, it } from 'vitest'
import { createConnect } from '../../../examples/school/src/connect/connect.js'
import type { Watch } from '../../../examples/school/src/connect/watches.js'
import { createLive } from '../../../examples/school/src/connect/live.js'
import { LANTERN } from '../../../examples/school/src/sites.js'
import { T } from '../../support/school/school.js'

const ORIGIN = 'https://lantern.example'
const CONTEXT = { address: '203.0.113.7' }

/** A visitor whose browser keeps its cookie. */
function visitor() {
  let clock = T
  let cookie = ''
  const live = createLive({
    origin: ORIGIN,
    site: LANTERN.id,
    pages: [],
    attemptOf: async () => null,
    now: () => clock,
  })
  const attempts = () => ({ explainAttempt: async () => null })
  const connect = createConnect({ site: LANTERN, origin: ORIGIN, live, attempts, now: () => clock })
  return {
    async get(path: string): Promise<{ status: number; location: string | null; text: string }> {
      const response = await connect(new Request(ORIGIN + path, { headers: { cookie } }), CONTEXT)
      cookie = response?.headers.get('set-cookie')?.split(';', 1)[0] ?? cookie
      const { status = 404, headers } = response ?? {}
      return {
        status,
        location: headers?.get('location') ?? null,
        text: (await response?.text()) ?? '',
      }
    },
    watch: (): Watch =>
      live.visit(new Request(ORIGIN, { headers: { cookie } }), CONTEXT, { begins: null }).watch,
    later: (seconds: number): void => void (clock += seconds),
  }
}

it('ends to load itself again ten minutes after the lines were run, without a script [UX-24]', async () => {
  const ann = visitor()
  await ann.get('/connect')
  ann.later(900)
  const run = await ann.get('/connect?with=codex&run=1')
  expect(run).toMatchObject({ status: 303, location: '/connect?with=codex&wait=1' })
  let loads = 0
  for (; loads < 1000; loads++) {
    const { text } = await ann.get(run.location!)
    const [, pause] = /http-equiv="refresh" content="(\d+)"/.exec(text) ?? []
    expect(text.includes('Nothing has come yet')).toBe(
      ann.watch().since + 60 <= T + 900 + 3 * loads,
    )
    if (pause === undefined) break
    ann.later(Number(pause))
  }
  expect(loads).toBeGreaterThan(100)
  expect(loads).toBeLessThan(201)
})

it('waits from when the lines were copied, however long the page was open [UX-24]', async () => {
  const ann = visitor()
  await ann.get('/connect')
  ann.later(900)
  expect((await ann.get('/connect/steps?wait=1')).text).toContain('data-state="late"')
  expect((await ann.get('/connect/steps?wait=1&run=1')).text).toContain('data-state="waiting"')
  expect((await ann.get('/connect/steps?wait=1')).text).toContain('data-state="waiting"')
})

it('keeps an attempt when two requests miss another one', async () => {
  const ann = visitor()
  await ann.get('/connect')
  const { attempts } = ann.watch()
  attempts.push('a')
  const both = [ann.get('/connect/steps'), ann.get('/connect/steps')]
  attempts.unshift('b')
  await Promise.all(both)
  expect(attempts).toEqual(['b'])
})
