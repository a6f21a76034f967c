// Builds the documentation and the reference as a site in `docs-site`, and says how far it is. What a step prints is
// shown when the step has ended.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createProgress } from './progress.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** A step of a minute shows its time, in a file less often than on a terminal. */
const TICK_MILLISECONDS = process.stdout.isTTY ? 1000 : 30_000

const reference = (...args) => ['typedoc/bin/typedoc', ...args, '--logLevel', 'Warn']
const packageOptions = (name) => ['--options', `packages/${name}/typedoc.json`]
/** @type {readonly (readonly [name: string, command: readonly string[]])[]} */
const STEPS = [
  ['reference of hallpass', reference()],
  ['reference of hallpass-audit', reference(...packageOptions('hallpass-audit'))],
  ['reference of hallpass-lab', reference(...packageOptions('hallpass-lab'))],
  ['reference of hallpass-opentelemetry', reference(...packageOptions('hallpass-opentelemetry'))],
  ['pages of the site', ['vitepress/bin/vitepress.js', 'build', 'docs']],
  ['llms.txt', ['../scripts/llms.mjs']],
  ['links', ['../scripts/check-docs.mjs']],
]

/** Runs a program of `node_modules` with this Node. Returns its exit code, and what it printed. */
function run([file, ...args]) {
  const child = spawn(process.execPath, [`node_modules/${file}`, ...args], { cwd: ROOT })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

const began = performance.now()
const seconds = () => `${Math.round((performance.now() - began) / 1000)} s`
// Each step has its own line: there are few.
const progress = createProgress('Documentation', { total: STEPS.length, everyMilliseconds: 0 })
for (const [name, command] of STEPS) {
  progress.step(name)
  const timer = setInterval(() => progress.repeat(seconds()), TICK_MILLISECONDS)
  const { code, output } = await run(command)
  clearInterval(timer)
  progress.end()
  process.stdout.write(output)
  if (code !== 0) {
    console.error(`The documentation was not built: ${name} failed.`)
    process.exit(1)
  }
}
console.log(`The documentation is in docs-site, after ${seconds()}`)
