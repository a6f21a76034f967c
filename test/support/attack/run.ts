import fc from 'fast-check'
import type { Judge } from './browser.js'
import { isAllowedLocation, leakIn } from './invariants.js'
import type { Service, SiteName } from './service.js'
import type { Answer, Sent } from './wire.js'

/** What all generated inputs come from: the same table at every run. */
const SEED = 15

/** A hostile request, and what may come of it. */
export interface Attack {
  readonly name: string
  readonly request: Sent
  /** Default: Lantern Street. */
  readonly site?: SiteName
  /** The statuses with which it may be refused or ignored. */
  readonly statuses: readonly number[]
  /** What the body must not contain. */
  readonly without?: readonly string[]
  /** Tells what else is wrong with the response, or `null`. */
  readonly fault?: ((answer: Answer) => string | null) | undefined
  /** Whether Chromium judges the response: by reading it, or also by opening it. */
  readonly judged?: 'read' | 'opened'
}

/** Tables whose rows a class may change, and by how many rows each may grow. */
export type Changes = Readonly<Record<string, number | 'any'>>

/** What is attacked, as far as every class needs it. */
export interface Target extends Pick<Service, 'origin' | 'output' | 'secrets' | 'send'> {
  /**
   * Remembers what is stored, and returns a function that tells what has changed since.
   *
   * @param options - `from`: epoch seconds. Rows that expired before may be deleted at any time
   */
  readonly watch: (options: {
    from: number
  }) => Promise<(changes: Changes) => Promise<readonly string[]>>
}

/** A hostile exchange of several requests. */
export interface Exchange<Attacked = Service> {
  readonly name: string
  /** How many inputs it counts as. */
  readonly times: number
  /** Returns what was unexpected. */
  readonly run: (service: Attacked, judge: Judge) => Promise<readonly string[]>
}

/** The attacks of one class. */
export interface AttackClass<Attacked = Service> {
  readonly name: string
  /** The least number of inputs, so that a table that became empty fails. */
  readonly least: number
  /** Builds the table. Tokens and sessions that it needs are stored meanwhile. */
  readonly build: (service: Attacked) => Promise<AttackTable<Attacked>>
}

interface AttackTable<Attacked> {
  readonly attacks: readonly (Attack | Exchange<Attacked>)[]
  /** Harmless requests with the same means, which must succeed: otherwise a dead service would pass. */
  readonly controls: readonly Attack[]
  /** Of Lantern Street. Default: none. */
  readonly changes?: Changes
  /** Tells what is wrong after all of it. */
  readonly after?: (service: Attacked) => Promise<readonly string[]>
}

/** What came of a class. */
export interface Outcome {
  readonly tried: number
  readonly unexpected: readonly string[]
}

// Half as many as a service has connections to its database, so that none waits for one on a slow machine either.
const AT_ONCE = 4
/** How many exchanges run at the same time of those that send many requests at a time themselves. */
const LONG_AT_ONCE = 1
const isLong = ({ times }: Pick<Exchange, 'times'>): boolean => times > 3

/** Sends every attack of a class, then checks what holds after each class. */
export async function runClass<Attacked extends Target>(
  { build }: AttackClass<Attacked>,
  service: Attacked,
  judge: Judge,
): Promise<Outcome> {
  const { attacks, controls, changes = {}, after } = await build(service)
  const printed = service.output().length
  // oxlint-disable-next-line no-restricted-properties -- the service runs by the real clock
  const from = Math.floor(Date.now() / 1000)
  const changed = await service.watch({ from })
  const unexpected: string[] = []
  const [single, exchanges] = [attacks.filter(isSingle), attacks.filter(isExchange)]
  await inTurn(single, AT_ONCE, async (attack) => {
    const fault = await faultOf(attack, service, judge)
    if (fault !== null) unexpected.push(`${attack.name}: ${fault}`)
  })
  const exchange = async ({ name, run }: Exchange<Attacked>): Promise<void> => {
    for (const fault of await run(service, judge)) unexpected.push(`${name}: ${fault}`)
  }
  await inTurn(
    exchanges.filter((one) => !isLong(one)),
    AT_ONCE,
    exchange,
  )
  await inTurn(exchanges.filter(isLong), LONG_AT_ONCE, exchange)
  for (const control of controls) {
    const fault = await faultOf(control, service, judge)
    if (fault !== null) unexpected.push(`the harmless request ${control.name}: ${fault}`)
  }
  unexpected.push(
    ...(await changed(changes)),
    ...((await after?.(service)) ?? []),
    ...loggedFaults(service.output().slice(printed), service),
  )
  const tried = exchanges.reduce((sum, { times }) => sum + times, single.length)
  return { tried, unexpected }
}

