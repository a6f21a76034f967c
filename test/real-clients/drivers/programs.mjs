// Programs that a person installs, each in a home of its own.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { started } from './trial.mjs'

export const PATIENCE_MILLISECONDS = 60_000
const homes = []

/** A folder that a person's program keeps everything in. */
export function homeOf(files = {}) {
  const home = mkdtempSync(join(tmpdir(), 'real-client-'))
  homes.push(home)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  return home
}
process.on('exit', () => {
  for (const home of homes) rmSync(home, { recursive: true, force: true, maxRetries: 5 })
})

export const packages = resolve('node_modules')
const plain = (text) =>
  // oxlint-disable-next-line no-control-regex -- what a terminal takes for colours and titles
  text.replaceAll(/\u001B\[[0-9;?]*[A-Za-z]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)|\r/g, '')

/**
 * Runs a program until it ends.
 *
 * @param isOnTerminal - it asks for what a person pastes
 * @param onOutput - receives all that it printed so far, and a function that writes to it
 */
export function program(command, args, { home, env = {}, isOnTerminal = false, onOutput } = {}) {
  const all = isOnTerminal
    ? ['script', ['-qfec', [command, ...args].map((part) => `'${part}'`).join(' '), '/dev/null']]
    : [command, args]
  return new Promise((resolve, reject) => {
    const child = started(
      spawn(all[0], all[1], {
        cwd: home,
        env: { PATH: process.env['PATH'], HOME: home, TERM: 'xterm', COLUMNS: '2000', ...env },
        stdio: [onOutput === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      }),
    )
    let [output, errors] = ['', '']
    const write = (text) => child.stdin.write(text)
    const hear = () => onOutput?.(plain(output + errors), write, () => child.kill('SIGTERM'))
    child.stdout.on('data', (data) => {
      output += data
      hear()
    })
    child.stderr.on('data', (data) => {
      errors += data
      hear()
    })
    const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MILLISECONDS)
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(late)
      resolve({ code, output: plain(output), errors: plain(errors), all: plain(output + errors) })
    })
    hear()
  })
}
