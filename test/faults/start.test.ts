import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { print } from '../support/http/code-load.js'
import { demo } from '../support/databases/templates.js'
import { dataFolder, spawnExample, startExpressExample } from '../support/processes/example.js'
import { freePorts, openPort } from '../support/processes/ports.js'
import { FULL_DISK } from '../support/processes/full-disk.js'
import { startStrictPooler } from '../support/processes/strict-pooler.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

/** A database without keys, and one whose keys are sealed with a secret of its own. */
let fresh: TestDatabase
let sealed: TestDatabase
beforeAll(async () => {
  fresh = await startPostgres(demo)
  sealed = await startPostgres(demo)
  const environment = { DATABASE_URL: sealed.url, HALLPASS_SECRET: 's'.repeat(40) }
  const { stop } = await startExpressExample({ environment })
  await stop()
})
afterAll(async () => {
  await fresh.stop()
  await sealed.stop()
})

function folder(): string {
  const { path, remove } = dataFolder()
  onTestFinished(remove)
  return path
}

/** Starts the example, and waits until it exits. The milliseconds are those after its last words. */
async function failedStart(environment: Readonly<Record<string, string>>) {
  const { child, ended, output, stop } = await spawnExample({
    PORT: String(await freePorts()),
    HALLPASS_DATA_DIR: folder(),
    ...environment,
  })
  onTestFinished(() => stop())
  let heard = performance.now()
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', () => (heard = performance.now()))
  const code = await ended
  const milliseconds = Math.round(performance.now() - heard)
  return { code, milliseconds, last: output().trim().split('\n').at(-1) }
}

const LATE = 5000

describe('a start that fails', () => {
  it('because its port is taken exits, though the database is open [F-45]', async () => {
    const port = await freePorts()
    const taken = createServer()
    await openPort(taken, { port: port + 1 })
    onTestFinished(() => void taken.close())
    const failed = await failedStart({
      PORT: String(port),
      DATABASE_URL: sealed.url,
      HALLPASS_SECRET: 's'.repeat(40),
    })
    expect([failed.code, failed.last]).toEqual([
      1,
      `Port ${port + 1} is in use: stop the program that listens there, or set PORT.`,
    ])
    expect(failed.milliseconds).toBeLessThan(LATE)
  })

  it.each(['PostgreSQL', 'PGlite'])(
    'on a full disk exits, names the file, and leaves none; the next start works, on %s [F-44, F-45]',
    async (kind) => {
      const path = folder()
      const environment = {
        HALLPASS_DATA_DIR: path,
        ...(kind === 'PostgreSQL' && { DATABASE_URL: fresh.url }),
      }
      const failed = await failedStart({ ...environment, NODE_OPTIONS: `--import=${FULL_DISK}` })
      print(`full disk at the first start, ${kind}`, failed)
      const file = join(path, 'secret')
      expect([failed.code, failed.last]).toEqual([
        1,
        expect.stringMatching(
          `^HALLPASS_DATA_DIR: the secret in ${file} cannot be read or created: ENOSPC: no space left on device, write\\. It must be a folder`,
        ),
      ])
      expect(failed.milliseconds).toBeLessThan(LATE)
      expect(readdirSync(path)).toEqual([])

      const { stop } = await startExpressExample({ folder: path, environment })
      await stop()
      expect(existsSync(file)).toBe(true)
    },
  )

  it.each([
    [
      'an empty secret',
      () => ({}),
      /^HALLPASS_DATA_DIR: the secret in .*secret has fewer than 32 characters/,
    ],
    [
      'another secret than that of the keys',
      () => ({ HALLPASS_SECRET: 'o'.repeat(40), DATABASE_URL: sealed.url }),
      /^HALLPASS_SECRET: key ring: cannot decrypt the stored key/,
    ],
    [
      'a database that does not exist',
      () => ({ DATABASE_URL: `${sealed.url}_gone` }),
      /^DATABASE_URL, at 127\.0\.0\.1:\d+: database ".*_gone" does not exist\. It must be a URL/,
    ],
    [
      'a folder in a file',
      () => ({ HALLPASS_DATA_DIR: '/dev/null/data' }),
      /^HALLPASS_DATA_DIR: ENOTDIR: .*'\/dev\/null\/data'\. It must be a folder/,
    ],
    [
      'a host without an address',
      () => ({ HOST: 'school.invalid' }),
      /^HOST: getaddrinfo \w+ school\.invalid\. It must be an address or a name of this computer/,
    ],
  ])('because of %s exits with the reason [F-45]', async (name, environment, reason) => {
    const path = folder()
    writeFileSync(join(path, 'secret'), name === 'an empty secret' ? '' : 'x'.repeat(40))
    const failed = await failedStart({ HALLPASS_DATA_DIR: path, ...environment() })
    print(`a start with ${name}`, failed)
    expect([failed.code, failed.last]).toEqual([1, expect.stringMatching(reason)])
    expect(failed.milliseconds).toBeLessThan(LATE)
  })
})

describe('a start through a pooler that refuses time limits', () => {
  it('serves without those of the server, and says so [F-45, LOG-13]', async () => {
    const url = new URL(sealed.url)
    const pooler = await startStrictPooler(Number(url.port))
    onTestFinished(pooler.close)
    url.host = `127.0.0.1:${pooler.port}`
    const { origin, output, stop } = await startExpressExample({
      environment: { DATABASE_URL: url.href, HALLPASS_SECRET: 's'.repeat(40) },
    })
    onTestFinished(() => stop())
    expect((await fetch(`${origin}/readyz`)).status).toBe(200)
    const line = output()
      .split('\n')
      .find((one) => one.includes('"type":"limits"'))
    print('a start through a pooler', line)
    expect(JSON.parse(line!)).toMatchObject({
      level: 'warn',
      reason: expect.stringMatching(/^unsupported startup parameter: \w+$/),
      remedy: expect.stringContaining('set statement_timeout = 900; alter role'),
    })
  })
})
