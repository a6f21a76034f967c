// npm run backup -- monday.db: copies the database, also while the server runs. npm run restore -- monday.db: puts a copy
// in its place while nothing has it open, and ends what the copy revives.
import { copyFileSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { defineSite } from 'hallpass'
import { revokeAllGrants } from 'hallpass/operations'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { origin } from '../common/address.js'
import { file } from './data.js'
import { SCHOOL } from '../common/pages.js'

const [command = '', path = ''] = process.argv.slice(2)

function stop(message: string): never {
  console.error(message)
  process.exit(1)
}

/** Waits until the disk has a file. */
const sync = (name: string) => fsyncSync(openSync(name, 'r+'))

/** Whether a file is a whole database of a server. */
function isWhole(name: string): boolean {
  try {
    const database = new DatabaseSync(name, { readOnly: true })
    const [row] = database.prepare('pragma integrity_check').all() as { integrity_check: string }[]
    database.prepare('select version from hallpass_migration').all()
    database.close()
    return row?.integrity_check === 'ok'
  } catch {
    return false
  }
}

function backUp(): void {
  if (!existsSync(file)) stop(`${file} does not exist: npm start creates it`)
  if (existsSync(path)) stop(`${path} exists: name a file that does not`)
  process.umask(0o077)
  const database = new DatabaseSync(file)
  // The database at one moment, with the changes that are still in its log.
  database.exec('pragma busy_timeout = 10000')
  database.prepare('vacuum into ?').run(path)
  database.close()
  sync(path)
  if (!isWhole(path)) stop(`${path} is not whole: look at its disk, and do not keep it`)
  console.log(`${path} has the database. The sealing secret is not in it: keep that elsewhere.`)
}

/** Opens the database so that nothing else can, unless it is broken. */
function lock(): DatabaseSync {
  const database = new DatabaseSync(file)
  try {
    database.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive')
    database.exec('pragma journal_mode = delete; begin exclusive; commit')
  } catch (fault) {
    if (String(fault).includes('locked')) stop(`A process has ${file} open: stop it first`)
  }
  return database
}

async function restore(): Promise<void> {
  if (!existsSync(path)) stop(`${path} does not exist`)
  if (existsSync(`${path}-wal`) || !isWhole(path))
    stop(`${path} was not written by npm run backup, so nothing was changed`)
  const before = existsSync(file) ? lock() : null
  const [copy, old] = [`${file}.restoring`, `${file}.${Date.now()}`]
  copyFileSync(path, copy)
  sync(copy)
  for (const end of ['', '-wal', '-shm'])
    if (existsSync(file + end)) renameSync(file + end, old + end)
  renameSync(copy, file)
  before?.close()

  const { close, execute, store } = await import('../common/store.js')
  const findPerson = async () => null
  const of = { issuer: origin, name: SCHOOL, scopes: schoolScopes, roles: schoolRoles }
  await execute('delete from sessions', [])
  await revokeAllGrants(defineSite({ ...of, store, findPerson }))
  await close()
  console.log(`The database is that of ${path}. People sign in again, and apps connect again.`)
  if (before !== null) console.log(`The one before is ${old}.`)
}

if (path === '' || file === ':memory:') stop(`Name a file: npm run ${command} -- monday.db`)
if (command === 'restore') await restore()
else backUp()
