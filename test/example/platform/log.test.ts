import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createLog } from '../../../examples/school/src/platform/log.js'
import { ROOT } from '../../support/source/root.js'

describe('the log of the example', () => {
  it('is one object a line, with time and level, in the order of the entry [LOG-08]', () => {
    const lines: string[] = []
    const log = createLog({ write: (line) => lines.push(line) })
    log({ site: 'site_lantern', type: 'request', requestId: 'req_1', status: 200, milliseconds: 3 })
    log({ type: 'refused', reason: 'code_unknown' })
    log({ type: 'fault', fault: 'a text\nof two lines' })
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string
    expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true)
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        level: 'info',
        time,
        site: 'site_lantern',
        type: 'request',
        requestId: 'req_1',
        status: 200,
        milliseconds: 3,
      },
      { level: 'warn', time, type: 'refused', reason: 'code_unknown' },
      { level: 'error', time, type: 'fault', fault: 'a text\nof two lines' },
    ])
  })

  it.each([
    ['an exception', "setImmediate(() => { throw new Error('lost') })"],
    ['a rejection', "void Promise.reject(new Error('lost'))"],
  ])('has a line for %s that nothing catches, in place of a stack [LOG-10]', (_, fault) => {
    const program = `
      import { createLog, endOnFault } from './examples/school/src/platform/log.ts'
      endOnFault(createLog())
      ${fault}
      setTimeout(() => {}, 60_000)`
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', program],
      { cwd: ROOT, encoding: 'utf8', timeout: 50_000 },
    )
    expect([status, stderr]).toEqual([1, ''])
    expect(stdout.split('\n')).toHaveLength(2)
    expect(JSON.parse(stdout)).toMatchObject({
      level: 'error',
      type: 'fault',
      endpoint: 'process',
      fault: 'lost',
    })
  })
})
