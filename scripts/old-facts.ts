/** For how many days the facts about a client are taken for current. */
export const MOST_DAYS = 90

/**
 * Returns whether the facts of a day are too old on another: a release names them, and the site marks them.
 *
 * @param asOf - the day of the facts, such as `2026-11-23`
 * @param today - the day on which they are read
 */
export function isOld(asOf: string, today: string): boolean {
  return (Date.parse(today) - Date.parse(asOf)) / 86_400_000 > MOST_DAYS
}
