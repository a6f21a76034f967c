import type { SitesDialect } from '../sql/all-sites.js'
import { parts } from '../sql/rows.js'
import { dueIndexOf } from '../sql/schema.js'
import { type Row, statement, type Statement, type Value } from '../sql/statement.js'

/** The two ways in which MySQL says what SQLite does. It jumps from site to site by itself. */
export const MYSQL_SITES: SitesDialect = {
  sitesOf: ({ table, where = '1 = 1', least }, after, limit) =>
    statement(
      `select it.site${least === undefined ? '' : `, min(it.${least}) as least`} from ${table} it
       where it.site > ? and ${where} group by it.site order by it.site limit ?`,
      after,
      limit,
    ),
  deleting: ({ table, key }, { due, limit }) => {
    // A pair in a list is not looked up in an index by MariaDB.
    const each = (begin: string, rows: readonly Row[], ...before: readonly Value[]): Statement =>
      statement(
        `${begin} (${rows.map(() => `(${key} = ? and site = ?)`).join(' or ')})`,
        ...before,
        ...rows.flatMap((row) => [row[key] as Value, row['site'] as Value]),
      )
    return [
      async (run) => {
        const oldest = await run(
          statement(
            `select ${key}, site from ${table} force index (${dueIndexOf(table)})
             where due_at <= ? order by due_at, site limit ?`,
            due,
            limit,
          ),
        )
        const deleted: Row[] = []
        for (const some of parts(oldest)) {
          const looked = each(
            `select ${key}, site, due_at from ${table} force index (primary) where due_at <= ? and`,
            some,
            due,
          )
          const locked = await run({ ...looked, sql: `${looked.sql} for update skip locked` })
          for (const its of parts(locked))
            await run(each(`delete from ${table} using ${table} force index (primary) where`, its))
          deleted.push(...locked)
        }
        return deleted
      },
    ]
  },
}
