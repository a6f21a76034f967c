/** Returns the name nearest to a misspelled one; `null` if they differ by more than two letters. */
export function nearest(misspelt: string, names: readonly string[]): string | null {
  const closest = names
    .map((name) => ({ name, slips: slipsBetween(misspelt.toLowerCase(), name.toLowerCase()) }))
    .toSorted((one, other) => one.slips - other.slips)[0]
  return closest !== undefined && closest.slips <= 2 ? closest.name : null
}

/** Counts the letters to insert, delete or replace (Levenshtein distance). */
function slipsBetween(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [row, letter] of [...from].entries()) {
    const here = [row + 1]
    for (let column = 1; column <= to.length; column++)
      here.push(
        Math.min(
          above[column]! + 1,
          here[column - 1]! + 1,
          above[column - 1]! + (letter === to[column - 1] ? 0 : 1),
        ),
      )
    above = here
  }
  return above[to.length]!
}
