import { StorageFailure, type Store, withoutChange } from 'hallpass/store'
import type { Chance } from './chance.js'
import type { EndedCall, StoreMethod } from './store-model.js'

/** A call that a process has sent and that the store has not received yet. */
interface Call {
  readonly verb: StoreMethod
  readonly parameters: readonly unknown[]
  /** Index of the site whose store is called. */
  readonly site: number
  readonly resolve: (value: unknown) => void
  readonly reject: (fault: unknown) => void
}

/** Something that a client or an operator does: one request, or several in a row. */
export interface Task {
  readonly id: number
  readonly name: string
  /** The process that has the request now. */
  server: number
  /** The calls of that process that wait. Empty after the task has ended. */
  calls: Call[]
  /** Resolves when the task waits for the store or has ended. */
  stopped: Signal
  /** Loses the response to the current request. */
  lose: () => void
}

interface Signal {
  readonly promise: Promise<void>
  readonly give: () => void
}

function createSignal(): Signal {
  let give = (): void => {}
  const promise = new Promise<void>((resolve) => (give = resolve))
  return { promise, give }
}

/** How calls can go wrong. Each is a probability. */
export interface Faults {
  /** A call fails before the store receives it. */
  readonly failed: number
  /** The store does its work, and the result does not reach the process. */
  readonly resultLost: number
  /** The response does not reach the client. */
  readonly responseLost: number
}

/** Lets requests run in an order of its own. Created by {@link createScheduler}. */
export interface Scheduler {
  /** Tasks that have not ended, in the order in which they began. */
  readonly tasks: readonly Task[]
  /** How many calls of processes that died are still on their way. */
  readonly strays: () => number
  /** Starts a task, and waits until it waits for the store or has ended. */
  readonly start: (
    name: string,
    server: number,
    run: (task: Task) => Promise<void>,
  ) => Promise<void>
  /**
   * Serves one request of a task.
   *
   * @param serve - receives the store of each site as the process of the task sees it
   * @returns the response; `null` if it was lost, or the process died
   */
  readonly request: <Answer>(
    task: Task,
    serve: (storeOf: (site: number) => Store) => Promise<Answer>,
  ) => Promise<Answer | null>
  /** Lets the store receive the calls of these tasks while they overlap, and then lets the tasks continue. */
  readonly run: (tasks: readonly Task[], faults: Faults) => Promise<void>
  /** Lets the store receive a call of a process that has died. Its result is lost. */
  readonly runStray: () => Promise<void>
  /** Ends a process. Of its calls, some never reach the store, and some reach it later. */
  readonly crash: (server: number) => Promise<void>
  /** Lets every call of a dead process fail, so that no timer waits for it. */
  readonly end: () => void
}

/**
 * Creates a scheduler. A store never has a call that the scheduler did not let through, and the calls of one
 * turn have ended before those of the next begin. There are no timers: what happens follows from the chance,
 * as long as the store behaves the same each time.
 */
