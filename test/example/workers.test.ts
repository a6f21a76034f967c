import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { STEPS } from '../everywhere/pages.js'
import { type Child, startChild } from '../support/processes/child.js'
import { dataFolder } from '../support/processes/example-process.js'
import { accepts, freePorts } from '../support/processes/ports.js'
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

  it('keeps clients, grants, tokens and keys when it starts again', async () => {
    const check = await signInBeforeRestart({ origin, credentials: await start() })
    await school.stop('SIGINT')
    await start()
    await check()
  })
})
