/** One step of the schema. A released step is never edited. */
export interface SqlMigration {
  readonly version: number
  readonly name: string
  /** The least version whose code works on the result. Default: its own. */
  readonly compatibleFrom?: number
  readonly statements: readonly string[]
}

/** The words in which databases write types and indexes differently. */
export interface Words {
  /** Up to 255 bytes, compared byte by byte. */
  readonly key: string
  /** A client identifier: up to 2048 bytes, compared byte by byte. */
  readonly long: string
  readonly text: string
  readonly int: string
  /** Behind a column in an index that would be too long. */
  readonly prefix: string
  /** A number that grows with every row. */
  readonly sequence: string
  /** The key of an event is unique, next to that number. */
  readonly eventKey: 'unique' | 'primary key'
  readonly index: string
  readonly uniqueIndex: string
  /** Drops an index of a table. */
  readonly dropIndex: (name: string, table: string) => string
  /** Ends a table that has a key of its own. */
  readonly end: string
  /** Ends a table whose key is a sequence. */
  readonly sequenceEnd: string
}

const SQLITE_WORDS: Words = {
  key: 'text',
  long: 'text',
  text: 'text',
  int: 'integer',
  prefix: '',
  sequence: 'integer primary key autoincrement',
  eventKey: 'unique',
  index: 'create index if not exists',
  uniqueIndex: 'create unique index if not exists',
  dropIndex: (name) => `drop index if exists ${name}`,
  end: ' without rowid',
  sequenceEnd: '',
}

// Every table has the site, a key, what statements compare, and `due_at`, the time at which `purge` deletes the row. What
// names few rows is before the site in an index: a planner without statistics would read a whole site by it. An index of a
// list has its order, with the key that each database adds to its end.

const clients = ({ key, long, text, int, index, end }: Words): readonly string[] => [
  `create table if not exists hallpass_client (
    site ${key} not null, client_id ${long} not null, kind ${key} not null, search ${text} not null,
    revision ${int} not null, created_at ${int} not null, used_at ${int}, deleted_at ${int}, due_at ${int},
    record ${text} not null, primary key (client_id, site))${end}`,
  `${index} hallpass_client_newest on hallpass_client (site, kind, created_at desc)`,
  `${index} hallpass_client_due on hallpass_client (site, due_at)`,
]

const authorizations = ({ key, long, text, int, prefix, index, end }: Words): readonly string[] => [
  `create table if not exists hallpass_pending (
    site ${key} not null, id_hash ${key} not null, hint ${text}, created_at ${int} not null,
    due_at ${int} not null, record ${text} not null, primary key (id_hash, site))${end}`,
  `${index} hallpass_pending_due on hallpass_pending (site, due_at)`,
  `${index} hallpass_pending_hint on hallpass_pending (site, hint${prefix})`,
  `create table if not exists hallpass_consent (
    site ${key} not null, consent_key ${key} not null, client_id ${long} not null, subject ${text} not null,
    primary key (consent_key, site))${end}`,
  `${index} hallpass_consent_holder on hallpass_consent (client_id${prefix}, site, subject${prefix})`,
  `${index} hallpass_consent_subject on hallpass_consent (site, subject${prefix})`,
  `create table if not exists hallpass_code (
    site ${key} not null, code_hash ${key} not null, client_id ${long} not null, subject ${text} not null,
    issued_at ${int} not null, redeemed_at ${int}, due_at ${int} not null, record ${text} not null,
    primary key (code_hash, site))${end}`,
  `${index} hallpass_code_due on hallpass_code (site, due_at)`,
  `${index} hallpass_code_open on hallpass_code (site, redeemed_at, issued_at)`,
  `${index} hallpass_code_holder on hallpass_code (client_id${prefix}, site, redeemed_at, subject${prefix})`,
  `${index} hallpass_code_subject on hallpass_code (subject${prefix}, site)`,
  `create table if not exists hallpass_erasure (
    site ${key} not null, subject_hash ${key} not null, due_at ${int} not null,
    primary key (subject_hash, site))${end}`,
  `${index} hallpass_erasure_due on hallpass_erasure (site, due_at)`,
]

const grants = ({ key, long, text, int, prefix, index, end }: Words): readonly string[] => [
  `create table if not exists hallpass_grant (
    site ${key} not null, grant_id ${key} not null, client_id ${long} not null, subject ${text} not null,
    scopes ${text} not null, created_at ${int} not null, due_at ${int} not null, revoked_at ${int},
    revoked_reason ${text}, record ${text} not null, primary key (grant_id, site))${end}`,
  `${index} hallpass_grant_due on hallpass_grant (site, due_at)`,
  `${index} hallpass_grant_newest on hallpass_grant (site, revoked_at, created_at desc)`,
  `${index} hallpass_grant_subject on hallpass_grant (subject${prefix}, site, client_id${prefix})`,
  `create table if not exists hallpass_access_token (
    site ${key} not null, token_hash ${key} not null, grant_id ${key} not null, scopes ${text} not null,
    issued_at ${int} not null, due_at ${int} not null, revoked_at ${int}, primary key (token_hash, site))${end}`,
  `${index} hallpass_access_token_due on hallpass_access_token (site, due_at)`,
  `${index} hallpass_access_token_grant on hallpass_access_token (grant_id, site)`,
  `create table if not exists hallpass_refresh_token (
    site ${key} not null, token_hash ${key} not null, grant_id ${key} not null, issued_at ${int} not null,
    expires_at ${int} not null, due_at ${int} not null, successor_hash ${key}, rotation ${text}, salt ${key},
    primary key (token_hash, site))${end}`,
  `${index} hallpass_refresh_token_due on hallpass_refresh_token (site, due_at)`,
  `${index} hallpass_refresh_token_grant on hallpass_refresh_token (grant_id, site, issued_at)`,
]

