// Connected apps and the management of apps on a server of your own, copied as docs/do/copy-areas.md says.
import type { Site } from 'hallpass'
import { createAttempts, createClientManagement, createConnectedApps } from 'hallpass/clients'
import type { Store } from 'hallpass/store'
import { createApplications } from './src/applications/applications.js'
import {
  type ConnectedAppsOptions,
  createConnectedAppsPages,
} from './src/applications/connected-apps.js'
import { createKnownApplications } from './src/applications/known.js'
import type { ApplicationsOptions } from './src/applications/parts.js'
import { pagesOfConnectedApps } from '../pages/applications/connected-apps.js'
import { pagesOfApplications } from '../pages/applications/pages.js'
import { forReader } from '../pages/words/languages.js'

/** The parts that your server has already. */
export type Yours = Pick<
  ConnectedAppsOptions,
  'people' | 'visitors' | 'signIn' | 'sentForms' | 'accessRequests' | 'audit'
>

/** The further parts that only the management needs. */
export type YoursToManage = Omit<Yours, 'accessRequests' | 'audit'> &
  Pick<
    ApplicationsOptions,
    'accessRequests' | 'audit' | 'directory' | 'logos' | 'settings' | 'switchMcpConnections'
  >

const timeZone = 'Europe/Lisbon'
const look = { theme: 'lantern' } as const

/** Responds at `/oauth/authorized_applications` and below. */
export function connectedApps(site: Site<string, Store>, yours: Yours): Pages {
  const { issuer: origin, name: school, scopes, roles, now, store } = site
  const area = { ...yours, origin, timeZone, school, scopes, roles, now }
  return createConnectedAppsPages({
    ...area,
    findApp: (clientId) => store.findClient(clientId),
    connections: createConnectedApps(site),
    pagesFor: (request) => pagesOfConnectedApps(forReader({ ...look, name: school }, request)),
  })
}

/** Responds at `/oauth/applications` and below. */
export function management(site: Site<string, Store>, yours: YoursToManage): Pages {
  const { issuer: origin, name: school, scopes, roles, vendors, pinnedDocuments, now, store } = site
  const area = { ...yours, origin, timeZone, school, scopes, roles, vendors, now, store }
  return createApplications({
    ...area,
    known: createKnownApplications({ store, vendors, pinnedDocuments, now }),
    administration: createClientManagement(site),
    attempts: createAttempts(site),
    pagesFor: (request) => pagesOfApplications(forReader({ ...look, name: school }, request)),
  })
}

type Pages = (request: Request) => Promise<Response>
