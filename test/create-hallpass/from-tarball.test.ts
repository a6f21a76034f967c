import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { connectAgent } from '../support/agent.js'
import { ROOT } from '../support/pages.js'
import { startProject } from '../support/rung.js'

const home = mkdtempSync(join(tmpdir(), 'create-hallpass-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Packs a package as a release does, and returns the path of the tarball. */
function pack(...args: readonly string[]): string {
  const flags = ['pack', '--json', '--pack-destination', home, ...args]
  const output = execFileSync('npm', flags, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // Scripts that run before packing print as well.
  const [{ filename }] = JSON.parse(output.slice(output.indexOf('[\n'))) as [{ filename: string }]
  return join(home, filename)
}

function unpack(tarball: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
}

/** Installs a dependency of the project from this repository, so that no registry is asked. */
function link(project: string, name: string): void {
  const path = join(project, 'node_modules', name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules', name), path, 'junction')
}

it('an empty folder becomes a server that an MCP client signs in to', async () => {
  const library = pack('--ignore-scripts')
  unpack(pack('--workspace', 'create-hallpass'), join(home, 'create-hallpass'))
  execFileSync(
    process.execPath,
    ['create-hallpass/index.mjs', 'my-school', '--yes', '--no-install', '--hallpass', library],
    { cwd: home },
  )
  const project = join(home, 'my-school')
  unpack(library, join(project, 'node_modules/hallpass'))
  const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>
  }
  expect(dependencies['hallpass']).toBe(library)
  const { dependencies: ofLibrary } = JSON.parse(
    readFileSync(join(project, 'node_modules/hallpass/package.json'), 'utf8'),
  ) as { dependencies: object }
  for (const name of [...Object.keys(dependencies), ...Object.keys(ofLibrary)])
    if (name !== 'hallpass') link(project, name)

  for (const name of ['@types', 'typescript']) link(project, name)
  execFileSync(process.execPath, [`${ROOT}node_modules/@typescript/native/bin/tsc`], {
    cwd: project,
  })

  const server = await startProject(project, { folder: join(home, 'data') })
  try {
    const agent = await connectAgent(server)
    await expect(agent.call('list_students', { course: 'glazing' })).rejects.toThrow('Unauthorized')
    await agent.signIn('owner@example.com')
    expect(await agent.call('list_students', { course: 'glazing' })).toMatchObject({
      structuredContent: { data: [{ name: 'Ada Okafor' }, { name: 'Mei-Ling Chou' }] },
    })
    await agent.close()
  } finally {
    await server.stop()
  }
})
