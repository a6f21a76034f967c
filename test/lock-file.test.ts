import { execFile } from 'node:child_process'
import { expect, it } from 'vitest'
import { ROOT } from './support/source/root.js'

// npm 10, which comes with Node 20 and 22, installs nothing from a lock file that leaves a peer unsatisfied, even an
// optional one: "Missing: … from lock file". Newer ones install it.
it('the lock file satisfies every peer', async () => {
  const args = ['ls', '--all', '--package-lock-only', '--json']
  const output = await new Promise<string>((resolve) => {
    execFile('npm', args, { cwd: ROOT, maxBuffer: 2 ** 26 }, (_, stdout) => resolve(stdout))
  })
  const { name, problems = [] } = JSON.parse(output) as { name: string; problems?: string[] }
  expect(name).toBe('hallpass')
  expect(problems).toEqual([])
})
