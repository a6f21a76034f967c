// api.ts
import type { Site } from 'hallpass'
import { createAdminApi, openapiOf } from 'hallpass/admin'
import { type Certificates, certificateOperations } from './certificates.js'
import type { Scope } from './scopes.js'

/** @param site - the one of your authorization server, with `scopes` for its scopes */
export function createApi(site: Site<Scope>, table: Certificates) {
  const api = createAdminApi(site, { operations: certificateOperations(table) })
  const info = { title: 'Admin API', version: '1.0.0' }
  const description = openapiOf(site, { registry: api.registry, info })
  return { ...api, description }
}
