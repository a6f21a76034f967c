import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Starts a child process of the benchmark.
 *
 * @param args - those of `server.mjs`, which says hello when it is ready; none for the client
 * @param core - the core on which it runs, if the system supports that; by default, any
 * @param node - path of the Node that runs it; by default, the one that runs this
 * @param execPath - a program that runs it, whose arguments, `execArgv`, end with Node and its own
 */
export async function startChild(
  file,
  args,
  { core, node = process.execPath, execPath = node, execArgv = ['--expose-gc'] } = {},
) {
  const isPinned = core !== undefined && existsSync('/usr/bin/taskset')
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    env: { ...process.env, NODE_ENV: 'production' },
    ...(isPinned
      ? { execPath: '/usr/bin/taskset', execArgv: ['-c', core, node, '--expose-gc'] }
      : { execPath, execArgv }),
  })
  const name = args.join('/') || file
  const next = async () => {
    const ended = new AbortController()
    const [answer] = await Promise.race([
      once(child, 'message', { signal: ended.signal }),
      once(child, 'exit', { signal: ended.signal }).then(([code]) => {
        throw new Error(`${name} ended with ${code}`)
      }),
    ]).finally(() => ended.abort())
    if (answer.error !== undefined) throw new Error(`${name}: ${answer.error}`)
    return answer
  }
  const hello = args.length > 0 ? await next() : {}
  const ask = (message) => {
    child.send(message)
    return next()
  }
  return { child, ask, ...hello }
}

/** How many rounds of a target are not counted, so that the compiler of the runtime has seen its requests. */
export const WARM_UP_ROUNDS = 3

/**
 * Sends a child its requests, round by round, and returns the CPU time of one of each round in microseconds.
 *
 * @param atOnce - for how many rounds requests are prepared at a time; by default, for all
 */
export async function* cpuTimes(child, scenario, { requests, rounds, atOnce = rounds }) {
  for (let round = 0; round < rounds; round++) {
    if (round % atOnce === 0) {
      const count = requests * Math.min(atOnce, rounds - round)
      await child.ask({ type: 'load', scenario, count })
    }
    const { cpuMicroseconds } = await child.ask({ type: 'drive', scenario, count: requests })
    yield cpuMicroseconds / requests
  }
}
