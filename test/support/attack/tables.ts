import type { Changes } from './run.js'
import type { Service } from './service.js'

/** The number of rows of each table of each site, and a digest of them: `site_lantern hallpass_client`. */
type Tables = ReadonlyMap<string, { readonly rows: number; readonly digest: string }>

/** Tables that a request without any right may add to, because that is what they are for, and that the service keeps. */
const OPEN_TABLES = new Set([
  'hallpass_clock',
  'hallpass_attempt',
  'hallpass_pending',
  'hallpass_outbox',
  'school_audit',
  'school_notice',
  'school_sent_form',
])
const SITES = ['site_lantern', 'site_kiln']

/**
 * Reads what is stored for each site.
 *
 * @param options - `from`: epoch seconds. Rows that expired before are left out, because the service deletes
 *   them at any time.
 */
async function tablesOf(
  { execute }: Pick<Service, 'execute'>,
  { from }: { from: number },
): Promise<Tables> {
  const { rows: found } = await execute(
    `select table_name from information_schema.columns
     where column_name = 'site' and table_schema = 'public' order by table_name`,
    [],
  )
  const names = (found as { table_name: string }[]).map(({ table_name: name }) => name)
  const one = (name: string): string =>
    `select '${name}' as name, site, count(*)::int as rows,
       md5(string_agg(t::text, ' ' order by t::text)) as digest from ${name} t
     where coalesce((to_jsonb(t) ->> 'expires_at')::bigint, $1::bigint + 1) > $1::bigint group by site`
  const { rows } = await execute(names.map(one).join(' union all '), [from])
  const digests = rows as { name: string; site: string; rows: number; digest: string }[]
  const tables = new Map<string, { rows: number; digest: string }>()
  for (const site of SITES)
    for (const name of names) tables.set(`${site} ${name}`, { rows: 0, digest: '' })
  for (const { name, site, ...table } of digests) tables.set(`${site} ${name}`, table)
  return tables
}

/** Remembers what both sites have, and tells which tables have changed that may not, or have grown by another number. */
export async function watchTables(
  service: Pick<Service, 'execute'>,
  options: { from: number },
): Promise<(changes: Changes) => Promise<readonly string[]>> {
  const before = await tablesOf(service, options)
  return async (changes) =>
    changedTables({ before, after: await tablesOf(service, options), changes })
}

function changedTables({
  before,
  after,
  changes,
}: {
  before: Tables
  after: Tables
  changes: Changes
}): readonly string[] {
  if (before.size < 2 * 20) return [`only ${before.size} tables are watched`]
  return [...after].flatMap(([key, { rows, digest }]) => {
    const [site, name] = key.split(' ') as [string, string]
    const was = before.get(key)!
    const grown = rows - was.rows
    const allowed = site === 'site_lantern' ? changes[name] : undefined
    if (OPEN_TABLES.has(name) || allowed === 'any') return []
    if (allowed !== undefined)
      return grown === allowed ? [] : [`${key} grew by ${grown} rows instead of ${allowed}`]
    return digest === was.digest ? [] : [`${key} has changed, by ${grown} rows`]
  })
}
