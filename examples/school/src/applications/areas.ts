import type { Site } from 'hallpass'
import { createClientManagement, createConnectedApps } from 'hallpass/clients'
import type { SchoolScope } from 'hallpass/scope'
import type { Audit } from '../platform/audit.js'
import type { AreaOptions } from '../sign-in/area.js'
import { createApplications } from './applications.js'
import { createConnectedAppsPages } from './connected-apps.js'
import type { Settings } from './settings.js'

/** Where people look after apps: those of the site, and those that they have connected themselves. */
export interface Areas {
  /** `/oauth/applications` and below: the clients of the site, for those who manage them. */
  readonly applications: (request: Request) => Promise<Response>
  /** `/oauth/authorized_applications` and below: what somebody has connected. */
  readonly connectedApps: (request: Request) => Promise<Response>
}

/** Makes both areas of one site. */
export function createAreas(
  site: Site<SchoolScope>,
  { settings, ...shared }: Omit<AreaOptions, 'roles'> & { audit: Audit; settings: Settings },
): Areas {
  const { store, scopes, roles, vendors, pinnedDocuments } = site
  const options = { ...shared, scopes, roles }
  return {
    applications: createApplications({
      ...options,
      settings,
      store,
      vendors,
      pinnedDocuments,
      administration: createClientManagement(site),
    }),
    connectedApps: createConnectedAppsPages({ ...options, connections: createConnectedApps(site) }),
  }
}
