import type { Execute } from 'hallpass/postgres'
import {
  isProblem,
  type ListRequest,
  type OperationContext,
  type Problem,
  refuseWith,
} from 'hallpass/admin'
import type { Transaction } from '../platform/transaction.js'

/** A kind of object, as the API shows it. */
export interface Resource {
  /** Its table, without the prefix `school_`; rows are locked there. */
  readonly table: string
  /**
   * A query with the columns `id` and `data`: the object as `jsonb`. `$1` is the site.
   */
  readonly select: string
}

/** A kind of object that has lists. Every list accepts words to search for. */
export interface Listed extends Resource {
  /** The fields that `q` searches. */
  readonly search: readonly [string, ...string[]]
}

/** An object as the API shows it. */
export type Data = Readonly<Record<string, unknown>>

/** The values of columns. Lists and objects go into `jsonb` columns. */
export type Columns = Readonly<Record<string, unknown>>

/** The statements of one transaction at one site. */
export interface Db {
  /** Runs a statement; `$1` is the site. */
  readonly query: (sql: string, ...parameters: readonly unknown[]) => Promise<readonly Data[]>
  readonly insert: (table: string, columns: Columns) => Promise<void>
  readonly update: (table: string, id: string, columns: Columns) => Promise<void>
  readonly remove: (table: string, id: string) => Promise<void>
  readonly find: (resource: Resource, id: string) => Promise<Data | null>
}

/** The functions that the operations of one site are built from. */
export interface Kit {
  readonly now: () => number
  readonly site: string
  readonly origin: string
  /** Loads the rows of a list. A filter matches an equal field, or a list field that contains it. */
  readonly list: <Item>(
    resource: Listed,
    request: ListRequest<Readonly<Record<string, unknown>>>,
  ) => Promise<readonly Item[]>
  readonly get: <Item>(resource: Resource, id: string) => Promise<Item | Problem>
  /** Creates an object and returns it. `make` inserts it and returns its id. */
  readonly create: <Item>(
    context: OperationContext,
    resource: Resource,
    make: (db: Db) => Promise<string | Problem>,
  ) => Promise<Item | Problem>
  /**
   * Locks an object, changes it if it meets the precondition of the request, and returns it in its new state.
   */
  readonly change: <Item>(
    context: OperationContext,
    resource: Resource,
    id: string,
    apply: (db: Db, current: Item) => Promise<Problem | void>,
  ) => Promise<Item | Problem>
  /** Locks and deletes an object in the same way. */
  readonly remove: <Item>(
    context: OperationContext,
    resource: Resource,
    id: string,
    apply: (db: Db, current: Item) => Promise<Problem | void>,
  ) => Promise<null | Problem>
  /** Runs any other change. */
  readonly write: <Result>(
    context: OperationContext,
    work: (db: Db) => Promise<Result | Problem>,
  ) => Promise<Result | Problem>
  /** Runs any other query. */
  readonly read: <Result>(work: (db: Db) => Promise<Result>) => Promise<Result>
}

/** Returns an object with the members of the request in place of its own. */
export function withChanges<Item extends object>(
  current: Item,
  changes: { readonly [Name in keyof Item]?: Item[Name] | undefined },
): Item {
  const sent = Object.entries(changes).filter(([, value]) => value !== undefined)
  return { ...current, ...Object.fromEntries(sent) }
}

/** Creates the kit of one site. */
export function createKit({
  execute,
  transaction,
  site,
  origin,
  now,
}: {
  execute: Execute
  transaction: Transaction
  site: string
  origin: string
  now: () => number
}): Kit {
  const outside = dbOf(execute, site)

  const write: Kit['write'] = async (context, work) => {
    try {
      return await transaction(async (inside) => {
        const result = await work(dbOf(inside, site))
        // A dry run and a problem that is found late are rolled back.
        if (context.dryRun || isProblem(result)) throw new Undone(result)
        return result
      })
    } catch (fault) {
      if (fault instanceof Undone) return fault.result as never
      return problemOf(fault)
    }
  }

  /** Locks an object and returns it, if it meets the precondition of the request. */
  async function lock<Item>(
    db: Db,
    context: OperationContext,
    { resource, id }: { resource: Resource; id: string },
  ): Promise<Item | Problem> {
    await db.query(
      `select from school_${resource.table} where site = $1 and id = $2 for update`,
      id,
    )
    const current = await db.find(resource, id)
    if (current === null) return refuseWith('not_found')
    return context.precondition.check(current) ?? (current as Item)
  }

  return {
    now,
    site,
    origin,
    list: (resource, request) => listRows(outside, resource, request),
    get: async (resource, id) =>
      ((await outside.find(resource, id)) as never) ?? refuseWith('not_found'),
    create: (context, resource, make) =>
      write(context, async (db) => {
        const id = await make(db)
        return isProblem(id) ? id : ((await db.find(resource, id)) as never)
      }),
    change: (context, resource, id, apply) =>
      write(context, async (db) => {
        const current = await lock<never>(db, context, { resource, id })
        if (isProblem(current)) return current
        const refused = await apply(db, current)
        return refused ?? ((await db.find(resource, id)) as never)
      }),
    remove: (context, resource, id, apply) =>
      write(context, async (db) => {
        const current = await lock<never>(db, context, { resource, id })
        if (isProblem(current)) return current
        return (await apply(db, current)) ?? null
      }),
    write,
    read: (work) => work(outside),
  }
}

