import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { demo } from '../support/databases/templates.js'
import { startPostgres } from '../support/databases/test-database.js'
import { print } from '../support/http/code-load.js'
import { type Child, startChild } from '../support/processes/child.js'
import { dataFolder } from '../support/processes/example.js'
import { freePorts } from '../support/processes/ports.js'
import { sharedService } from '../support/run/shared-service.js'
import { ROOT } from '../support/source/root.js'

const PROGRAMS = {
  Express: async () => {
    const { program } = await sharedService('express')
    return { args: ['--env-file=examples/express/demo.env', program], cwd: ROOT }
  },
  'Next.js': async () => {
    await sharedService('express')
    await sharedService('nextBuild')
    return { args: ['server.js'], cwd: join(ROOT, 'examples/nextjs') }
  },
}

/** For `sh`: what a process writes to, named by the first argument. The rest is the process. */
const INTO = {
  'a full disk': 'shift; exec "$@" > /dev/full',
  // The process itself keeps it open for reading, and does not read.
  'a pipe that nobody reads': 'mkfifo "$1"; exec 3<> "$1"; out=$1; shift; exec "$@" > "$out"',
}

const WHY = {
  'a full disk': 'ENOSPC: no space left on device, write',
  'a pipe that nobody reads': 'nothing reads it',
}

/** More lines than a pipe of 64 KiB takes. */
const REQUESTS = 1500

interface Deaf extends Child {
  readonly origin: string
  readonly pipe: string
}

async function startDeaf(program: keyof typeof PROGRAMS, into: keyof typeof INTO): Promise<Deaf> {
  const { args, cwd } = await PROGRAMS[program]()
  const [database, folder, port] = [await startPostgres(demo), dataFolder(), await freePorts()]
  const pipe = join(folder.path, 'output')
  const child = startChild('sh', ['-c', INTO[into], 'sh', pipe, process.execPath, ...args], {
    cwd,
    environment: {
      NODE_ENV: 'production',
      PORT: String(port),
      DATABASE_URL: database.url,
      HALLPASS_DATA_DIR: folder.path,
      HALLPASS_RATE_LIMITS: 'off',
    },
  })
  onTestFinished(async () => {
    await child.stop()
    await database.stop()
    folder.remove()
  })
  const origin = `http://127.0.0.1:${port}`
  await child.until(async () => (await fetch(`${origin}/readyz`)).ok, { what: 'it is ready' })
  return { ...child, origin, pipe }
}

/** Sends requests of which each is a line of the log, and returns how often each status came. */
async function ask(origin: string): Promise<Readonly<Record<number, number>>> {
  const counts: Record<number, number> = {}
  const body = new URLSearchParams({ grant_type: 'authorization_code', code: 'none' })
  const work = async (): Promise<void> => {
    for (let count = 0; count < REQUESTS / 10; count++) {
      const { status } = await fetch(`${origin}/api/oauth/token`, { method: 'POST', body })
      counts[status] = (counts[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: 10 }, work))
  return counts
}

const isAlive = async (origin: string): Promise<boolean> => (await fetch(`${origin}/livez`)).ok

describe.each(['Express', 'Next.js'] as const)('the school on %s', (program) => {
  it.each(['a full disk', 'a pipe that nobody reads'] as const)(
    'serves without its log, which goes to %s, and ends at SIGTERM [LOG-12]',
    async (into) => {
      const { child, ended, origin, output, stop } = await startDeaf(program, into)
      const counts = await ask(origin)
      expect(counts).toEqual({ 400: REQUESTS })
      expect(await isAlive(origin)).toBe(true)
      const begun = performance.now()
      await stop('SIGTERM')
      await ended
      print(`the log goes to ${into}, ${program}`, {
        ...counts,
        stopped: Math.round(performance.now() - begun),
        said: output(),
      })
      // Not by SIGKILL.
      expect([child.exitCode, child.signalCode]).toEqual([0, null])
      if (program === 'Express') expect(output()).toBe(`The log cannot be written: ${WHY[into]}\n`)
    },
  )
})

describe('a log whose reader has hung', () => {
  it('goes on whole where it stopped, and says how many lines were lost [LOG-12]', async () => {
    const { child, origin, pipe } = await startDeaf('Express', 'a pipe that nobody reads')
    for (let sent = 0; sent < 6000; sent += REQUESTS) await ask(origin)
    const reader = await open(pipe, 'r')
    onTestFinished(() => reader.close())
    let text = ''
    const stream = reader.createReadStream({ encoding: 'utf8' })
    stream.on('data', (chunk) => (text += String(chunk)))
    await expect.poll(() => text).toMatch(/"type":"lost"/)
    const lines = text.split('\n').filter((line) => line.startsWith('{'))
    const entries = lines.map((line) => JSON.parse(line) as { type: string; lines?: number })
    const lost = entries.filter(({ type }) => type === 'lost')
    print('a reader that reads again', { read: lines.length, lost })
    expect(lost.map(({ lines }) => lines)).toEqual([expect.any(Number)])
    child.kill('SIGKILL')
  })
})
