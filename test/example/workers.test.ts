import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { readSource } from '../support/source/compile.js'
import { freePorts } from '../support/processes/ports.js'
import { rowsOf } from '../support/docs/pages.js'
import { twelveChecks } from '../support/http/server-checks.js'
import { sharedService } from '../support/run/shared-service.js'

const FOLDER = fileURLToPath(new URL('../../examples/workers', import.meta.url))

it('the worker signs its one person in and issues tokens, on the runtime of Cloudflare Workers', async () => {
  // It bundles hallpass's `dist`.
  await sharedService('express')
  const port = await freePorts()
  const child = spawn(process.execPath, ['start.mjs'], {
    cwd: FOLDER,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  try {
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    // A minute, since its first start on a machine reads a runtime of more than a hundred megabytes.
    for (let wait = 0; wait < 1200 && !output.includes('metadata:'); wait++)
      await new Promise((resolve) => setTimeout(resolve, 50))
    const password = /with the password (\S+)/.exec(output)?.[1] ?? ''
    const origin = `http://127.0.0.1:${port}`
    const listed = rowsOf(readSource('docs/look-up/runtimes.md')).filter(([n]) => /^\d+$/.test(n!))
    expect(await twelveChecks({ origin, credentials: { password } })).toEqual(
      listed.map(([, check]) => check),
    )
  } finally {
    child.kill()
    await exited
  }
})
