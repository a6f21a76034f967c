import type { Site } from 'hallpass'
import { createAttempts } from 'hallpass/attempts'
import { createClientManagement, createConnectedApps } from 'hallpass/clients'
import type { Execute } from 'hallpass/postgres'
import type { SchoolScope } from 'hallpass/scope'
import type { Store } from 'hallpass/store'
import type { Audit } from '../platform/audit.js'
import type { AreaOptions } from '../sign-in/area.js'
import type { AccessRequests } from './access-requests.js'
import { createApplications } from './applications.js'
import { createConnectedAppsPages } from './connected-apps.js'
import { createKnownApplications } from './known.js'
import type { Logos } from './logos.js'
import type { FeatureSwitch, Settings } from './settings.js'

/** The pages on which people manage apps: those of the site, and those that they have connected. */
export interface Areas {
  /** `/oauth/applications` and below: the apps of the site, for its managers. */
  readonly applications: (request: Request) => Promise<Response>
  /** `/oauth/authorized_applications` and below: the apps that a person has connected. */
  readonly connectedApps: (request: Request) => Promise<Response>
}

/** Creates both areas of one site. */
export function createAreas(
  site: Site<SchoolScope, Store>,
  {
    settings,
    logos,
    execute,
    switchMcpConnections,
    accessRequests,
    ...shared
  }: Omit<AreaOptions, 'roles'> & {
    execute: Execute
    accessRequests: AccessRequests
    audit: Audit
    settings: Settings
    logos: Logos
    switchMcpConnections: FeatureSwitch
  },
): Areas {
  const { store, scopes, roles, vendors, pinnedDocuments } = site
  const known = createKnownApplications({ store, vendors, pinnedDocuments, now: shared.now })
  const options = { ...shared, scopes, roles, known, accessRequests }
  return {
    applications: createApplications({
      ...options,
      settings,
      logos,
      execute,
      switchMcpConnections,
      store,
      vendors,
      administration: createClientManagement(site),
      attempts: createAttempts(site),
    }),
    connectedApps: createConnectedAppsPages({
      ...options,
      connections: createConnectedApps(site),
    }),
  }
}
