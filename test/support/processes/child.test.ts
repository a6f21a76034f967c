import { describe, expect, it } from 'vitest'
import { killChildren, startChild } from './child.js'
import { waitFor } from './wait.js'

const LIVES = 'setInterval(() => {}, 1000)'
const node = (program: string) => startChild(process.execPath, ['-e', program])

/** Whether a process runs. */
function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a child', () => {
  it('is awaited by what it prints, and ended by a signal', async () => {
    const child = node(`console.log('one'); console.error('two'); ${LIVES}`)
    await child.until(() => /one[^]*two|two[^]*one/.test(child.output()))
    await child.stop('SIGTERM')
    expect([await child.ended, child.child.signalCode]).toEqual([null, 'SIGTERM'])
  })

  it('that ends before it is ready fails the wait at once, with what it printed', async () => {
    const child = node(`console.error('the port is taken'); process.exit(3)`)
    await expect(child.until(() => false, { what: 'it listens' })).rejects.toThrow(
      /it ended before it listens\nthe port is taken\n$/,
    )
    expect(await child.ended).toBe(3)
  })

  it('that cannot be started fails the wait', async () => {
    // By its path: a name is looked for in folders that the user may not be allowed to enter, which is EACCES.
    const child = startChild('/no-such-program', [])
    await expect(child.until(() => false, { what: 'it listens' })).rejects.toThrow('ENOENT')
  })

  it('that ends fails who waits for its message', async () => {
    const program = `console.log('no'); process.disconnect()`
    const child = startChild(process.execPath, ['-e', program], { input: 'ipc' })
    await expect(child.message()).rejects.toThrow('ended without a message\nno\n')
  })

  it('has nothing in its environment that belongs to another example', async () => {
    const names = ['DATABASE_URL', 'REDIS_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'NODE_OPTIONS']
    const before = names.map((name) => process.env[name])
    for (const name of names) process.env[name] = ''
    try {
      const child = startChild(
        process.execPath,
        ['-p', `[...${JSON.stringify(names)}, 'GIVEN'].filter((name) => name in process.env)`],
        { environment: { GIVEN: 'yes' } },
      )
      expect([await child.ended, child.output()]).toEqual([0, `[ 'GIVEN' ]\n`])
    } finally {
      for (const [index, name] of names.entries())
        if (before[index] === undefined) delete process.env[name]
        else process.env[name] = before[index]
    }
  })

  it('is killed and named if the test forgot it', async () => {
    const child = node(LIVES)
    expect(await killChildren()).toEqual([`${process.execPath} -e ${LIVES}`])
    expect([child.child.signalCode, await killChildren()]).toEqual(['SIGKILL', []])
  })

  it.each(['exits', 'gets SIGTERM'])(
    'ends with the process that started it: it %s',
    async (how) => {
      const program = `
      import { startChild } from './test/support/processes/child.ts'
      console.log(startChild(process.execPath, ['-e', ${JSON.stringify(LIVES)}]).child.pid)
      ${how === 'exits' ? 'process.exit()' : LIVES}`
      const parent = startChild(process.execPath, ['--import=tsx', '--input-type=module', '-e', program]) // prettier-ignore
      if (how === 'gets SIGTERM') {
        await parent.until(() => parent.output().endsWith('\n'))
        await parent.stop('SIGTERM')
      }
      await parent.ended
      const pid = Number(parent.output())
      expect(pid).toBeGreaterThan(0)
      await waitFor(() => !runs(pid))
    },
  )
})
