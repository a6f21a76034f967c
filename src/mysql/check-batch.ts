import { randomFraction } from '../encoding/random.js'
import { type Database, query } from '../sql/batch.js'
import { createMigrationTable } from '../sql/migrate.js'
import { statement, type Statement } from '../sql/statement.js'
import { isOneOf } from './dialect.js'
import { mistakeIn, SETTINGS } from './execute.js'

const TEXT = 'é\u{1F512}\0 '
const NUMBER = 1_795_165_200
const MOST_VERSIONS = 2 ** 30
const insert = (version: number, from: number): ReturnType<typeof statement> =>
  statement(
    'insert into hallpass_migration (version, compatible_from) values (?, ?)',
    version,
    from,
  )
/**
 * A batch whose second statement does not fit into its column, and whose third one fails in any case. Its versions are
 * random, so that processes that start together do not wait for each other.
 */
function failing(): readonly Statement[] {
  const version = -1 - Math.floor(randomFraction() * MOST_VERSIONS)
  const missing = statement('select * from hallpass_nothing')
  return [insert(version, 1), insert(version - MOST_VERSIONS, 2 ** 40), missing]
}
const isTooLarge = isOneOf([1264])
const isMissing = isOneOf([1146])
/** The server only reads: what a batch makes of a failure cannot be tried there. */
const isReadOnly = isOneOf([1290, 1792, 1836])

/**
 * Checks what a driver, or a query builder around it, makes of values and failures, on the table of migrations.
 *
 * @throws TypeError - if a value is changed or cut, a failed batch is kept, or its error has no number
 */
export async function checkBatch(database: Database): Promise<void> {
  await createMigrationTable(database)
  const [row] = await query(
    database,
    'select cast(? as binary) as a_text, ? as no_text, hex(?) as bytes, cast(? as signed) as number limit ?',
    TEXT,
    null,
    TEXT,
    NUMBER,
    1,
  )
  const hex = Array.from(new TextEncoder().encode(TEXT), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
  const wanted = [TEXT, null, hex, NUMBER]
  const came = [
    row?.['a_text'],
    row?.['no_text'],
    String(row?.['bytes']).toLowerCase(),
    Number(row?.['number']),
  ]
  if (JSON.stringify(came) !== JSON.stringify(wanted))
    throw refused(
      `must keep ${JSON.stringify(wanted)} without rowsAsArray and typeCast of mysql2; it made ${JSON.stringify(came)} of it`,
    )

  const failed = await database.run(failing()).then(
    () => null,
    (fault: unknown) => ({ fault }),
  )
  const kept = await query(database, 'select version from hallpass_migration where version < 0')
  if (kept.length > 0) await query(database, 'delete from hallpass_migration where version < ?', 0)
  if (failed === null) throw refused('must reject if a statement fails; it resolved')
  const { fault } = failed
  if (isMissing(fault))
    throw refused('must refuse a value that does not fit: sql_mode is not strict')
  if (!isTooLarge(fault) && !isReadOnly(fault)) {
    if (fault instanceof Error && 'errno' in fault) throw fault
    throw refused('must reject with the errno of the driver; it has none', fault)
  }
  if (kept.length > 0) throw refused('must be one transaction; it kept a part of one that failed')
  const { results } = await database.run([(run) => run(statement(SETTINGS))])
  const mistake = mistakeIn(results[0])
  if (mistake !== null) throw refused(`must run in a session of its own settings: ${mistake}`)
}

const refused = (rule: string, cause?: unknown): TypeError =>
  new TypeError(`batch ${rule}: docs/do/mysql.md has the recipe`, { cause })
