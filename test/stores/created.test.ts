import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createFormBrowser, signInAndAllow } from '../support/http/form-browser.js'
import { connectAgent } from '../support/http/mcp-agent.js'
import { authorizeUrl } from '../support/http/running-flow.js'
import { startChild } from '../support/processes/child.js'
import { AS_ROOT } from '../support/processes/namespace.js'
import { freePorts } from '../support/processes/ports.js'
import { passwordOf, startExampleProject } from '../support/processes/project.js'
import { waitFor } from '../support/processes/wait.js'
import { ROOT } from '../support/source/root.js'

const home = mkdtempSync(join(tmpdir(), 'hallpass-created-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const AGENTS = join(ROOT, 'examples/agents')

/** Runs `npm run backup` or `npm run restore` of a project. */
function copies(folder: string, command: 'backup' | 'restore', path: string) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', '../common/run.mjs', '../store/backup.ts', command, path],
    { cwd: AGENTS, env: { ...process.env, HALLPASS_DATA_DIR: folder }, encoding: 'utf8' },
  )
  return { status, said: stdout + stderr }
}

const healthOf = async (origin: string) => {
  const [livez, readyz] = await Promise.all(
    ['/livez', '/readyz'].map((path) => fetch(origin + path)),
  )
  const { failing } = (await readyz!.json()) as { failing?: readonly string[] }
  return [livez!.status, readyz!.status, failing]
}

async function register(origin: string): Promise<number> {
  const { status } = await fetch(`${origin}/api/oauth/register`, {
    method: 'POST',
    body: JSON.stringify({ client_name: 'Desk', redirect_uris: ['http://127.0.0.1/callback'] }),
    headers: { 'content-type': 'application/json' },
  })
  return status
}

/** A disk of its own, of which another file takes the half. */
const DISK = 'mount -t tmpfs -o size=2m none "$0" && head -c 1m /dev/zero > "$0/other" && exec "$@"'

const ROSTER = ['list_students', { course: 'glazing' }] as const

