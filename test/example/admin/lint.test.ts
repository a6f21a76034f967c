import { describeAccountApi } from 'hallpass/account-api'
import { defineOperations, openapiOf } from 'hallpass/admin'
import { describeAuthorizationServer, PATHS } from 'hallpass/authorization-server'
import { describeMcpEndpoint } from 'hallpass/mcp'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { testSite } from 'hallpass/testing'
import { describe } from 'vitest'
import { operationExamples } from '../../../examples/school/src/admin/examples.js'
import type { Kit } from '../../../examples/school/src/admin/kit.js'
import { schoolOperations } from '../../../examples/school/src/admin/operations.js'
import { testByRedocly, testBySpectral } from '../../support/openapi-lint.js'
import { LANTERN_SITE } from '../../support/operator-school.js'

const KEYS = { signingKey: 'a key for tests' }
// What an operation is like does not depend on the kit that it runs with.
const ISSUER = 'https://site-lantern.example'
const kit = { site: LANTERN_SITE, origin: ISSUER } as Kit
// Whom to ask and on which terms is up to whoever runs the service, so it is made up here.
const { site } = testSite({ issuer: ISSUER, name: 'Lantern Street' })
const document = openapiOf(site, {
  registry: defineOperations(schoolOperations(kit, KEYS), {
    scopes: schoolScopes,
    roles: schoolRoles,
  }),
  examples: operationExamples(),
  alsoDescribes: [
    describeAuthorizationServer({ issuer: ISSUER, requireState: true, defaultScopes: null }, PATHS),
    describeAccountApi({ graphql: true, schema: true }),
    describeMcpEndpoint(),
  ],
  info: {
    title: 'Lantern Street: API',
    version: '1.0.0',
    description: 'What staff, members and agents do at the school.',
    contact: { name: 'Ines Duarte', url: `${ISSUER}/help`, email: 'ines.duarte@example.com' },
    license: { name: 'As agreed', url: `${ISSUER}/terms` },
  },
})

describe('strangers find nothing wrong with the whole description:', () => {
  testByRedocly(() => document)
  testBySpectral(() => document, { isWhole: true })
})
