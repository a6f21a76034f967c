import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startChild } from './child.js'
import { accepts, freePorts, openPort } from './ports.js'

const asked = (count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, freePorts))

it('no two calls get one port, and what listens is left out', async () => {
  const first = await asked(20)
  const taken = createServer()
  onTestFinished(() => void taken.close())
  await openPort(taken, { port: first.at(-1)! + 2 })
  const ports = [...first, ...(await asked(20))].flatMap((port) => [port, port + 1])
  expect(new Set(ports).size).toBe(80)
  expect(ports).not.toContain(first.at(-1)! + 2)
})

it('two processes have no port in common, until one of them has ended', async () => {
  const block = (port: number): number => Math.floor(port / 100)
  const print = `
    import { freePorts } from './test/support/processes/ports.ts'
    console.log(await freePorts())
    setInterval(() => {}, 1000)`
  const other = startChild(process.execPath, ['--import=tsx', '--input-type=module', '-e', print])
  await other.until(() => other.output().endsWith('\n'))
  const guard = 100 * block(Number(other.output()))
  expect(await accepts(guard)).toBe(true)
  expect((await asked(5)).map(block)).not.toContain(block(guard))
  await expect(openPort(createServer(), { port: guard })).rejects.toMatchObject({ code: 'EADDRINUSE' }) // prettier-ignore
  await other.stop()
  expect(await accepts(guard)).toBe(false)
})
