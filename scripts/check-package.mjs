// Packs the package, installs the tarball in an empty project, and uses it there as an adopter would.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { tsImport } from 'tsx/esm/api'
import { SIBLINGS } from './siblings.mjs'
import { deadLinksOf, linkToRepository } from './tarball-links.mjs'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const readJson = async (path) => JSON.parse(await readFile(path, 'utf8'))
const manifest = await readJson(join(root, 'package.json'))
const readme = await readFile(join(root, 'README.md'), 'utf8')
/** The optional peers that an entry needs. `test/architecture.test.ts` compares them with the source. */
const peersOf = await readJson(join(root, 'scripts/peers.json'))
/** The limits of an installation without optional peers. */
const MOST_PACKAGES = 5
const MOST_MEGABYTES = 5.1
const entries = Object.keys(manifest.exports)
  .filter((key) => key !== './package.json')
  .map((key) => manifest.name + key.slice(1))
const project = await mkdtemp(join(tmpdir(), 'check-package-'))
let failed = 0

/** Runs one check and prints one line: its title, then what the check returns. */
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
  run(command, args, { cwd: project, timeout: 600_000, maxBuffer: 1 << 26 })
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
await check('npm pack holds dist and the documentation', async () => {
  await run(process.execPath, [join(root, 'scripts/llms.mjs')])
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', project],
    { cwd: root, timeout: 120_000, maxBuffer: 1 << 26 },
  )
  const [packed] = JSON.parse(stdout)
  tarball = join(project, packed.filename)
  const paths = new Set(packed.files.map(({ path }) => path))
  const tops = [...new Set([...paths].map((path) => path.split('/')[0]))].sort((one, other) =>
    one < other ? -1 : 1,
  )
  const expected =
    'CHANGELOG.md CONTRIBUTING.md LICENSE README.md SECURITY.md dist docs llms.txt package.json skills'
  if (tops.join(' ') !== expected) throw new Error(`found ${tops.join(' ')}`)
  return `${packed.files.length} files, ${Math.round(packed.size / 1024)} kB`
})

await check(
  'every link of its pages leads to a file of it, or to one of the repository',
  async () => {
    const { packedText: rewrite } = await tsImport('./packed.ts', import.meta.url)
    const files = linkToRepository(tarball, { tag: `v${manifest.version}`, rewrite })
    const { pages, links, dead } = deadLinksOf(tarball)
    const missing = files.filter((path) => !existsSync(join(root, path)))
    const faults = [...dead, ...missing.map((path) => `not in the repository: ${path}`)]
    if (faults.length > 0) throw new Error(faults.join('\n'))
    return `${pages} pages, ${links} links, ${files.length} of them to the repository`
  },
)

