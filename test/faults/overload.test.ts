import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  codeForm,
  countRedeemed,
  keepingAgent,
  print,
  type Reply,
  send,
  tally,
  writeCodes,
} from '../support/http/code-load.js'
import { demo } from '../support/databases/templates.js'
import { type RunningExample, startExpressExample } from '../support/processes/example.js'
import { startProxy } from '../support/processes/haproxy.js'
import { passTime } from '../support/processes/wait.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { rounds } from '../support/run/rounds.js'

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

/** The processor time of processes so far, in seconds: `utime` and `stime` of proc(5), in hundredths. */
function processorSeconds(pids: readonly number[]): number {
  let hundredths = 0
  for (const pid of pids) {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const [user, system] = fields.split(' ').slice(11, 13).map(Number)
    hundredths += user! + system!
  }
  return hundredths / 100
}

interface Measured {
  readonly perSecond: number
  /** Of what serves: what others do on the machine does not count. */
  readonly perProcessorSecond: number
}

/** Runs requests, and returns how many of them succeeded in a second. */
async function measure(
  pids: readonly number[],
  run: () => Promise<readonly Reply[]>,
): Promise<Measured & { replies: readonly Reply[] }> {
  const [begun, used] = [performance.now(), processorSeconds(pids)]
  const replies = await run()
  const good = replies.filter(({ status }) => status === 200).length
  return {
    replies,
    perSecond: Math.round(good / ((performance.now() - begun) / 1000)),
    perProcessorSecond: Math.round(good / (processorSeconds(pids) - used)),
  }
}

/**
 * Sends ten times the requests that are served, and as many as are served before and after it.
 *
 * @param front - where the requests go
 * @param pids - the processes that serve them
 * @returns the replies, and the share of the processor that is left for those that succeed
 */
async function overload(
  front: string,
  pids: readonly number[],
): Promise<{
  during: readonly Reply[]
  after: readonly Reply[]
  redeemedForNobody: number
  share: number
}> {
  const { origin } = example
  const agent = keepingAgent(CONNECTIONS)
  onTestFinished(() => agent.destroy())
  const exchange = (code: string): Promise<Reply> =>
    send(`${front}/api/oauth/token`, { agent, form: codeForm(code, origin) })

  /** As many clients as keep the server busy, each of which waits for its response. */
  const busy = async (): Promise<readonly Reply[]> => {
    const codes = await writeCodes(side, { origin, count: 2000 * SECONDS })
    const replies: Reply[] = []
    const end = performance.now() + SECONDS * 1000
    const client = async (): Promise<void> => {
      while (performance.now() < end) replies.push(await exchange(codes.pop()!))
    }
    await Promise.all(Array.from({ length: 16 }, client))
    return replies
  }
  await busy()
  const before = await measure(pids, busy)

  const rate = before.perSecond * 10
  const codes = await writeCodes(side, { origin, count: rate * SECONDS })
  const answered: (readonly [code: string, reply: Reply])[] = []
  const during = await measure(pids, async () => {
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
      await passTime(5)
    }
    return Promise.all(asked)
  })
  const untold = answered.flatMap(([code, { status }]) => (status === 200 ? [] : [code]))
  const redeemedForNobody = await countRedeemed(side, untold)
  const after = await measure(pids, busy)
  // What refusing nine of ten requests costs, by processor time: the rate is that of a moment.
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
  return { during: during.replies, after: after.replies, redeemedForNobody, share }
}

function expectShed({
  during,
  after,
  redeemedForNobody,
}: Awaited<ReturnType<typeof overload>>): void {
  expect(Object.keys(tally(during)).sort()).toEqual(['200', '503'])
  expect(valuesOf(during, 'retry-after')).toEqual(new Set(['5']))
  expect(redeemedForNobody).toBe(0)
  expect(tally(after)).toEqual({ 200: after.length })
}

/** The values of a header in the responses that were refused. */
const valuesOf = (replies: readonly Reply[], name: string): ReadonlySet<unknown> =>
  new Set(replies.filter(({ status }) => status === 503).map(({ headers }) => headers[name]))

/** Asks a process for its health, as a proxy does, until what it returns is called. */
function watchHealth(origin: string): () => Promise<readonly Reply[]> {
  const agent = keepingAgent()
  const replies: Reply[] = []
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const watching = (async () => {
    while (!over.signal.aborted) {
      replies.push(await send(`${origin}/livez`, { agent }))
      await passTime(100)
    }
  })()
  return async () => {
    over.abort()
    await watching
    agent.destroy()
    return replies
  }
}

describe('ten times the load that the server can handle', () => {
  it('is shed with 503, and no code is used up for a client that has no tokens [F-16, F-40, F-41]', async () => {
    const shed = await overload(example.origin, [example.pid])
    expectShed(shed)
    expect(shed.share).toBeGreaterThan(0.4)
  })

  it('waits and is shed in HAProxy, as examples/high-availability has it, and the process refuses nothing [F-40, F-41]', async () => {
    const proxy = await startProxy(example.origin)
    onTestFinished(proxy.stop)
    const healthOf = watchHealth(example.origin)
    const shed = await overload(proxy.origin, [example.pid, proxy.pid])
    const health = await healthOf()
    expectShed(shed)
    // The process adds a charset.
    expect(valuesOf(shed.during, 'content-type')).toEqual(new Set(['application/json']))
    expect(tally(health)).toEqual({ 200: health.length })
    expect(health.length).toBeGreaterThan(10)
  })
})
