import { defineSite } from 'hallpass'
import { createAccountApi } from 'hallpass/account'
import { toNodeHandler } from 'hallpass/node'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { times } from '../subjects/common.mjs'
import { createIssuer } from '../subjects/hallpass-core.mjs'
import { MEMBER, scenariosOf, SOURCE } from './common.mjs'

/** People with one app each, which asks again and again, and never so often that its points run out. */
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
    findPerson: async (subject) => ({ ...MEMBER, subject }),
  })
  const api = createAccountApi(site, { source: SOURCE })
  const { issueTokens } = await createIssuer({ store, origin, scopes: ['account:read'] })
  const issued = await times(GRANTS, (index) => issueTokens(`person-${index}`))
  let requests = 0
  return {
    listener: toNodeHandler(api.graphql, { origin }),
    scenarios: scenariosOf(() => issued[requests++ % GRANTS].accessToken),
  }
}
