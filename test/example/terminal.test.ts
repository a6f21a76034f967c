import { expect, it, onTestFinished } from 'vitest'
import { type Child, startChild } from '../support/processes/child.js'
import { dataFolder } from '../support/processes/example.js'
import { freePorts } from '../support/processes/ports.js'
import { startInTerminal } from '../support/processes/terminal.js'
import { sharedService } from '../support/run/shared-service.js'

/** Starts the example for a database that is not there, by a command that has the command of the example. */
async function startBy(commandOf: (args: readonly string[]) => readonly [string, ...string[]]) {
  const { program } = await sharedService('express')
  const { path, remove } = dataFolder()
  const port = await freePorts()
  const args = [process.execPath, '--env-file=examples/express/demo.env', program]
  const [command, ...rest] = commandOf(args)
  const child: Child = startChild(command, rest, {
    environment: {
      PORT: String(port),
      HALLPASS_DATA_DIR: path,
      DATABASE_URL: `postgres://someone:hunter2@127.0.0.1:${port}/school`,
      TERM: 'xterm',
    },
  })
  onTestFinished(async () => {
    await child.stop()
    remove()
  })
  return { child, at: `127.0.0.1:${port}` }
}

it('on a terminal tells what it waits for in a sentence [LOG-14]', async () => {
  const { child, at } = await startBy((args) => ['script', '-qec', args.join(' '), '/dev/null'])
  await child.until(() => child.output().includes('waiting up to 30 s'))
  expect(child.output()).toContain(`DATABASE_URL, at ${at}: nothing answers yet`)
  expect(child.output()).not.toMatch(/"type"|hunter2/)
})

it('in a pipe says the same as a line of JSON [LOG-14]', async () => {
  const { child, at } = await startBy(([command, ...args]) => [command!, ...args])
  await child.until(() => child.output().includes('\n'))
  expect(JSON.parse(child.output())).toMatchObject({
    level: 'warn',
    type: 'waiting',
    setting: `DATABASE_URL, at ${at}`,
    patienceMilliseconds: 30_000,
  })
})

it('waits for no terminal that was stopped by Ctrl+S [LOG-14]', async () => {
  const program = `
    import { standardTerminal } from "./examples/school/src/platform/terminal.ts"
    const terminal = standardTerminal()
    process.stdin.once("data", () => {
      for (let line = 0; line < 1000; line++) terminal.print("x".repeat(99))
      process.exit(7)
    })
    terminal.print("ready")`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const { type, ended } = startInTerminal(args, { cwd: process.cwd() })
  await type('\x13go\r', 'ready')
  expect(await ended()).toBe(7)
})
