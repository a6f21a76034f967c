// Writes the files of a project. Asks nothing and starts nothing.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))

/** The frameworks that can be chosen, the default first. `keeps`: where the server keeps its data. */
export const FRAMEWORKS = {
  express: { title: 'Express 5', keeps: 'postgres' },
  fastify: { title: 'Fastify 5', keeps: 'postgres' },
  hono: { title: 'Hono 4 on Node', keeps: 'postgres' },
  node: { title: 'none, node:http', keeps: 'memory' },
  workers: { title: 'Cloudflare Workers', keeps: 'memory' },
}

/** The places of PostgreSQL that can be chosen, the default first. */
export const DATABASES = {
  embedded: { title: 'embedded PostgreSQL, in a folder of the project' },
  postgres: { title: 'a PostgreSQL server, by its URL' },
}

/** The services of a server on Express, the default first. Each includes the ones below it. */
export const SERVICES = {
  agents: { title: 'tools for AI agents over MCP, and all below' },
  members: { title: "members' own data over GraphQL, and all below" },
  server: { title: 'sign-in, and an API that tokens open' },
}

/** The sentence on data in the README of a project. */
const DATA = {
  postgres: 'Data is kept in `.data`, or in the database that `DATABASE_URL` names.',
  memory: 'Data is kept in memory: a restart loses everything.',
}

const NODE_TYPES = { '@types/node': '^20.19.0', typescript: '^5.9.0' }
const TYPES = {
  express: { ...NODE_TYPES, '@types/express': '^5.0.0', '@types/pg': '^8.15.0' },
  fastify: { ...NODE_TYPES, '@types/pg': '^8.15.0' },
  hono: { ...NODE_TYPES, '@types/pg': '^8.15.0' },
  node: NODE_TYPES,
  workers: NODE_TYPES,
}

/** The example that a project begins as. */
export function exampleFor({ framework, serve }) {
  if (framework === 'express') return serve === 'server' ? 'express-postgres' : serve
  return framework === 'node' ? 'minimal' : framework
}

/**
 * Checks that a project can be written into a folder.
 *
 * @returns the folder, as an absolute path
 * @throws Error that says what to do instead
 */
export async function checkFolder(target) {
  const folder = resolve(target)
  const name = basename(folder)
  if (!/^[a-z\d][a-z\d._-]{0,99}$/.test(name))
    throw new Error(`"${name}" cannot name a package: use lower-case letters, digits and hyphens`)
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty: choose another folder`)
  return folder
}

/**
 * Writes a project into a folder. Nothing is written if the folder has files, or if its name cannot name a
 * package.
 *
 * @param choices - `framework`, `serve`, `databaseUrl` (`null`: embedded), `hallpass` (what to depend on)
 * @returns the folder, as an absolute path
 * @throws Error that says what to do instead
 */
export async function createProject(target, choices) {
  const folder = await checkFolder(target)
  const source = templateOf(exampleFor(choices))
  await mkdir(folder, { recursive: true })
  await cp(source, folder, {
    recursive: true,
    filter: (path) => !/[/\\](?:node_modules|\.data|README\.md)$/.test(path),
  })
  const { framework, databaseUrl, hallpass } = choices
  const manifest = await readManifest(source)
  await write(folder, 'package.json', {
    name: basename(folder),
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: { start: startOf(manifest, databaseUrl), typecheck: 'tsc' },
    dependencies: { ...manifest.dependencies, hallpass },
    devDependencies: { ...manifest.devDependencies, ...TYPES[framework] },
  })
  await cp(join(HERE, 'base/tsconfig.json'), join(folder, 'tsconfig.json'))
  const readme = await readFile(join(HERE, 'base/README.md'), 'utf8')
  await writeFile(
    join(folder, 'README.md'),
    readme.replace('DATA', DATA[FRAMEWORKS[framework].keeps]),
  )
  await cp(join(HERE, 'base/gitignore'), join(folder, '.gitignore'))
  if (databaseUrl !== null)
    await writeFile(join(folder, '.env'), `DATABASE_URL=${databaseUrl}\n`, { mode: 0o600 })
  return folder
}

/** The version of the library that this version of the command creates projects for. */
export async function ownVersion() {
  return (await readManifest(HERE)).version
}

const startOf = ({ scripts }, databaseUrl) =>
  databaseUrl === null
    ? scripts.start
    : scripts.start.replace(' --import', ' --env-file=.env --import')

/** An example, as the package has it, or as the repository has it. */
function templateOf(example) {
  const packed = join(HERE, 'templates', example)
  return existsSync(packed) ? packed : join(HERE, '../../examples', example)
}

async function readManifest(folder) {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
}

async function write(folder, path, value) {
  await writeFile(join(folder, path), `${JSON.stringify(value, null, 2)}\n`)
}
