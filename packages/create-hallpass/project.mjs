// Writes the files of a project. Asks nothing and starts nothing.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))

/** Whether the Node that creates a project, and is expected to run it, has SQLite without a flag. */
const [major, minor] = process.versions.node.split('.').map(Number)
const HAS_SQLITE = major > 22 || (major === 22 && minor >= 13)

/** The databases of a server on Node, the default first, and those of the one-file server. */
const ALL = HAS_SQLITE
  ? ['sqlite', 'memory', 'embedded', 'postgres']
  : ['embedded', 'postgres', 'sqlite', 'memory']
const SMALL = HAS_SQLITE ? ['sqlite', 'memory'] : ['memory', 'sqlite']

/** The frameworks that can be chosen, the default first. `databases`: what the server can keep its data in. */
export const FRAMEWORKS = {
  express: { title: 'Express 5', databases: ALL },
  fastify: { title: 'Fastify 5', databases: ALL },
  hono: { title: 'Hono 4 on Node', databases: ALL },
  node: { title: 'none, node:http', databases: SMALL },
  workers: { title: 'Cloudflare Workers', databases: ['d1'] },
}

/** The databases of a platform of many schools. In memory, no command could add a school. */
const OF_SCHOOLS = ALL.filter((name) => name !== 'memory')

/** The databases of a framework, or of `schools`: a platform, which needs none. */
export const databasesOf = (framework) =>
  framework === 'schools' ? OF_SCHOOLS : FRAMEWORKS[framework].databases

/** The databases. `data`: the sentence on data in the README of a project. */
export const DATABASES = {
  sqlite: {
    title: 'SQLite, in a file of the project; needs Node 22.13',
    data: `Data is in \`.data/school.db\`, or in the folder that \`HALLPASS_DATA_DIR\` names. That needs Node 22.13 or later.
\`npm run backup -- monday.db\` copies it, also while the server runs; \`npm run restore -- monday.db\` puts the copy in its
place. Never copy, move or delete \`school.db\`, \`school.db-wal\` or \`school.db-shm\` yourself while it runs.
`,
  },
  memory: {
    title: 'a restart loses everything',
    data: 'Data is in memory: a restart loses everything. Delete `HALLPASS_DATA_DIR=` from `.env` to keep it in a file, with Node 22.13 or later.',
  },
  embedded: {
    title: 'PostgreSQL in the process, in a folder of the project',
    data: 'Data is in `.data`, or in the PostgreSQL that `DATABASE_URL` names.',
  },
  postgres: {
    title: 'a PostgreSQL server, by its URL',
    data: 'Data is in the PostgreSQL that `DATABASE_URL` names in `.env`.',
  },
  d1: {
    title: 'Cloudflare D1',
    data: 'Data is in D1: on this computer in `.data`. `wrangler.jsonc` says how to deploy it.',
  },
}

/** The services of a server on Express, the default first. Each includes the ones below it. */
export const SERVICES = {
  agents: { title: 'tools for AI agents over MCP, and all below' },
  members: { title: "members' own data over GraphQL, and all below" },
  server: { title: 'sign-in, and an API that tokens open' },
}

/** The sentence on passwords in the README of a project that has a table of users. */
function passwordOf(database) {
  if (database === 'memory') return 'Each start prints a new password of the two users.'
  // A folder of PGlite has one process.
  const when = database === 'embedded' ? 'while the server is stopped, ' : ''
  return `The first start prints the password of the two users; ${when}\`npm run password owner@example.com\` sets a new one.`
}

/** The sentences on data in the README of a project. */
function dataOf({ framework, database }) {
  const { data } = DATABASES[database]
  if (framework !== 'schools') return data
  // The commands of the other lines know the tables of one school.
  const [where] = data.split('\n', 1)
  return database === 'embedded'
    ? `${where} In the folder, \`npm run school\` needs the server to be stopped.\n`
    : `${where}\n`
}

/** Whether this Node can run a project, which one that creates it only need not. */
export const runsHere = ({ framework, database }) =>
  HAS_SQLITE || !(database === 'sqlite' || (database === 'memory' && framework !== 'node'))

/** Packages that only PostgreSQL needs. */
const OF_POSTGRES = ['@electric-sql/pglite', '@electric-sql/pglite-prepopulatedfs', 'pg']

/** The example that a project begins as. */
export function exampleFor({ framework, serve }) {
  if (framework === 'express') return serve
  return framework === 'node' ? 'minimal' : framework
}

