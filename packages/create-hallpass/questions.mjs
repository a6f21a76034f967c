// Asks on a terminal. Only a question loads the library for it.

/** The person pressed Ctrl+C. */
export class Cancelled extends Error {}

/**
 * Asks which of the names of a table is wanted. The first is the default.
 *
 * @throws Cancelled
 */
export async function choose(message, table, names) {
  const { select } = await import('@clack/prompts')
  const options = names.map((value) => ({ value, label: `${value}: ${table[value].title}` }))
  return answerTo(select({ message, options }))
}

/**
 * Asks for a text until nothing is wrong with it.
 *
 * @param check - returns what is wrong with a text, or `undefined`; also as a promise
 * @param initial - what an empty answer means
 * @throws Cancelled
 */
export async function askFor(message, check, initial = '') {
  const { text } = await import('@clack/prompts')
  const validate = (given = '') => check(given.trim() || initial)
  const question = text({ message, placeholder: initial, defaultValue: initial, validate })
  return (await answerTo(question)).trim()
}

async function answerTo(question) {
  const { isCancel } = await import('@clack/prompts')
  // Ctrl+D ends the input: the question is never answered then, and the process ends by itself.
  const closed = () => (process.exitCode = 130)
  process.once('exit', closed)
  const answer = await question
  process.off('exit', closed)
  if (isCancel(answer)) throw new Cancelled('Nothing was written.')
  return answer
}
