/** How far below the error that a driver function rejected with the driver's own may be. */
const DEEPEST = 5
/** Under which names a query builder keeps the error of its driver: Drizzle and TypeORM, Prisma, Sequelize. */
const WRAPPED = ['cause', 'driverError', 'meta', 'driverAdapterError', 'original', 'parent']

type Members = Readonly<Record<string, unknown>>

/** The error and what it wraps, the outermost first. Each is visited once, because some wrap each other. */
export function errorsIn(fault: unknown): readonly Members[] {
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
