import { readFileSync } from 'node:fs'

/** Fails if the last run of the tests skipped one: a test that does not run proves nothing. */
const report = JSON.parse(readFileSync('node_modules/.vitest/report.json', 'utf8'))
const left = report.testResults.flatMap(({ assertionResults }) =>
  assertionResults
    .filter(({ status }) => status !== 'passed')
    .map(({ status, fullName }) => `${status}: ${fullName}`),
)
if (!report.success || left.length > 0 || report.numTotalTests === 0) {
  console.error(`Not every test ran and passed:\n${left.join('\n')}`)
  process.exit(1)
}
console.log(`${report.numTotalTests} tests ran, none was skipped.`)
