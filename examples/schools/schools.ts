// The schools, in a table of your own. The statements are for SQLite and PostgreSQL.
import type { PlatformOptions, School } from 'hallpass/platform'

/** Runs a statement of your own. Its parameters are `$1`, `$2` and so on. */
export type Execute = (
  text: string,
  values: (string | number | null)[],
) => Promise<{ readonly rows: readonly unknown[] }>

/** A school. Add what else `open` needs, such as its time zone. */
export interface SchoolRow extends School {
  readonly host: string
  readonly name: string
  readonly revision: number
}

/** `revision` grows with each change of any school, and no two changes have the same. */
export const SCHOOL_TABLE = `
  create table if not exists schools (
    host text primary key, name text not null, paused integer not null default 0,
    revision bigint not null unique);`

const COLUMNS = 'select host, name, paused, revision from schools'
const NEXT = '(select coalesce(max(revision), 0) + 1 from schools)'

/** Only a name in `localhost` has http. */
const originOf = (host: string): string =>
  `${/(?:^|\.)localhost(?::|$)/.test(host) ? 'http' : 'https'}://${host}`

/** A driver of PostgreSQL returns a `bigint` as text. */
type Stored = Readonly<Record<'host' | 'name', string> & Record<'paused' | 'revision', unknown>>
const rowOf = ({ host, name, paused, revision }: Stored): SchoolRow => ({
  host,
  name,
  issuer: originOf(host),
  revision: Number(revision),
  paused: Number(paused) === 1,
})

/** Whether a text can begin the host of a school. */
export const isLabel = (text: string): boolean => /^[a-z\d](?:[a-z\d-]{0,38}[a-z\d])?$/.test(text)

/** Reads and changes the schools. A row stays when its school has ended, so that each process learns of it: pause it. */
export function schoolsIn(execute: Execute) {
  const select = async (rest: string, values: (string | number)[]) =>
    ((await execute(`${COLUMNS} ${rest}`, values)).rows as Stored[]).map(rowOf)
  const isChanged = async (sql: string, values: (string | number | null)[]) =>
    (await execute(`${sql} returning host`, values)).rows.length > 0
  return {
    find: async (host: string) => (await select('where host = $1', [host]))[0] ?? null,
    list: (limit: number) => select('order by revision desc limit $1', [limit]),
    changes: (async (since) => {
      const changed = await select('where revision > $1 order by revision', [Number(since ?? 0)])
      const until = String(changed.at(-1)?.revision ?? since ?? 0)
      return { until, hosts: changed.map(({ host }) => host) }
    }) satisfies PlatformOptions<SchoolRow>['changes'],
    /** Returns `false` if the host is taken, or another school was added at this moment. */
    add: (host: string, name: string) =>
      isChanged(
        `insert into schools (host, name, revision) select $1, $2, ${NEXT} where true on conflict do nothing`,
        [host, name],
      ),
    /** Changes what is not `null`. Returns `false` if there is no such school. */
    change: (host: string, { name = null, paused = null }: Change) =>
      isChanged(
        `update schools set name = coalesce($2, name), paused = coalesce($3, paused), revision = ${NEXT} where host = $1`,
        [host, name, paused === null ? null : Number(paused)],
      ),
  }
}

interface Change {
  readonly name?: string | null
  readonly paused?: boolean | null
}
