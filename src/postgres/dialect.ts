import { sha256Base64url } from '../encoding/hash.js'
import { type Dialect, fromChosen } from '../sql/dialect.js'
import { migrationsIn, type SqlMigration } from '../sql/schema.js'
import { DAY_SECONDS } from '../sql/rows.js'
import { statement, type Statement } from '../sql/statement.js'

// Compared byte by byte, as every other database and JavaScript do.
const KEY = 'text collate "C"'
const tokensOf = (table: string): string =>
  `alter table ${table}
     add foreign key (grant_id, site) references hallpass_grant on delete cascade`

export const MIGRATIONS: readonly SqlMigration[] = migrationsIn(
  {
    key: KEY,
    long: KEY,
    text: 'text',
    int: 'bigint',
    prefix: '',
    sequence: 'bigint not null',
    eventKey: 'primary key',
    index: 'create index if not exists',
    uniqueIndex: 'create unique index if not exists',
    dropIndex: (name) => `drop index if exists ${name}`,
    end: '',
    sequenceEnd: '',
  },
  [
    // An erasure finds the tokens of a refresh that runs at the same time, which its snapshot lacks.
    tokensOf('hallpass_access_token'),
    tokensOf('hallpass_refresh_token'),
    'create index if not exists hallpass_code_oldest on hallpass_code (site, issued_at)',
    'create index if not exists hallpass_code_holder on hallpass_code (client_id, site, subject)',
    // The order of lists, without a column of which one value is wanted.
    `create index if not exists hallpass_grant_newest on hallpass_grant (site, created_at desc, grant_id)
       where revoked_at is null`,
    `create index if not exists hallpass_grant_client on hallpass_grant (client_id, site, created_at desc)
       where revoked_at is null`,
    // An update of a column that no index names is written into the same page, if there is room. A rotation makes a row
    // almost three times as long.
    'alter table hallpass_code set (fillfactor = 70)',
    'alter table hallpass_refresh_token set (fillfactor = 70)',
    `create index if not exists hallpass_refresh_token_grant
       on hallpass_refresh_token (grant_id, site, (issued_at / ${DAY_SECONDS}))`,
  ],
  // A redemption and a rotation change columns of two of them.
  [
    'hallpass_code_open',
    'hallpass_code_holder',
    'hallpass_grant_newest',
    'hallpass_refresh_token_due',
    'hallpass_refresh_token_grant',
  ],
  [
    // All grants of a site are those of the list, and these.
    `create index if not exists hallpass_grant_revoked on hallpass_grant (site, revoked_at)
       where revoked_at is not null`,
  ],
)

const MICROSECONDS = '(extract(epoch from statement_timestamp()) * 1000000)::bigint'

/** In place of the time of an erasure, in the row of a person who was not erased. */
export const NEVER = 0

/** Stores the row of a person, unless it is there. It is locked in either case, as it is now. */
const personGate = (site: string, person: string): Statement =>
  statement(
    `insert into hallpass_erasure as known (site, subject_hash, due_at) values (?, ?, ${NEVER})
     on conflict (subject_hash, site) do update set due_at = known.due_at where known.due_at <> ${NEVER}
     returning case when due_at = ${NEVER} then 0 else 1 end as is_closed`,
    site,
    sha256Base64url(person),
  )

export const POSTGRES: Dialect = {
  now: 'floor(extract(epoch from statement_timestamp()))::bigint',
  // The last write decides, and waits for others.
  lock: '',
  by: () => '',
  skip: ['insert', ' on conflict do nothing'],
  // Databases that are like PostgreSQL lack sequences, or leave gaps that are filled later. A clock may step back, and
  // PGlite's has milliseconds only: the number follows those that are ahead of it, of which there is mostly none.
  sequenceOf: (index) => `, greatest(${MICROSECONDS}, (select seq + 1 from hallpass_outbox
    where site = ? and seq >= ${MICROSECONDS} order by seq desc limit 1)) + ${index}`,
  // A key orders the others. The row of a person orders a code and an erasure: the second waits for the first.
  turn: (site, turn) =>
    typeof turn === 'string' || 'persons' in turn ? null : personGate(site, turn.person),
  // Waits for a revocation or an erasure. It comes before the tokens, because an erasure deletes the grant and then them.
  hold: (site, grantId) =>
    statement(
      `select case when revoked_at is null then 0 else 1 end as is_closed
       from hallpass_grant where site = ? and grant_id = ? for no key update`,
      site,
      grantId,
    ),
  day: (seconds) => `${seconds} / ${DAY_SECONDS}`,
  locking: () => [],
  // The tokens of a grant that is deleted go with it.
  changing: (rows, change) => {
    const { table, key, parameters } = rows
    const { from, parameters: all } = fromChosen(rows)
    const [verb, own] =
      change === null
        ? [`delete from ${table}`, []]
        : [`update ${table} set ${change.sets}`, change.parameters]
    return [
      rows.first === undefined
        ? statement(`${verb} where ${rows.where}`, ...own, ...parameters)
        : // A subquery is run for each row, unless it is an array.
          statement(
            `${verb} where site = ? and ${key} = any(array(select ${key} from ${from}))`,
            ...own,
            parameters[0],
            ...all,
          ),
    ]
  },
  // One text for a table: where a value is null, it would be another one.
  inserting: (table, columns, rows) => [
    statement(
      `insert into ${table} (${columns.join(', ')})
       select ${columns.join(', ')} from jsonb_populate_recordset(null::${table}, ?::jsonb)`,
      JSON.stringify(
        rows.map((row) => Object.fromEntries(row.map((value, index) => [columns[index], value]))),
      ),
    ),
  ],
  engine: '',
}
