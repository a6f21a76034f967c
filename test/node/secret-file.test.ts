import fs, {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { build } from 'esbuild'
import { readOrCreateSecret } from '../../src/node.js'
import { startChild } from '../support/processes/child.js'
import { FULL_DISK } from '../support/processes/full-disk.js'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'hallpass-secret-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

type FileFunction = 'openSync' | 'fsyncSync' | 'closeSync' | 'linkSync' | 'existsSync' | 'rmSync'

/** Replaces a function of the file system until the test is over; it gets the original as well. */
function replace<Name extends FileFunction>(
  name: Name,
  by: (original: (typeof fs)[Name], ...values: Parameters<(typeof fs)[Name]>) => unknown,
): void {
  const original = fs[name]
  const spy = vi
    .spyOn(fs, name)
    .mockImplementation(((...values: never) => by(original, ...values)) as never)
  syncBuiltinESMExports()
  onTestFinished(() => {
    spy.mockRestore()
    syncBuiltinESMExports()
  })
}

/** Notes each step that is done to a file or folder, by its name in the folder. */
function watch(at: string): { readonly steps: string[]; readonly open: Set<number> } {
  const steps: string[] = []
  const open = new Set<number>()
  const names = new Map<number, string>()
  const nameOf = (path: unknown): string =>
    path === at ? 'folder' : path === join(at, 'secret') ? 'secret' : 'draft'
  replace('openSync', (original, path, ...rest) => {
    const descriptor = original(path, ...rest)
    open.add(descriptor)
    names.set(descriptor, nameOf(path))
    return descriptor
  })
  replace('closeSync', (original, descriptor) => {
    open.delete(descriptor)
    original(descriptor)
  })
  replace('fsyncSync', (original, descriptor) => {
    original(descriptor)
    steps.push(`flush ${names.get(descriptor)}`)
  })
  replace('linkSync', (original, from, to) => {
    original(from, to)
    steps.push(`link ${nameOf(from)} to ${nameOf(to)}`)
  })
  return { steps, open }
}

const failing = (code: string): Error => Object.assign(new Error(`${code}: no`), { code })

/** The module as JavaScript, for processes of its own, which print the secret that they get. */
async function program(at: string): Promise<string> {
  const outfile = join(at, 'secret-file.mjs')
  const source = fileURLToPath(new URL('../../src/node/secret-file.ts', import.meta.url))
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'esm' })
  const main = join(at, 'main.mjs')
  writeFileSync(
    main,
    `import { readOrCreateSecret } from ${JSON.stringify(pathToFileURL(outfile).href)}
     process.stdin.once('data', () => {
       try { console.log(readOrCreateSecret(process.argv[2])) }
       catch (fault) { console.log(fault.message); process.exitCode = 1 }
       process.stdin.destroy()
     })
     console.log('ready')`,
  )
  return main
}

