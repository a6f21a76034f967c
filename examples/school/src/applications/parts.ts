import type { Attempts } from 'hallpass/attempts'
import type { ClientManagement } from 'hallpass/clients'
import type { Vendor } from 'hallpass/policy'
import type { ScopeRegistry } from 'hallpass/scope'
import type { Execute } from 'hallpass/postgres'
import type { Store } from 'hallpass/store'
import type { AreaOptions, ManagerVisit, Place } from '../sign-in/area.js'
import type { Audit } from '../platform/audit.js'
import type { ScopeWords } from '../../../pages/applications/views.js'
import type { Logos } from './logos.js'
import type { FeatureSwitch, Settings } from './settings.js'
import type { AccessRequests } from './access-requests.js'
import type { Known, KnownApplications } from './known.js'
import type { ApplicationDirectory } from './search.js'

/** Options of the admin area for apps. */
export interface ApplicationsOptions extends AreaOptions {
  readonly store: Pick<Store, 'listClients' | 'listGrants'>
  /** Reaches the database of the store. */
  readonly execute: Execute
  readonly administration: ClientManagement
  readonly attempts: Attempts
  readonly audit: Pick<Audit, 'recent' | 'search'>
  readonly settings: Settings
  readonly logos: Logos
  readonly switchMcpConnections: FeatureSwitch
  readonly accessRequests: AccessRequests
  readonly scopes: ScopeRegistry
  readonly vendors: readonly Vendor[]
  readonly known: KnownApplications
}

/** The options, with the parts that several pages share. */
export interface Parts extends ApplicationsOptions {
  readonly directory: ApplicationDirectory
  /** Describes the scopes for which `isMeant` returns `true`, in the order of the registry. */
  readonly inWords: (isMeant: (scope: string) => boolean) => readonly ScopeWords[]
}

/** An address that only managers can use. */
export type OfManager = Place<ManagerVisit>

/** Creates the handler of an address for one app. */
export type OfApplication = (parts: Parts, known: Known) => OfManager
