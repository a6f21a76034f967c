// Packs the package, installs the tarball in an empty project, and uses it there as a stranger would.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const entries = Object.keys(manifest.exports)
  .filter((key) => key !== './package.json')
  .map((key) => manifest.name + key.slice(1))
const project = await mkdtemp(join(tmpdir(), 'check-package-'))
let failed = 0

/** Runs one check and prints one line; what it returns stands behind its title. */
async function check(title, body) {
  try {
    const note = await body()
    console.log(`ok    ${title}${note === undefined ? '' : `: ${note}`}`)
    return true
  } catch (error) {
    failed++
    const output = [error.stdout, error.stderr].filter(Boolean).join('\n').trim()
    console.log(`FAIL  ${title}: ${output === '' ? error.message : output}`)
    return false
  }
}

const inProject = (command, args) =>
  run(command, args, { cwd: project, timeout: 120_000, maxBuffer: 1 << 26 })
const tool = (name, args) =>
  inProject(process.execPath, [join(root, 'node_modules', name), ...args])

async function newest(folder) {
  const names = await readdir(join(root, folder), { recursive: true })
  const times = await Promise.all(
    names.map(async (name) => {
      const entry = await stat(join(root, folder, name))
      return entry.isFile() ? entry.mtimeMs : 0
    }),
  )
  return Math.max(...times)
}

await check('dist is as new as src', async () => {
  if ((await newest('dist')) < (await newest('src'))) throw new Error('run npm run build first')
})

let tarball = ''
await check('npm pack holds dist and four documents', async () => {
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', project],
    { cwd: root, timeout: 120_000, maxBuffer: 1 << 26 },
  )
  const [packed] = JSON.parse(stdout)
  tarball = join(project, packed.filename)
  const documents = packed.files.map(({ path }) => path).filter((path) => !path.startsWith('dist/'))
  const expected = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']
  if (documents.sort().join() !== expected.join()) throw new Error(`found ${documents.join(', ')}`)
  return `${packed.files.length} files, ${Math.round(packed.size / 1024)} kB`
})

await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
await check('the tarball installs in an empty project', async () => {
  try {
    const flags = ['--offline', '--loglevel=error', '--no-audit', '--no-fund', '--ignore-scripts']
    await inProject('npm', ['install', ...flags, tarball])
    return 'by npm, offline'
  } catch (error) {
    if (!/ENOTCACHED/.test(error.stderr)) throw error
    // npm's cache does not hold the dependencies: the ones of this repository stand in for them.
    const home = join(project, 'node_modules', manifest.name)
    await mkdir(home, { recursive: true })
    await inProject('tar', ['-xzf', tarball, '-C', home, '--strip-components=1'])
    await link(Object.keys(manifest.dependencies))
    return 'unpacked, with linked dependencies'
  }
})

async function link(names) {
  for (const name of names) {
    const path = join(project, 'node_modules', name)
    await mkdir(dirname(path), { recursive: true })
    await symlink(join(root, 'node_modules', name), path, 'junction')
  }
}

// Optional peers come last: no other entry may need them.
const peers = Object.keys(manifest.peerDependencies ?? {})
const withPeers = ['hallpass/account', 'hallpass/account-api', 'hallpass/mcp-sdk', 'hallpass/mcp-server'] // prettier-ignore
for (const entry of [...entries].sort(
  (one, other) => withPeers.includes(one) - withPeers.includes(other),
)) {
  if (withPeers[0] === entry) await link(peers)
  await check(`import '${entry}'`, async () => {
    const program = `console.log(Object.keys(await import('${entry}')).join(' '))`
    const { stdout } = await inProject('node', ['--input-type=module', '--eval', program])
    const names = stdout.trim().split(' ')
    if (names[0] === '') throw new Error('it exports nothing')
    return `${names.length} ${names.length === 1 ? 'name' : 'names'}`
  })
}

const consumer = `${entries.map((entry, index) => `import * as entry${index} from '${entry}'`).join('\n')}
import { createAuthorizationServer } from 'hallpass'
import { createTokenEndpoint, type Endpoint } from 'hallpass/endpoint'
import { toNodeHandler } from 'hallpass/node'
import { type Client, decideRedirectUri } from 'hallpass/policy'
import { createMemoryStore, type Store } from 'hallpass/store'

type Options = Parameters<typeof createAuthorizationServer>[0]
export const entries = [${entries.map((_, index) => `entry${index}`).join(', ')}]
export const store: Store = createMemoryStore()
export const serve = (options: Options): Endpoint => createAuthorizationServer(options).token
export const handler = (endpoint: Endpoint) => toNodeHandler(endpoint, { origin: 'https://school.example' })
export const make: (...a: Parameters<typeof createTokenEndpoint>) => Endpoint = createTokenEndpoint
export function redirect(client: Client, redirectUri: string): string {
  const decided = decideRedirectUri({ redirectUri, registered: client.redirectUris })
  return decided.ok ? decided.redirectUri : decided.reason
}
// @ts-expect-error A store is not made of nothing.
export const nothing: Store = {}
`
await writeFile(join(project, 'consumer.ts'), consumer)
await link(['@types/node', 'undici-types'])
for (const [module, moduleResolution] of [
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
])
  await check(`tsc accepts a consumer (${moduleResolution})`, async () => {
    const flags = ['--noEmit', '--strict', '--target', 'es2023', '--types', 'node']
    const modules = ['--module', module, '--moduleResolution', moduleResolution]
    await tool('@typescript/native/bin/tsc', [...flags, ...modules, 'consumer.ts'])
  })

await check('publint, strict', async () => {
  await tool('publint/src/cli.js', ['run', tarball, '--strict'])
})

await check('attw, esm-only', async () => {
  const flags = ['--profile', 'esm-only', '--no-color', '--no-emoji', '--format', 'ascii']
  await tool('@arethetypeswrong/cli/dist/index.js', [tarball, ...flags])
})

await rm(project, { recursive: true })
if (failed > 0) {
  console.error(`${failed} checks failed`)
  process.exitCode = 1
}
