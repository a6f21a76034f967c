import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { build } from 'esbuild'
import { readOrCreateSecret } from '../../src/node.js'
import { FULL_DISK } from '../support/full-disk.js'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'hallpass-secret-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

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

  it('leaves nothing behind on a full disk, and succeeds when there is room [F-44]', async () => {
    const [at, data] = [folder(), folder()]
    const main = await program(at)
    const file = join(data, 'secret')
    const child = promisify(execFile)(process.execPath, ['--import', FULL_DISK, main, file])
    child.child.stdin!.end('go')
    const failed = (await child.catch((fault: unknown) => fault)) as {
      code: number
      stdout: string
    }
    expect([failed.code, failed.stdout]).toEqual([
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
    const children = Array.from({ length: 6 }, () => spawn(process.execPath, [main, file]))
    const outputs = children.map(async ({ stdout }) => {
      let text = ''
      for await (const chunk of stdout) text += String(chunk)
      return text
    })
    await Promise.all(children.map(({ stdout }) => once(stdout, 'readable')))
    for (const { stdin } of children) stdin.end('go')
    const secrets = new Set(await Promise.all(outputs))
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

  it('names a file that cannot be created [F-44]', () => {
    const file = join(folder(), 'missing', 'secret')
    expect(() => readOrCreateSecret(file)).toThrow(
      `the secret in ${file} cannot be read or created: ENOENT`,
    )
  })
})
