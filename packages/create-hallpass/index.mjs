#!/usr/bin/env node
// npm create hallpass: asks for a framework and a database, writes a project, installs and starts it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import {
  checkFolder,
  createProject,
  DATABASES,
  FRAMEWORKS,
  ownVersion,
  SERVICES,
} from './project.mjs'

const HELP = `npm create hallpass [folder] -- [options]

The first of each list is the default: here, with Node ${process.versions.node}.

  --framework <name>     ${Object.keys(FRAMEWORKS).join(', ')}
  --serve <what>         ${Object.keys(SERVICES).join(', ')}: with --framework express only
  --database <where>     ${FRAMEWORKS.express.databases.join(', ')}
                         with --framework node: ${FRAMEWORKS.node.databases.join(', ')}
                         with --framework workers: ${FRAMEWORKS.workers.databases.join(', ')}
  --database-url <url>   postgres://…, with --database postgres
  --hallpass <spec>      what to install as hallpass, such as a tarball
  --yes                  ask nothing, use the defaults
  --no-install           write the files only
  --no-start             install, but do not start the server

The server reads PORT (3000), ORIGIN, HALLPASS_DATA_DIR and SEALING_SECRET, and with embedded or
postgres DATABASE_URL.`

const OPTIONS = {
  framework: { type: 'string' },
  serve: { type: 'string' },
  database: { type: 'string' },
  'database-url': { type: 'string' },
  hallpass: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  'no-install': { type: 'boolean' },
  'no-start': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
}

async function main() {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  if (values.help === true) return console.log(HELP)
  const asks = values.yes !== true && process.stdin.isTTY
  const terminal = asks
    ? createInterface({ input: process.stdin, output: process.stdout })
    : { question: async () => '', close: () => {} }

  /** One of the names of a table: as the command line says, as the person says, or the first. */
  async function choose(option, title, table) {
    const names = Object.keys(table)
    const given = values[option]
    if (given !== undefined && !names.includes(given))
      throw new Error(`--${option} must be one of ${names.join(', ')}, not "${String(given)}"`)
    if (given !== undefined || !asks || names.length === 1) return given ?? names[0]
    console.log(`\n${title}`)
    names.forEach((name, index) => console.log(`  ${index + 1}  ${name}: ${table[name].title}`))
    for (;;) {
      const answer = (await terminal.question(`1 to ${names.length} (1): `)).trim()
      const name = answer === '' ? names[0] : (names[Number(answer) - 1] ?? answer)
      if (names.includes(name)) return name
    }
  }

  const target =
    positionals[0] ?? ((await terminal.question('Folder (my-school): ')).trim() || 'my-school')
  await checkFolder(target)
  const framework = await choose('framework', 'Which framework?', FRAMEWORKS)
  if (values.serve !== undefined && framework !== 'express')
    throw new Error(`--serve needs --framework express: ${String(framework)} has one example`)
  const serve =
    framework === 'express' ? await choose('serve', 'What should it serve?', SERVICES) : 'server'
  const { databases } = FRAMEWORKS[framework]
  const offered = Object.fromEntries(databases.map((name) => [name, DATABASES[name]]))
  const database = await choose('database', 'Which database?', offered)
  const databaseUrl =
    database === 'postgres'
      ? (values['database-url'] ?? (await terminal.question('postgres:// URL: ')).trim())
      : null
  terminal.close()
  if (databaseUrl !== null && !/^postgres(?:ql)?:\/\/\S+$/.test(databaseUrl))
    throw new Error('the URL of the database must begin with postgres://: see --database-url')

  const hallpass = values.hallpass ?? `^${await ownVersion()}`
  const choices = { framework, serve, database, databaseUrl, hallpass }
  const folder = await createProject(target, choices)
  console.log(`\nCreated ${folder}`)
  if (values['no-install'] === true)
    return console.log('Next: npm install && npm start, in that folder')
  await npm(folder, 'install', '--no-audit', '--no-fund')
  if (values['no-start'] === true) return console.log('Next: npm start, in that folder')
  await npm(folder, 'start')
}

/** Runs npm in the project, and shows what it prints. */
async function npm(folder, ...args) {
  const child = spawn('npm', args, {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  // Ctrl+C reaches npm as well, which ends the server before it exits.
  process.on('SIGINT', () => {})
  const [code, signal] = await once(child, 'exit')
  if (code !== 0 && signal === null)
    throw new Error(`npm ${args[0]} failed: run it again in ${folder}`)
}

main().catch((fault) => {
  console.error(`create-hallpass: ${fault.message}`)
  process.exitCode = 1
})
