import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { ROOT } from '../support/source/root.js'

const home = mkdtempSync(join(tmpdir(), 'create-hallpass-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const read = (...path: string[]): string => readFileSync(join(home, ...path), 'utf8')
const manifestOf = (name: string): Record<string, unknown> =>
  JSON.parse(read(name, 'package.json')) as Record<string, unknown>

/** Runs the command without a terminal, in a folder of its own. */
const create = (...args: readonly string[]): Promise<{ stdout: string }> =>
  promisify(execFile)(
    process.execPath,
    [`${ROOT}packages/create-hallpass/index.mjs`, ...args, '--no-install'],
    { cwd: home },
  )

describe('npm create hallpass', () => {
  it('creates by default a server on Express with tools for agents', async () => {
    const { version } = JSON.parse(
      readFileSync(`${ROOT}packages/create-hallpass/package.json`, 'utf8'),
    ) as {
      version: string
    }
    await create('first', '--yes')
    expect(manifestOf('first')).toMatchObject({
      name: 'first',
      private: true,
      scripts: {
        start: 'node --env-file=start.env --import tsx server.ts',
        typecheck: 'tsc',
      },
      dependencies: { express: expect.any(String), hallpass: `^${version}` },
    })
    expect(readdirSync(join(home, 'first'))).toEqual(
      expect.arrayContaining(['.gitignore', 'README.md', 'server.ts', 'tools.ts', 'tsconfig.json']),
    )
  })

  it('has the version of the library', () => {
    const [library, command] = ['package.json', 'packages/create-hallpass/package.json'].map(
      (path) => (JSON.parse(readFileSync(ROOT + path, 'utf8')) as { version: string }).version,
    )
    expect(command).toBe(library)
  })

  it.each([
    [['--framework', 'express', '--serve', 'server'], 'express-postgres'],
    [['--framework', 'express', '--serve', 'members'], 'members'],
    [['--framework', 'fastify'], 'fastify'],
    [['--framework', 'hono'], 'hono'],
    [['--framework', 'node'], 'minimal'],
  ])('copies the example: %j, %s', async (args, example) => {
    await create(`as-${example}`, '--yes', ...args)
    expect(read(`as-${example}`, 'server.ts')).toBe(
      readFileSync(`${ROOT}examples/${example}/server.ts`, 'utf8'),
    )
  })

  it('keeps the URL of a database in a file that only its owner reads', async () => {
    const url = 'postgres://school:secret@127.0.0.1:5432/school'
    await create('own-database', '--yes', '--database', 'postgres', '--database-url', url)
    expect(read('own-database', '.env')).toBe(`DATABASE_URL=${url}\n`)
    expect(statSync(join(home, 'own-database', '.env')).mode & 0o777).toBe(0o600)
    expect(read('own-database', '.gitignore')).toContain('.env')
    expect(manifestOf('own-database')).toMatchObject({
      scripts: { start: 'node --env-file=start.env --env-file=.env --import tsx server.ts' },
    })
  })

  it.each([
    [['Upper'], '"Upper" cannot name a package'],
    [['taken'], 'is not empty: choose another folder'],
    [['new', '--framework', 'rails'], '--framework must be one of express, fastify'],
    [['new', '--framework', 'hono', '--serve', 'agents'], '--serve needs --framework express'],
    [['new', '--database', 'postgres'], 'must begin with postgres://'],
    [['new', '--colour'], "Unknown option '--colour'"],
  ])('writes nothing for %j', async (args, message) => {
    const taken = join(home, 'taken')
    rmSync(taken, { recursive: true, force: true })
    await create('taken', '--yes', '--framework', 'node')
    writeFileSync(join(taken, 'mine.txt'), 'mine')
    const before = [readdirSync(home), readdirSync(taken)]
    await expect(create(...args, '--yes')).rejects.toThrow(message)
    expect([readdirSync(home), readdirSync(taken)]).toEqual(before)
  })
})