describe('a created project on SQLite', () => {
  it('is copied while it runs, and put back only while it does not; then nothing of the copy is valid [SQL-09]', async () => {
    const folder = join(home, 'copied')
    const server = await startExampleProject('agents', { folder })
    const agent = await connectAgent({ origin: server.origin, password: passwordOf(server) })
    await expect(agent.call(...ROSTER)).rejects.toThrow('Unauthorized')
    await agent.signIn('owner@example.com')
    await agent.call(...ROSTER)
    expect(await healthOf(server.origin)).toEqual([200, 200, []])
    // What the runbook goes by.
    const events = [...server.output().matchAll(/^\{.*\}$/gm)].map(([line]) => JSON.parse(line) as { type: string }) // prettier-ignore
    expect(events.map(({ type }) => type)).toContain('oauth.token.issued')

    const copy = join(home, 'monday.db')
    expect(copies(folder, 'backup', copy)).toEqual({ status: 0, said: expect.stringContaining('monday.db has the database') }) // prettier-ignore
    expect(copies(folder, 'backup', copy)).toEqual({ status: 1, said: expect.stringContaining('monday.db exists') }) // prettier-ignore
    expect(copies(folder, 'restore', copy)).toEqual({ status: 1, said: expect.stringContaining('open: stop it first') }) // prettier-ignore
    expect(await healthOf(server.origin)).toEqual([200, 200, []])
    await agent.call(...ROSTER)
    // A closed terminal.
    expect(await server.stop('SIGHUP')).toBe(0)

    const torn = join(home, 'torn.db')
    writeFileSync(torn, 'SQLite format 3')
    expect(copies(folder, 'restore', torn)).toEqual({ status: 1, said: expect.stringContaining('nothing was changed') }) // prettier-ignore
    expect(copies(folder, 'restore', copy)).toEqual({ status: 0, said: expect.stringContaining('People sign in again') }) // prettier-ignore
    expect(readdirSync(folder).filter((name) => name.startsWith('school.db.'))).toHaveLength(1)
    const { port } = new URL(server.origin)
    const again = await startExampleProject('agents', { folder, port: Number(port) })
    await expect(agent.call(...ROSTER)).rejects.toThrow()
    await agent.close()
    expect(await again.stop()).toBe(0)
  })

  it('is not ready once its file was replaced, and names it [SQL-09]', async () => {
    const folder = join(home, 'replaced')
    const server = await startExampleProject('agents', { folder })
    renameSync(join(folder, 'school.db'), join(folder, 'old.db'))
    // Checks run once a second at most.
    await waitFor(async () => (await healthOf(server.origin))[1] === 503)
    expect(await healthOf(server.origin)).toEqual([200, 503, ['database', 'schema']])
    expect(server.output()).toContain('school.db was moved or deleted')
    expect(await register(server.origin)).toBe(503)
    // Pages of the project as well as those of hallpass.
    const headers = { 'sec-fetch-site': 'same-origin' }
    const return_to = `/oauth/interaction/${'A'.repeat(43)}`
    const body = new URLSearchParams({ return_to, email: 'owner@example.com' })
    for (const [path, form] of [['/'], ['/sign-in', { method: 'POST', body, headers }]] as const) {
      const response = await fetch(server.origin + path, form)
      expect([path, response.status, response.headers.get('retry-after')]).toEqual([path, 503, '5'])
      expect(await response.text()).toContain('Try again in a moment')
    }
    expect(await server.stop('SIGTERM')).toBe(0)
  })

  it('asks people to sign in again who did so while the clock was ahead, once it is right', async () => {
    const folder = join(home, 'ahead')
    const server = await startExampleProject('server', { folder })
    const browser = createFormBrowser(server.origin)
    const url = authorizeUrl(server.origin)
    const student = { email: 'student@example.com', password: passwordOf(server) }
    const page = async () => (await browser.open(url)).text
    await signInAndAllow(browser, url, student)
    const database = new DatabaseSync(join(folder, 'school.db'))
    /** Sets the clock back, as the session sees it. */
    const setBack = (seconds: number) =>
      database.exec(`update sessions set signed_in_at = signed_in_at + ${seconds}`)
    // The clocks of two processes may differ by as much.
    setBack(30)
    expect(await page()).toContain('Allow')
    setBack(86_400)
    expect(await page()).toContain('name="password"')
    await signInAndAllow(browser, url, student)
    expect(server.output()).not.toContain('UnusableValue')
    database.close()
    expect(await server.stop()).toBe(0)
  })

  it('refuses what it cannot write while its disk is full, and goes on once there is room', async () => {
    const folder = join(home, 'small')
    mkdirSync(folder)
    const port = await freePorts()
    const program = [process.execPath, '--import', '../common/run.mjs', 'server.ts']
    const server = startChild(
      'unshare',
      [...AS_ROOT, '--mount', 'sh', '-c', DISK, folder, ...program],
      {
        cwd: join(ROOT, 'examples/server'),
        environment: { PORT: String(port), HALLPASS_DATA_DIR: folder },
      },
    )
    await server.until(() => server.output().includes('how to connect:'))
    const origin = `http://127.0.0.1:${port}`
    const statuses: number[] = []
    while (statuses.at(-1) !== 503) statuses.push(await register(origin))
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([201]))
    expect(server.output()).toContain('database or disk is full')
    expect((await fetch(`${origin}/.well-known/jwks.json`)).status).toBe(200)

    rmSync(`/proc/${server.child.pid}/root${folder}/other`)
    expect(await register(origin)).toBe(201)
    await server.stop('SIGTERM')
    expect(await server.ended).toBe(0)
  })

  it('names its file in the last line, if the disk is full', () => {
    const folder = join(home, 'full')
    const full = `data:text/javascript,${encodeURIComponent(`
      import { DatabaseSync } from 'node:sqlite'
      const { prepare } = DatabaseSync.prototype
      DatabaseSync.prototype.prepare = function (sql) {
        this.exec('pragma max_page_count = 12')
        return prepare.call(this, sql)
      }`)}`
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', full, '--import', '../common/run.mjs', 'server.ts'],
      { cwd: AGENTS, env: { ...process.env, HALLPASS_DATA_DIR: folder }, encoding: 'utf8' },
    )
    expect(status).toBe(1)
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(`The disk of ${join(folder, 'school.db')} is full: make room, and start again`) // prettier-ignore
  })
})
