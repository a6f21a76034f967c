import { Agent } from 'node:http'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  authorizationFields,
  codeForm,
  countRedeemed,
  print,
  type Reply,
  send,
  tally,
  writeCodes,
} from '../support/http/code-load.js'
import { waitForLock } from '../support/databases/locks.js'
import { demo } from '../support/databases/templates.js'
import {
  dataFolder,
  type RunningExample,
  startExpressExample,
} from '../support/processes/example.js'
import { accepts, freePorts } from '../support/processes/ports.js'
import { createFormBrowser, type Page } from '../support/http/form-browser.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { LEAD_SECONDS, openProxy, work } from '../support/processes/health-checking-proxy.js'
import { waitFor } from '../support/processes/wait.js'
import { rounds } from '../support/run/rounds.js'

let database: TestDatabase
let side: pg.Client

beforeAll(async () => {
  database = await startPostgres(demo)
  side = new pg.Client({ connectionString: database.url })
  await side.connect()
})
afterAll(async () => {
  await side.end()
  await database.stop()
})

const environment = (origin?: string): Readonly<Record<string, string>> => ({
  DATABASE_URL: database.url,
  HALLPASS_RATE_LIMITS: 'off',
  // That of all processes over this database.
  HALLPASS_SECRET: 's'.repeat(40),
  ...(origin !== undefined && { LANTERN_ORIGIN: origin, HALLPASS_LEAD_SECONDS: LEAD_SECONDS }),
})

const portOf = ({ origin }: RunningExample): number => Number(new URL(origin).port)

