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

/** The example that a project begins as. */
export function exampleFor({ framework, serve }) {
  if (framework === 'express') return serve === 'server' ? 'express-postgres' : serve
  return framework === 'node' ? 'minimal' : framework
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
  const folder = resolve(target)
  const name = basename(folder)
  if (!/^[a-z\d][a-z\d._-]{0,99}$/.test(name))
    throw new Error(`"${name}" cannot name a package: use lower-case letters, digits and hyphens`)
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty: choose another folder`)

  const source = templateOf(exampleFor(choices))
  await mkdir(folder, { recursive: true })
  await cp(source, folder, {
    recursive: true,
    filter: (path) => !/[/\\](?:node_modules|\.data|README\.md)$/.test(path),
  })
  const { databaseUrl, hallpass } = choices
  const manifest = await readManifest(source)
  await write(folder, 'package.json', {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: { start: startOf(manifest, databaseUrl) },
    dependencies: { ...manifest.dependencies, hallpass },
    ...(manifest.devDependencies && { devDependencies: manifest.devDependencies }),
  })
  for (const path of ['README.md', 'tsconfig.json'])
    await cp(join(HERE, 'base', path), join(folder, path))
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
  return existsSync(packed) ? packed : join(HERE, '../examples', example)
}

async function readManifest(folder) {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
}

async function write(folder, path, value) {
  await writeFile(join(folder, path), `${JSON.stringify(value, null, 2)}\n`)
}
