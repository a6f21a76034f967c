import { OAUTH_ERRORS } from '../../policy/refusals.js'
import type { AuthMdParts } from './source.js'

/**
 * Returns the table of error codes. Each row has an anchor, such as `#error-invalid_grant`.
 *
 * @param admin - the admin API, whose problems are among them if there is one
 */
export function errorTable(admin: AuthMdParts['admin']): readonly string[] {
  const errors = Object.entries({ ...admin?.problems, ...OAUTH_ERRORS }).toSorted(
    ([one], [other]) => (one < other ? -1 : 1),
  )
  return [
    '| code | status | what to do |',
    '| --- | --- | --- |',
    ...errors.map(
      ([code, { status, advice }]) =>
        `| <a id="error-${code}"></a>\`${code}\` | ${status} | ${advice} |`,
    ),
  ]
}
