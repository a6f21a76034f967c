import { readFileSync } from 'node:fs'
import type { SiteEvent } from 'hallpass'
import { revokeAllGrants } from 'hallpass/operations'
import { createAudit } from '../platform/audit.js'
import { openDatabase } from '../platform/database.js'
import type { Environment } from '../platform/environment.js'
import { createSessions } from '../sign-in/sessions.js'
import { createEraseMember, siteOf } from './erase.js'
import { REASONS, schoolOf } from './erase-command.js'

const USAGE =
  'Usage: npm run restore -- <site> [<file with a member to erase in each line>], such as: npm run restore -- site_lantern erased.txt'

/**
 * Ends what a restored database revives, as `npm run restore` does. The sessions come first, so that no one
 * continues with an old one, then all grants, and then the members whose erasure the backup does not have.
 *
 * @param words - the key of the school, and a file with the identifiers of the erased members
 * @returns a sentence about the result
 * @throws Error if a part was not done; the message says why. The command can be repeated
 */
export async function restoreByCommand(
  words: readonly string[],
  { databaseUrl, dataFolder, ...origins }: Environment,
): Promise<string> {
  const [siteId, file, ...more] = words
  const school = schoolOf(siteId, origins)
  if (school === undefined || more.length > 0) throw new Error(USAGE)
  // A file that cannot be read is found before anything is changed.
  const members = file === undefined ? [] : linesOf(file)

  const database = await openDatabase({ url: databaseUrl, folder: dataFolder })
  try {
    const { execute } = database
    const site = school.definition.id
    const now = (): number => Math.floor(Date.now() / 1000)
    const sessions = await createSessions({ execute, site, now }).endAll()
    const events: SiteEvent[] = []
    const onEvent = (event: SiteEvent): void => void events.push(event)
    const { grants } = await revokeAllGrants(siteOf({ ...school, database }, { onEvent }))
    const audit = createAudit({ execute, site })
    for (const event of events) if (event.type === 'oauth.grants.revoked') await audit.record(event)

    const erase = createEraseMember({ ...school, database })
    let erased = 0
    for (const member of members) {
      const erasure = await erase(member)
      if (erasure.ok) erased++
      // The backup has this erasure already.
      else if (erasure.reason !== 'unknown_member')
        throw new Error(`${member}: ${REASONS[erasure.reason]}`)
    }
    return `Everyone has to sign in again. Sessions ended: ${sessions}. Grants revoked: ${grants}. Members erased: ${erased}.`
  } finally {
    await database.close()
  }
}

const linesOf = (file: string): readonly string[] =>
  readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
