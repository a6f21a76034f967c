import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
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

interface Locked {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly engines?: { readonly node?: string }
}

// `npx` knows no lock file: it installs the newest of each range, and each peer with all that it needs in turn.
it.each(['create-hallpass', 'hallpass-demo'])(
  'what npx installs with %s is exactly what this repository tests',
  (command) => {
    const { packages } = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')) as {
      packages: Readonly<Record<string, Locked>>
    }
    const named = packages[`packages/${command}`]!.dependencies!
    expect(Object.keys(named).length).toBeGreaterThan(1)
    for (const [name, range] of Object.entries(named)) {
      const {
        version,
        dependencies = {},
        peerDependencies = {},
        engines,
      } = packages[`node_modules/${name}`]!
      expect([name, range]).toEqual([name, version])
      expect([name, named]).toEqual([name, { ...dependencies, ...peerDependencies, ...named }])
      // They run on each version of Node.js that the command runs on, 20.19 and later.
      expect(['>=20', '>= 20.12.0', undefined]).toContain(engines?.node)
    }
  },
)
