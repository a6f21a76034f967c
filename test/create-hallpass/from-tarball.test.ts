import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { connectAgent } from '../support/http/mcp-agent.js'
import { ROOT } from '../support/source/root.js'
import { passwordOf, startProject } from '../support/processes/project.js'
import { link, pack, unpack } from '../support/processes/tarballs.js'

const home = mkdtempSync(join(tmpdir(), 'create-hallpass-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

it('an empty folder becomes a server that an MCP client signs in to', async () => {
  const library = pack(home, '--ignore-scripts')
  unpack(pack(home, '--workspace', 'create-hallpass'), join(home, 'create-hallpass'))
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
    const agent = await connectAgent({ origin: server.origin, password: passwordOf(server) })
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
