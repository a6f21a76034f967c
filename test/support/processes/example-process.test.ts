import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Child, startChild } from './child.js'
import { running } from './example-process.js'

describe('an example that does not listen in time', () => {
  it('is ended, and its folder and its database go with it', async () => {
    const ended: string[] = []
    let folder = ''
    let started: Child | undefined
    const example = {
      spawnWith: (environment: Readonly<Record<string, string>>) => {
        folder = environment['HALLPASS_DATA_DIR']!
        started = startChild(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
        return started
      },
      originsAt: () => ({ origin: '', kiln: '' }),
    }
    const database = { url: 'postgres://nowhere', stop: async () => void ended.push('database') }
    await expect(running(example, { database, patienceMilliseconds: 1 })).rejects.toThrow(
      'waited 1 ms until it serves: it was false',
    )
    expect([started?.child.signalCode, ended, existsSync(folder)]).toEqual([
      'SIGKILL',
      ['database'],
      false,
    ])
  })
})
