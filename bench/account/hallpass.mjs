import { defineSite } from 'hallpass'
import { createAccountApi } from 'hallpass/account-api'
import { toNodeHandler } from 'hallpass/node'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { times } from '../subjects/common.mjs'
import { createIssuer } from '../subjects/hallpass-core.mjs'
import { MEMBER, scenariosOf, SOURCE } from './common.mjs'

/** Signed-in apps; each asks again and again, and none so often that its points run out. */
const GRANTS = 1000

/** The Account API with everything it does: gate, limits, cost, points of a grant, deadline. */
export async function createSubject({ origin }) {
  const store = createMemoryStore()
  const site = defineSite({
    issuer: origin,
    name: 'Bench',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: async (subject) => (subject === MEMBER.subject ? MEMBER : null),
  })
  const api = createAccountApi(site, { source: SOURCE })
  const { issueTokens } = await createIssuer({ store, origin, scopes: ['account:read'] })
  const issued = await times(GRANTS, issueTokens)
  let requests = 0
  return {
    listener: toNodeHandler(api.graphql, { origin }),
    scenarios: scenariosOf(() => issued[requests++ % GRANTS].accessToken),
  }
}
