import type { Store, StoreWith } from 'hallpass/store'
import {
  accessSample,
  clientSample,
  codeSample,
  grantSample,
  pendingSample,
  refreshSample,
} from 'hallpass/testing'
import { callback, checkOptions, whole } from './options.js'

/** How many calls a process has in flight. */
const IN_FLIGHT = 8
/** How many sentences a report has at most: a store without a transaction breaks each race. */
const MOST_SENTENCES = 20
const RACER = 'HALLPASS_RACER'
const NONE = -1
const MOST_PROCESSES = 8

type Kept = StoreWith & Partial<Pick<Store, 'useOnce'>>

/** A call that all processes make at the same time, with each number, of which one may succeed. */
interface Race {
  /** Stores what the race is about. One process does it for each number. */
  readonly prepare?: (store: Kept, name: string) => Promise<unknown>
  /** @param won - who won the race before with this number */
  readonly call: (store: Kept, name: string, who: number, won: number) => Promise<string>
  /** The outcomes of a winner. */
  readonly wins: readonly string[]
  readonly loses: readonly string[]
  /** Whether the rows are those of the winner. Default: there is nothing to see. */
  readonly isRight?: (store: Kept, name: string, won: number) => Promise<boolean>
}

const key = (text: string): string => text.padEnd(43, '-')
const tokens = (grantId: string, tag: string) => ({
  accessToken: accessSample({ tokenHash: key(`a ${tag}`), grantId }),
  refreshToken: refreshSample({ tokenHash: key(`r ${tag}`), grantId }),
})
const codeOf = (name: string, tag = name) =>
  codeSample({ codeHash: key(`c ${tag}`), grantId: `g ${name}`, subject: `mem ${name}` })

function rotate(
  store: Kept,
  { from, to, grantId }: { from: string; to: string; grantId: string },
): Promise<string> {
  const { accessToken, refreshToken } = tokens(grantId, to)
  return store.rotateRefreshToken({
    tokenHash: key(`r ${from}`),
    rotation: {
      rotatedAt: refreshToken.issuedAt,
      salt: key(`s ${to}`),
      scopes: accessToken.scopes,
      scopesOmitted: true,
      successorHash: refreshToken.tokenHash,
      accessTokenExpiresAt: accessToken.expiresAt,
    },
    successor: refreshToken,
    accessToken,
    forgetSaltsUntil: 0,
  })
}

/** Whether only what the winner stored is there, of what each process has tried to store. */
async function isOnly(won: number, find: (who: number) => Promise<unknown>): Promise<boolean> {
  const found = await Promise.all(Array.from({ length: MOST_PROCESSES }, (_, who) => find(who)))
  return found.every((one, who) => (one !== null) === (who === won))
}

const RACES: Readonly<Record<string, Race>> = {
  insertClient: {
    call: (store, name, who) =>
      store.insertClient(clientSample({ clientId: name, name: `${who}` })),
    wins: ['inserted'],
    loses: ['exists'],
    isRight: async (store, name, won) => (await store.findClient(name))?.name === `${won}`,
  },
  replaceClient: {
    call: (store, name, who) =>
      store.replaceClient(clientSample({ clientId: name, name: `new ${who}`, revision: 2 })),
    wins: ['replaced'],
    loses: ['conflict'],
    isRight: async (store, name, won) => (await store.findClient(name))?.name === `new ${won}`,
  },
  'issueCode or endPending': {
    prepare: (store, name) => store.savePending(pendingSample({ idHash: key(`p ${name}`) })),
    call: (store, name, who) =>
      who % 4 === 0
        ? store.endPending(key(`p ${name}`))
        : store.issueCode({
            code: codeOf(name, `${name} ${who}`),
            pendingIdHash: key(`p ${name}`),
            consentKey: null,
          }),
    wins: ['issued', 'ended'],
    loses: ['gone'],
    async isRight(store, name, won) {
      const winner = won % 4 === 0 ? NONE : won
      return isOnly(winner, (who) => store.findCode(key(`c ${name} ${who}`)))
    },
  },
  redeemCode: {
    prepare: (store, name) =>
      store.issueCode({ code: codeOf(name), pendingIdHash: null, consentKey: null }),
    call: (store, name, who) =>
      store.redeemCode({
        codeHash: key(`c ${name}`),
        redeemedAt: grantSample().createdAt,
        grant: grantSample({ grantId: `g ${name}`, subject: `mem ${name}` }),
        ...tokens(`g ${name}`, `${name} ${who}`),
      }),
    wins: ['redeemed'],
    loses: ['spent'],
    isRight: (store, name, won) =>
      isOnly(won, (who) => store.findAccessToken(key(`a ${name} ${who}`))),
  },
  rotateRefreshToken: {
    call: (store, name, who, won) =>
      rotate(store, { from: `${name} ${won}`, to: `2 ${name} ${who}`, grantId: `g ${name}` }),
    wins: ['rotated'],
    loses: ['spent'],
    isRight: (store, name, won) =>
      isOnly(won, (who) => store.findRefreshToken(key(`r 2 ${name} ${who}`))),
  },
  'revokeGrant and rotateRefreshToken': {
    async call(store, name, who, won) {
      const grantId = `g ${name}`
      if (who > 0)
        return rotate(store, { from: `2 ${name} ${won}`, to: `3 ${name} ${who}`, grantId })
      const outcome = await store.revokeGrant({ grantId, revokedAt: 1, revokedReason: 'race' })
      return outcome === 'revoked' ? 'ended' : outcome
    },
    wins: ['ended'],
    loses: ['rotated', 'spent', 'revoked'],
    async isRight(store, name) {
      const whos = Array.from({ length: MOST_PROCESSES }, (_, who) => who)
      const found = await Promise.all(
        whos.map((who) => store.findAccessToken(key(`a 3 ${name} ${who}`))),
      )
      return found.every((one) => one === null || one.grant.revokedAt === 1)
    },
  },
  useOnce: {
    call: (store, name) => store.useOnce!({ key: key(`u ${name}`), until: 4_000_000_000 }),
    wins: ['first'],
    loses: ['again'],
  },
}

