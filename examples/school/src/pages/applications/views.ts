import type { ClientView } from 'hallpass/authorization-server'
import type { ClientKind, Person, TokenEndpointAuthMethod } from 'hallpass/policy'
import type { ScopeAccess } from 'hallpass/scope'

// What the pages of the clients' admin area and of the connected apps show, and what their forms
// send. Every form posts `application/x-www-form-urlencoded` with `csrf_token`. Strings that a person
// or an app chose go in as they are; the pages escape them. Times are epoch seconds.

/** What every page for somebody signed in needs. */
export interface SignedInFrame {
  /** Goes back in the field `csrf_token` of every form, `/sign-out` included. */
  readonly csrfToken: string
  readonly person: Pick<Person, 'name' | 'email' | 'roles'>
  /** Whether the page may link to the admin area: the person is an owner or a manager. */
  readonly isAdmin: boolean
  readonly now: number
  /** IANA name; times of day are shown in it. */
  readonly timeZone: string
}

/**
 * Where an application stands. Documents are `unreviewed`, `reviewed`, `changed` (since a review) or
 * `blocked`; all others `active` or `disabled`. That MCP connections are off changes no state.
 */
export type ApplicationState =
  'active' | 'disabled' | 'unreviewed' | 'reviewed' | 'changed' | 'blocked'

/** One scope in words. */
export interface ScopeWords {
  readonly scope: string
  /** With the school's name filled in. */
  readonly text: string
  readonly group: string
  readonly access: ScopeAccess
  readonly personalData: boolean
}

/** One line of a log. */
export interface ActivityEntry {
  readonly at: number
  /** Type of the audit event, such as `oauth.client.created`; an unknown one is shown as it is. */
  readonly type: string
  /** Name of the person who did it; `null` = the app itself, or nobody. */
  readonly actor: string | null
  /** Name of the person it was done to or for; `null` = nobody, or the actor. */
  readonly subject: string | null
  /** A reason in words or scope names, shown behind; `null` = none. */
  readonly detail: string | null
}

/** One application of the list. */
export interface ApplicationRow {
  readonly clientId: string
  readonly name: string
  readonly kind: ClientKind
  readonly state: ApplicationState
  /** A name of `APPLICATION_ICONS`; `null` or any other = the first letter. */
  readonly icon: string | null
  /** People with a grant that counts. */
  readonly people: number
  /** `null` = never. */
  readonly lastUsedAt: number | null
  /** How many scopes it may ask for, identity included. */
  readonly scopes: number
}

/**
 * `GET /oauth/applications`. The filter is a `GET` form to the same path with `kind`, `state` and
 * `search`; an empty one = all. `after` asks for the next page. The switch posts
 * `enabled=on` to `/oauth/applications/beta`; switching off first leads to its `GET`.
 */
export interface ApplicationsView extends SignedInFrame {
  /** Whether MCP connections are on at this site. */
  readonly enabled: boolean
  readonly filter: {
    readonly kind: ClientKind | null
    readonly state: ApplicationState | null
    /** As typed; empty = everything. */
    readonly search: string
  }
  /** What the filter leaves, in the order shown. */
  readonly applications: readonly ApplicationRow[]
  /** Whether there is any application at all, whatever the filter says. */
  readonly isEmpty: boolean
  /** Goes back in `after` for the next page; `null` = this is the last. */
  readonly next: string | null
  /** What just happened, from the query parameter `done`. */
  readonly done: 'beta_on' | 'beta_off' | 'deleted' | null
}

/** A way to fill in redirect addresses. */
export interface RedirectPreset {
  /** Sent in the field `preset`. */
  readonly preset: string
  /** `Claude`, `An app on this computer` */
  readonly label: string
}

/** A line of the redirect addresses, once checked. */
export interface CheckedAddress {
  /** Counts from 1, empty lines included. */
  readonly line: number
  readonly uri: string
  /** What is wrong with it, one sentence; `null` = nothing. */
  readonly fault: string | null
}

/** What is wrong with a form, field by field: one sentence each, `null` = nothing. */
export interface ApplicationFaults {
  /** Concerns no field: somebody else saved meanwhile, or the form is too old. */
  readonly form: string | null
  readonly name: string | null
  readonly description: string | null
  readonly icon: string | null
  readonly authMethod: string | null
  /** Concerns the addresses as a whole: none, too many. A line's own fault stands in `addresses`. */
  readonly redirectUris: string | null
  readonly scopes: string | null
}

