import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from 'hallpass/node'
import { expect, it, onTestFinished } from 'vitest'
import { openDataFolder, readSecret } from '../../../examples/school/src/platform/data-folder.js'
import { openDatabase } from '../../../examples/school/src/platform/database.js'
import { SETTINGS } from '../../../examples/school/src/platform/environment.js'
import { dataFolder } from '../../support/processes/example.js'

const { shape, advice } = SETTINGS.HALLPASS_DATA_DIR
const RULE = `. It ${shape}. ${advice}`
const NOBODY = 65_534

function folder(): string {
  const { path, remove } = dataFolder()
  onTestFinished(remove)
  return path
}

/** Runs it as a user whose rights count. Those of root do not. */
function asUser<Result>(run: () => Result): Result {
  if (process.geteuid?.() !== 0) return run()
  process.seteuid!(NOBODY)
  try {
    return run()
  } finally {
    process.seteuid!(0)
  }
}

function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (fault) {
    return (fault as Error).message
  }
  throw new Error('it did not throw')
}

it('creates the folder, for this user alone, and returns its path', () => {
  const path = join(folder(), 'a/b')
  expect(openDataFolder(path)).toBe(path)
  expect(statSync(path).mode & 0o777).toBe(0o700)
  expect(openDataFolder(path)).toBe(path)
})

it('names the setting, the fault and what to do, for a folder that is a file [F-62]', async () => {
  const file = join(folder(), 'file')
  writeFileSync(file, '')
  const fault = `EEXIST: file already exists, mkdir '${file}'`
  expect(messageOf(() => openDataFolder(file))).toBe(`HALLPASS_DATA_DIR: ${fault}${RULE}`)
  await expect(openDatabase({ url: null, folder: file })).rejects.toThrow(
    new Error(`HALLPASS_DATA_DIR: ${fault}${RULE}`),
  )
  expect(messageOf(() => readSecret(join(file, 'below')))).toMatch(/^HALLPASS_DATA_DIR: ENOTDIR: /)
})

it('names it for a folder that cannot be written, and for a secret that cannot be read [F-62]', () => {
  const path = folder()
  const [closed, open] = [join(path, 'closed'), join(path, 'open')]
  for (const made of [closed, open]) mkdirSync(made)
  writeFileSync(join(open, 'secret'), 's'.repeat(43), { mode: 0o000 })
  for (const [at, mode] of [[path, 0o755], [closed, 0o555], [open, 0o777]] as const) chmodSync(at, mode) // prettier-ignore
  expect(asUser(() => messageOf(() => readSecret(closed)))).toMatch(
    /^HALLPASS_DATA_DIR: the secret in .*closed\/secret cannot be read or created: EACCES: .*\. It must be a folder/,
  )
  const file = join(open, 'secret')
  expect(asUser(() => messageOf(() => readSecret(open)))).toBe(
    `HALLPASS_DATA_DIR: the secret in ${file} cannot be read or created: EACCES: permission denied, open '${file}'${RULE}`,
  )
})

it('names it for a folder that another process has open [F-62]', async () => {
  const path = folder()
  const release = await lockFolder(path)
  onTestFinished(release)
  await expect(openDatabase({ url: null, folder: path })).rejects.toThrow(
    new Error(
      `HALLPASS_DATA_DIR: another process has the folder ${path} open: stop it, or use another folder${RULE}`,
    ),
  )
})
