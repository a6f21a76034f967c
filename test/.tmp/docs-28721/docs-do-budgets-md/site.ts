// site.ts
import { defineSite } from 'hallpass'
import { networkOf } from 'hallpass/node'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'

export const site = defineSite({
  issuer: 'https://school.example',
  name: 'My School',
  store: createMemoryStore(),
  scopes: schoolScopes,
  roles: schoolRoles,
  findPerson: async () => null,
  networkOf,
  allowances: { registrationsOfNetwork: { amount: 50, seconds: 86_400 } },
})