/** The file of `examples/store` that a project has as its `store.ts`; `null` if its example has no such file. */
function storeFor({ framework, database }) {
  if (framework === 'node' || framework === 'workers') return null
  return database === 'sqlite' || database === 'memory' ? 'sqlite.ts' : 'postgres.ts'
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
  const isName = (text) => /^[a-z\d][a-z\d._-]{0,99}$/.test(text)
  if (!isName(name)) {
    const meant = name.toLowerCase().replace(/[^a-z\d]+/g, '-').replace(/^-|-$/g, '') // prettier-ignore
    const advice = isName(meant) ? `: did you mean ${meant}?` : ''
    throw new Error(
      `"${name}" cannot name a package: use lower-case letters, digits and hyphens${advice}`,
    )
  }
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty: choose another folder`)
  return folder
}

/**
 * Writes a project into a folder. Nothing is written if the folder has files, or if its name cannot name a
 * package.
 *
 * @param choices - `framework`, `serve`, `database`, `databaseUrl` (with `postgres`), `hallpass` (what to depend on)
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
  const { framework, database, databaseUrl, hallpass } = choices
  const store = storeFor(choices)
  if (store !== null) await cp(join(templateOf('store'), store), join(folder, 'store.ts'))
  const environment = environmentOf(database, databaseUrl)
  const manifest = await readManifest(source)
  await write(folder, 'package.json', {
    name: basename(folder),
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: database === 'sqlite' || store === 'sqlite.ts' ? '>=22.13.0' : '>=20.19.0' },
    scripts: scriptsOf(manifest, {
      environment,
      // Its commands know the tables of one school.
      isInFile: database === 'sqlite' && store !== null && framework !== 'schools',
    }),
    // No package needs a script of its own to be installed, and npm warns about each that is not decided here.
    allowScripts: { esbuild: false, ...(framework === 'workers' && { workerd: false }) },
    dependencies: { ...dependenciesOf(manifest, store), hallpass },
    devDependencies: { ...manifest.devDependencies, ...typesOf(framework, store) },
  })
  await copyShared(folder)
  await cp(join(HERE, 'base/tsconfig.json'), join(folder, 'tsconfig.json'))
  const readme = await readFile(
    join(HERE, framework === 'schools' ? 'base/schools.md' : 'base/README.md'),
    'utf8',
  )
  const password = 'password' in manifest.scripts ? `${passwordOf(database)}\n` : ''
  await writeFile(
    join(folder, 'README.md'),
    readme.replace('PASSWORD', password).replace('DATA', dataOf(choices)),
  )
  await cp(join(HERE, 'base/gitignore'), join(folder, '.gitignore'))
  if (environment !== null) await writeFile(join(folder, '.env'), environment, { mode: 0o600 })
  return folder
}

/** The settings of a database, as `.env` has them; `null` if it needs none. */
function environmentOf(database, databaseUrl) {
  if (database === 'postgres') return `DATABASE_URL=${databaseUrl}\n`
  return database === 'memory' ? 'HALLPASS_DATA_DIR=\n' : null
}

/** Leaves out the dependencies that only the other database needs. */
function dependenciesOf({ dependencies }, store) {
  const isNeeded = ([name]) => store !== 'sqlite.ts' || !OF_POSTGRES.includes(name)
  return Object.fromEntries(Object.entries(dependencies).filter(isNeeded))
}

/** The types of the packages that bring none. */
const typesOf = (framework, store) => ({
  // The types of Node 20 have no SQLite.
  '@types/node': store === 'postgres.ts' || framework === 'workers' ? '^20.19.0' : '^22.13.0',
  ...(framework === 'express' && { '@types/express': '^5.0.0' }),
  ...(store === 'postgres.ts' && { '@types/pg': '^8.15.0' }),
  typescript: '^5.9.0',
})

/** The version of the library that this version of the command creates projects for. */
export async function ownVersion() {
  return (await readManifest(HERE)).version
}

/** The scripts of an example, which read `.env` if there is one. */
function scriptsOf({ scripts }, { environment, isInFile }) {
  const backup = 'node --import ./run.mjs ./backup.js'
  const all = {
    ...scripts,
    ...(isInFile && { backup: `${backup} backup`, restore: `${backup} restore` }),
  }
  const own = Object.entries(all).map(([name, script]) => {
    const here = besideIt(script)
    const read =
      environment === null ? here : here.replace(' --import', ' --env-file=.env --import')
    return [name, read]
  })
  return { ...Object.fromEntries(own), typecheck: 'tsc', build: 'tsc --noEmit false' }
}

/** The examples whose files others use. In a project these are next to its own files. */
const SHARED = ['common', 'members', 'store']
const besideIt = (text) => text.replaceAll(/\.\.\/(?:common|members|store)\//g, './')

/** Adds those of the shared files that the files of a project name, or that one of these names. */
async function copyShared(folder) {
  const names = (await readdir(folder)).filter((name) => /\.(?:ts|mjs|json)$/.test(name))
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8')
    for (const [, named, ending] of text.matchAll(/\.\/(?:\w+\/)?([\w-]+)\.(js|ts|mjs|sql)\b/g)) {
      const file = `${named}.${ending === 'js' ? 'ts' : ending}`
      const shared = SHARED.map((example) => join(templateOf(example), file)).find(existsSync)
      if (names.includes(file) || shared === undefined) continue
      await cp(shared, join(folder, file))
      names.push(file)
    }
    await writeFile(join(folder, name), besideIt(text))
  }
}

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
