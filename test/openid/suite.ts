import { request } from 'node:https'

/** A module of a plan, with the variant that the plan gives it. */
interface Module {
  readonly testModule: string
  readonly variant?: Readonly<Record<string, string>>
}

/** One line of the log of a module that is not a success. */
interface Finding {
  readonly condition: string
  readonly message: string
  readonly isFailure: boolean
}

/** The end of one module. */
interface Outcome {
  readonly result: string
  /** Between the first and the last line of its log. */
  readonly seconds: number
  readonly findings: readonly Finding[]
}

/** A running conformance suite of the OpenID Foundation, in its development mode. */
export interface Suite {
  readonly origin: string
  readonly version: string
  readonly createPlan: (
    name: string,
    variant: Readonly<Record<string, string>>,
    configuration: object,
  ) => Promise<{ readonly id: string; readonly modules: readonly Module[] }>
  /** Runs a module of a plan until it ends, for seven minutes at most. */
  readonly run: (planId: string, module: Module) => Promise<Outcome>
  /** The suite's own export of a plan: a zip file with the log of each module, signed by the suite. */
  readonly exportPlan: (planId: string) => Promise<Buffer>
}

/** How long the suite waits for a state until it responds, and how often it is asked: the longest module takes a minute. */
const WAIT_MILLISECONDS = 20_000
const MOST_WAITS = 20
const CALL_MILLISECONDS = 60_000
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Finds the suite that runs at an address on this computer.
 *
 * @throws Error if no address is set, if it is not on this computer, or if no suite responds there
 */
export async function openSuite(address = process.env['OPENID_SUITE']): Promise<Suite> {
  const example = 'such as OPENID_SUITE=https://localhost:8443'
  if (!address) throw new Error(`OPENID_SUITE is not set: name a suite that runs, ${example}`)
  const { origin, hostname, protocol } = new URL(address)
  // Its certificate is its own, and the clients' private keys are sent to it.
  if (protocol !== 'https:' || !LOOPBACK.has(hostname))
    throw new Error(
      `OPENID_SUITE "${address}" must be an https origin on this computer, ${example}`,
    )

  const call = (method: string, path: string, body?: object): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' }
      const options = { method, headers, rejectUnauthorized: false, timeout: CALL_MILLISECONDS }
      const sent = request(`${origin}${path}`, options, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.once('error', reject)
        answer.once('end', () => {
          const whole = Buffer.concat(chunks)
          const { statusCode = 0 } = answer
          if (statusCode < 300) resolve(whole)
          else
            reject(new Error(`${method} ${path}: ${statusCode} ${whole.toString().slice(0, 500)}`))
        })
      })
      sent.once('timeout', () => sent.destroy(new Error(`${method} ${path}: no response`)))
      sent.once('error', reject)
      sent.end(body && JSON.stringify(body))
    })
  const read = async <Value>(method: string, path: string, body?: object): Promise<Value> =>
    JSON.parse((await call(method, path, body)).toString()) as Value

  const { version, revision } = await read<{ version: string; revision: string }>(
    'GET',
    '/api/server',
  ).catch((cause: unknown) => {
    throw new Error(`no conformance suite responds at ${origin}`, { cause })
  })

  /** Waits until a module has one of the states. The suite responds when it has, or after some seconds. */
  async function reach(id: string, states: readonly string[]): Promise<string> {
    const query = new URLSearchParams({
      states: states.join(),
      timeoutMs: String(WAIT_MILLISECONDS),
    })
    for (let waits = 0; waits < MOST_WAITS; waits++) {
      const { state } = await read<{ state?: string }>(
        'GET',
        `/api/runner/${id}/wait-state?${query}`,
      ).catch(
        // A module that has ended is forgotten by the runner.
        async () => ({ state: (await read<{ status: string }>('GET', `/api/info/${id}`)).status }),
      )
      if (state !== undefined && states.includes(state)) return state
    }
    return `not ${states.join(' or ')} in time`
  }

  async function run(planId: string, { testModule, variant }: Module): Promise<Outcome> {
    const query = new URLSearchParams({ test: testModule, plan: planId })
    if (variant) query.set('variant', JSON.stringify(variant))
    const { id } = await read<{ id: string }>('POST', `/api/runner?${query}`)
    let state = await reach(id, ['CONFIGURED', 'WAITING', 'FINISHED', 'INTERRUPTED'])
    if (state === 'CONFIGURED') await call('POST', `/api/runner/${id}`)
    state = await reach(id, ['FINISHED', 'INTERRUPTED'])
    const { result } = await read<{ result?: string }>('GET', `/api/info/${id}`)
    if (!['FINISHED', 'INTERRUPTED'].includes(state)) await call('DELETE', `/api/runner/${id}`)
    const log = await read<readonly LogEntry[]>('GET', `/api/log/${id}`)
    const times = log.map(({ time }) => time)
    const seconds = Math.round((Math.max(...times) - Math.min(...times)) / 1000)
    const findings = log.flatMap(({ src = '', msg = '', result: kind = '' }) =>
      kind === 'FAILURE' || kind === 'WARNING'
        ? [{ condition: src, message: msg, isFailure: kind === 'FAILURE' }]
        : [],
    )
    const isOver = state === 'FINISHED' || state === 'INTERRUPTED'
    return { result: isOver ? (result ?? state) : state, seconds, findings }
  }

  return {
    origin,
    version: `${version} (${revision})`,
    async createPlan(planName, variant, configuration) {
      const query = new URLSearchParams({ planName, variant: JSON.stringify(variant) })
      return read('POST', `/api/plan?${query}`, configuration)
    },
    run,
    exportPlan: (planId) => call('GET', `/api/plan/export/${planId}`),
  }
}

interface LogEntry {
  /** Epoch milliseconds. */
  readonly time: number
  readonly src?: string
  readonly msg?: string
  readonly result?: string
}
