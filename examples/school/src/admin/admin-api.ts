import type { Site } from 'hallpass'
import { type AdminApi, type AdminApiOptions, createAdminApi } from 'hallpass/admin'
import { createOpenapiEndpoint, type OpenapiPart } from 'hallpass/openapi'
import type { Endpoint } from 'hallpass/authorization-server'
import { createPostgresIdempotency } from 'hallpass/postgres'
import type { SchoolScope } from 'hallpass/scope'
import type { Database } from '../platform/transaction.js'
import { createReference } from './reference/reference.js'
import type { SiteDefinition } from '../sites.js'
import { operationExamples } from './examples.js'
import { createKit } from './kit.js'
import { schoolOperations } from './operations.js'
import { targetKeyOf } from '../school/upload-policy.js'

/** The admin API of one site, with its description. */
export interface SchoolAdmin {
  /** Everything below `/api/v1`. */
  readonly endpoint: Endpoint
  /** Runs the same operations for the tools of `/mcp`. */
  readonly operator: AdminApi<SchoolScope>
  /** `GET /openapi.json` */
  readonly openapi: ReturnType<typeof createOpenapiEndpoint>
  /** `GET /docs` and below: a page to read and try the API. Returns `null` if there is no such file. */
  readonly reference: (request: Request) => Promise<Response | null>
}

/**
 * Creates the admin API of one site.
 *
 * @param options - `definition`: the name of the site. `sealingSecret`: the secret that the key of upload targets is derived from. `rateLimit`: as
 *   in `createAdminApi`, or `null` for none. `otherParts`: the other endpoints of the description.
 */
export function createSchoolAdmin(
  site: Site<SchoolScope>,
  {
    definition,
    database: { execute, transaction },
    sealingSecret,
    rateLimit,
    otherParts,
  }: {
    definition: SiteDefinition
    database: Database
    sealingSecret: string
    rateLimit: NonNullable<AdminApiOptions['rateLimit']> | null
    otherParts: readonly OpenapiPart[]
  },
): SchoolAdmin {
  const { id, issuer, name, now } = site
  const kit = createKit({ execute, transaction, site: id, origin: issuer, now })
  const operator = createAdminApi(site, {
    ...(rateLimit !== null && { rateLimit }),
    operations: schoolOperations(kit, { signingKey: targetKeyOf(sealingSecret) }),
    idempotency: createPostgresIdempotency({ execute, site: id }),
  })
  const { endpoint, registry } = operator
  const description = {
    registry,
    alsoDescribes: otherParts,
    examples: operationExamples(),
    info: {
      title: `${name}: API`,
      version: '1.0.0',
      description:
        'The admin API below `/api/v1` is for the staff of the school and their tools: each operation needs a scope of the access token. The other endpoints are for signing in, for members and for agents.',
    },
  }
  const openapi = createOpenapiEndpoint(site, description)
  return {
    endpoint,
    operator,
    openapi,
    reference: createReference({ site: definition, origin: issuer, openapi }),
  }
}
