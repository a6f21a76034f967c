// health.ts
import { createHealthEndpoints, type HealthEndpoints } from 'hallpass/operations'
import { type Site } from 'hallpass'
import { type Execute, isPostgresMigrated } from 'hallpass/postgres'
import type { KeySource } from 'hallpass/token'

export const healthOfSchool = (site: Site, keys: KeySource, execute: Execute): HealthEndpoints =>
  createHealthEndpoints(site, {
    keys,
    checks: { schema: () => isPostgresMigrated({ execute }) },
  })
