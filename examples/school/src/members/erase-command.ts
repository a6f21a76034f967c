import { openDatabase } from '../platform/database.js'
import type { Environment } from '../platform/environment.js'
import { KILN, LANTERN, type SiteDefinition } from '../sites.js'
import { createEraseMember } from './erase.js'

const USAGE =
  'Usage: npm run erase -- <site> <member>, such as: npm run erase -- site_lantern mem_l05'

/** Why a member was not erased. */
export const REASONS = {
  unknown_member: 'The school has no such member.',
  owner: 'The owner cannot be erased: give the school another owner first.',
}

/**
 * Erases a member, as `npm run erase` does.
 *
 * @param words - the key of the school, and the identifier of the member
 * @returns a sentence about the result
 * @throws Error if the member was not erased; the message says why
 */
export async function eraseByCommand(
  words: readonly string[],
  { databaseUrl, dataFolder, lanternOrigin, kilnOrigin }: Environment,
): Promise<string> {
  const [siteId, memberId = '', ...more] = words
  const school = schoolOf(siteId, { lanternOrigin, kilnOrigin })
  if (school === undefined || memberId === '' || more.length > 0) throw new Error(USAGE)

  const database = await openDatabase({ url: databaseUrl, folder: dataFolder })
  try {
    const erased = await createEraseMember({ ...school, database })(memberId)
    if (!erased.ok) throw new Error(REASONS[erased.reason])
    return `The member is erased, and is called ${erased.pseudonym} wherever a row stays. Grants deleted: ${erased.grants}.`
  } finally {
    await database.close()
  }
}

/** Returns a school by its key. */
export const schoolOf = (
  key: string | undefined,
  { lanternOrigin, kilnOrigin }: Pick<Environment, 'lanternOrigin' | 'kilnOrigin'>,
): { readonly definition: SiteDefinition; readonly origin: string } | undefined =>
  [
    { definition: LANTERN, origin: lanternOrigin },
    { definition: KILN, origin: kilnOrigin },
  ].find(({ definition }) => definition.id === key)
