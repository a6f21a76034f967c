const DAY = 86_400

/** Words for the numbers from 1 to `rows`, as a column `i`. */
export const SERIES = {
  postgres: (rows: number) => `generate_series(1, ${rows}) i`,
  mysql: (rows: number) => `(select seq as i from seq_1_to_${rows}) numbers`,
  sqlite: (rows: number) =>
    `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) select i from n) numbers`,
} as const

/**
 * Fills every table of the store with so many rows, for measurements and for the plans of its statements: one site
 * with a client for a hundred grants, two grants for each person, a code, a pair of tokens and a pending request for each
 * grant. Keys and clocks are those of other sites, since a site has few of them.
 *
 * @param run - runs a statement
 * @param size - `rows` of each kind; `now`: epoch seconds, at which all of them are live; `isPopular`: nine of ten grants,
 *   codes and consents are those of `client 7`; `series`: in the words of the database
 */
export async function fillTables(
  run: (sql: string) => Promise<unknown>,
  {
    site,
    rows,
    now,
    isPopular = false,
    series = SERIES.postgres,
  }: {
    site: string
    rows: number
    now: number
    isPopular?: boolean
    series?: (rows: number) => string
  },
): Promise<void> {
  const clients = Math.max(1, Math.floor(rows / 100))
  const people = Math.max(1, Math.floor(rows / 2))
  /** A key as long as a hash. */
  const key = (kind: string): string => `substr(concat('${kind}', i, '${'-'.repeat(43)}'), 1, 43)`
  const client = isPopular
    ? `case when i % 10 = 9 then concat('client ', i % ${clients}) else 'client 7' end`
    : `concat('client ', i % ${clients})`
  const person = `concat('mem_', i % ${people})`
  const scopes = `'["openid","courses:read"]'`
  /** As long as a record. */
  const record = `'${'{}'.padEnd(400)}'`
  const tables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    client: {
      client_id: `concat('client ', i)`,
      kind: `case i % 2 when 0 then 'loopback' else 'document' end`,
      search: `concat('client ', i)`,
      revision: '1',
      created_at: `${now} - i`,
      used_at: `case i % 3 when 0 then null else ${now} end`,
      due_at: `case i % 3 when 0 then ${now + 7 * DAY} - i end`,
      record,
    },
    pending: {
      id_hash: key('p'),
      hint: `case i % 2 when 0 then concat('person', i, '@example.com') end`,
      created_at: `${now}`,
      due_at: `${now} + i`,
      record,
    },
    consent: { consent_key: key('c'), client_id: client, subject: person },
    code: {
      code_hash: key('code'),
      client_id: client,
      subject: person,
      issued_at: `${now}`,
      redeemed_at: `case i % 10 when 0 then null else ${now} end`,
      due_at: `${now + DAY} + i`,
      record,
    },
    grant: {
      grant_id: `concat('grant_', i)`,
      client_id: client,
      subject: person,
      scopes,
      created_at: `${now} - i`,
      due_at: `${now + 180 * DAY} - i`,
      revoked_at: `case i % 10 when 0 then ${now} end`,
      record: `'{}'`,
    },
    access_token: {
      token_hash: key('access'),
      grant_id: `concat('grant_', i)`,
      scopes,
      issued_at: `${now}`,
      due_at: `${now} + i`,
    },
    refresh_token: {
      token_hash: key('refresh'),
      grant_id: `concat('grant_', i)`,
      issued_at: `${now} - i`,
      expires_at: `${now + 30 * DAY} - i`,
      due_at: `${now + 180 * DAY} - i`,
    },
    idempotency: { key_hash: key('k'), request_hash: key('r'), due_at: `${now} + i` },
    use: { use_key: key('u'), due_at: `${now} + i` },
    erasure: { subject_hash: key('e'), due_at: `${now + DAY} + i` },
    outbox: {
      seq: isPopular ? `${rows} + i` : 'i',
      event_hash: key('event'),
      due_at: `${now + 30 * DAY} + i`,
      subject: `concat('"', ${person}, '"')`,
      record: `'{}'`,
    },
  }
  for (const [table, columns] of Object.entries(tables))
    await run(
      `insert into hallpass_${table} (site, ${Object.keys(columns).join(', ')})
       select '${site}', ${Object.values(columns).join(', ')} from ${series(rows)}`,
    )
  const other = `concat('beside ${site} ', i)`
  await run(
    `insert into hallpass_key (site, kid, state, active, created_at, record)
     select ${other}, concat('kid ', i), 'active', 1, ${now}, '{}' from ${series(rows)}`,
  )
  await run(
    `insert into hallpass_clock (site, trusted_at) select ${other}, ${now} from ${series(rows)}`,
  )
}
