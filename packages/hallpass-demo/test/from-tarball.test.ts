import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ROOT } from '../../../test/support/source/root.js'
import { startProject } from '../../../test/support/processes/project.js'
import { link, pack, unpack } from '../../../test/support/processes/tarballs.js'

const home = mkdtempSync(join(tmpdir(), 'hallpass-demo-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** What it reads from files, each from the folder of another part of the example. */
const FILES = [
  '/assets/walk.js',
  '/assets/copy.js',
  '/assets/sign-in.js',
  '/playground',
  '/playground/playground.js',
  '/playground/playground.css',
  '/docs',
  '/docs/try.js',
  '/docs/reference.css',
  '/account/graphiql',
  '/account/graphiql/start.js',
  '/account/graphiql/editor.js',
]

it('starts from its tarball, without this repository', async () => {
  const folder = join(home, 'package')
  unpack(pack(home, '--workspace', 'hallpass-demo'), folder)
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>
  }
  for (const name of Object.keys(dependencies)) link(folder, name)
  const built = readdirSync(join(folder, 'dist')).map((name) => join(folder, 'dist', name))
  expect(built.filter((path) => readFileSync(path, 'utf8').includes(ROOT))).toEqual([])
  expect(readFileSync(join(folder, 'NOTICES.txt'), 'utf8')).toContain('\nexpress 5.')

  writeFileSync(join(home, 'package.json'), '{"scripts":{"start":"node package/index.mjs"}}')
  const school = await startProject(home, { folder: join(home, 'data'), ready: 'Open http' })
  try {
    expect(school.output()).toContain(`Open ${school.origin}`)
    expect(school.output()).toContain(join(home, 'data'))
    const statuses = await Promise.all(
      FILES.map(async (path) => [path, (await fetch(school.origin + path)).status]),
    )
    expect(statuses).toEqual(FILES.map((path) => [path, 200]))
    const tools = await fetch(`${school.origin}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect(await tools.text()).toContain('{"result":{"tools":[{"name":')
  } finally {
    await school.stop()
  }
})
