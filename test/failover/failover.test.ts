import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { print, writeCodes } from '../support/http/code-load.js'
import { type RunningExample, startExpressExample } from '../support/processes/example.js'
import { type Servers, startServers } from '../support/processes/high-availability.js'
import { passTime, waitFor } from '../support/processes/wait.js'
import { codesOfPerson, type Ledger, runClient, type Sample, useAll } from './clients.js'

/** How often the primary is killed. `HALLPASS_KILLS=2` is for a look at it. */
const KILLS = Number(process.env['HALLPASS_KILLS'] ?? 20)
const FEW = Math.min(KILLS, 3)
const LONGEST_MILLISECONDS = 30_000
const PEOPLE = ['mei-ling.chou', 'jonas.brandt', 'priya.nair']
const CLIENTS = 8

let servers: Servers
const processes: RunningExample[] = []

beforeAll(async () => {
  servers = await startServers()
  for (const name of ['school1', 'school2', 'school3']) {
    const environment = servers.environmentOf(name)
    processes.push(await startExpressExample({ port: 3000, environment }))
  }
})
afterAll(async () => {
  for (const { stop } of processes) await stop('SIGKILL')
  await servers?.stop()
})

/** Runs statements on whichever server is the primary, and again if it has just been replaced. */
async function onPrimary<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const attempt = async (): Promise<{ readonly result: Result }> => {
    const client = new pg.Client({
      connectionString: servers.databaseUrl,
      connectionTimeoutMillis: 1000,
      query_timeout: 5000,
    })
    client.on('error', () => {})
    try {
      await client.connect()
      return { result: await work(client) }
    } finally {
      await client.end().catch(() => {})
    }
  }
  const { result } = await waitFor(attempt, {
    patienceMilliseconds: 60_000,
    everyMilliseconds: 500,
  })
  return result
}

/** Codes as consent writes them, many at once. */
function writtenCodes(origin: string): () => Promise<string | null> {
  const codes: string[] = []
  let supplying: Promise<unknown> | null = null
  return async () => {
    if (codes.length === 0) {
      supplying ??= onPrimary((client) => writeCodes(client, { origin, count: 300 }))
        .then((more) => codes.push(...more))
        .finally(() => (supplying = null))
      await supplying
    }
    return codes.pop() ?? null
  }
}

/**
 * Replaces the primary a number of times under load, and looks at what clients were told.
 *
 * @param fault - what happens to the primary; returns what brings it back
 */
async function replacePrimary(
  title: string,
  times: number,
  fault: (primary: string) => Promise<() => void>,
): Promise<void> {
  const { origin } = servers
  const ledger: Ledger = { samples: [], doubles: [], lost: [], held: [], codesUsedUp: 0 }
  const before = await endedFamilies()
  let over = false
  const written = writtenCodes(origin)
  const sources = [
    ...PEOPLE.map((name) =>
      codesOfPerson(origin, { email: `${name}@example.com`, ledger, every: 4000 }),
    ),
    ...Array.from({ length: CLIENTS }, () => written),
  ]
  const clients = sources.map((nextCode, number) =>
    runClient(origin, { number, ledger, nextCode, isOver: () => over }),
  )
  const recoveries: number[] = []
  const outages: Sample[] = []
  try {
    for (let time = 1; time <= times; time++) {
      await passTime(4000)
      const primary = await servers.whole(120)
      const heal = await fault(primary)
      const begun = performance.now()
      const first = await firstSuccess(ledger.samples, begun)
      recoveries.push(Math.round(first - begun))
      outages.push(...ledger.samples.filter(({ at, end }) => end > begun && at < first))
      heal()
      const { codesUsedUp, doubles, lost } = ledger
      print(`${title} ${time}, ${primary}`, { backAfter: recoveries.at(-1), codesUsedUp, doubles, lost }) // prettier-ignore
    }
    await servers.whole(120)
  } finally {
    over = true
    await Promise.all(clients)
  }
  const refused = await useAll(origin, ledger.held)
  const after = await endedFamilies()
  const sorted = recoveries.toSorted((one, other) => one - other)
  print(title, {
    times,
    backAfter: { median: sorted[Math.floor(times / 2)], longest: sorted.at(-1) },
    families: ledger.held.length,
    codesUsedUp: ledger.codesUsedUp,
    endedAsReused: after.reused - before.reused,
    endedAsReplayed: after.replayed - before.replayed,
    doubles: ledger.doubles.length,
    lost: ledger.lost.length,
    refusedAfterwards: refused.length,
    requests: ledger.samples.length,
    statuses: tallyOf(ledger.samples),
    duringOutages: tallyOf(outages),
    slowest: slowestOf(outages),
  })
  expect(ledger.doubles).toEqual([])
  expect(ledger.lost).toEqual([])
  expect(refused).toEqual([])
  expect(after.reused - before.reused).toBe(0)
  // Whoever repeats an exchange that got no response, and was carried out, signs in again.
  expect(after.replayed - before.replayed).toBeLessThanOrEqual(ledger.codesUsedUp)
  expect(ledger.held.length).toBeGreaterThan(5 * times)
  expect(recoveries.filter((milliseconds) => milliseconds > LONGEST_MILLISECONDS)).toEqual([])
  const expected = new Set([0, 200, 400, 429, 502, 503, 504])
  expect(ledger.samples.filter(({ status }) => !expected.has(status))).toEqual([])
  // None of them has ended, or was started again.
  expect(processes.map(({ exitCode }) => exitCode())).toEqual([null, null, null])
}

