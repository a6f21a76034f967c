import { postgresMigrations } from 'hallpass/postgres'
import type { PostgresMigration } from '../../../src/postgres/schema.js'

const known = postgresMigrations.at(-1)!.version
const TABLES = [
  ...postgresMigrations
    .map(({ sql }) => sql)
    .join('')
    .matchAll(/create table if not exists (hallpass_\w+)/g),
].map(([, table]) => table!)

/**
 * A migration that a later version of hallpass could bring: it only adds. Every table gets a column that may be
 * null and one that may not; there is an index and a table more.
 */
export const EXPANDING: PostgresMigration = {
  version: known + 1,
  compatibleFrom: known,
  name: 'what a later version adds',
  sql: `
${[...new Set(TABLES)]
  .map(
    (table) => `alter table ${table}
  add column later text,
  add column later_counted bigint not null default 1;`,
  )
  .join('\n')}
create index hallpass_grant_later on hallpass_grant (site, later);
create table hallpass_later (site text not null, id text not null, primary key (site, id));
`,
}
