import type { Endpoint, Outgoing } from '../http/exchange.js'
import { createEndpoint, type Frame } from '../http/frame.js'
import { json, ONLY_FAILURES } from '../http/respond.js'
import {
  callback,
  custom,
  isObject,
  optional,
  type Rules,
  unlike,
  whole,
} from '../options/check.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import { hasGroup } from '../store/groups.js'
import type { KeySource } from '../token/key-ring.js'
import { isBefore } from '../time/seconds.js'
import { keySourceRule } from '../token/key-rules.js'

/** How long a check that does not finish is waited for before it is started again. */
const STUCK_SECONDS = 10
type HealthCheck = () => boolean | Promise<boolean>

const CHECK_NAME = /^[a-z][a-z0-9_]{0,31}$/

/**
 * The endpoints for a supervisor and a load balancer. Created by {@link createHealthEndpoints}.
 *
 * @group Maintenance
 */
export interface HealthEndpoints {
  /** `GET`: 200 while the process handles requests, and 503 once it is about to stop. It runs no check. */
  readonly livez: Endpoint
  /**
   * `GET`: 200 if every check passes, otherwise 503 with the names of those that failed. If only `write` fails, it is
   * 200 with the status `read_only`.
   */
  readonly readyz: Endpoint
}

/**
 * Creates `/livez`: restart the process if it fails, and `/readyz`: send the process no requests while it fails.
 * Four checks are built in:
 *
 * - `database`: the store responds;
 * - `clock`: the clock of the process differs from the store's by at most 60 seconds;
 * - `key`: a key signs and can be decrypted, unless none is meant to sign;
 * - `write`: the last change that the store was asked for succeeded. If it did not, as on a full disk or a server that
 *   is read-only, what only reads still works: so the response remains 200, with the status `read_only`.
 *
 * While `database` fails, the other three are not judged, because they need the store. The checks run at
 * most once a second, however many requests arrive. A check that does not finish is started again after ten
 * seconds.
 *
 * If the issuer is not on a loopback host and the store is `lost with the process`, `onFault` receives that once, at the first
 * `readyz`.
 *
 * A response has the names of checks, and nothing else of the server. `onFault` is called once when a check starts to
 * fail, with `readyz` as the endpoint, and again only after the check has passed.
 *
 * @param site - the site from `defineSite`
 * @returns two endpoints; mount them in front of rate limits, at paths of your choice
 * @throws OptionsError that lists every mistake in the options
 * @group Maintenance
 * @example
 * ```ts
 * import { createHealthEndpoints, maintain } from 'hallpass/operations'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site, clock } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const { readyz } = createHealthEndpoints(site, { keys, checks: { queue: () => true } })
 * const ask = async () => (await readyz(new Request('https://school.example/readyz'))).json()
 * await ask() // => { status: 'not_ready', failing: ['key'] }
 *
 * await maintain(site, { keys })
 * clock.advance(1)
 * await ask() // => { status: 'ready', failing: [] }
 * ```
 */
export function createHealthEndpoints(
  site: Site,
  options: {
    /** The keys of the site. */
    readonly keys: KeySource
    /**
     * Checks of your own, by name: 1 to 32 lower-case letters, digits and underscores. A check passes if it returns
     * `true`; it fails if it returns `false`, throws or does not finish in time. `false` turns off a check
     * of this name, and a function replaces it. Default: `database`, `clock`, `key` and `write`.
     */
    readonly checks?: Readonly<Record<string, (() => boolean | Promise<boolean>) | false>>
    /**
     * How long each check may take, in milliseconds: an integer from 1 to 60,000. Checks run at the same time.
     * Default: 1000.
     */
    readonly deadlineMilliseconds?: number
    /**
     * Whether the process is about to stop. Both endpoints then respond with 503, so that a load balancer sends no further
     * requests while the process still handles them. Default: never.
     */
    readonly isStopping?: () => boolean
  },
): HealthEndpoints {
  const {
    keys,
    checks = {},
    deadlineMilliseconds = 1000,
    isStopping = () => false,
  } = checkOwnOptions('health endpoints', site, options, RULES)
  const judge = createJudge(site, {
    checks: { ...checksOf(site, keys), ...checks },
    deadlineMilliseconds,
  })
  let isTold = !isLostInProduction(site)
  const frame: Omit<Frame<never>, 'name'> = {
    methods: ['GET'],
    cors: null,
    errors: ONLY_FAILURES,
  }
  return {
    livez: createEndpoint(site, { ...frame, name: 'livez' }, async () =>
      isStopping() ? stopping() : json(200, ALIVE),
    ),
    readyz: createEndpoint(site, { ...frame, name: 'readyz' }, async () => {
      if (isStopping()) return stopping()
      const failing = await judge()
      if (!isTold) {
        isTold = true
        site.notifyFault('readyz', new Error(LOST))
      }
      if (failing.length === 0) return json(200, { status: 'ready', failing })
      return failing.every((name) => name === WRITE)
        ? json(200, { status: 'read_only', failing })
        : json(503, { status: 'not_ready', failing }, ['retry-after', '5'])
    }),
  }
}