describe('three processes over a primary with two standbys', () => {
  it(`keep what they acknowledged when it is killed, ${KILLS} times [F-60]`, async () => {
    await replacePrimary('kill', KILLS, async (primary) => {
      servers.kill(primary)
      return () => servers.start(primary)
    })
  }, 3_600_000)

  it(`keep it when it is killed after its standbys have fallen behind, ${FEW} times [F-60]`, async () => {
    await replacePrimary('kill after a second without standbys', FEW, async (primary) => {
      servers.holdBack(primary)
      // What is written in this second is nowhere else.
      await passTime(1000)
      servers.kill(primary)
      return () => servers.start(primary)
    })
  }, 900_000)

  it(`keep it when it stops responding and returns after it was replaced, ${FEW} times [F-60]`, async () => {
    await replacePrimary('freeze', FEW, async (primary) => servers.freeze(primary))
  }, 900_000)
})

/** When a request that needs the database was successful that began after the fault. */
async function firstSuccess(samples: readonly Sample[], after: number): Promise<number> {
  const ends = (): readonly number[] =>
    samples
      .filter(({ at, status, name }) => at > after && status === 200 && name !== 'userinfo')
      .map(({ end }) => end)
  await waitFor(() => ends().length > 0, { patienceMilliseconds: 120_000 })
  return Math.min(...ends())
}

/** How many families were ended, as the audit log has it. */
const endedFamilies = (): Promise<{ readonly reused: number; readonly replayed: number }> =>
  onPrimary(async (client) => {
    const { rows } = await client.query<{ reused: number; replayed: number }>(
      `select count(distinct event->>'grantId') filter (where type = 'oauth.grant.reuse_detected')::int reused,
         count(distinct event->>'grantId') filter (where type = 'oauth.authorization.code_replayed')::int replayed
       from school_audit`,
    )
    return rows[0]!
  })

function tallyOf(samples: readonly Sample[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const sample of samples) counts[kindOf(sample)] = (counts[kindOf(sample)] ?? 0) + 1
  return counts
}

/** The longest time that each kind of request took, in milliseconds. */
function slowestOf(samples: readonly Sample[]): Readonly<Record<string, number>> {
  const longest: Record<string, number> = {}
  for (const sample of samples) {
    const kind = kindOf(sample)
    longest[kind] = Math.max(longest[kind] ?? 0, Math.round(sample.end - sample.at))
  }
  return longest
}

const kindOf = ({ name, status, error }: Sample): string => `${name} ${error ?? status}`
