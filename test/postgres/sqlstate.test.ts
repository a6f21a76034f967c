import { createPostgresStore, type Execute } from 'hallpass/postgres'
import { describe, expect, it } from 'vitest'
import { sqlStateOf } from '../../src/postgres/sqlstate.js'
import { keySample, redemption } from '../../src/store-contract/samples.js'

const code = '40001'
const driver = Object.assign(new Error('could not serialize access'), { code })

/** How query builders wrap the error of their driver. */
const WRAPPED = {
  'no builder': driver,
  Drizzle: new Error('Failed query: select 1', { cause: driver }),
  TypeORM: Object.assign(new Error('could not serialize access'), { driverError: driver }),
  Prisma: Object.assign(new Error('Raw query failed'), {
    code: 'P2010',
    meta: { driverAdapterError: { cause: { originalCode: code, kind: 'postgres' } } },
  }),
  'Sequelize, original': Object.assign(new Error('Validation error'), { original: driver }),
  'Sequelize, parent': Object.assign(new Error('Validation error'), { parent: driver }),
}

/** An error of which the driver's own is so many levels below. */
const below = (levels: number): unknown =>
  levels === 0 ? driver : new Error('wrapped', { cause: below(levels - 1) })

describe('the SQLSTATE of an error', () => {
  it.each(Object.entries(WRAPPED))('is found through %s [PG-13]', (_, fault) => {
    expect(sqlStateOf(fault)).toBe(code)
  })

  it('is found at most five levels down [PG-13]', () => {
    expect(sqlStateOf(below(5))).toBe(code)
    expect(sqlStateOf(below(6))).toBe(null)
  })

  it('is the outermost of several [PG-13]', () => {
    const outer = Object.assign(new Error('outer', { cause: driver }), { code: '42P01' })
    expect(sqlStateOf(outer)).toBe('42P01')
  })

  it('is not another code, such as that of a lost connection or of Prisma [PG-13]', () => {
    for (const other of ['ECONNRESET', 'EPIPE', 'P2010', 'P1001', '4000', '400011', 40_001, null])
      expect(sqlStateOf(Object.assign(new Error('x'), { code: other }))).toBe(null)
    for (const fault of [null, undefined, 'text', 7, {}, { cause: 'text' }])
      expect(sqlStateOf(fault)).toBe(null)
  })

  it('is looked for in errors that wrap each other, once in each [PG-13]', () => {
    const [one, other] = [new Error('one'), new Error('other')]
    one.cause = other
    other.cause = one
    expect(sqlStateOf(one)).toBe(null)
  })
})

describe('a store whose errors are wrapped', () => {
  /** Rejects so many times, then resolves. */
  const failing = (times: number, fault: unknown, isWon = true): Execute & { calls: number } => {
    const execute = Object.assign(
      async () => {
        if (execute.calls++ < times) throw fault
        return { rows: [{ is_won: isWon ? 1 : 0, is_found: null }] }
      },
      { calls: 0 },
    )
    return execute
  }
  const storeOver = (execute: Execute): ReturnType<typeof createPostgresStore> =>
    createPostgresStore({ execute, site: 'a', chance: () => 0 })

  it.each(Object.entries(WRAPPED))(
    'runs a statement again that was rolled back, through %s [PG-13, PG-01]',
    async (_, fault) => {
      expect(await storeOver(failing(11, fault)).redeemCode(redemption())).toBe('redeemed')
    },
  )

  it('returns that another caller moved the key, through Drizzle [PG-13]', async () => {
    const fault = new Error('Failed query', {
      cause: Object.assign(new Error(), { code: '23505' }),
    })
    const moved = storeOver(failing(1, fault, false)).moveKey({
      key: keySample(),
      from: 'published',
    })
    expect(await moved).toBe('conflict')
  })

  it.each([
    ['in the error of its driver', new Error('Failed query', { cause: new Error('read timeout') })],
    ['in its own', new Error('Timed out fetching a new connection')],
    ['before that of another error', new Error('connect timeout', { cause: new Error('closed') })],
  ])('does not wait again for what took too long, which is %s [PG-13, PG-02]', async (_, fault) => {
    const execute = failing(1, fault)
    await expect(storeOver(execute).redeemCode(redemption())).rejects.toBe(fault)
    expect(execute.calls).toBe(1)
  })

  it('asks again after a lost connection, whatever the statement that it quotes says [PG-13, PG-02]', async () => {
    const query = 'select … params: {"name":"Timeout app"}'
    const quoting = new Error(`Failed query: ${query}`, {
      cause: new Error('Connection terminated'),
    })
    const execute = failing(1, Object.assign(quoting, { query }))
    expect(await storeOver(execute).redeemCode(redemption())).toBe('redeemed')
    expect(execute.calls).toBe(2)
  })
})