const LOST =
  'the store is lost with the process: its end takes every client, grant and key with it. Pass a store whose rows are in a database: docs/do/store.md'

/** Whether people would lose what they allowed, because the store is made for tests and demos. */
const isLostInProduction = ({ issuer, loopbackHosts, store }: Site): boolean =>
  store.guarantees.acknowledged === 'lost with the process' &&
  !loopbackHosts.includes(new URL(issuer).hostname)

const ALIVE = { status: 'alive' }
const stopping = (): Outgoing => json(503, { status: 'stopping' }, ['retry-after', '5'])

/** The check whose failure leaves a process that serves what only reads. */
const WRITE = 'write'

const checksOf = (
  { store, clock, writeFault }: Site,
  keys: KeySource,
): Readonly<Record<'database' | 'clock' | 'key' | typeof WRITE, HealthCheck>> => ({
  async database() {
    await (hasGroup(store, 'clock') ? store.findClock() : store.findClient('readyz'))
    return true
  },
  clock: () => clock.agrees(),
  key: () => canSign(keys),
  write() {
    const fault = writeFault()
    if (fault !== null) throw fault
    return true
  },
})

/** Whether a key signs, or none is meant to. */
const canSign = async (keys: KeySource): Promise<boolean> =>
  keys.signing === false || (await keys.signer()) !== null

/** The checks that cannot pass without the store. */
const NEEDS_DATABASE: readonly string[] = ['clock', 'key', WRITE]

/** Creates a function that runs the checks, at most once a second, and returns the names of those that fail. */
function createJudge(
  { now, notifyFault }: Pick<Site, 'now' | 'notifyFault'>,
  {
    checks,
    deadlineMilliseconds,
  }: {
    checks: Readonly<Record<string, HealthCheck | false>>
    deadlineMilliseconds: number
  },
): () => Promise<readonly string[]> {
  const probes = Object.entries(checks).flatMap(([name, check]) =>
    check === false ? [] : [{ name, run: createProbe(name, { check, now, deadlineMilliseconds }) }],
  )
  const reported = new Set<string>()
  let round: { readonly at: number; readonly failing: Promise<readonly string[]> } | null = null

  async function runAll(): Promise<readonly string[]> {
    const results = await Promise.all(
      probes.map(async ({ name, run }) => ({ name, fault: await run() })),
    )
    const isDatabaseAway = results.some(({ name, fault }) => name === 'database' && fault !== null)
    const judged = results.filter(({ name }) => !(isDatabaseAway && NEEDS_DATABASE.includes(name)))
    for (const { name, fault } of judged) {
      if (fault === null) reported.delete(name)
      else if (!reported.has(name)) {
        reported.add(name)
        notifyFault('readyz', fault)
      }
    }
    return judged.filter(({ fault }) => fault !== null).map(({ name }) => name)
  }

  return () => {
    const at = now()
    if (round?.at !== at) round = { at, failing: runAll() }
    return round.failing
  }
}

/** Creates a function that runs a check, and returns `null` if it passes, otherwise the fault to report. */
function createProbe(
  name: string,
  {
    check,
    now,
    deadlineMilliseconds,
  }: { check: HealthCheck; now: () => number; deadlineMilliseconds: number },
): () => Promise<Error | null> {
  const subject = `the check ${name} of readyz`
  let running: { readonly since: number; readonly result: Promise<Error | null> } | null = null

  async function outcome(): Promise<Error | null> {
    try {
      return (await check()) ? null : new Error(`${subject} did not pass`)
    } catch (cause) {
      const reason = cause instanceof Error ? `: ${cause.message}` : ''
      return new Error(`${subject} failed${reason}`, { cause })
    }
  }
  function start(): Promise<Error | null> {
    const started = {
      since: now(),
      result: outcome().finally(() => {
        if (running === started) running = null
      }),
    }
    running = started
    return started.result
  }

  return () => {
    // Otherwise each request would add a statement to a database that does not respond.
    const isStuck = running !== null && !isBefore(Math.abs(now() - running.since), STUCK_SECONDS)
    const result = running === null || isStuck ? start() : running.result
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<Error>((resolve) => {
      timer = setTimeout(
        () => resolve(new Error(`${subject} took longer than ${deadlineMilliseconds} ms`)),
        deadlineMilliseconds,
      )
    })
    return Promise.race([result, late]).finally(() => clearTimeout(timer))
  }
}

const CHECKS = 'an object of functions by name, such as { queue: () => queue.isConnected() }'

const RULES: Rules<Parameters<typeof createHealthEndpoints>[1]> = {
  keys: keySourceRule,
  checks: optional(
    custom(CHECKS, (value, name) =>
      isObject(value)
        ? Object.entries(value).flatMap(([one, check]) => [
            ...(CHECK_NAME.test(one)
              ? []
              : [`${name}.${one} must be named with 1 to 32 of a-z, 0-9 and _`]),
            ...(check === false || typeof check === 'function'
              ? []
              : unlike(`${name}.${one}`, 'a function or false', check)),
          ])
        : unlike(name, CHECKS, value),
    ),
  ),
  deadlineMilliseconds: optional(whole(1, 60_000)),
  isStopping: optional(callback('() => isStopping')),
}
