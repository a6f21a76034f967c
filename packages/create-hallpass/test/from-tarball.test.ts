import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectAgent } from '../../../test/support/http/mcp-agent.js'
import { ROOT } from '../../../test/support/source/root.js'
import { startChild } from '../../../test/support/processes/child.js'
import { AS_ROOT } from '../../../test/support/processes/namespace.js'
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

/** What the page names beside the settings of a container or of a unit. */
const SECRETS = { ORIGIN: 'https://school.example', SEALING_SECRET: 's'.repeat(43) }
const settingsOf = (pairs: string): Readonly<Record<string, string>> =>
  Object.fromEntries(pairs.split(' ').map((pair) => pair.split('=')))
/** As a container and as systemd do it, where every folder but one is read-only. */
const CONFINE = 'mount --bind "$0" "$0" && mount -o remount,bind,ro / && exec "$@"'

/** Starts what the page starts, twice on one folder, and returns what it says of itself. */
async function deploy(
  settings: Readonly<Record<string, string>>,
  [node, ...program]: readonly string[],
) {
  expect(node).toMatch(/^(\/usr\/bin\/)?node$/)
  const data = mkdtempSync(join(home, 'volume-'))
  const port = await freePorts()
  const environment = { ...settings, ...SECRETS, PORT: String(port), HALLPASS_DATA_DIR: data }
  async function start() {
    const args = [
      '--mount',
      'sh',
      '-c',
      CONFINE,
      data,
      process.execPath,
      '--liftoff-only',
      ...program,
    ]
    const server = startChild('unshare', [...AS_ROOT, ...args], { cwd: project, environment })
    await server.until(() => server.output().includes('how to connect:'), { patienceMilliseconds: 100_000 }) // prettier-ignore
    const host = settings['HOST'] === '0.0.0.0' ? '127.0.0.2' : '127.0.0.1'
    const read = async (path: string) =>
      (await (await fetch(`http://${host}:${port}${path}`)).json()) as Record<string, unknown>
    const said = {
      issuer: (await read('/.well-known/oauth-authorization-server'))['issuer'],
      keys: (await read('/.well-known/jwks.json'))['keys'],
      health: (await read('/readyz'))['status'],
    }
    await server.stop('SIGTERM')
    return { ...said, ended: await server.ended }
  }
  const first = await start()
  expect(await start()).toEqual(first)
  return { ...first, keys: typeof first.keys, hasSecret: readdirSync(data).includes('secret') }
}
const WELL = { issuer: SECRETS.ORIGIN, keys: 'object', health: 'ready', ended: 0, hasSecret: false }

describe('the page about deployment', () => {
  beforeAll(() => {
    execFileSync(process.execPath, [`${ROOT}node_modules/typescript/lib/tsc.js`, '--noEmit', 'false'], { cwd: project }) // prettier-ignore
  })

  it('has a Dockerfile whose server answers on every address, and writes into the volume alone', async () => {
    const lines = codeOf('dockerfile').trimEnd().split('\n')
    const of = (name: string): readonly string[] =>
      lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
    expect(lines.length).toBeLessThanOrEqual(12)
    expect(of('RUN').slice(0, 2)).toEqual(['npm ci', 'npm run build'])
    const [volume] = of('VOLUME')
    const settings = settingsOf(of('ENV')[0]!)
    expect(settings).toEqual({ NODE_ENV: 'production', HOST: '0.0.0.0', HALLPASS_DATA_DIR: volume })
    expect(of('RUN')[2]).toContain(`mkdir ${volume} && chown ${of('USER')[0]}:`)
    expect(codeOf('sh')).toContain(`-v school:${volume} `)
    expect([...codeOf('sh').matchAll(/-e (\w+)/g)].map(([, name]) => name)).toEqual(Object.keys(SECRETS)) // prettier-ignore
    expect(await deploy(settings, JSON.parse(of('CMD')[0]!) as string[])).toEqual(WELL)
  })

  it('has a unit in which systemd finds no mistake, and whose server writes into its folder alone', async () => {
    const unit = codeOf('ini')
    const of = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1]!
    const path = join(home, 'school.service')
    writeFileSync(path, unit.replace('/usr/bin/node', process.execPath))
    // Only Linux with systemd can say more.
    const said = existsSync('/usr/bin/systemd-analyze')
      ? spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
      : { stderr: '', status: 0 }
    expect([said.stderr, said.status]).toEqual(['', 0])
    const settings = settingsOf(of('Environment'))
    expect(settings['HALLPASS_DATA_DIR']).toBe(`/var/lib/${of('StateDirectory')}`)
    expect(await deploy(settings, of('ExecStart').split(' '))).toEqual(WELL)
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
