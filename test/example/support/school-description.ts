import {
  describeAccountApi,
  describeAuthorizationServer,
  describeMcpEndpoint,
  type openapiOf,
} from 'hallpass/openapi'
import { defineOperations } from 'hallpass/admin'
import { PATHS } from 'hallpass/authorization-server'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { operationExamples } from '../../../examples/school/src/admin/examples.js'
import type { Kit } from '../../../examples/school/src/admin/kit.js'
import { schoolOperations } from '../../../examples/school/src/admin/operations.js'
import { LANTERN_SITE } from './operator-school.js'

type OpenapiSource = Parameters<typeof openapiOf>[1]

/** Returns all that `/openapi.json` of the example school describes, for a site with this issuer. */
export const schoolDescription = (issuer: string, info: OpenapiSource['info']): OpenapiSource => ({
  // What an operation is like does not depend on the kit that it runs with.
  registry: defineOperations(
    schoolOperations({ site: LANTERN_SITE, origin: issuer } as Kit, {
      signingKey: 'a key for tests',
    }),
    { scopes: schoolScopes, roles: schoolRoles },
  ),
  examples: operationExamples(),
  alsoDescribes: [
    describeAuthorizationServer({ issuer, requireState: true, defaultScopes: null }, PATHS),
    describeAccountApi({ graphql: true, schema: true }),
    describeMcpEndpoint(),
  ],
  info,
})
