import { OAUTH_ERRORS } from '../policy/refusals.js'
import { PROBLEMS } from './problem.js'

/** A table of every error, each with an anchor of its own: `#error-invalid_grant`. */
export function errorTable(): readonly string[] {
  const errors = Object.entries({ ...PROBLEMS, ...OAUTH_ERRORS }).toSorted(([one], [other]) =>
    one < other ? -1 : 1,
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