/** An order of the first process to the others. */
interface Order {
  readonly race: string
  readonly step: 'prepare' | 'call' | 'isRight'
  readonly rounds: number
  readonly processes: number
  /** Who won the race before, by number. */
  readonly won: readonly number[]
}

/** The outcome for each number; `null` for those that are not of this process, or that rejected. */
interface Answer {
  readonly outcomes: readonly (string | null)[]
  readonly faults: readonly string[]
}

type Options = Parameters<typeof raceProcesses>[0]

/**
 * Lets several processes race for the rows of one store, of which there may be one winner each: redemptions, refreshes, codes,
 * clients, revocations. What one process cannot show is there: locks of a file, isolation between connections, a cache in
 * memory. Needs Node.js.
 *
 * The file that calls it is started again for each process, and continues there only up to the call.
 *
 * @param options - `createStore`: opens the store of one site; each process calls it once. `file`: the `import.meta.url` of
 *   the calling module. `processes`: from 2 to 8. Default: 4. `rounds`: how many rows are raced for, an integer from 1 to
 *   1,000,000. Default: 10,000. `timeoutSeconds`: how long each step of a race may take. Default: 600
 * @returns the mistakes, in the process that was started first
 * @throws OptionsError that lists every mistake in the options
 * @throws Error - if a process ends, or a step takes too long
 * @example
 * ```ts
 * import { raceProcesses } from 'hallpass-lab'
 *
 * raceProcesses({ createStore: 1 as never, file: import.meta.url }) // throws OptionsError
 * ```
 *
 * @group Simulations
 */
export async function raceProcesses(options: {
  readonly createStore: (site: string) => StoreWith | Promise<StoreWith>
  readonly file: string
  readonly processes?: number
  readonly rounds?: number
  readonly timeoutSeconds?: number
}): Promise<{
  /** The races that were run: one for each method with a winner that the store has. */
  readonly races: readonly string[]
  /** The mistakes, such as `redeemCode 17: won by 0, 2`: at most 20. None if the store kept its promises. */
  readonly violations: readonly string[]
  /** How often calls rejected, by the message. It is unknown whether such a call has won. */
  readonly faults: Readonly<Record<string, number>>
  readonly seconds: number
}> {
  checkOptions('raceProcesses', options, RULES, ['createStore', 'file'])
  const { createStore, file, processes = 4, rounds = 10_000, timeoutSeconds = 600 } = options
  const who = process.env[RACER]
  if (who !== undefined) return serve(createStore, JSON.parse(who) as Racer)
  const began = performance.now()
  const { fork } = await import('node:child_process')
  const { fileURLToPath } = await import('node:url')
  const site = `race ${crypto.randomUUID()}`
  const racers = Array.from({ length: processes }, (_, index) =>
    fork(fileURLToPath(file), process.argv.slice(2), {
      env: { ...process.env, [RACER]: JSON.stringify({ index, site } satisfies Racer) },
    }),
  )
  try {
    const hasOnce =
      typeof ((await createStore(`${site} of the referee`)) as Kept).useOnce === 'function'
    const races = Object.keys(RACES).filter((name) => name !== 'useOnce' || hasOnce)
    const violations: string[] = []
    const faults: Record<string, number> = {}
    const say = (sentence: string): void => {
      if (violations.length < MOST_SENTENCES) violations.push(sentence)
    }
    const ask = async (order: Omit<Order, 'rounds' | 'processes'>): Promise<readonly Answer[]> => {
      const answers = await Promise.all(
        racers.map((racer) => answerOf(racer, { ...order, rounds, processes }, timeoutSeconds)),
      )
      for (const fault of answers.flatMap((answer) => answer.faults))
        faults[fault] = (faults[fault] ?? 0) + 1
      return answers
    }
    let won: readonly number[] = Array.from({ length: rounds }, () => NONE)
    for (const race of races) {
      await ask({ race, step: 'prepare', won })
      won = judge(race, await ask({ race, step: 'call', won }), say)
      for (const { outcomes } of await ask({ race, step: 'isRight', won }))
        for (const [number, outcome] of outcomes.entries())
          if (outcome === 'wrong')
            say(`${race} ${number}: won by ${won[number]}, and the rows are not theirs`)
    }
    return { races, violations, faults, seconds: (performance.now() - began) / 1000 }
  } finally {
    for (const racer of racers) racer.kill('SIGKILL')
  }
}