describe('a process that gets SIGTERM', () => {
  it('loses no request while two processes behind a proxy are restarted in turn [F-43]', async () => {
    const RESTARTS = rounds(4, { soak: 50 })
    const REQUESTS = rounds(600, { soak: 10_000 })
    const ports = [await freePorts(), await freePorts()]
    const { origin } = await openProxy(ports)
    const start = (port: number): Promise<RunningExample> =>
      startExpressExample({ port, environment: environment(origin) })
    const running = [await start(ports[0]!), await start(ports[1]!)]
    onTestFinished(async () => {
      for (const { stop } of running) await stop()
    })
    const codes: string[] = []
    const replies: Reply[] = []
    let restarts = 0
    const supply = async (): Promise<void> => {
      if (codes.length < 2000) codes.push(...(await writeCodes(side, { origin, count: 4000 })))
    }
    await supply()
    const isOver = (): boolean => restarts >= RESTARTS && replies.length >= REQUESTS
    const clients = Array.from({ length: 12 }, () => work(origin, { codes, replies, isOver }))
    const exits: (number | null)[] = []
    const took: number[] = []
    for (; restarts < RESTARTS; restarts++) {
      await supply()
      const index = restarts % 2
      const begun = performance.now()
      await running[index]!.stop('SIGTERM')
      took.push(Math.round(performance.now() - begun))
      exits.push(running[index]!.exitCode())
      running[index] = await start(ports[index]!)
    }
    await Promise.all(clients)
    const lost = replies.filter(({ status }) => status !== 200)
    print('rolling restarts', {
      restarts,
      longest: Math.max(...took),
      ...tally(replies),
      lost: lost.slice(0, 5),
    })
    expect(lost).toEqual([])
    expect(replies.length).toBeGreaterThanOrEqual(REQUESTS)
    expect(new Set(exits)).toEqual(new Set([0]))
  }, 1_800_000)

  // SIGHUP: a terminal was closed, or a service manager was told to reload.
  it.each(['SIGTERM', 'SIGHUP'] as const)(
    'finishes exchanges that wait for the database, and then exits, at %s [F-43]',
    async (signal) => {
      const example = await startExpressExample({ environment: environment() })
      onTestFinished(() => example.stop())
      const { origin } = example
      const codes = await writeCodes(side, { origin, count: 8 })
      const agent = new Agent()
      const locker = new pg.Client({ connectionString: database.url })
      await locker.connect()
      await locker.query('begin; lock table hallpass_code in share mode')
      const asked = codes.map((code) =>
        send(`${origin}/api/oauth/token`, { agent, form: codeForm(code, origin) }),
      )
      // Soon enough for the 500 ms for which a statement waits for a lock.
      await waitForLock(locker)
      const stopped = example.stop(signal)
      await waitFor(async () => !(await accepts(portOf(example))))
      await locker.query('rollback')
      await locker.end()
      const replies = await Promise.all(asked)
      await stopped
      expect(tally(replies)).toEqual({ 200: 8 })
      expect(replies.map(({ headers }) => headers['connection'])).toEqual(codes.map(() => 'close'))
      expect(await countRedeemed(side, codes)).toBe(8)
      expect(example.exitCode()).toBe(0)
    },
  )

  it('stores what was noted of attempts before it closes the database [F-43]', async () => {
    const example = await startExpressExample({ environment: environment() })
    onTestFinished(() => example.stop())
    const { origin } = example
    const codes = await writeCodes(side, { origin, count: 8 })
    const agent = new Agent()
    const locker = new pg.Client({ connectionString: database.url })
    await locker.connect()
    const noted = await countRows('hallpass_attempt')
    await locker.query('begin; lock table hallpass_attempt in share mode')
    const replies = await Promise.all(
      codes.map((code) =>
        send(`${origin}/api/oauth/token`, { agent, form: codeForm(code, origin) }),
      ),
    )
    agent.destroy()
    const stopped = example.stop('SIGTERM')
    // Soon enough for the 500 ms for which a statement waits for a lock.
    await waitForLock(locker)
    await waitFor(async () => !(await accepts(portOf(example))))
    await locker.query('rollback')
    await locker.end()
    await stopped
    expect(tally(replies)).toEqual({ 200: 8 })
    expect(await countRows('hallpass_attempt')).toBe(noted + 8)
    expect(example.output()).not.toContain('"type":"fault"')
    expect(example.exitCode()).toBe(0)
  })

  it('listens at each port once, so that nobody reaches a listener that answers nothing [F-43]', async () => {
    const port = await freePorts()
    const { stop, output } = await startExpressExample({
      port,
      environment: { ...environment(), NODE_OPTIONS: `--import=${PRINTS_LISTENING}` },
    })
    await stop('SIGTERM')
    expect(output().match(/listening at \d+/g)).toEqual([
      `listening at ${port}`,
      `listening at ${port + 1}`,
    ])
  })

  it('exits by its deadline while a statement hangs, and at once at a second signal [F-43]', async () => {
    const locker = new pg.Client({ connectionString: database.url })
    await locker.connect()
    onTestFinished(() => locker.end())
    for (const [signals, longest] of [
      [1, 15_000],
      [2, 3000],
    ] as const) {
      const example = await startExpressExample({ environment: environment() })
      onTestFinished(() => example.stop('SIGKILL'))
      const { origin } = example
      const [code = ''] = await writeCodes(side, { origin, count: 1 })
      await locker.query('begin; lock table hallpass_code in access exclusive mode')
      const asked = send(`${origin}/api/oauth/token`, {
        agent: new Agent(),
        form: codeForm(code, origin),
      })
      await waitForLock(locker)
      const begun = performance.now()
      const stopped = example.stop('SIGTERM')
      if (signals === 2) {
        await waitFor(async () => !(await accepts(portOf(example))))
        await example.stop('SIGTERM')
      }
      await stopped
      const took = Math.round(performance.now() - begun)
      print('SIGTERM while a statement hangs', { signals, took })
      expect(took).toBeLessThan(longest)
      await locker.query('rollback')
      await asked
    }
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'lets a person allow again who had signed in before %s, and issues no code without [F-14]',
    async (signal) => {
      const [folder, port] = [dataFolder(), await freePorts()]
      onTestFinished(folder.remove)
      const options = { folder: folder.path, port, environment: environment() }
      const before = await startExpressExample(options)
      onTestFinished(() => before.stop())
      const { origin } = before
      const browser = createFormBrowser(origin)
      const url = new URL('/oauth/authorize', origin)
      url.search = String(new URLSearchParams(authorizationFields(origin)))
      const signIn = await browser.open(url)
      const fields = { email: 'mei-ling.chou@example.com', password: 'hallpass-demo' }
      const consent = await browser.submit(signIn, fields, 'Sign in')
      expect(consent.text).toContain('Allow')
      const issued = await countRows('hallpass_code')
      const allow = (): Promise<Page> => browser.submit(consent, {}, 'Allow')

      await before.stop(signal)
      await expect(allow()).rejects.toThrow('fetch failed')
      const after = await startExpressExample(options)
      onTestFinished(() => after.stop())
      expect(await countRows('hallpass_code')).toBe(issued)

      const { left } = await allow()
      const code = left?.searchParams.get('code') ?? ''
      expect(await countRows('hallpass_code')).toBe(issued + 1)
      const agent = new Agent()
      const form = codeForm(code, origin)
      const exchanged = await send(`${origin}/api/oauth/token`, { agent, form })
      expect([exchanged.status, exchanged.text]).toEqual([200, expect.stringContaining('id_token')])
    },
  )
})

async function countRows(table: string): Promise<number> {
  const { rows } = await side.query<{ count: number }>(`select count(*)::int from ${table}`)
  return rows[0]!.count
}

/** For `--import`: a process that prints each port at which it listens. */
const PRINTS_LISTENING: string = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net'
  const { listen } = Server.prototype
  Server.prototype.listen = function (...options) {
    this.once('listening', () => console.log('listening at ' + this.address().port))
    return listen.apply(this, options)
  }
`)}`