describe('readOrCreateSecret', () => {
  it('creates a secret that only this user can read, and returns the same one from then on [F-44]', () => {
    const file = join(folder(), 'secret')
    const secret = readOrCreateSecret(file)
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect([readOrCreateSecret(file), readFileSync(file, 'utf8')]).toEqual([secret, secret])
  })

  it('survives a power cut: content and name are on the disk before the secret is returned [F-44]', () => {
    const at = folder()
    const { steps, open } = watch(at)
    readOrCreateSecret(join(at, 'secret'))
    expect(steps).toEqual(['flush draft', 'link draft to secret', 'flush folder'])
    expect([readdirSync(at), open.size]).toEqual([['secret'], 0])
  })

  it('reads a secret in a folder that it cannot write to', () => {
    const file = join(folder(), 'secret')
    writeFileSync(file, 's'.repeat(32))
    replace('linkSync', () => {
      throw failing('EROFS')
    })
    expect(readOrCreateSecret(file)).toBe('s'.repeat(32))
  })

  it('says why the file cannot be created, and not that the draft cannot be removed either [F-44]', () => {
    const file = join(folder(), 'secret')
    for (const name of ['openSync', 'rmSync'] as const)
      replace(name, () => {
        throw failing(name === 'openSync' ? 'EACCES' : 'EPERM')
      })
    expect(() => readOrCreateSecret(file)).toThrow(
      new Error(`the secret in ${file} cannot be read or created: EACCES: no`),
    )
  })

  it('returns the secret of the process that was faster, and leaves nothing else [F-44]', () => {
    const at = folder()
    const file = join(at, 'secret')
    replace('linkSync', (original, ...paths) => {
      writeFileSync(file, 'the secret of the process that was faster')
      original(...paths)
    })
    expect(readOrCreateSecret(file)).toBe('the secret of the process that was faster')
    expect(readdirSync(at)).toEqual(['secret'])
  })

  it.each(['EISDIR', 'EPERM'])('needs no folder that can be opened, as on Windows: %s', (code) => {
    const at = folder()
    replace('openSync', (original, path, ...rest) => {
      if (path === at) throw failing(code)
      return original(path, ...rest)
    })
    expect(readOrCreateSecret(join(at, 'secret'))).toHaveLength(43)
  })

  it.each(['draft', 'folder'])('names a file whose %s cannot be flushed [F-44]', (what) => {
    const at = folder()
    const { open } = watch(at)
    let flushed = 0
    replace('fsyncSync', () => {
      if (++flushed === (what === 'draft' ? 1 : 2)) throw failing('EIO')
    })
    const file = join(at, 'secret')
    expect(() => readOrCreateSecret(file)).toThrow(
      new Error(`the secret in ${file} cannot be read or created: EIO: no`, {
        cause: failing('EIO'),
      }),
    )
    expect([readdirSync(at), open.size]).toEqual([what === 'draft' ? [] : ['secret'], 0])
  })

  it('leaves nothing behind on a full disk, and succeeds when there is room [F-44]', async () => {
    const [at, data] = [folder(), folder()]
    const main = await program(at)
    const file = join(data, 'secret')
    const { child, ended, output } = startChild(
      process.execPath,
      ['--import', FULL_DISK, main, file],
      { input: 'pipe' },
    )
    child.stdin!.end('go')
    expect([await ended, output()]).toEqual([
      1,
      `ready\nthe secret in ${file} cannot be read or created: ENOSPC: no space left on device, write\n`,
    ])
    expect(readdirSync(data)).toEqual([])
    expect(readOrCreateSecret(file)).toHaveLength(43)
  })

  it('gives processes that start at the same time one secret [F-44]', async () => {
    const [at, data] = [folder(), folder()]
    const main = await program(at)
    const file = join(data, 'secret')
    const children = Array.from({ length: 6 }, () =>
      startChild(process.execPath, [main, file], { input: 'pipe' }),
    )
    for (const { output, until } of children) await until(() => output() !== '')
    for (const { child } of children) child.stdin!.end('go')
    await Promise.all(children.map(({ ended }) => ended))
    const secrets = new Set(children.map(({ output }) => output()))
    expect([...secrets]).toEqual([`ready\n${readOrCreateSecret(file)}\n`])
    expect(readdirSync(data)).toEqual(['secret'])
  })

  it.each(['', 'x'.repeat(31)])('names a file that holds %j [F-44]', (content) => {
    const file = join(folder(), 'secret')
    writeFileSync(file, content)
    expect(() => readOrCreateSecret(file)).toThrow(
      new Error(
        `the secret in ${file} has fewer than 32 characters: restore the file, or remove it if no key was ever sealed with it`,
      ),
    )
    expect(readFileSync(file, 'utf8')).toBe(content)
  })

  it('takes a secret of 32 characters', () => {
    const file = join(folder(), 'secret')
    writeFileSync(file, 'x'.repeat(32))
    expect(readOrCreateSecret(file)).toBe('x'.repeat(32))
  })

  it('names a file that cannot be created, and what could not be done first [F-44]', () => {
    const file = join(folder(), 'missing', 'secret')
    expect(() => readOrCreateSecret(file)).toThrow(
      `the secret in ${file} cannot be read or created: ENOENT: no such file or directory, open '${file}.`,
    )
  })

  it('names a folder that stands in place of the file [F-44]', () => {
    const file = join(folder(), 'secret')
    mkdirSync(file)
    expect(() => readOrCreateSecret(file)).toThrow(
      `the secret in ${file} cannot be read or created: EISDIR`,
    )
  })
})