/** Thrown to roll a finished transaction back. */
class Undone extends Error {
  readonly result: unknown
  constructor(result: unknown) {
    super('undone')
    this.result = result
  }
}

// Unique and foreign key violations are problems of the request.
function problemOf(fault: unknown): Problem {
  const { code, constraint } = fault as { code?: unknown; constraint?: string }
  if (code === '23505')
    return refuseWith('conflict', `another object already has this value: ${constraint ?? ''}`)
  if (code === '23503')
    return refuseWith(
      'unprocessable',
      'the request refers to an object that does not exist, or that another object still needs',
    )
  throw fault
}

/** Returns the statements of one site, on a connection or outside of any transaction. */
export function dbOf(execute: Execute, site: string): Db {
  const query: Db['query'] = async (sql, ...parameters) =>
    (await execute(sql, [site, ...parameters])).rows as readonly Data[]
  return {
    query,
    async insert(table, columns) {
      await query(
        `insert into school_${table} (site, ${Object.keys(columns).join(', ')})
         select $1, ${Object.keys(columns).join(', ')}
         from jsonb_populate_record(null::school_${table}, $2::text::jsonb)`,
        JSON.stringify(columns),
      )
    },
    async update(table, id, columns) {
      const names = Object.keys(columns).filter((name) => columns[name] !== undefined)
      if (names.length === 0) return
      await query(
        `update school_${table} set (${names.join(', ')}) = (
           select ${names.map((name) => `r.${name}`).join(', ')}
           from jsonb_populate_record(null::school_${table}, $3::text::jsonb) r
         ) where site = $1 and id = $2`,
        id,
        JSON.stringify(columns),
      )
    },
    async remove(table, id) {
      await query(`delete from school_${table} where site = $1 and id = $2`, id)
    },
    async find({ select }, id) {
      const [row] = await query(`select data from (${select}) o where $1 = $1 and id = $2`, id)
      return (row?.['data'] as Data | undefined) ?? null
    },
  }
}

async function listRows<Item>(
  db: Db,
  { select, search }: Listed,
  { filters, q, updatedSince, sort, after, limit }: ListRequest<Readonly<Record<string, unknown>>>,
): Promise<readonly Item[]> {
  const parameters: unknown[] = []
  const put = (value: unknown, type: string): string => `$${parameters.push(value) + 1}::${type}`
  const json = (value: unknown): string => put(JSON.stringify(value), 'text') + '::jsonb'
  const wanted = Object.entries(filters).filter(([, value]) => value !== undefined)
  const where = [
    '$1 = $1',
    ...wanted.map(([name, value]) => `data @> ${json({ [name]: value })}`),
    ...(q === null
      ? []
      : [
          `(${search.map((field) => `data ->> '${field}' ilike ${put(`%${q.replace(/[\\%_]/g, '\\$&')}%`, 'text')}`).join(' or ')})`,
        ]),
    ...(updatedSince === null
      ? []
      : [
          `data ->> 'updated_at' >= ${put(new Date(updatedSince).toISOString().replace(/\.\d+Z$/, 'Z'), 'text')}`,
        ]),
  ]
  const direction = sort.descending ? 'desc' : 'asc'
  // The field comes from the definition of the list, not from the request.
  const key = `data -> '${sort.field}'`
  if (after !== null)
    where.push(
      `(${key}, id) ${sort.descending ? '<' : '>'} (${json(after.key)}, ${put(after.id, 'text')})`,
    )
  const rows = await db.query(
    `select data from (${select}) o where ${where.join(' and ')}
     order by ${key} ${direction}, id ${direction} limit ${put(limit, 'bigint')}`,
    ...parameters,
  )
  return rows.map(({ data }) => data as Item)
}