/**
 * `GET /oauth/applications/new` and `GET /oauth/applications/:id/edit`; the form posts to the same
 * path. Fields: `name`, `description`, `icon`, `auth_method` (`none` or `client_secret_post`; only
 * when new), `redirect_uris` (one a line, CRLF), `scope` (repeated), `revision` (only when editing).
 * A button beside the addresses sends `preset` as well: show the form again with its addresses added,
 * nothing lost and nothing saved.
 */
export interface ApplicationFormView extends SignedInFrame {
  /** What is edited; `null` = a new application. */
  readonly editing: {
    readonly clientId: string
    /** The stored name, for the heading. */
    readonly name: string
    /** Goes back in `revision`. */
    readonly revision: number
    /** The scopes it has now: taking one away narrows. */
    readonly scopes: readonly string[]
    /** People who would feel it. */
    readonly people: number
  } | null
  /** As typed. */
  readonly values: {
    readonly name: string
    readonly description: string
    /** `null` = the first letter; sent as an empty `icon`. */
    readonly icon: string | null
    readonly authMethod: TokenEndpointAuthMethod
    /** The whole text, one address a line. */
    readonly redirectUris: string
    readonly scopes: readonly string[]
  }
  /** Every line that is not empty, once the form was sent; empty before. */
  readonly addresses: readonly CheckedAddress[]
  /** `null` = nothing was sent yet, or only a preset. */
  readonly faults: ApplicationFaults | null
  readonly presets: readonly RedirectPreset[]
  /** The member scopes, in the order of the registry. */
  readonly choices: readonly ScopeWords[]
  /** The identity scopes, which every application has. */
  readonly identity: readonly ScopeWords[]
}

/**
 * The answer to a `POST` that made a secret or an application: shown once, never by a `GET`. It has
 * no form but sign-out.
 */
export interface ApplicationResultView extends SignedInFrame {
  readonly cause: 'created' | 'rotated'
  readonly clientId: string
  readonly name: string
  /** `null` = a public application, which has none. */
  readonly secret: string | null
  /** Until when the secret before this one counts; `null` = it no longer does, or there was none. */
  readonly previousSecretUntil: number | null
  /** `{origin}/mcp` */
  readonly mcpUrl: string
}

/** A person who connected an application. */
export interface ConnectedPerson {
  /** Goes back in the field `subject`. */
  readonly subject: string
  readonly name: string
  readonly since: number
  readonly lastUsedAt: number | null
  readonly scopes: readonly ScopeWords[]
}

/** What can be done to an application now, by the person who looks. The page shows nothing else. */
export type ApplicationAction =
  | 'edit'
  | 'rotate'
  | 'end_old_secret'
  | 'disable'
  | 'enable'
  | 'delete'
  | 'disconnect'
  | 'review'
  | 'block'
  | 'unblock'
  | 'fetch'

/** What was fetched of a document application. */
export interface DocumentFacts {
  readonly firstSeenAt: number
  readonly fetchedAt: number
  readonly freshUntil: number
  /** `null` = never. */
  readonly reviewedAt: number | null
  /** When it changed after a review; `null` = it did not. */
  readonly changedAt: number | null
  /** What the page shows, as a digest; goes back in `digest`, so that nobody reviews what they did not see. */
  readonly digest: string
  /** Why the last fetch failed, one sentence; `null` = it did not. */
  readonly fetchFault: string | null
}

/** A write scope that a reviewer may allow to a document application. */
export interface ReviewChoice extends ScopeWords {
  /** Ticked when the page opens. */
  readonly allowed: boolean
  /** The reviewer's own role holds it. If not, it is shown and never sent, `allowed` or not. */
  readonly withinRole: boolean
}

/** What just happened to an application, from the query parameter `done`. */
export type ApplicationDone =
  | 'saved'
  | 'old_secret_ended'
  | 'disabled'
  | 'enabled'
  | 'disconnected'
  | 'all_disconnected'
  | 'reviewed'
  | 'blocked'
  | 'unblocked'
  | 'fetched'

