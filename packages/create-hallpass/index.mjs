#!/usr/bin/env node
// npm create hallpass: asks for a framework and a database, writes a project, installs and starts it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { relative } from 'node:path'
import { createInterface } from 'node:readline'
import { faultOfUrl, readArguments } from './arguments.mjs'
import { showProgress } from './progress.mjs'
import {
  checkFolder,
  createProject,
  DATABASES,
  databasesOf,
  FRAMEWORKS,
  ownVersion,
  runsHere,
  SERVICES,
} from './project.mjs'
import { askFor, Cancelled, choose } from './questions.mjs'

/** The databases of a framework. Here, with an older Node, one that needs a newer one has a star. */
const listed = (framework) =>
  databasesOf(framework)
    .map((database) => (runsHere({ framework, database }) ? database : `${database}*`))
    .join(', ')

const HELP = `npm create hallpass [folder] -- [options]

The first of each list is the default: here, with Node ${process.versions.node}.

  --framework <name>     ${Object.keys(FRAMEWORKS).join(', ')}
  --serve <what>         ${Object.keys(SERVICES).join(', ')}: with --framework express only
  --schools              a platform of many schools (multi-tenant), each at a host of its own
  --database <where>     ${listed('express')}
                         with --framework node: ${listed('node')}
                         with --schools: ${listed('schools')}
                         with --framework workers: ${FRAMEWORKS.workers.databases.join(', ')}
${listed('express').includes('*') ? '                         * needs Node 22.13 or later\n' : ''}  --database-url <url>   postgres://…, with --database postgres
  --hallpass <spec>      what to install as hallpass, such as a tarball
  --yes                  ask nothing, use the defaults
  --no-install           write the files only
  --no-start             install, but do not start the server

It asks only on a terminal, and only for what no option says.

The server reads PORT (3000), HOST (0.0.0.0 in a container), ORIGIN, HALLPASS_DATA_DIR and
SEALING_SECRET, and with embedded or postgres DATABASE_URL. With --framework node, it reads PORT
and HALLPASS_DATA_DIR.`

async function main() {
  const given = readArguments(process.argv.slice(2))
  if (given.help === true) return console.log(HELP)
  const asks = given.yes !== true && process.stdin.isTTY && process.stdout.isTTY
  const faultOfFolder = (folder) =>
    checkFolder(folder).then(() => undefined, ({ message }) => message) // prettier-ignore
  if (given.folder !== undefined) await checkFolder(given.folder)
  if (!asks && given.database === 'postgres' && given.databaseUrl === undefined)
    throw new Error('--database postgres needs --database-url postgres://…')
  // A project that is not started here may run elsewhere.
  const starts = given['no-install'] !== true && given['no-start'] !== true
  const runs = (framework, database) => !starts || runsHere({ framework, database })
  const frameworks = given.frameworks.filter(
    (one) => given.database === undefined || runs(one, given.database),
  )
  if (frameworks.length === 0) {
    const others = databasesOf(given.frameworks[0]).filter((one) => runs(given.frameworks[0], one)) // prettier-ignore
    throw new Error(
      `with --database ${given.database}, the server needs Node 22.13 or later, and this is ${process.versions.node}: choose ${others.join(' or ')}, or add --no-start`,
    )
  }
  const decide = (name, message, table, names) =>
    given[name] ?? (asks && names.length > 1 ? choose(message, table, names) : names[0])

  const target = given.folder ?? (asks ? await askFor('Which folder?', faultOfFolder, 'my-school') : 'my-school') // prettier-ignore
  const framework = await decide('framework', 'Which framework?', FRAMEWORKS, frameworks)
  const serve =
    framework === 'express'
      ? await decide('serve', 'What should it serve?', SERVICES, Object.keys(SERVICES))
      : 'server'
  const databases = databasesOf(framework).filter((one) => runs(framework, one))
  const database = await decide('database', 'Which database?', DATABASES, databases)
  const databaseUrl =
    database === 'postgres'
      ? (given.databaseUrl ?? (await askFor('The URL of the database, postgres://…', faultOfUrl)))
      : null

  const hallpass = given.hallpass ?? `^${await ownVersion()}`
  const choices = { framework, serve, database, databaseUrl, hallpass }
  const folder = await createProject(target, choices)
  const path = relative('', folder) || '.'
  const place = path.includes(' ') ? `"${path}"` : path
  const address = `http://127.0.0.1:${process.env['PORT'] || 3000}`
  const chosen = [framework, ...(framework === 'express' ? [serve] : []), database].join(', ')
  console.log(`\nCreated ${folder}: ${chosen}`)
  if (!runsHere({ framework, database }))
    console.log(`It needs Node 22.13 or later to start, and this is ${process.versions.node}.`)
  if (given['no-install'] === true)
    return console.log(`Next: cd ${place} && npm install && npm start, then open ${address}`)
  await install(folder, place)
  if (given['no-start'] === true)
    return console.log(`Next: cd ${place} && npm start, then open ${address}`)
  console.log(`Next: open ${address}, which starts now. Ctrl+C stops it.\n`)
  const { code, isInterrupted } = await run(['start', '--silent'], { cwd: folder, stdio: 'inherit' }) // prettier-ignore
  if (code !== 0 && !isInterrupted)
    throw new Error(`npm start failed: see above, then run it again: cd ${place} && npm start`)
  console.log(`\nNext: cd ${place} && npm start, then open ${address}`)
}

