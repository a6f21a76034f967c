import type { Site } from 'hallpass'
import { createAttempts, createClientManagement, createConnectedApps } from 'hallpass/clients'
import type { Execute } from 'hallpass/postgres'
import type { SchoolScope } from 'hallpass/scope'
import type { Store } from 'hallpass/store'
import type { AreaOptions } from '../sign-in/area.js'
import { pagesOfConnectedApps } from '../../../pages/applications/connected-apps.js'
import { pagesOfApplications } from '../../../pages/applications/pages.js'
import { forReader } from '../../../pages/words/languages.js'
import type { SiteDefinition } from '../sites.js'
import { createApplications } from './applications.js'
import { type ConnectedAppsOptions, createConnectedAppsPages } from './connected-apps.js'
import { createKnownApplications } from './known.js'
import type { ApplicationsOptions } from './parts.js'
import { createApplicationDirectory } from './search.js'
import { withPages } from './services.js'
import type { Services } from '../services/services.js'

/** The pages on which people manage apps: those of the site, and those that they have connected. */
export interface Areas {
  /** `/oauth/applications` and below: the apps of the site, for its managers. */
  readonly applications: (request: Request) => Promise<Response>
  /** `/oauth/authorized_applications` and below: the apps that a person has connected. */
  readonly connectedApps: (request: Request) => Promise<Response>
}

/** The parts of the school that both areas use. */
type AreasOptions = Omit<AreaOptions<never>, 'roles' | 'timeZone' | 'pagesFor'> &
  Pick<ConnectedAppsOptions, 'people' | 'accessRequests'> &
  Pick<
    ApplicationsOptions,
    'audit' | 'settings' | 'logos' | 'accessRequests' | 'switchMcpConnections'
  > & {
    readonly site: SiteDefinition
    readonly execute: Execute
    /** The services of the site; `null` if it has none. Default: `null`. */
    readonly services?: Services | null
    /** Addresses of pages of the school that register themselves at each visit. */
    readonly ownPages: readonly string[]
  }

/** Creates both areas of one site. */
export function createAreas(
  site: Site<SchoolScope, Store>,
  {
    site: definition,
    execute,
    settings,
    logos,
    services = null,
    switchMcpConnections,
    ownPages,
    ...school
  }: AreasOptions,
): Areas {
  const { store, scopes, roles, vendors, pinnedDocuments, blocks } = site
  const { now } = school
  const { id, name, timeZone } = definition
  const known = createKnownApplications({ store, vendors, pinnedDocuments, now })
  const shared = { ...school, school: name, timeZone, scopes, roles }
  return {
    applications: createApplications({
      ...shared,
      settings,
      logos,
      services: services && withPages(services),
      known,
      switchMcpConnections,
      store,
      vendors,
      administration: createClientManagement(site),
      mayOmitRedirects: blocks.some(({ name }) => name.endsWith(':device_code')),
      maySign: blocks.some(({ name }) => name === 'private_key_jwt'),
      attempts: createAttempts(site),
      directory: createApplicationDirectory({
        execute,
        site: id,
        configured: known.configured,
        ownPages,
        now,
      }),
      pagesFor: (request) => pagesOfApplications(forReader(definition, request)),
    }),
    connectedApps: createConnectedAppsPages({
      ...shared,
      connections: createConnectedApps(site),
      findApp: async (clientId) => (await known.find(clientId))?.client ?? null,
      pagesFor: (request) => pagesOfConnectedApps(forReader(definition, request)),
    }),
  }
}
