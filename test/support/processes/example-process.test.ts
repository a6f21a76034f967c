import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { running } from './example-process.js'

describe('an example that does not listen in time', () => {
  it('is ended, and its folder and its database go with it', async () => {
    const ended: string[] = []
    let folder = ''
    let child: ReturnType<typeof spawn> | undefined
    const example = {
      spawnWith: (environment: Readonly<Record<string, string>>) => {
        folder = environment['HALLPASS_DATA_DIR']!
        child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
        return { child, output: () => 'waiting' }
      },
      originsAt: () => ({ origin: '', kiln: '' }),
    }
    const database = { url: 'postgres://nowhere', stop: async () => void ended.push('database') }
    await expect(running(example, { database, patienceMilliseconds: 1 })).rejects.toThrow(
      'the example does not listen yet: waiting',
    )
    expect([child?.signalCode, ended, existsSync(folder)]).toEqual(['SIGKILL', ['database'], false])
  })
})
