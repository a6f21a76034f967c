import type { ClientManagement } from 'hallpass/clients'
import type { PinnedDocument, Vendor } from 'hallpass/policy'
import type { ScopeRegistry } from 'hallpass/scope'
import type { Store } from 'hallpass/store'
import type { AreaOptions, ManagerVisit, Place } from '../sign-in/area.js'
import type { Audit } from '../platform/audit.js'
import type { ScopeWords } from '../pages/applications/views.js'
import type { Settings } from './settings.js'
import type { Known, KnownApplications } from './known.js'

/** What the admin area of the applications is made of. */
export interface ApplicationsOptions extends AreaOptions {
  readonly store: Pick<Store, 'findClient' | 'listClients' | 'listGrants'>
  readonly administration: ClientManagement
  readonly audit: Pick<Audit, 'record' | 'recent'>
  readonly settings: Settings
  readonly scopes: ScopeRegistry
  readonly vendors: readonly Vendor[]
  readonly pinnedDocuments?: readonly PinnedDocument[]
}

/** The same, with what several pages share. */
export interface Parts extends Required<ApplicationsOptions> {
  readonly known: KnownApplications
  /** Scopes in words, in the order of the registry. */
  readonly inWords: (isMeant: (scope: string) => boolean) => readonly ScopeWords[]
  readonly notFound: () => Response
}

/** A place for managers. */
export type OfManager = Place<ManagerVisit>

/** Makes the place of one application. */
export type OfApplication = (parts: Parts, known: Known) => OfManager