const RULES: Parameters<typeof checkOptions<Options>>[2] = {
  createStore: callback('(site) => createMyStore(site)'),
  file: (value) =>
    typeof value === 'string' && value.startsWith('file:') ? null : 'must be import.meta.url',
  processes: whole(2, MOST_PROCESSES),
  rounds: whole(1, 1_000_000),
  timeoutSeconds: whole(1, 86_400),
}

/** Finds who won each number: one process at most, and none only if a call rejected. */
function judge(
  race: string,
  answers: readonly Answer[],
  say: (sentence: string) => void,
): readonly number[] {
  const { wins, loses } = RACES[race]!
  return answers[0]!.outcomes.map((_, number) => {
    const outcomes = answers.map((answer) => answer.outcomes[number]!)
    const winners = [...outcomes.keys()].filter((who) => wins.includes(outcomes[who]!))
    const strange = outcomes.filter((one) => one !== null && ![...wins, ...loses].includes(one))
    if (strange.length > 0) say(`${race} ${number}: ${strange.join(', ')}`)
    if (winners.length > 1) say(`${race} ${number}: won by ${winners.join(', ')}`)
    if (winners.length + strange.length === 0 && outcomes.every((one) => one !== null))
      say(`${race} ${number}: won by none`)
    return winners.length === 1 ? winners[0]! : NONE
  })
}

/** The members of a process of Node.js that are needed, so that this package is loaded elsewhere too. */
interface Process {
  readonly exitCode: number | null
  readonly signalCode: string | null
  send(order: Order): unknown
  once(event: 'error' | 'exit' | 'message', listener: (value: unknown) => void): unknown
  off(event: 'error' | 'exit' | 'message', listener: (value: unknown) => void): unknown
}

/** Sends an order to a process, and waits for its answer. */
function answerOf(racer: Process, order: Order, timeoutSeconds: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        end(() => reject(new Error(`${order.race} took longer than ${timeoutSeconds} seconds`))),
      timeoutSeconds * 1000,
    )
    const onExit = (): void => end(() => reject(new Error('a process ended during a race')))
    const onMessage = (answer: unknown): void => end(() => resolve(answer as Answer))
    function end(settle: () => void): void {
      clearTimeout(timer)
      racer.off('exit', onExit)
      racer.off('error', onExit)
      racer.off('message', onMessage)
      settle()
    }
    if (racer.exitCode !== null || racer.signalCode !== null) return onExit()
    racer.once('exit', onExit)
    // One that cannot be started, or whose channel is closed already.
    racer.once('error', onExit)
    racer.once('message', onMessage)
    racer.send(order)
  })
}

interface Racer {
  readonly index: number
  readonly site: string
}

/** Answers the orders of the first process, until that ends. */
async function serve(createStore: Options['createStore'], { index, site }: Racer): Promise<never> {
  const store: Kept = await createStore(site)
  process.on('disconnect', () => process.exit())
  process.on('message', (order: Order) => {
    void answer(store, order, index).then((given) => process.send!(given))
  })
  return new Promise(() => {})
}

async function answer(
  store: Kept,
  { race, step, rounds, processes, won }: Order,
  index: number,
): Promise<Answer> {
  const { call, prepare, isRight } = RACES[race]!
  const outcomes: (string | null)[] = Array.from({ length: rounds }, () => null)
  const faults: string[] = []
  // The races after a redemption are about the tokens of its winner.
  const needsWinner = step === 'isRight' || /rotate/.test(race)
  async function one(number: number): Promise<void> {
    const name = String(number)
    if (step !== 'call' && number % processes !== index) return
    if (needsWinner && won[number] === NONE) return
    try {
      if (step === 'call') outcomes[number] = await call(store, name, index, won[number]!)
      else if (step === 'prepare') await prepare?.(store, name)
      else if ((await isRight?.(store, name, won[number]!)) === false) outcomes[number] = 'wrong'
    } catch (fault) {
      faults.push(fault instanceof Error ? fault.message : String(fault))
    }
  }
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < rounds) await one(next++)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
  return { outcomes, faults }
}
