import { Agent } from 'node:http'
import { createServer } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  codeForm,
  countRedeemed,
  type Reply,
  send,
  tally,
  writeCodes,
} from '../support/http/code-load.js'
import { waitForLock } from '../support/databases/locks.js'
import { demo } from '../support/databases/templates.js'
import {
  dataFolder,
  PATIENT,
  type RunningExample,
  spawnNextExample,
  startExample,
} from '../support/processes/example.js'
import { accepts, freePorts, openPort } from '../support/processes/ports.js'
import { passTime, waitFor } from '../support/processes/wait.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

let database: TestDatabase
/** Locks tables, and looks into them. */
let side: pg.Client
let school: RunningExample
const agent = new Agent()

const start = (): Promise<RunningExample> =>
  startExample({
    environment: {
      ...PATIENT,
      DATABASE_URL: database.url,
      HALLPASS_SECRET: 'a secret of more than 32 characters for both',
      HALLPASS_RATE_LIMITS: 'off',
    },
  })

beforeAll(async () => {
  database = await startPostgres(demo)
  side = new pg.Client({ connectionString: database.url })
  await side.connect()
  school = await start()
})
afterAll(async () => {
  await school?.stop('SIGTERM')
  await side?.end()
  await database?.stop()
})

const exchange = (code: string, { origin }: RunningExample, giveUpMilliseconds?: number) =>
  send(`${origin}/api/oauth/token`, {
    agent,
    form: codeForm(code, origin),
    ...(giveUpMilliseconds !== undefined && { giveUpMilliseconds }),
  })

/** Exchanges codes while nothing can be written, or read either. */
async function whileLocked(
  mode: 'share' | 'access exclusive',
  work: () => Promise<void>,
): Promise<void> {
  await side.query(`begin; lock table hallpass_code in ${mode} mode`)
  try {
    await work()
  } finally {
    await side.query('rollback')
  }
}

describe('the server of the Next.js example', () => {
  it('keeps idle connections longer than the 60 seconds of a proxy [F-42]', async () => {
    const { headers } = await send(`${school.origin}/livez`, {
      agent: new Agent({ keepAlive: true }),
    })
    expect(headers['keep-alive']).toBe('timeout=65')
  })

  it('works on a hundred requests, and sends 503 to a further one at once [F-41]', async () => {
    const codes = await writeCodes(side, { origin: school.origin, count: 200 })
    const text = '{"error":"temporarily_unavailable","error_description":"the server is busy: try again shortly"}' // prettier-ignore
    let asked: Promise<Reply>[] = []
    await whileLocked('access exclusive', async () => {
      asked = codes.map((code) => exchange(code, school))
      const isShed = asked.map(async (reply) => (await reply).text === text || Promise.reject())
      await Promise.any(isShed)
    })
    const replies = await Promise.all(asked)
    const shed = replies.filter((reply) => reply.text === text)
    expect(shed.length).toBeGreaterThan(0)
    expect(shed.length).toBeLessThanOrEqual(100)
    expect(shed[0]).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    expect(await send(`${school.origin}/livez`, { agent })).toMatchObject({ status: 200 })
  })

  it('serves the next request on a connection after one that is too large [LIM-03]', async () => {
    const one = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => one.destroy())
    const large = { a: 'x'.repeat(2 ** 20) }
    for (const path of ['/sign-in', '/sign-out', '/sign-in']) {
      const reply = await send(school.origin + path, {
        agent: one,
        form: large,
        giveUpMilliseconds: 10_000,
      })
      expect([path, reply.status, reply.headers['connection']]).toEqual([path, 403, 'close'])
    }
  })

  it('uses up no code for a client that has disconnected [F-40]', async () => {
    const [gone = '', stays = ''] = await writeCodes(side, { origin: school.origin, count: 2 })
    let kept: Promise<Reply> | undefined
    await whileLocked('access exclusive', async () => {
      kept = exchange(stays, school)
      // The server learns meanwhile that one is gone, which nobody can see from outside.
      expect(await exchange(gone, school, 150)).toMatchObject({ error: 'gave up' })
      await passTime(100)
    })
    expect((await kept)?.status).toBe(200)
    // What was asked for later is finished later.
    await exchange('hpc_none', school)
    expect([await countRedeemed(side, [gone]), await countRedeemed(side, [stays])]).toEqual([0, 1])
  })

  it('finishes responses in progress at SIGTERM, closes the database and exits with 0 [F-43]', async () => {
    const example = await start()
    onTestFinished(() => example.stop('SIGKILL'))
    const codes = await writeCodes(side, { origin: example.origin, count: 8 })
    let asked: Promise<Reply>[] = []
    let stopped: Promise<void> | undefined
    await whileLocked('share', async () => {
      asked = codes.map((code) => exchange(code, example))
      await waitForLock(side)
      stopped = example.stop('SIGTERM')
      const port = Number(new URL(example.origin).port)
      await waitFor(async () => !(await accepts(port)))
    })
    const replies = await Promise.all(asked)
    await stopped
    expect(tally(replies)).toEqual({ 200: 8 })
    expect(replies.map(({ headers }) => headers['connection'])).toEqual(codes.map(() => 'close'))
    expect(await countRedeemed(side, codes)).toBe(8)
    expect(example.exitCode()).toBe(0)
  })

  it('exits with 1 and the reason if its port is taken [F-45]', async () => {
    const taken = createServer()
    const port = await openPort(taken)
    onTestFinished(() => void taken.close())
    const folder = dataFolder()
    const { ended, output, stop } = await spawnNextExample({
      PORT: String(port),
      HALLPASS_DATA_DIR: folder.path,
      DATABASE_URL: database.url,
    })
    onTestFinished(async () => {
      await stop()
      folder.remove()
    })
    expect([await ended, output()]).toEqual([1, expect.stringContaining(`Port ${port} is in use`)])
  })

  it('exits with 1 once no one reads what it prints, and does not go on to print that', async () => {
    const folder = dataFolder()
    const { child, ended, stop } = await spawnNextExample({
      PORT: String(await freePorts()),
      HALLPASS_DATA_DIR: folder.path,
      DATABASE_URL: database.url,
    })
    onTestFinished(async () => {
      await stop()
      folder.remove()
    })
    for (const stream of [child.stdout, child.stderr]) stream?.destroy()
    expect(await ended).toBe(1)
  })
})
