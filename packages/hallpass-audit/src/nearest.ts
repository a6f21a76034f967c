/** Returns the word that was probably meant: at most a third of its letters differ. `null` if there is none. */
export function nearest(given: string, words: readonly string[]): string | null {
  const text = given.toLowerCase().slice(0, 100)
  const [best] = words
    .map((word) => ({ word, edits: editsBetween(text, word) }))
    .toSorted((one, other) => one.edits - other.edits)
  return best !== undefined && best.edits <= Math.max(1, Math.floor(best.word.length / 3))
    ? best.word
    : null
}

/** Counts the letters to insert, delete or replace. */
function editsBetween(from: string, to: string): number {
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
