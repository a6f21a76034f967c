import type { BatchDialect, Chosen, Turn } from '../sql/dialect.js'
import { fromChosen, says } from '../sql/dialect.js'
import { marks, parts } from '../sql/rows.js'
import { migrationsIn, type SqlMigration } from '../sql/schema.js'
import {
  insertions,
  type Row,
  statement,
  type Statement,
  type Step,
  type Value,
} from '../sql/statement.js'
import { errorsIn } from '../store/wrapped-errors.js'

/** A batch locks a row of as many for each site. Those of persons follow the others. */
const TURNS = 64

const END = ' engine=InnoDB row_format=dynamic'
/** Bytes have no collation: each of them folds a letter, or ignores a space at the end. */
export const MYSQL_MIGRATIONS: readonly SqlMigration[] = migrationsIn(
  {
    key: 'varbinary(255)',
    long: 'varbinary(2048)',
    text: 'longblob',
    int: 'bigint',
    prefix: '(255)',
    sequence: 'bigint not null auto_increment primary key',
    eventKey: 'unique',
    index: 'create index',
    uniqueIndex: 'create unique index',
    dropIndex: (name, table) => `drop index ${name} on ${table}`,
    end: END,
    sequenceEnd: END,
  },
  [
    `create table if not exists hallpass_turn (
      site varbinary(255) not null, number int not null, turn bigint not null, primary key (site, number))${END}`,
    'alter table hallpass_grant add column held bigint not null default 0',
  ],
  [],
  [
    // Every unique key has the site, so that a table can be spread by it.
    `alter table hallpass_outbox add index hallpass_outbox_seq (seq), drop primary key, add primary key (site, seq)`,
    'drop index hallpass_outbox_order on hallpass_outbox',
  ],
)

/** Deadlock, lock wait timeout, a row that changed since it was read, a statement to prepare again. */
const CONFLICTS = [1213, 1205, 1020, 1615]
/** Too many connections of everyone, of this user, or more than its account may have. */
const FULL = [1040, 1203, 1226]
/** No server listens. */
const AWAY = /ECONNREFUSED|ENOENT/
/**
 * The server ends or was lost, the connection was killed, the commit failed, a node of Galera is not ready: the batch may
 * have been committed.
 */
const LOSSES = [1047, 1053, 1079, 1152, 1158, 1160, 1180, 1927, 2006, 2013, 2055, 3169, 4031]
const LOST =
  /PROTOCOL_CONNECTION_LOST|ECONNRESET|EPIPE|connection is in closed state|socket hang up/
/** A table or a column is missing. */
const MISSING = [1146, 1054]

/** Whether the error is one of those with these numbers. */
export const isOneOf =
  (numbers: readonly number[]) =>
  (fault: unknown): boolean =>
    errorsIn(fault).some(({ errno }) => numbers.includes(Number(errno)))

/** Whether a transaction was rolled back because of others, so that its connection can be used again. */
export const isConflict: (fault: unknown) => boolean = isOneOf(CONFLICTS)
/** Whether the server gives no further connection, for now. */
export const isFull: (fault: unknown) => boolean = isOneOf(FULL)
const isAway = says(AWAY)

/** The number of the turn of a name. */
function turnOf(name: string): number {
  let hash = 0
  for (let index = 0; index < name.length; index++)
    hash = (Math.imul(hash, 31) + name.charCodeAt(index)) >>> 0
  return hash % TURNS
}

/** Writes the row of a turn, so that nodes of a cluster see the conflict as well. */
function takeTurn(site: string, turn: Turn): Statement {
  const numbers =
    typeof turn === 'string'
      ? [turnOf(turn)]
      : ('persons' in turn
          ? Array.from({ length: TURNS }, (_, index) => index)
          : [turnOf(turn.person)]
        ).map((number) => TURNS + number)
  return statement(
    `insert into hallpass_turn (site, number, turn) values ${numbers.map(() => '(?, ?, 1)').join(', ')}
     on duplicate key update turn = turn + 1`,
    ...numbers.flatMap((number) => [site, number]),
  )
}

type Ask = Parameters<Extract<Step, (...parameters: never[]) => unknown>>[0]

/** Runs a statement for each part of a list of keys. */
async function each(
  run: Ask,
  { rows, key }: { rows: readonly Row[]; key: string },
  statementOf: (list: string, keys: readonly Value[]) => Statement,
): Promise<readonly Row[]> {
  const keys = rows
    .map((row) => row[key] as string | number)
    .toSorted((one, other) => (one < other ? -1 : 1))
  const found: Row[] = []
  for (const some of parts(keys))
    found.push(...(await run(statementOf(`${key} in (${marks(some)})`, some))))
  return found
}

/** Names a table for a statement that looks for rows by their primary key, and so locks no others. */
const byKey = (table: string): string => `${table} force index (primary)`

const lockRows =
  (chosen: Chosen) =>
  async (run: Ask): Promise<readonly Row[]> => {
    const { table, key, where, parameters } = chosen
    const { from, parameters: all } = fromChosen(chosen)
    const rows = await run(statement(`select ${key} from ${from}`, ...all))
    // Another batch may have changed one of them since then, so the condition must hold of the row that is locked.
    return each(run, { rows, key }, (list, keys) =>
      statement(
        `select ${key} from ${byKey(table)} where ${where} and ${list} order by ${key} for update`,
        ...parameters,
        ...keys,
      ),
    )
  }

export const MYSQL: BatchDialect = {
  now: 'unix_timestamp()',
  lock: ' for update',
  by: (index) => ` force index (${index})`,
  // `insert ignore` would also cut a value that is too long.
  skip: ['insert', ' on duplicate key update hallpass_outbox.seq = hallpass_outbox.seq'],
  sequenceOf: () => '',
  turn: takeTurn,
  // It is written for the same reason: else an erasure on another node leaves the tokens of a refresh behind.
  hold: (site, grantId) =>
    statement(
      'update hallpass_grant set held = held + 1 where site = ? and grant_id = ?',
      site,
      grantId,
    ),
  day: (seconds) => seconds,
  locking: (rows) => [lockRows(rows)],
  changing: (chosen, change) => [
    async (run) => {
      const { table, key, parameters, parts: belonging = [] } = chosen
      const [site] = parameters
      const rows = await lockRows(chosen)(run)
      const deletion = (from: string) => (list: string, keys: readonly Value[]) =>
        statement(
          `delete from ${from} using ${byKey(from)} where site = ? and ${list}`,
          site,
          ...keys,
        )
      if (change === null)
        for (const [part, partKey] of belonging) {
          const its = await each(run, { rows, key }, (list, keys) =>
            statement(`select ${partKey} from ${part} where site = ? and ${list}`, site, ...keys),
          )
          await each(run, { rows: its, key: partKey }, deletion(part))
        }
      await each(
        run,
        { rows, key },
        change === null
          ? deletion(table)
          : (list, keys) =>
              statement(
                `update ${byKey(table)} set ${change.sets} where site = ? and ${list}`,
                ...change.parameters,
                site,
                ...keys,
              ),
      )
      return rows
    },
  ],
  inserting: insertions,
  patienceMilliseconds: 1400,
  engine: END,
  migrate: 'migrateMysql',
  isConflict: (fault) => isConflict(fault) || isFull(fault) || isAway(fault),
  isLost: (fault) => isOneOf(LOSSES)(fault) || says(LOST)(fault),
  isMissing: isOneOf(MISSING),
}
