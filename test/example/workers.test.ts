import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { STEPS } from '../everywhere/pages.js'
import { type Child, startChild } from '../support/processes/child.js'
import { dataFolder } from '../support/processes/example-process.js'
import { accepts, freePorts } from '../support/processes/ports.js'
import { addressesOf, AUTH_MD_WALK, followAuthMd } from '../support/http/auth-md-walk.js'
import { createFormBrowser, signInAndAllow } from '../support/http/form-browser.js'
import { answersToForeignName, MISDIRECTED } from '../support/http/foreign-names.js'
import { signInBeforeRestart } from '../support/http/restart.js'
import { twelveChecks } from '../support/http/server-checks.js'
import { sharedService } from '../support/run/shared-service.js'

const FOLDER = fileURLToPath(new URL('../../examples/workers', import.meta.url))

describe('the worker, on the runtime of Cloudflare Workers and on D1', () => {
  const data = dataFolder()
  let port = 0
  let origin = ''
  let school: Child
  async function start(): Promise<{ password: string }> {
    school = startChild(process.execPath, ['start.mjs'], {
      cwd: FOLDER,
      environment: { PORT: String(port), HALLPASS_DATA_DIR: data.path },
    })
    const listens = async (): Promise<boolean> =>
      school.output().includes('metadata:') && accepts(port)
    await school.until(listens, { what: 'it listens' })
    return { password: /with the password (\S+)/.exec(school.output())![1]! }
  }
  beforeAll(async () => {
    // It bundles hallpass's `dist`.
    await sharedService('express')
    port = await freePorts()
    origin = `http://127.0.0.1:${port}`
  })
  afterEach(() => {
    // As Ctrl+C: it ends the runtime as well, which is a process of its own.
    return school.stop('SIGINT')
  })
  afterAll(() => data.remove())

  it('signs its one person in and issues tokens', async () => {
    const checks = await twelveChecks({ origin, credentials: await start() })
    expect(checks).toEqual(Object.keys(STEPS).slice(0, 12))
  })

  it('leads its client by /auth.md from registration to revocation, and names only what is there [DISC-32]', async () => {
    const { password } = await start()
    const text = await (await fetch(`${origin}/auth.md`)).text()
    const credentials = { email: 'ada@example.com', password }
    const walked = await followAuthMd(text, (url) =>
      signInAndAllow(createFormBrowser(origin), url, credentials),
    )
    expect(walked).toEqual(AUTH_MD_WALK)
    const statuses = await Promise.all(
      addressesOf(text, `${origin}/`).map(async (address) => [
        address,
        (await fetch(address, { redirect: 'manual' })).status,
      ]),
    )
    expect(statuses.filter(([, status]) => status === 404)).toEqual([])
  })

  it('has the home page of the examples, and bounds how often a password is tried', async () => {
    await start()
    expect(await answersToForeignName(origin)).toEqual(MISDIRECTED)
    const home = await (await fetch(origin)).text()
    for (const shown of ['Your server is running', 'Ada Moreau', '<script>'])
      expect(home).toContain(shown)
    // All addresses that begin with the same 64 bits can be of one sender.
    const attempt = async (address: string): Promise<number> => {
      const body = new URLSearchParams({
        return_to: `/oauth/interaction/${'x'.repeat(43)}`,
        email: 'ada@example.com',
        password: 'wrong',
      })
      const headers = { 'sec-fetch-site': 'same-origin', 'cf-connecting-ip': address }
      const sent = await fetch(`${origin}/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers,
        body,
      })
      return sent.status
    }
    const statuses: number[] = []
    for (const end of [':1', ':2', '0:0:0:3', ':4', ':5', ':6', ':7'])
      statuses.push(await attempt(`2001:db8:0:7:${end}`))
    expect(await attempt('2001:db8:0:8::1')).toBe(303)
    expect(statuses).toEqual([303, 303, 303, 303, 303, 303, 429])

    const second = startChild(process.execPath, ['start.mjs'], {
      cwd: FOLDER,
      environment: { PORT: String(port), HALLPASS_DATA_DIR: join(data.path, 'second') },
    })
    expect(await second.ended).toBe(1)
    expect(second.output()).toBe(
      `Port ${port} is in use: stop the program that listens there, or set PORT\n`,
    )
    expect(existsSync(join(data.path, 'second'))).toBe(false)
  })

  it('keeps clients, grants, tokens and keys when it starts again', async () => {
    const check = await signInBeforeRestart({ origin, credentials: await start() })
    await school.stop('SIGINT')
    await start()
    await check()
  })
})
