/** The name that a misspelt one was meant to be, as far as two slips of the hand go; `null` = none. */
export function nearest(misspelt: string, names: readonly string[]): string | null {
  const closest = names
    .map((name) => ({ name, slips: slipsBetween(misspelt.toLowerCase(), name.toLowerCase()) }))
    .toSorted((one, other) => one.slips - other.slips)[0]
  return closest !== undefined && closest.slips <= 2 ? closest.name : null
}

/** Letters to add, to leave out or to put in another's place (Levenshtein). */
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