const rest = ({
  key,
  long,
  text,
  int,
  prefix,
  sequence,
  eventKey,
  sequenceEnd,
  index,
  uniqueIndex,
  end,
}: Words): readonly string[] => [
  // `active` is 1 or null, and a unique index allows null often.
  `create table if not exists hallpass_key (
    site ${key} not null, kid ${key} not null, state ${key} not null, active ${int}, sealed ${text},
    created_at ${int} not null, record ${text} not null, primary key (kid, site))${end}`,
  `${uniqueIndex} hallpass_key_active on hallpass_key (site, active)`,
  `create table if not exists hallpass_clock (
    site ${key} not null primary key, trusted_at ${int} not null, leap ${text})${end}`,
  `create table if not exists hallpass_use (
    site ${key} not null, use_key ${key} not null, due_at ${int} not null, primary key (use_key, site))${end}`,
  `${index} hallpass_use_due on hallpass_use (site, due_at)`,
  `create table if not exists hallpass_outbox (
    seq ${sequence}, site ${key} not null, event_hash ${key} not null, due_at ${int} not null,
    subject ${text}, actor ${text}, grants ${int}, record ${text} not null, ${eventKey} (site, event_hash))${sequenceEnd}`,
  `${index} hallpass_outbox_due on hallpass_outbox (site, due_at)`,
  `${index} hallpass_outbox_order on hallpass_outbox (site, seq)`,
  `${index} hallpass_outbox_subject on hallpass_outbox (site, subject${prefix})`,
  `${index} hallpass_outbox_actor on hallpass_outbox (site, actor${prefix})`,
  `create table if not exists hallpass_idempotency (
    site ${key} not null, key_hash ${key} not null, request_hash ${key} not null, due_at ${int} not null,
    answer ${text}, primary key (key_hash, site))${end}`,
  `${index} hallpass_idempotency_due on hallpass_idempotency (site, due_at)`,
  `create table if not exists hallpass_attempt (
    site ${key} not null, attempt_id ${key} not null, revision ${int} not null, place ${key} not null,
    last_at ${int} not null, client_id ${long}, network ${key}, connected ${int} not null,
    has_person ${int} not null, waits_until ${int}, search ${text} not null, folded ${text} not null,
    attempt ${text} not null, primary key (attempt_id, site))${end}`,
  `${index} hallpass_attempt_place on hallpass_attempt (site, place)`,
  `${index} hallpass_attempt_network on hallpass_attempt (site, network)`,
  `${index} hallpass_attempt_last on hallpass_attempt (site, last_at)`,
]

/** The tables whose rows become due, with their indexes by site and by time. */
const DUE_INDEXES = [
  'client',
  'pending',
  'code',
  'erasure',
  'grant',
  'access_token',
  'refresh_token',
  'use',
  'outbox',
  'idempotency',
].map((name) => {
  const table = `hallpass_${name}`
  return { table, before: `${table}_due`, after: dueIndexOf(table) }
})

/** The index of a table by which rows are found that are due, of one site and of all. */
export function dueIndexOf(table: string): string {
  return `${table}_due_first`
}

/**
 * Replaces the index of what is due at a site by one from which that of all sites is read as well. All rows of one site of the
 * tables of erasures, uses and idempotency keys are then read among those of others, which live a day at most.
 */
const dueFirst = (
  { index, dropIndex }: Words,
  { table, before, after }: (typeof DUE_INDEXES)[number],
): readonly string[] => [`${index} ${after} on ${table} (due_at, site)`, dropIndex(before, table)]

/**
 * The migrations in the words of a database.
 *
 * @param more - statements of the first one that no other database needs
 * @param without - indexes of the first one that the database does not need
 * @param spread - statements of the fifth one that no other database needs
 */
export const migrationsIn = (
  words: Words,
  more: readonly string[] = [],
  without: readonly string[] = [],
  spread: readonly string[] = [],
): readonly SqlMigration[] => [
  {
    version: 1,
    name: 'tables',
    statements: [
      ...[clients, authorizations, grants, rest]
        .flatMap((tables) => tables(words))
        .filter((sql) => !without.some((name) => sql.includes(` ${name} `))),
      ...more,
    ],
  },
  {
    version: 2,
    name: 'keys to which tokens are bound',
    compatibleFrom: 1,
    // Null in rows of the first version, which binds nothing.
    statements: [`alter table hallpass_access_token add column bound_to ${words.key}`],
  },
  {
    version: 3,
    name: 'who used a key',
    compatibleFrom: 1,
    // Null in rows of an earlier version, which gives nothing back.
    statements: [`alter table hallpass_use add column claim ${words.key}`],
  },
  {
    version: 4,
    name: 'grants of a client',
    compatibleFrom: 1,
    statements: [
      `${words.index} hallpass_grant_client on hallpass_grant (client_id, site, revoked_at, created_at desc)`,
    ],
  },
  {
    version: 5,
    name: 'what is due of all sites',
    compatibleFrom: 1,
    statements: [
      ...DUE_INDEXES.filter(({ before }) => !without.includes(before)).flatMap((one) =>
        dueFirst(words, one),
      ),
      `${words.index} hallpass_key_state on hallpass_key (state, created_at, site)`,
      ...spread,
    ],
  },
]

export const SQLITE_MIGRATIONS: readonly SqlMigration[] = migrationsIn(SQLITE_WORDS)
