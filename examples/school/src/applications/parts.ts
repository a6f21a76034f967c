import type { Attempts, ClientManagement } from 'hallpass/clients'
import type { Client, Vendor } from 'hallpass/policy'
import type { ScopeRegistry } from 'hallpass/scope'
import type { Store } from 'hallpass/store'
import type { AreaOptions, ManagerVisit, Place } from '../sign-in/area.js'
import type {
  ApplicationsView,
  ApplicationState,
  PagesOfApplications,
  ScopeWords,
} from '../../../pages/applications/views.js'
import type { Known, KnownApplications } from './known.js'
import type { LogEntry, Names, RecentEntries } from './words.js'

/** Options of the admin area for apps. */
export interface ApplicationsOptions extends AreaOptions<PagesOfApplications> {
  /** The name of the school, for the descriptions of the scopes. */
  readonly school: string
  readonly people: AreaOptions<PagesOfApplications>['people'] & Names
  readonly store: Pick<Store, 'listClients' | 'listGrants'>
  readonly administration: ClientManagement
  /** Whether an app may sign in place of a secret: `privateKeyJwt` is in `blocks`. Default: `false`. */
  readonly maySign?: boolean
  /** Whether an app may have no redirect address: `deviceGrant` is in `blocks`. Default: `false`. */
  readonly mayOmitRedirects?: boolean
  readonly attempts: Attempts
  readonly directory: ApplicationDirectory
  readonly audit: ApplicationsAudit
  readonly settings: {
    /** Returns whether MCP connections are on. While they are off, member apps do not work. */
    readonly mcpConnections: () => Promise<boolean>
  }
  /** Turns MCP connections on or off. `by`: who did it and when, for the audit log. */
  readonly switchMcpConnections: (on: boolean, by: { actor: string; at: number }) => Promise<void>
  readonly logos: ApplicationsLogos
  readonly accessRequests: ApplicationsRequests
  /** The services of the site; `null` if it has none. Default: `null`. */
  readonly services?: ApplicationsServices | null
  readonly scopes: ScopeRegistry
  readonly vendors: readonly Vendor[]
  readonly known: KnownApplications
}

/** The programs of a site that act for themselves, and their pages. */
interface ApplicationsServices extends Names {
  /** Whether a client is a service, or was one. */
  readonly has: (clientId: string) => Promise<boolean>
  /**
   * Returns what serves a path below that of the services, or `null` if there is none.
   *
   * @param below - the segment after `services`
   */
  readonly placeOf: (parts: Parts, below: string | undefined) => Promise<OfManager | null>
}

/** Which apps to look for, and which page of them. */
type ApplicationSearch = ApplicationsView['filter'] & {
  /** From 1. */
  readonly page: number
  /** Apps of a page. */
  readonly size: number
}

/** An app that was found, with its use by valid grants. */
export interface FoundApplication {
  readonly clientId: string
  readonly state: ApplicationState
  readonly people: number
  /** When the last token was issued, in epoch seconds, or `null`. */
  readonly lastUsedAt: number | null
}

/** The apps of a site, by any part of their name, client ID or redirect addresses. */
export interface ApplicationDirectory {
  /** Returns a page of apps, and how many each view has with the same search, kind and state. */
  readonly search: (search: ApplicationSearch) => Promise<{
    readonly found: readonly FoundApplication[]
    readonly counts: ApplicationsView['counts']
  }>
}

/** An entry that a search of the audit log found. */
export interface FoundEntry extends LogEntry {
  /** The identifier of the entry, as decimal digits. */
  readonly number: string
  readonly clientId: string | null
  /** The name of the app, or `null` if the site does not store it. */
  readonly clientName: string | null
}

/** The audit log, as far as the area reads it. */
interface ApplicationsAudit {
  readonly recent: RecentEntries
  /**
   * Returns the entries of an app, of a person or of a type, the newest first.
   *
   * @param question - `search`: a part of the name or `client_id` of an app, or of a person's name or email address;
   *   empty for every entry. `types`: further types that match. `since`: epoch seconds. `before`: the last entry of
   *   the page before
   */
  readonly search: (question: {
    search: string
    types: readonly string[]
    since: number
    before: { at: number; number: string } | null
    limit: number
  }) => Promise<readonly FoundEntry[]>
}

/** Copies of the logos of reviewed apps. */
interface ApplicationsLogos {
  /** Fetches the logo of an app that was just reviewed. Returns whether it has one that cannot be used. */
  readonly keep: (client: Client) => Promise<boolean>
  /** Returns the path of the copy, or `null` if there is none. */
  readonly pathOf: (client: { clientId: string; logoUri: string | null }) => Promise<string | null>
}

/** The requests of people for apps that their roles do not allow. */
interface ApplicationsRequests {
  /** Returns the requests that no one dismissed, the newest first. `at`: epoch seconds. */
  readonly open: (
    limit: number,
  ) => Promise<readonly { memberId: string; clientId: string; at: number }[]>
  readonly dismiss: (asked: { memberId: string; clientId: string }) => Promise<void>
}

/** The options, with the part that several pages share. */
export interface Parts extends ApplicationsOptions {
  /** Describes the scopes for which `isMeant` returns `true`, in the order of the registry. */
  readonly inWords: (isMeant: (scope: string) => boolean) => readonly ScopeWords[]
}

/** The request of a manager, with the pages of this area. */
export type Visit = ManagerVisit<PagesOfApplications>

/** An address that only managers can use. */
export type OfManager = Place<Visit>

/** Creates the handler of an address for one app. */
export type OfApplication = (parts: Parts, known: Known) => OfManager