await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
await check('the tarball installs in an empty project', async () => {
  try {
    const flags = ['--offline', '--omit=optional', '--omit=peer', '--loglevel=error', '--no-audit']
    flags.push('--no-fund', '--ignore-scripts')
    await inProject('npm', ['install', ...flags, tarball])
    return 'by npm, offline'
  } catch (error) {
    if (!/ENOTCACHED/.test(error.stderr)) throw error
    // The dependencies are not in npm's cache, so those of this repository are linked instead.
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

async function unlink(names) {
  for (const name of names) await rm(join(project, 'node_modules', name))
}

/** Returns the folders of a package and of all its dependencies, installed or linked. */
async function withDependencies(name, found = new Map()) {
  const home = await realpath(join(project, 'node_modules', name)).catch(() =>
    realpath(join(root, 'node_modules', name)),
  )
  found.set(name, home)
  const { dependencies = {} } = await readJson(join(home, 'package.json'))
  for (const dependency of Object.keys(dependencies))
    if (!found.has(dependency)) await withDependencies(dependency, found)
  return found
}

async function bytesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

await check(`the core is at most ${MOST_PACKAGES} packages and ${MOST_MEGABYTES} MB`, async () => {
  const homes = await withDependencies(manifest.name)
  const sizes = await Promise.all([...homes.values()].map(bytesIn))
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6
  const found = `${homes.size} packages, ${megabytes.toFixed(1)} MB: ${[...homes.keys()].join(', ')}`
  if (homes.size > MOST_PACKAGES || megabytes > MOST_MEGABYTES) throw new Error(found)
  const page = await readFile(join(root, 'docs/comparison.md'), 'utf8')
  const [, packages, said] =
    /^\| Packages, installed size +\| (\d+), ([\d.]+) MB /m.exec(page) ?? []
  // A figure on its edge would change with each commit.
  if (Number(packages) !== homes.size || !(Math.abs(megabytes - Number(said)) < 0.1))
    throw new Error(`docs/comparison.md says "${packages}, ${said} MB": ${found}`)
})

await check('the program of the README imports as little as it says', async () => {
  const [program] = /(?<=^```ts example\n)[^]*?(?=^```$)/m.exec(readme)
  const imports = program.matchAll(/^import (\{.*\}) from '(hallpass.*)'$/gm)
  const contents = [...imports]
    .map(([, names, entry]) => `export ${names} from '${entry}'\n`)
    .join('')
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    write: false,
    // It leaves out what is loaded only when it is needed, as `npm run weigh`.
    plugins: [
      {
        name: 'later',
        setup: (build) =>
          build.onResolve({ filter: /^/ }, ({ kind, path }) =>
            kind === 'dynamic-import' ? { path, external: true } : undefined,
          ),
      },
    ],
  })
  const kilobytes = gzipSync(outputFiles[0].contents).length / 1000
  const said = Number(readme.match(/is at most (\d+) kB, minified and compressed/)?.[1])
  // A limit that is much too high says as little as one that is exceeded.
  if (!(kilobytes <= said && kilobytes > said - 2))
    throw new Error(`it is ${kilobytes.toFixed(1)} kB, and README says ${said}`)
  return `${kilobytes.toFixed(1)} kB`
})

await link(['@types/node', 'undici-types'])
const COMPILERS = {
  'TypeScript 5.4': 'typescript-5.4/bin/tsc',
  'TypeScript 6': 'typescript/bin/tsc6',
  'TypeScript 7': '@typescript/native/bin/tsc',
}
const RESOLUTIONS = { node16: 'node16', nodenext: 'nodenext', bundler: 'esnext' }

/** Compiles a file with the strictest settings: every declaration, and no types of a browser. */
async function compile(compiler, moduleResolution, file) {
  const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--types', 'node']
  flags.push('--target', 'es2022', '--lib', 'es2022', '--moduleResolution', moduleResolution)
  await tool(COMPILERS[compiler], [...flags, '--module', RESOLUTIONS[moduleResolution], file])
}

const importAll = (names) =>
  names.map((name, index) => `import * as entry${index} from '${name}'\n`).join('') +
  `export const entries = [${names.map((_, index) => `entry${index}`).join(', ')}]\n`

for (const entry of entries) {
  const peers = peersOf[entry.slice(manifest.name.length + 1)] ?? []
  await link(peers)
  await check(
    `import '${entry}'${peers.length > 0 ? ` with ${peers.join(', ')}` : ''}`,
    async () => {
      const program = `console.log(Object.keys(await import('${entry}')).join(' '))`
      const { stdout } = await inProject('node', ['--input-type=module', '--eval', program])
      const names = stdout.trim().split(' ')
      if (names[0] === '') throw new Error('it exports nothing')
      await writeFile(join(project, 'entry.ts'), importAll([entry]))
      await compile('TypeScript 7', 'nodenext', 'entry.ts')
      return `${names.length} ${names.length === 1 ? 'name' : 'names'}`
    },
  )
  await unlink(peers)
}

// Each is tried from its tarball.
for (const name of SIBLINGS)
  await check(`the tarball of ${name} runs with this one`, async () => {
    const { stdout } = await run(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', project, '-w', name],
      { cwd: root, timeout: 120_000 },
    )
    const home = join(project, 'node_modules', name)
    await mkdir(home)
    const [{ filename }] = JSON.parse(stdout)
    const { dead } = deadLinksOf(join(project, filename))
    if (dead.length > 0) throw new Error(dead.join('\n'))
    await inProject('tar', ['-xzf', filename, '-C', home, '--strip-components=1'])
    const {
      peerDependencies = {},
      dependencies = {},
      bin,
    } = await readJson(join(home, 'package.json'))
    const needed = Object.keys({ ...peerDependencies, ...dependencies })
    await link(needed.filter((one) => !existsSync(join(project, 'node_modules', one))))
    if (bin !== undefined) await runCommand(name, { home, bin })
    const program = `console.log(Object.keys(await import('${name}')).join(' '))`
    return (await inProject('node', ['--input-type=module', '--eval', program])).stdout.trim()
  })

/** Runs the command of a package as `npx` does, from the link that npm makes for it. */
async function runCommand(name, { home, bin }) {
  const path = join(project, 'node_modules/.bin', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(home, bin), path)
  const { stdout } = await inProject('npx', ['--no-install', name, '--version'])
  const { version } = await readJson(join(home, 'package.json'))
  if (stdout !== `${version}\n`) throw new Error(`${name} --version printed ${stdout}`)
}

const core = importAll(
  entries.filter((entry) => !(entry.slice(manifest.name.length + 1) in peersOf)),
)
const consumer = `${importAll([...entries, ...SIBLINGS])}import { createAuthorizationServer, type Site } from 'hallpass'
import { createTokenEndpoint, type Endpoint } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'
import { type Client, decideRedirectUri } from 'hallpass/policy'
import { createMemoryStore, type Store } from 'hallpass/store'

type Options = Parameters<typeof createAuthorizationServer>[1]
export const store: Store = createMemoryStore()
export const serve = (site: Site, options: Options): Endpoint => createAuthorizationServer(site, options).token
export const handler = (endpoint: Endpoint) => toNodeHandler(endpoint, { origin: 'https://school.example' })
export const make: (...a: Parameters<typeof createTokenEndpoint>) => Endpoint = createTokenEndpoint
export function redirect(client: Client, redirectUri: string): string {
  const decided = decideRedirectUri({ redirectUri, registered: client.redirectUris })
  return decided.ok ? decided.redirectUri : decided.reason
}
export const ask = (endpoint: Endpoint): Promise<Response> => endpoint(new Request('https://school.example'))
// @ts-expect-error An empty object is not a store.
export const nothing: Store = {}
`
await writeFile(join(project, 'core.ts'), core)
await writeFile(join(project, 'consumer.ts'), consumer)
await check('the core compiles without a peer (TypeScript 7, nodenext)', () =>
  compile('TypeScript 7', 'nodenext', 'core.ts'),
)
await link(Object.keys(manifest.peerDependencies))
for (const moduleResolution of Object.keys(RESOLUTIONS))
  await Promise.all(
    Object.keys(COMPILERS).map((compiler) =>
      check(`a consumer compiles (${compiler}, ${moduleResolution})`, () =>
        compile(compiler, moduleResolution, 'consumer.ts'),
      ),
    ),
  )

await check(
  'the core compiles by the paths of docs/look-up/compatibility.md (TypeScript 5.4, node10)',
  async () => {
    const page = await readFile(join(root, 'docs/look-up/compatibility.md'), 'utf8')
    const [, example] = /```json\n([^`]+"paths"[^`]+)```/.exec(page)
    const { compilerOptions } = JSON.parse(example)
    Object.assign(compilerOptions, { module: 'commonjs', moduleResolution: 'node10', noEmit: true })
    Object.assign(compilerOptions, { strict: true, target: 'es2022', skipLibCheck: true })
    const config = { compilerOptions, files: ['core.ts'] }
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config))
    await tool(COMPILERS['TypeScript 5.4'], ['-p', '.'])
  },
)

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
