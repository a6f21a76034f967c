#!/usr/bin/env node
import { runCommand } from './command/run.js'

const interrupts = new AbortController()
process.on('SIGINT', () => interrupts.abort())
// A program that reads the report may stop reading, such as `head`.
process.stdout.on('error', () => process.exit())

const { stdout, stderr, env } = process
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
process.exit(code)
