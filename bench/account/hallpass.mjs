import { createAccountApi } from 'hallpass/account'
import { toNodeHandler } from 'hallpass/node'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { createIssuer } from '../subjects/hallpass-core.mjs'
import { MEMBER, scenariosOf, SOURCE } from './common.mjs'

/** The Account API with everything it does: gate, limits, cost, points of a grant, deadline. */
export async function createSubject({ origin }) {
  const store = createMemoryStore()
  const api = createAccountApi({
    issuer: origin,
    store,
    findPerson: async (subject) => (subject === MEMBER.subject ? MEMBER : null),
    scopes: schoolScopes,
    roles: schoolRoles,
    source: SOURCE,
  })
  const { issueTokens } = await createIssuer({ store, origin, scopes: ['account:read'] })
  return {
    listener: toNodeHandler(api.graphql, { origin }),
    scenarios: scenariosOf(async () => (await issueTokens()).accessToken),
  }
}
