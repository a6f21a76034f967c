import { EFFECTIVE } from '../authorization-server/registered-metadata.js'
import type { Client } from '../policy/client.js'
import { isMembers, memberOf } from '../policy/reading.js'
import type { Registers } from '../policy/registration.js'

/** Returns a member that a registration names, whatever it is; `undefined` if it names none. */
export const namedIn = (metadata: unknown, member: string): unknown =>
  isMembers(metadata) ? memberOf(metadata, member) : undefined

/** Lets a registration ask for what a server without the block would refuse to promise. */
export const registersFlag =
  (member: string, field: 'dpopBoundAccessTokens' | 'requirePushedRequests'): Registers =>
  (metadata) =>
    namedIn(metadata, member) === true
      ? {
          instead: { [member]: false },
          fields: { [field]: true } satisfies Partial<Client>,
          answer: { [member]: true },
        }
      : null

/** Lets a registration name a grant. A client with redirect URIs has the others too. */
export const registersGrant =
  (grant: string): Registers =>
  (metadata) => {
    const asked = namedIn(metadata, 'grant_types')
    if (!Array.isArray(asked) || !asked.includes(grant)) return null
    const answer =
      namedIn(metadata, 'redirect_uris') === undefined
        ? { grant_types: ['refresh_token', grant], response_types: [] }
        : { grant_types: [...EFFECTIVE.grant_types, grant] }
    return { instead: {}, answer }
  }
