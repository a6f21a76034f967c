import fs, { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os, { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { lockFolder } from '../../src/node.js'
import { type Child, startChild } from '../support/processes/child.js'
import { rounds } from '../support/run/rounds.js'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'hallpass-lock-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A process that tries to lock a folder at the word `go`, says `locked` or why not, and stays. */
let main: string
beforeAll(async () => {
  const at = mkdtempSync(join(tmpdir(), 'hallpass-lock-'))
  const outfile = join(at, 'folder-lock.mjs')
  const source = fileURLToPath(new URL('../../src/node/folder-lock.ts', import.meta.url))
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'esm' })
  main = join(at, 'main.mjs')
  writeFileSync(
    main,
    `import { lockFolder } from ${JSON.stringify(pathToFileURL(outfile).href)}
     process.stdin.once('data', () =>
       lockFolder(process.argv[2]).then(() => console.log('locked'), ({ message }) => console.log(message)))
     console.log('ready')`,
  )
  return () => rmSync(at, { recursive: true, force: true })
})

async function starters(
  at: string,
  count: number,
  { cwd = tmpdir() }: { cwd?: string } = {},
): Promise<readonly Child[]> {
  const children = Array.from({ length: count }, () =>
    startChild(process.execPath, [main, at], { cwd, input: 'pipe' }),
  )
  for (const { output, until, stop } of children) {
    onTestFinished(() => stop())
    await until(() => output() === 'ready\n')
  }
  return children
}

async function go(children: readonly Child[]): Promise<readonly string[]> {
  for (const { child } of children) child.stdin!.write('go')
  for (const { output, until } of children) await until(() => output().split('\n').length === 3)
  return children.map(({ output }) => output().split('\n')[1]!)
}

const openElsewhere = (at: string): string =>
  `another process has the folder ${at} open: stop it, or use another folder`

describe('lockFolder', () => {
  it('keeps this and other processes out until it is released [F-48]', async () => {
    const at = folder()
    const release = await lockFolder(at)
    await expect(lockFolder(at)).rejects.toThrow(openElsewhere(at))
    expect(await go(await starters(at, 1))).toEqual([openElsewhere(at)])
    release()
    expect(await go(await starters(at, 1))).toEqual(['locked'])
    await expect(lockFolder(at)).rejects.toThrow(openElsewhere(at))
  })

  it('is held by a process that hangs, and free as soon as it is killed [F-48]', async () => {
    const at = folder()
    const [owner] = await starters(at, 1)
    expect(await go([owner!])).toEqual(['locked'])
    owner!.child.kill('SIGSTOP')
    await expect(lockFolder(at)).rejects.toThrow(openElsewhere(at))
    await owner!.stop('SIGKILL')
    const release = await lockFolder(at)
    release()
  })

  it('gives one of many that start at once the folder, new or left by a killed process [F-48]', async () => {
    const at = folder()
    for (let round = 0; round < rounds(6, { soak: 100 }); round++) {
      const children = await starters(at, 4)
      const said = await go(children)
      expect(said.toSorted()).toEqual([
        ...Array.from({ length: 3 }, () => openElsewhere(at)),
        'locked',
      ])
      for (const { stop } of children) await stop('SIGKILL')
      // The last number stays, and nothing else.
      expect(readdirSync(at)).toEqual([`lock-${round + 1}`])
    }
  })

  it('gives one of many calls at once the folder, whatever order the steps have [F-48]', async () => {
    const at = folder()
    for (let round = 0; round < rounds(50, { soak: 1000 }); round++) {
      const asked = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(at)))
      const held = asked.filter((one) => one.status === 'fulfilled')
      expect(held).toHaveLength(1)
      held[0]!.value()
    }
  })

  it('finds out that others came before it while it was slow [F-48]', async () => {
    const [at, elsewhere] = [folder(), folder()]
    writeFileSync(join(at, 'lock-5'), '')
    const release = await lockFolder(elsewhere)
    onTestFinished(release)
    const { linkSync } = fs
    const spy = vi.spyOn(fs, 'linkSync').mockImplementationOnce((from, to) => {
      // It saw that 5 is nobody's. Since then 6 has come and gone, and 7 holds the folder.
      linkSync(join(elsewhere, 'lock-1'), join(at, 'lock-7'))
      rmSync(join(at, 'lock-5'))
      linkSync(from, to)
    })
    syncBuiltinESMExports()
    onTestFinished(() => {
      spy.mockRestore()
      syncBuiltinESMExports()
    })
    await expect(lockFolder(at)).rejects.toThrow(openElsewhere(at))
    expect([spy.mock.calls.length, readdirSync(at)]).toEqual([1, ['lock-7']])
  })

  it('lets the process end', async () => {
    const at = folder()
    const [owner] = await starters(at, 1)
    await go([owner!])
    owner!.child.stdin!.end()
    expect(await owner!.ended).toBe(0)
  })

  it('takes no notice of a file that has its name', async () => {
    const at = folder()
    writeFileSync(join(at, 'lock-7'), '123')
    const release = await lockFolder(at)
    expect(readdirSync(at)).toEqual(['lock-8'])
    release()
  })

  const onLinux = os.platform() === 'linux'
  it(`takes a path of ${onLinux ? 'any length' : 'its length'} [F-48]`, async () => {
    const at = onLinux ? join(folder(), 'x'.repeat(120)) : folder()
    mkdirSync(at, { recursive: true })
    const release = await lockFolder(at)
    await expect(lockFolder(at)).rejects.toThrow(openElsewhere(at))
    expect(readdirSync(at)).toEqual(['lock-1'])
    release()
    ;(await lockFolder(at))()
    expect(readdirSync(at)).toEqual(['lock-2'])
  })

  it('takes a long path from its current folder, and elsewhere refuses one that is too long [F-48]', async () => {
    const at = join(folder(), 'x'.repeat(120))
    mkdirSync(at)
    const spy = vi.spyOn(os, 'platform').mockReturnValue('darwin')
    syncBuiltinESMExports()
    onTestFinished(() => {
      spy.mockRestore()
      syncBuiltinESMExports()
    })
    await expect(lockFolder(at)).rejects.toThrow(
      `the folder ${at} cannot be locked: its path has more than 89 bytes. It has to be on a local disk or a volume, and its path short`,
    )
    expect(readdirSync(at)).toEqual([])
    expect(await go(await starters(at, 2, { cwd: at }))).toContain('locked')
    expect(readdirSync(at)).toEqual(['lock-1'])
  })

  it.each(['ENOENT', 'ENOTDIR'])('names a folder that is none: %s', async (code) => {
    const at = join(folder(), 'gone')
    if (code === 'ENOTDIR') writeFileSync(at, '')
    await expect(lockFolder(at)).rejects.toThrow(`the folder ${at} cannot be locked: `)
  })

  it('is a named pipe on Windows, of the folder and not of how its path is written', async () => {
    const at = folder()
    const spy = vi.spyOn(os, 'platform').mockReturnValue('win32')
    syncBuiltinESMExports()
    onTestFinished(() => {
      spy.mockRestore()
      syncBuiltinESMExports()
    })
    // Elsewhere such a name is a file of the current folder, which goes with the server.
    const release = await lockFolder(at)
    await expect(lockFolder(`${at}/.`)).rejects.toThrow(openElsewhere(`${at}/.`))
    release()
    expect(readdirSync(at)).toEqual([])
    ;(await lockFolder(at))()
  })
})
