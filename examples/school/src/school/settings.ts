import { isProblem, type OperationContext, type Problem } from 'hallpass/admin'
import { KILN, LANTERN } from '../sites.js'
import { timeSql } from '../admin/fields.js'
import type { Data, Db, Kit, Resource } from '../admin/kit.js'

/** A thing that each site has exactly one of, in `school_setting`. */
export interface Setting {
  readonly name: 'school' | 'appearance'
  /** What it is as long as nobody has changed it. */
  readonly defaults: Data
  /** SQL for more of its members; `s.site` is the site. */
  readonly more?: string
}

const literal = (value: unknown): string => `'${JSON.stringify(value).replaceAll("'", "''")}'`

/** It is there before anybody has changed it, with the site for its id. */
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

/** What a school goes by. */
export type Terms = Readonly<Record<'name' | 'timeZone' | 'currency', string>>

/** What the school of a site was opened with. */
export function openedAs(site: string): Terms {
  const known = [LANTERN, KILN].find(({ id }) => id === site)
  return known ?? { name: site, timeZone: 'UTC', currency: 'EUR' }
}

/** What the school of a site goes by: as somebody has set it, else as it was opened with. */
export async function readTerms(db: Db, opened: Terms): Promise<Terms> {
  const [row] = await db.query(
    `select jsonb_strip_nulls(jsonb_build_object('name', data -> 'name',
       'timeZone', data -> 'time_zone', 'currency', data -> 'currency')) as set
     from school_setting where site = $1 and id = 'school'`,
  )
  const { name, timeZone, currency } = opened
  return { name, timeZone, currency, ...(row?.['set'] as Partial<Terms> | undefined) }
}

/** Reads the only one of a site. */
export const readSetting = <Item>(kit: Kit, setting: Setting): Promise<Item | Problem> =>
  kit.get<Item>(resourceOf(setting), kit.site)

/**
 * Changes the only one of a site, if it is still what the caller believes it to be.
 *
 * @param apply - answers the members to keep, of which each takes the place of what was there
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