export function createScheduler({
  stores,
  chance,
  onCalls,
  note,
}: {
  stores: readonly Store[]
  chance: Chance
  /** Receives the calls that overlapped, by site. */
  onCalls: (site: number, calls: readonly EndedCall[]) => Promise<void>
  note: (what: string, server: number | null) => void
}): Scheduler {
  let tasks: readonly Task[] = []
  let strays: readonly Call[] = []
  let lastId = 0
  let faultsNow: Faults = NO_FAULTS
  let bug: { readonly fault: unknown } | null = null
  /** Calls of dead processes, which get no result while the simulation continues. */
  const dead: Call[] = []

  const end = (task: Task): void => {
    tasks = tasks.filter((other) => other !== task)
    task.stopped.give()
  }
  const untilStopped = async (task: Task): Promise<void> => {
    await task.stopped.promise
    if (bug !== null) throw bug.fault
  }

  /** The store of a site for one request: a call waits until the scheduler lets it through. */
  const storeOf = (task: Task, site: number, isAlive: () => boolean): Store => {
    const wait =
      (verb: StoreMethod) =>
      (...parameters: readonly unknown[]): Promise<unknown> =>
        new Promise((resolve, reject) => {
          // Code of a dead process may still run to its next call. It goes no further.
          if (!isAlive()) return reject(failed(false))
          task.calls.push({ verb, parameters, site, resolve, reject })
          task.stopped.give()
        })
    const { guarantees } = stores[site]!
    return new Proxy({ guarantees } as Store, {
      get: (own, verb) => (verb === 'guarantees' ? own.guarantees : wait(verb as StoreMethod)),
    })
  }

  /** Has the store work on calls while they overlap. */
  const work = async (calls: readonly Call[]): Promise<readonly EndedCall[]> => {
    const ended: Promise<EndedCall>[] = []
    for (const { verb, parameters, site } of calls) {
      const call = stores[site]![verb] as (...parameters: readonly unknown[]) => Promise<unknown>
      const result = Promise.resolve()
        .then(() => call.apply(stores[site], [...parameters]))
        .then(
          (value) => ({ result: { value } }),
          (fault: unknown) => ({ result: null, fault }),
        )
      ended.push(result.then((outcome) => ({ verb, parameters, ...outcome })))
      // How far the first call gets before the next begins decides which races it can lose.
      for (let turns = chance.below(8); turns > 0; turns--) await Promise.resolve()
    }
    const done = await Promise.all(ended)
    for (const site of stores.keys()) {
      const own = done.filter((_, index) => calls[index]!.site === site)
      if (own.length > 0) await onCalls(site, own)
    }
    return done
  }

  return {
    get tasks() {
      return tasks
    },
    strays: () => strays.length,

    async start(name, server, run) {
      const task: Task = {
        id: ++lastId,
        name,
        server,
        calls: [],
        stopped: createSignal(),
        lose: () => {},
      }
      tasks = [...tasks, task]
      run(task)
        .catch((fault: unknown) => {
          bug = { fault }
        })
        .finally(() => end(task))
      await untilStopped(task)
    },

    request<Answer>(
      task: Task,
      serve: (storeOf: (site: number) => Store) => Promise<Answer>,
    ): Promise<Answer | null> {
      let isOver = false
      return new Promise<Answer | null>((resolve, reject) => {
        const answer = (response: Answer | null): void => {
          isOver = true
          resolve(response)
        }
        task.lose = () => answer(null)
        const receive = (response: Answer): void => {
          if (isOver) return
          const isLost = chance.is(faultsNow.responseLost)
          if (isLost) note(`the response to ${task.name} is lost`, task.server)
          answer(isLost ? null : response)
        }
        serve((site) => storeOf(task, site, () => !isOver)).then(receive, reject)
      })
    },

    async run(wanted, faults) {
      faultsNow = faults
      // No call overlaps a purge, because the rows that it left are read afterwards.
      const purging = wanted.find(({ calls }) => calls.some(({ verb }) => verb === 'purge'))
      const chosen = purging === undefined ? wanted : [purging]
      const sent = chosen.flatMap((task) =>
        task.calls.splice(0).map((call) => ({ task, call, fate: chance.below(1_000_000) / 1e6 })),
      )
      for (const task of chosen) task.stopped = createSignal()
      const received = sent.filter(({ fate }) => fate >= faults.failed)
      const ended = await work(received.map(({ call }) => call))
      for (const { task, call, fate } of sent) {
        const result = ended[received.findIndex((one) => one.call === call)]?.result ?? null
        const isLost = fate < faults.failed + faults.resultLost
        const outcome = fate < faults.failed ? 'not received' : textOf(result)
        note(`${task.name}: ${call.verb}: ${outcome}${isLost ? ', lost' : ''}`, task.server)
        if (result === null || isLost) call.reject(failed(fate < faults.failed / 2))
        else call.resolve(result.value)
        // One task after the other, because their signatures take a time that no seed decides.
        if (sent.findLast((one) => one.task === task)!.call === call) await untilStopped(task)
      }
    },

    async runStray() {
      const stray = strays[chance.below(strays.length)]!
      strays = strays.filter((other) => other !== stray)
      const [ended] = await work([stray])
      note(`a dead process: ${stray.verb}: ${textOf(ended!.result)}`, null)
    },

    async crash(server) {
      const died = tasks.filter((task) => task.server === server && task.calls.length > 0)
      note(`dies with ${died.length} requests`, server)
      for (const task of died) {
        const calls = task.calls.splice(0)
        dead.push(...calls)
        strays = [...strays, ...calls.filter(() => chance.is(0.5))]
        task.stopped = createSignal()
        task.lose()
        await untilStopped(task)
      }
    },

    end() {
      for (const { reject } of dead) reject(failed(false))
    },
  }
}

/** Every other store knows that a call which it has not received changes nothing. */
const failed = (isCertain: boolean): unknown => {
  const fault = new StorageFailure('the simulation')
  return isCertain ? withoutChange(fault) : fault
}

export const NO_FAULTS: Faults = { failed: 0, resultLost: 0, responseLost: 0 }

function textOf(result: EndedCall['result']): string {
  if (result === null) return 'threw'
  const { value } = result
  if (value === null) return 'nothing'
  if (value === undefined) return 'done'
  return typeof value === 'object' ? 'found' : JSON.stringify(value).replaceAll('"', '')
}
