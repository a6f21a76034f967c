import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectAgent } from '../../../test/support/http/mcp-agent.js'
import { ROOT } from '../../../test/support/source/root.js'
import { startChild } from '../../../test/support/processes/child.js'
import { freePorts } from '../../../test/support/processes/ports.js'
import { passwordOf, startProject } from '../../../test/support/processes/project.js'
import { link, pack, unpack } from '../../../test/support/processes/tarballs.js'

const home = mkdtempSync(join(tmpdir(), 'create-hallpass-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const project = join(home, 'my-school')

beforeAll(() => {
  const library = pack(home, '--ignore-scripts')
  unpack(pack(home, '--workspace', 'create-hallpass'), join(home, 'create-hallpass'))
  execFileSync(
    process.execPath,
    ['create-hallpass/index.mjs', 'my-school', '--yes', '--no-install', '--hallpass', library],
    { cwd: home },
  )
  unpack(library, join(project, 'node_modules/hallpass'))
  const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>
  }
  const { dependencies: ofLibrary } = JSON.parse(
    readFileSync(join(project, 'node_modules/hallpass/package.json'), 'utf8'),
  ) as { dependencies: object }
  for (const name of [...Object.keys(dependencies), ...Object.keys(ofLibrary)])
    if (name !== 'hallpass') link(project, name)

  for (const name of ['@types', 'typescript']) link(project, name)
  execFileSync(process.execPath, [`${ROOT}node_modules/@typescript/native/bin/tsc`], {
    cwd: project,
  })
})

it('an empty folder becomes a server that an MCP client signs in to', async () => {
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

/** The code of one kind on the page about deployment. */
function codeOf(kind: string): string {
  const page = readFileSync(join(project, 'node_modules/hallpass/docs/do/deploy.md'), 'utf8')
  const [, code] = new RegExp(`^\`\`\`${kind}\\n([^]*?)^\`\`\`$`, 'm').exec(page)!
  return code!
}

describe('the page about deployment', () => {
  it('has a Dockerfile whose server answers on every address, and keeps its data in the volume', async () => {
    const lines = codeOf('dockerfile').trimEnd().split('\n')
    const of = (name: string): readonly string[] =>
      lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
    expect(lines.length).toBeLessThanOrEqual(12)
    expect(of('RUN').slice(0, 2)).toEqual(['npm ci', 'npm run build'])
    execFileSync(process.execPath, [`${ROOT}node_modules/typescript/lib/tsc.js`, '--noEmit', 'false'], { cwd: project }) // prettier-ignore

    const settings = Object.fromEntries(
      of('ENV')[0]!
        .split(' ')
        .map((pair) => pair.split('=')),
    )
    expect(settings).toEqual({
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      HALLPASS_DATA_DIR: of('VOLUME')[0],
    })
    const [node, ...program] = JSON.parse(of('CMD')[0]!) as string[]
    expect(node).toBe('node')
    const [port, data] = [await freePorts(), join(home, 'volume')]
    const server = startChild(process.execPath, ['--liftoff-only', ...program], {
      cwd: project,
      environment: { ...settings, PORT: String(port), HALLPASS_DATA_DIR: data },
    })
    await server.until(() => server.output().includes('how to connect:'), { patienceMilliseconds: 100_000 }) // prettier-ignore
    const { status } = await fetch(
      `http://127.0.0.2:${port}/.well-known/oauth-authorization-server`,
    )
    await server.stop('SIGTERM')
    expect([status, await server.ended]).toEqual([200, 0])
    expect(readdirSync(data)).toContain('secret')
  })

  it('has a unit in which systemd finds no mistake', () => {
    const unit = codeOf('ini')
    expect(unit).toContain('ExecStart=/usr/bin/node --import ./port.js server.js\n')
    const path = join(home, 'school.service')
    writeFileSync(path, unit.replace('/usr/bin/node', process.execPath))
    // Only Linux with systemd can say more.
    const said = existsSync('/usr/bin/systemd-analyze')
      ? spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
      : { stderr: '', status: 0 }
    expect([said.stderr, said.status]).toEqual(['', 0])
  })

  it('leads to by the README of the project, which names HOST and ORIGIN', () => {
    const readme = readFileSync(join(project, 'README.md'), 'utf8')
    const [path = ''] = /node_modules\/hallpass\/docs\/do\/deploy\.md/.exec(readme) ?? []
    expect(existsSync(join(project, path))).toBe(true)
    expect(readme).toMatch(/`HOST=0\.0\.0\.0`[^]*`ORIGIN`/)
  })
})

it('a HOST that no computer has is said before the server starts', async () => {
  const server = startChild(
    process.execPath,
    ['--import', 'tsx', '--import', './port.ts', 'server.ts'],
    {
      cwd: project,
      environment: { HOST: 'school.example' },
    },
  )
  expect(await server.ended).toBe(1)
  expect(server.output()).toContain(
    'HOST is "school.example": set it to an address of this computer, such as 0.0.0.0 in a container',
  )
})
