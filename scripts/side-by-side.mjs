// Runs scripts of package.json, two at a time. The output of a script is printed when it ends, so that the
// two are not mixed.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const waiting = process.argv.slice(2)
let failed = 0

async function work() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const started = Date.now()
    const settled = await run('npm', ['run', '--silent', name], { maxBuffer: 1 << 26 }).catch(
      (fault) => fault,
    )
    const isWrong = settled instanceof Error
    if (isWrong) failed++
    const seconds = ((Date.now() - started) / 1000).toFixed(0)
    console.log(
      `${isWrong ? 'FAIL ' : 'ok   '} ${name}, ${seconds} s\n${settled.stdout}${settled.stderr}`,
    )
  }
}

await Promise.all([work(), work()])
process.exit(failed === 0 ? 0 : 1)
