import {
  type AuthMdSource,
  createAuthMdEndpoint,
  createOpenapiEndpoint,
  createOperatorApi,
  type OperatorApiOptions,
} from 'hallpass/operator'
import type { Endpoint } from 'hallpass/endpoint'
import { createPostgresIdempotency } from 'hallpass/postgres'
import type { Database } from '../database.js'
import { GRANT_RATE } from '../limits.js'
import { answerReference } from '../reference/reference.js'
import type { SiteDefinition } from '../sites.js'
import { createKit } from './kit.js'
import { schoolOperations } from './operations.js'

/** The admin API of one site, with its description. */
export interface AdminApi {
  /** Everything below `/api/v1`. */
  readonly endpoint: Endpoint
  /** `GET /openapi.json` */
  readonly openapi: Endpoint
  /** `GET /auth.md` */
  readonly authMd: Endpoint
  /** `GET /docs` and below, where it can be read and tried; `null` = no such file. */
  readonly reference: (request: Request) => Response | null
}

/** @param options - `facts`: of the authorization server, for `/auth.md`; the others but `site` and `database` as `createOperatorApi` takes them */
export function createAdminApi({
  site,
  database: { execute, transaction },
  facts,
  ...options
}: {
  site: SiteDefinition
  database: Database
  facts: Omit<AuthMdSource, 'registry'>
  now: () => number
} & Omit<OperatorApiOptions, 'operations' | 'now'>): AdminApi {
  const { issuer, scopes, now } = options
  const kit = createKit({ execute, transaction, site: site.id, origin: issuer, now })
  const idempotency = createPostgresIdempotency({ execute, site: site.id })
  const { endpoint, registry } = createOperatorApi({
    ...options,
    operations: schoolOperations(kit),
    idempotency,
  })
  const description = {
    registry,
    scopes,
    issuer,
    siteName: site.name,
    info: {
      title: `${site.name}: admin API`,
      version: '1.0.0',
      description:
        'What staff and their tools do at the school, behind the scopes of their tokens.',
    },
  }
  return {
    endpoint,
    openapi: createOpenapiEndpoint(description),
    authMd: createAuthMdEndpoint({ ...facts, registry, rate: GRANT_RATE }),
    reference: (request) => answerReference(request, site),
  }
}
