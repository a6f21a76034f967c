import { isProblem, type OperationContext, type Problem } from 'hallpass/admin'
import { KILN, LANTERN } from '../sites.js'
import { timeSql } from '../admin/fields.js'
import type { Data, Db, Kit, Resource } from '../admin/kit.js'

/** An object in `school_setting` of which each site has exactly one. */
export interface Setting {
  readonly name: 'school' | 'appearance'
  /** Its values before the first change. */
  readonly defaults: Data
  /** SQL for further fields, where `s.site` is the site. Default: none. */
  readonly more?: string
}

const literal = (value: unknown): string => `'${JSON.stringify(value).replaceAll("'", "''")}'`

/** Returns the resource of a setting. It exists before the first change, and its id is the site. */
function resourceOf({ name, defaults, more = `'{}'` }: Setting): Resource {
  return {
    table: 'setting',
    select: `select s.site as id, ${literal(defaults)}::jsonb || coalesce(t.data, '{}') || ${more}::jsonb
        || jsonb_build_object(
          'id', s.site, 'created_at', ${timeSql('coalesce(t.created_at, 0)')},
          'updated_at', ${timeSql('coalesce(t.updated_at, 0)')}
        ) as data
      from (select $1::text as site) s
      left join school_setting t on t.site = s.site and t.id = '${name}'`,
  }
}

/** The settings of a school that other features use. */
export type Terms = Readonly<Record<'name' | 'timeZone' | 'currency', string>>

/** Returns the initial name, time zone and currency of a site. */
export function openedAs(site: string): Terms {
  const known = [LANTERN, KILN].find(({ id }) => id === site)
  return known ?? { name: site, timeZone: 'UTC', currency: 'EUR' }
}

/** Reads the current name, time zone and currency of a site. Values that were never set are the initial ones. */
export async function readTerms(db: Db, opened: Terms): Promise<Terms> {
  const [row] = await db.query(
    `select jsonb_strip_nulls(jsonb_build_object('name', data -> 'name',
       'timeZone', data -> 'time_zone', 'currency', data -> 'currency')) as set
     from school_setting where site = $1 and id = 'school'`,
  )
  const { name, timeZone, currency } = opened
  return { name, timeZone, currency, ...(row?.['set'] as Partial<Terms> | undefined) }
}

/** Reads a setting of a site. */
export const readSetting = <Item>(kit: Kit, setting: Setting): Promise<Item | Problem> =>
  kit.get<Item>(resourceOf(setting), kit.site)

/**
 * Changes a setting of a site, if the precondition of the request holds.
 *
 * @param apply - returns the fields to store, each of which replaces the current value, or a problem
 */
export function changeSetting<Item>(
  kit: Kit,
  context: OperationContext,
  setting: Setting,
  apply: (current: Item, db: Db) => Promise<Data | Problem> | Data | Problem,
): Promise<Item | Problem> {
  const resource = resourceOf(setting)
  return kit.write(context, async (db) => {
    await db.query(
      `insert into school_setting (site, id, data, created_at, updated_at)
       values ($1, $2, '{}', 0, 0) on conflict do nothing`,
      setting.name,
    )
    await db.query(
      'select from school_setting where site = $1 and id = $2 for update',
      setting.name,
    )
    const current = (await db.find(resource, kit.site)) as Item
    const stale = context.precondition.check(current)
    if (stale !== null) return stale
    const changes = await apply(current, db)
    if (isProblem(changes)) return changes
    await db.query(
      `update school_setting set data = data || $3::text::jsonb, updated_at = $4::bigint
       where site = $1 and id = $2`,
      setting.name,
      JSON.stringify(changes),
      kit.now(),
    )
    return (await db.find(resource, kit.site)) as Item
  })
}