const isExchange = <Attacked>(one: Attack | Exchange<Attacked>): one is Exchange<Attacked> =>
  'run' in one
const isSingle = (one: Attack | Exchange<never>): one is Attack => !isExchange(one)

/** Runs `work` for every item, a few at a time. */
export async function inTurn<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** Sends one attack, and returns what is wrong with the response. */
export async function faultOf(
  attack: Attack,
  service: Pick<Target, 'origin' | 'secrets' | 'send'>,
  judge: Judge,
): Promise<string | null> {
  const { request, site = 'lantern', statuses, without = [], fault, judged } = attack
  const answer = await service.send(request, site)
  const { status, text } = answer
  const said = `${status} ${text.slice(0, 200)}`
  if (!statuses.includes(status)) return `${said} (expected ${statuses.join(' or ')})`
  const leak = leakIn(answer, { secrets: service.secrets, request })
  if (leak !== null) return `${status}, and the response contains ${leak}`
  if (!isAllowedLocation(answer, service.origin[site]))
    return `${status} to ${String(answer.headers['location'])}`
  const forbidden = without.find((part) => text.includes(part))
  if (forbidden !== undefined) return `${status}, and the body contains ${forbidden}`
  const more = fault?.(answer) ?? null
  if (more !== null) return `${said}: ${more}`
  if (judged === undefined || !String(answer.headers['content-type']).startsWith('text/html'))
    return null
  return (
    (await judge.read(text)) ??
    (judged === 'opened' ? judge.open(`${service.origin[site]}/opened`, answer) : null)
  )
}

const SLOW = /did not respond within \d+ ms/

/** Entries of the log that say that the service failed, not only that it was slow, or that contain a secret. */
function loggedFaults(log: string, { secrets }: Pick<Target, 'secrets'>): readonly string[] {
  const lines = log.split('\n')
  const logged = [...secrets].filter((secret) => log.includes(secret))
  return [
    ...lines.filter((line) => /"type":"fault"|^\s+at |Error:/.test(line) && !SLOW.test(line)),
    ...lines.filter((line) => logged.some((secret) => line.includes(secret))),
  ].map((line) => `the log: ${line.slice(0, 300)}`)
}

/** Values of an arbitrary, the same at every run. */
export const sampled = <Value>(arbitrary: fc.Arbitrary<Value>, count: number): readonly Value[] =>
  fc.sample(arbitrary, { seed: SEED, numRuns: count })

/** Copies of a text with one character put in, left out or replaced. */
export function mutated(text: string, count: number): readonly string[] {
  const edit = fc.record({
    at: fc.nat({ max: text.length - 1 }),
    cut: fc.constantFrom(0, 1),
    put: fc.constantFrom(...EDITS),
  })
  const edited = sampled(edit, count).map(
    ({ at, cut, put }) => text.slice(0, at) + put + text.slice(at + cut),
  )
  return [...new Set(edited)].filter((one) => one !== text)
}

const EDITS = [
  '', '/', '\\', '@', ':', '.', '?', '#', '&', '%00', '%2e', '%2F', '%40', ' ', '\t', '\n', 'A', '0', '\u0000',
  '\u202e', '\uff0f', '\u00ad', ';', '*', '//', '..', '%', '+', '\ud800', "'", '"', '<',
] // prettier-ignore

/** Every pair of one of these and one of those. */
export const pairs = <One, Other>(
  ones: readonly One[],
  others: readonly Other[],
): readonly (readonly [One, Other])[] =>
  ones.flatMap((one) => others.map((other) => [one, other] as const))
