/** How far below the error that `execute` rejected with the driver's own may be. */
const DEEPEST = 5
/** Under which names a query builder keeps the error of its driver: Drizzle and TypeORM, Prisma, Sequelize. */
const WRAPPED = ['cause', 'driverError', 'meta', 'driverAdapterError', 'original', 'parent']

const TIMEOUT = /time(?:d |-)?out/i
const SQLSTATE = /^(?:\d[\dA-Z]|F0|HV|P0|XX)[\dA-Z]{3}$/

/**
 * Returns the SQLSTATE of an error: its own, or that of the driver's error which it wraps.
 *
 * @returns `null` if there is none, as for a connection that was lost
 */
export function sqlStateOf(fault: unknown): string | null {
  for (const { code, originalCode } of errorsIn(fault))
    for (const one of [code, originalCode])
      if (typeof one === 'string' && SQLSTATE.test(one)) return one
  return null
}

/** Whether an error, or one that it wraps, says that a time limit was exceeded. */
export function saysTimeout(fault: unknown): boolean {
  // The message of an error that has the statement as `query` quotes it, with any text as a parameter.
  return errorsIn(fault).some(
    ({ message, query }) =>
      typeof query !== 'string' && typeof message === 'string' && TIMEOUT.test(message),
  )
}

type Members = Readonly<Record<string, unknown>>

/** The error and what it wraps, the outermost first. Each is visited once, because some wrap each other. */
function errorsIn(fault: unknown): readonly Members[] {
  const found = new Set<Members>()
  let level = [fault]
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth++) {
    const fresh = level.filter(
      (one): one is Members =>
        typeof one === 'object' && one !== null && !found.has(one as Members),
    )
    for (const one of fresh) found.add(one)
    level = fresh.flatMap((one) => WRAPPED.map((name) => one[name]))
  }
  return [...found]
}
