import { inTime } from '../store/deadline.js'
import { type Execute, type QueryResult, rowsOf } from './execute.js'
import { sqlStateOf } from './sqlstate.js'

/** Longer than PGlite takes to make a new database on a busy machine. */
const PATIENCE_MILLISECONDS = 30_000
const INVALID_TEXT = '22P02'

// Numbered parameters are out of order, and one is used twice. Some query builders rename columns and members.
const VALUES = `select coalesce($2::bigint, $2::bigint) as a_bigint, $3::text as a_text, $1::text as no_text,
    $4::text::jsonb as a_jsonb`
const ROW = {
  a_bigint: 1_795_165_200,
  a_text: '007',
  no_text: null,
  a_jsonb: { aB: 1, a_b: [null] },
}
const PARAMETERS = [ROW.no_text, ROW.a_bigint, ROW.a_text, JSON.stringify(ROW.a_jsonb)]
const TWO_ROWS = 'select from (values (1), (2)) two'
const NO_CHANGE = `with deleted as (
    delete from hallpass_migration where version < 0 returning 1
  ) select from deleted`
/** PostgreSQL writes the text into its log. */
const FAILING = `select 'hallpass asks for this error, to see whether execute passes it on'::integer`

/**
 * Checks what a driver, or a query builder around it, makes of values, rows and errors. It needs no table.
 *
 * @throws TypeError - if they are not what PostgreSQL sent, or nothing comes in time
 * @throws the error of the driver, if the connection fails
 */
export async function checkExecute(execute: Execute<QueryResult>): Promise<void> {
  await expectRows(execute, [ROW], VALUES, PARAMETERS)
  await expectRows(execute, [{}, {}], TWO_ROWS)
  const failed = await answerOf(
    execute(FAILING, []).then(
      () => null,
      (fault: unknown) => ({ fault }),
    ),
  )
  if (failed === null) throw refused('must reject if the statement fails; it resolved')
  const code = sqlStateOf(failed.fault)
  if (code === null) throw refused('must reject with the SQLSTATE; it has none', failed.fault)
  if (code !== INVALID_TEXT) throw failed.fault
}

/** Checks the same of a statement that may change rows, once `hallpass_migration` is there. */
export const checkChange = (execute: Execute<QueryResult>): Promise<void> =>
  expectRows(execute, [], NO_CHANGE)

async function expectRows(
  execute: Execute<QueryResult>,
  expected: readonly object[],
  sql: string,
  parameters: unknown[] = [],
): Promise<void> {
  const rows = rowsOf(await answerOf(execute(sql, parameters)))
  // Drivers return a bigint as text, or as a BigInt.
  const came = rows.map((row) =>
    'a_bigint' in row ? { ...row, a_bigint: Number(row.a_bigint) } : row,
  )
  const [wanted, given] = [expected, came].map((one) =>
    JSON.stringify(one, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
  )
  if (given !== wanted) throw refused(`must resolve to ${wanted}; it resolved to ${given}`)
}

const answerOf = <Result>(work: Promise<Result>): Promise<Result> =>
  inTime(work, PATIENCE_MILLISECONDS, () =>
    refused(`must respond within ${PATIENCE_MILLISECONDS / 1000} seconds`),
  )

const refused = (rule: string, cause?: unknown): TypeError =>
  new TypeError(
    `execute ${rule}: docs/do/store.md has a recipe for each driver and query builder`,
    { cause },
  )
