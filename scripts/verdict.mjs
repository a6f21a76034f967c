// Judges what the parts of `scripts/parts.mjs` left behind.

/** How many tests of a run may pass only the second time. */
export const MOST_FLAKY = 2

/**
 * Says how a part ended. A test that was skipped is a fault, because what does not run proves nothing.
 *
 * @param part - `ended`: exit code, signal or error; `report`: Vitest's, or `null` where it wrote none
 * @returns `fault`: a sentence, or `null`; `passed` and `failed`: numbers of tests
 */
export function outcomeOf({ ended, report, hasTests }) {
  const tests = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? []
  const left = tests.filter(({ status }) => status !== 'passed')
  const counts = { passed: tests.length - left.length, failed: left.length }
  if (ended !== 0) return { fault: `it ended with ${ended}`, ...counts }
  if (hasTests && tests.length === 0) return { fault: 'no test ran', ...counts }
  if (left.length === 0) return { fault: null, ...counts }
  return {
    fault: `not every test ran: ${left.map(({ fullName }) => fullName).join(', ')}`,
    ...counts,
  }
}

/**
 * Sums up a run, in lines to print.
 *
 * @param results - of each part its `name`, `seconds` and outcome
 * @param run - `flaky`: `name` and first `error` of what passed the second time; `seconds` by the clock
 */
export function verdictOn(results, { flaky, seconds }) {
  const row = (count, name) => `${String(count).padStart(5)} s  ${name}`
  const wrong = results.filter(({ fault }) => fault !== null)
  const sum = (key) => results.reduce((all, one) => all + one[key], 0)
  const tooMany = flaky.length > MOST_FLAKY
  return {
    isGood: wrong.length === 0 && !tooMany,
    lines: [
      ...results.map((one) => row(one.seconds, one.name)),
      row(seconds, 'by the clock'),
      ...flaky.map(({ name, error }) => `flaky: ${name}\n${error}`),
      ...(tooMany ? [`FAIL ${flaky.length} passed only the second time; ${MOST_FLAKY} may`] : []),
      ...wrong.map(({ name, fault }) => `FAIL ${name}: ${fault}`),
      `${sum('passed')} passed, ${sum('failed')} failed`,
    ],
  }
}