/**
 * `GET /oauth/applications/:id`, with `encodeURIComponent(clientId)` as `:id`. Links lead to
 * `…/edit`, `…/disable`, `…/delete`, `…/block` and `…/disconnect-all`. Forms post to
 *
 * | path | fields |
 * | --- | --- |
 * | `…/rotate` | `overlap_hours`: `0`, `1`, `24` or `72` |
 * | `…/end-old-secret` | |
 * | `…/enable` | |
 * | `…/disconnect` | `subject` |
 * | `…/review` | `scope` (repeated, may be missing), `digest` |
 * | `…/unblock` | |
 * | `…/fetch` | |
 */
export interface ApplicationDetailView extends SignedInFrame {
  readonly clientId: string
  readonly name: string
  readonly description: string | null
  readonly icon: string | null
  readonly kind: ClientKind
  readonly state: ApplicationState
  /** Whether MCP connections are on; off = member applications answer nobody. */
  readonly enabled: boolean
  readonly authMethod: TokenEndpointAuthMethod
  readonly redirectUris: readonly string[]
  /** All it may ask for, identity included. */
  readonly scopes: readonly ScopeWords[]
  /** `null` = not known (a platform of the configuration). */
  readonly createdAt: number | null
  readonly lastUsedAt: number | null
  /** `null` = it has no secret. */
  readonly secret: {
    /** `null` = not known. */
    readonly since: number | null
    /** Until when the one before counts; `null` = there is none. */
    readonly previousUntil: number | null
  } | null
  /** Newest first. */
  readonly people: readonly ConnectedPerson[]
  /** People beyond those listed. */
  readonly morePeople: number
  /** Newest first. */
  readonly log: readonly ActivityEntry[]
  readonly document: DocumentFacts | null
  /** Every write scope a document can be allowed; empty for other kinds. */
  readonly review: readonly ReviewChoice[]
  /** What was wrong with a review, one sentence; `null` = nothing. */
  readonly reviewFault: string | null
  readonly actions: readonly ApplicationAction[]
  readonly done: ApplicationDone | null
}

/** A question before something that disconnects people. */
export type ConfirmKind = 'disable' | 'delete' | 'disconnect_all' | 'block'

/**
 * `GET /oauth/applications/:id/{disable,delete,disconnect-all,block}`; the form posts to the same
 * path. `delete` sends the field `name`, which must equal the application's name.
 */
export interface ApplicationConfirmView extends SignedInFrame {
  readonly confirm: ConfirmKind
  readonly clientId: string
  readonly name: string
  readonly kind: ClientKind
  /** How many people it disconnects. */
  readonly people: number
  /** What was typed into `name`; `null` = nothing was sent yet, otherwise it did not match. */
  readonly typedName: string | null
}

/**
 * `GET /oauth/applications/beta`; the form posts `enabled=off` (or `on`, where it is off) to the same
 * path.
 */
export interface BetaView extends SignedInFrame {
  readonly enabled: boolean
  /** How many people it disconnects, or connects again. */
  readonly people: number
  /** How many member applications it stops, or starts. */
  readonly applications: number
}

/** An app that somebody connected, with all its grants as one. */
export interface ConnectedAppView {
  readonly clientId: string
  readonly name: string
  readonly kind: ClientKind
  readonly icon: string | null
  /** As in `ClientView`: somebody vouches for the name. */
  readonly verified: ClientView['verified']
  /** Whether it works now: `off` = the school switched it off, or MCP connections. */
  readonly state: 'on' | 'off'
  readonly scopes: readonly ScopeWords[]
  readonly since: number
  readonly lastUsedAt: number | null
  /** What it did for this person, newest first, a few. */
  readonly recent: readonly ActivityEntry[]
}

/**
 * `GET /oauth/authorized_applications`. Each app links to
 * `/oauth/authorized_applications/disconnect?client_id=…`.
 */
export interface ConnectedAppsView extends SignedInFrame {
  /** Last connected first. */
  readonly apps: readonly ConnectedAppView[]
  /** Name of the app that was just disconnected; `null` = none. Never take it from the URL. */
  readonly disconnected: string | null
}

/**
 * `GET /oauth/authorized_applications/disconnect?client_id=…`; the form posts `client_id` to
 * `/oauth/authorized_applications/disconnect`.
 */
export interface DisconnectAppView extends SignedInFrame {
  readonly clientId: string
  readonly name: string
  readonly lastUsedAt: number | null
}
