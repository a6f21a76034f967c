import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  codeForm,
  countRedeemed,
  keepingAgent,
  print,
  type Reply,
  send,
  tally,
  writeCodes,
} from '../support/code-load.js'
import { demo } from '../support/databases.js'
import { type RunningExample, startExpressExample } from '../support/example.js'
import { startPostgres, type TestDatabase } from '../support/postgres.js'
import { rounds } from '../support/rounds.js'

let database: TestDatabase
let side: pg.Client
let example: RunningExample

beforeAll(async () => {
  database = await startPostgres(demo)
  side = new pg.Client({ connectionString: database.url })
  await side.connect()
  const environment = { DATABASE_URL: database.url, HALLPASS_RATE_LIMITS: 'off' }
  example = await startExpressExample({ environment })
})
afterAll(async () => {
  await example?.stop()
  await side?.end()
  await database?.stop()
})

const SECONDS = rounds(6, { soak: 12 })
/** More connections than the server works on requests, as of a proxy. */
const CONNECTIONS = 300

/** The processor time of the server so far, in seconds: `utime` and `stime` of proc(5), in hundredths. */
function processorSeconds(): number {
  const [, fields = ''] = readFileSync(`/proc/${example.pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  return (user! + system!) / 100
}

interface Measured {
  readonly perSecond: number
  /** Of the server: what others do on the machine does not count. */
  readonly perProcessorSecond: number
}

/** Runs requests, and returns how many of them succeeded in a second. */
async function measure(
  run: () => Promise<readonly Reply[]>,
): Promise<Measured & { replies: readonly Reply[] }> {
  const [begun, used] = [performance.now(), processorSeconds()]
  const replies = await run()
  const good = replies.filter(({ status }) => status === 200).length
  return {
    replies,
    perSecond: Math.round(good / ((performance.now() - begun) / 1000)),
    perProcessorSecond: Math.round(good / (processorSeconds() - used)),
  }
}

describe('ten times the load that the server can handle', () => {
  it('is shed with 503, and no code is used up for a client that has no tokens [F-16, F-40, F-41]', async () => {
    const { origin } = example
    const agent = keepingAgent(CONNECTIONS)
    const exchange = (code: string): Promise<Reply> =>
      send(`${origin}/api/oauth/token`, { agent, form: codeForm(code, origin) })

    /** As many clients as keep the server busy, each of which waits for its response. */
    const busy = async (): Promise<readonly Reply[]> => {
      const codes = await writeCodes(side, { origin, count: 800 * SECONDS })
      const replies: Reply[] = []
      const end = performance.now() + SECONDS * 1000
      const client = async (): Promise<void> => {
        while (performance.now() < end) replies.push(await exchange(codes.pop()!))
      }
      await Promise.all(Array.from({ length: 16 }, client))
      return replies
    }
    await busy()
    const before = await measure(busy)

    const rate = before.perSecond * 10
    const codes = await writeCodes(side, { origin, count: rate * SECONDS })
    const answered: (readonly [code: string, reply: Reply])[] = []
    const during = await measure(async () => {
      const asked: Promise<Reply>[] = []
      const begun = performance.now()
      while (asked.length < codes.length) {
        const due = ((performance.now() - begun) / 1000) * rate
        while (asked.length < Math.min(due, codes.length)) {
          const code = codes[asked.length]!
          const reply = exchange(code)
          asked.push(reply)
          void reply.then((it) => answered.push([code, it]))
        }
        await pause(5)
      }
      return Promise.all(asked)
    })
    const untold = answered.flatMap(([code, { status }]) => (status === 200 ? [] : [code]))
    const redeemedForNobody = await countRedeemed(side, untold)
    const after = await measure(busy)
    // What the server spends on refusing nine of ten requests, by its processor time: the rate is that of a moment.
    const good = 2 / (before.perProcessorSecond + after.perProcessorSecond)
    const [goods, shedding] = [200, 503].map(
      (wanted) => during.replies.filter(({ status }) => status === wanted).length,
    )
    const refusal = (goods! / during.perProcessorSecond - goods! * good) / shedding!
    const share = 1 / (1 + (9 * refusal) / good)
    const figures = ({ perSecond, perProcessorSecond }: Measured): Measured => ({
      perSecond,
      perProcessorSecond,
    })
    print('overload', {
      offered: rate,
      before: figures(before),
      during: { ...figures(during), ...tally(during.replies), redeemedForNobody },
      after: figures(after),
      shareOfRate: Number((during.perSecond / before.perSecond).toFixed(2)),
      shareOfProcessor: Number(share.toFixed(2)),
    })
    expect(Object.keys(tally(during.replies)).sort()).toEqual(['200', '503'])
    const shed = during.replies.filter(({ status }) => status === 503)
    expect(new Set(shed.map(({ headers }) => headers['retry-after']))).toEqual(new Set(['5']))
    expect(redeemedForNobody).toBe(0)
    expect(tally(after.replies)).toEqual({ 200: after.replies.length })
    expect(share).toBeGreaterThan(0.4)
    agent.destroy()
  }, 300_000)
})
