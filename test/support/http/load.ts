import { once } from 'node:events'
import { passTime } from '../processes/wait.js'

/** One response, or none. */
export interface Sample {
  readonly name: string
  readonly milliseconds: number
  /** 0 if no response came. */
  readonly status: number
  readonly retryAfter: string | null
  /** Milliseconds since the load began. */
  readonly at: number
}

/** A request of the load, by the name of what it asks. */
export type Ask = () => Promise<Response>

/** How long the load waits for a response: a client that hangs longer has no answer. */
const GIVE_UP_MILLISECONDS = 12_000

/** Starts clients that each repeat one request, with a pause between, until they are stopped. */
export function startLoad(asks: Readonly<Record<string, Ask>>, { clients = 2, every = 100 } = {}) {
  const samples: Sample[] = []
  const began = performance.now()
  const since = (): number => performance.now() - began
  const state = { isStopped: false }
  const run = async (name: string, ask: Ask): Promise<void> => {
    while (!state.isStopped) {
      const at = since()
      const [status, retryAfter] = await answerOf(ask)
      samples.push({ name, at, status, retryAfter, milliseconds: since() - at })
      await passTime(every)
    }
  }
  const running = Object.entries(asks).flatMap(([name, ask]) =>
    Array.from({ length: clients }, () => run(name, ask)),
  )
  return {
    since,
    samples,
    async stop() {
      state.isStopped = true
      await Promise.all(running)
    },
  }
}

const gaveUp = (): Promise<null> =>
  once(AbortSignal.timeout(GIVE_UP_MILLISECONDS), 'abort').then(() => null)

async function answerOf(ask: Ask): Promise<readonly [number, string | null]> {
  try {
    const response = await Promise.race([ask(), gaveUp()])
    if (response === null) return [0, null]
    await response.arrayBuffer()
    return [response.status, response.headers.get('retry-after')]
  } catch {
    return [0, null]
  }
}

/**
 * What a request may take during a fault, in milliseconds: two seconds by the deadlines of the service, and what the
 * machine takes besides. That is known from the time before the fault, when there was less to do.
 */
export function patienceDuring(samples: readonly Sample[], from: number): number {
  const before = summarize(samples, [0, from]).map(({ p99 }) => p99)
  return 2000 + 4 * Math.max(...before)
}

/** The responses that began in an interval, by name: how many of each status, and how long they took. */
export function summarize(samples: readonly Sample[], [from, to]: readonly [number, number]) {
  const inside = samples.filter(({ at }) => at >= from && at < to)
  return [...new Set(inside.map(({ name }) => name))].sort().map((name) => {
    const own = inside.filter((sample) => sample.name === name)
    const times = own.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other)
    const statuses = Object.fromEntries(
      [...new Set(own.map(({ status }) => status))].map((status) => [
        status,
        own.filter((sample) => sample.status === status).length,
      ]),
    )
    const p99 = Math.round(times[Math.floor(times.length * 0.99)] ?? 0)
    return { name, statuses, p99, slowest: Math.round(times.at(-1) ?? 0) }
  })
}
