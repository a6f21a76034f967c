#!/usr/bin/env node
import { runCommand } from './command/run.js'

const interrupts = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'])
  process.on(name, () => (interrupts.signal.aborted ? process.exit(130) : interrupts.abort()))

const { stdout, stderr, env } = process
let isLost = false
stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // A program that reads the report may stop reading, such as `head`.
  if (code === 'EPIPE') return
  isLost = true
  stderr.write(`hallpass-audit: the report cannot be printed: ${message}\n`)
})
stderr.on('error', () => undefined)
const code = await runCommand(process.argv.slice(2), {
  stdout,
  stderr,
  env,
  cwd: process.cwd(),
  signal: interrupts.signal,
})
// Requests that no one waits for must not hold the process, and nothing that was written may be lost.
for (const stream of [stdout, stderr])
  await new Promise<void>((resolve) => {
    stream.write('', () => resolve())
  })
process.exit(isLost ? 2 : code)
