import type { Client } from 'hallpass/policy'
import { scopesOfClient } from 'hallpass/policy'
import type { ConnectedPerson } from '../../../pages/applications/views.js'
import type { Parts } from './parts.js'

const GRANTS = 200
const PEOPLE = 50

/**
 * Returns the people who connected a client, the most recent first, as many as fit on one page.
 * `someone`: in place of a name that the school does not have.
 */
export async function connectedPeople(
  { known, people, inWords, scopes: registry }: Parts,
  client: Client,
  someone: string,
): Promise<readonly ConnectedPerson[]> {
  const grants = await known.grants(client.clientId, GRANTS)
  const subjects = [...new Set(grants.map(({ grant }) => grant.subject))].slice(0, PEOPLE)
  const names = await people.names(subjects)
  const allowed = scopesOfClient({ client, registry })
  return subjects.map((subject) => {
    const own = grants.filter(({ grant }) => grant.subject === subject)
    const held = own.flatMap(({ grant }) => grant.scopes)
    return {
      subject,
      name: names.get(subject) ?? someone,
      since: Math.min(...own.map(({ grant }) => grant.createdAt)),
      lastUsedAt: Math.max(...own.map(({ lastIssuedAt }) => lastIssuedAt)),
      scopes: inWords((scope) => held.includes(scope) && allowed.includes(scope)),
    }
  })
}
