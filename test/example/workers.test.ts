import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { STEPS } from '../everywhere/pages.js'
import { startChild } from '../support/processes/child.js'
import { accepts, freePorts } from '../support/processes/ports.js'
import { twelveChecks } from '../support/http/server-checks.js'
import { sharedService } from '../support/run/shared-service.js'

const FOLDER = fileURLToPath(new URL('../../examples/workers', import.meta.url))

it('the worker signs its one person in and issues tokens, on the runtime of Cloudflare Workers', async () => {
  // It bundles hallpass's `dist`.
  await sharedService('express')
  const port = await freePorts()
  const school = startChild(process.execPath, ['start.mjs'], {
    cwd: FOLDER,
    environment: { PORT: String(port) },
  })
  try {
    const listens = async (): Promise<boolean> =>
      school.output().includes('metadata:') && accepts(port)
    await school.until(listens, { what: 'it listens' })
    const password = /with the password (\S+)/.exec(school.output())?.[1] ?? ''
    const origin = `http://127.0.0.1:${port}`
    const checks = await twelveChecks({ origin, credentials: { password } })
    expect(checks).toEqual(Object.keys(STEPS).slice(0, 12))
  } finally {
    // As Ctrl+C: it ends the runtime as well, which is a process of its own.
    await school.stop('SIGINT')
  }
})