/** Installs what the project needs, and shows what arrives. What npm says is shown when it has ended. */
async function install(folder, place) {
  const progress = showProgress('Installing')
  const said = { stderr: '', stdout: '' }
  const packages = new Set()
  const { code, isInterrupted } = await run(
    ['install', '--no-audit', '--no-fund', '--loglevel=http'],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    (line, stream) => {
      const [, name] = /^npm http .*\/([^/\s]+)-\d[^/\s]*\.tgz\b/.exec(line) ?? []
      if (name !== undefined) {
        packages.add(name)
        progress.say(`${packages.size} package${packages.size === 1 ? '' : 's'}, ${name}`)
      } else if (!line.startsWith('npm http ')) said[stream] += `${line}\n`
    },
  ).finally(() => progress.end())
  // Its result behind its warnings.
  const all = said.stderr + said.stdout
  if (code !== 0) {
    process.stderr.write(all)
    const remedy = `cd ${place} && npm install`
    throw isInterrupted
      ? new Cancelled(`Stopped. Next: ${remedy}`)
      : new Error(`npm install failed: see above, then run it again: ${remedy}`)
  }
  console.log(all.trim())
}

/**
 * Runs npm. Ctrl+C reaches npm as well, which ends what it runs before it exits. The second one ends this process.
 *
 * @param onLine - gets each line that npm prints where `stdio` is a pipe, and the name of its stream
 * @returns its exit code, `null` if a signal ended it
 */
async function run(args, options, onLine = () => {}) {
  let isInterrupted = false
  const interrupt = () => void (isInterrupted = true)
  process.once('SIGINT', interrupt)
  const child = spawn('npm', args, { ...options, shell: process.platform === 'win32' })
  for (const stream of ['stdout', 'stderr'])
    if (child[stream] !== null)
      createInterface({ input: child[stream] }).on('line', (line) => onLine(line, stream))
  try {
    const [code] = await once(child, 'close')
    return { code, isInterrupted }
  } catch (cause) {
    throw new Error(`npm cannot be started: ${cause.message}`, { cause })
  } finally {
    process.off('SIGINT', interrupt)
  }
}

main().catch((fault) => {
  const isCancelled = fault instanceof Cancelled
  console.error(isCancelled ? fault.message : `create-hallpass: ${fault.message}`)
  process.exitCode = isCancelled ? 130 : 1
})
