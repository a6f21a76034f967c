import type { ClientView } from 'hallpass/authorization-server'
import type {
  AttemptOutcome,
  AttemptStage,
  AttemptStep,
  AttemptTurn,
  DocumentDifference,
  DraftIssue,
} from 'hallpass/clients'
import type { ClientKind, Person, TokenEndpointAuthMethod } from 'hallpass/policy'
import type { ScopeAccess } from 'hallpass/scope'
import type { Html } from '../html.js'

// The content of the pages of the apps' admin area and of the connected apps, the fields that their forms
// send, and the pages themselves as functions of that content. Every form posts `application/x-www-form-urlencoded` with `csrf_token`. Strings from a
// person or an app are passed unescaped, and the pages escape them. Times are epoch seconds.

/** The values that every page for a signed-in person needs. */
export interface SignedInFrame {
  /** Sent back in the field `csrf_token` of every form, including that of `/sign-out`. */
  readonly csrfToken: string
  readonly person: Pick<Person, 'name' | 'email' | 'roles'>
  /** Whether the page may link to the admin area: the person is an owner or a manager. */
  readonly isAdmin: boolean
  readonly now: number
  /** IANA name of the time zone in which times are shown. */
  readonly timeZone: string
}

/** Why a request of a signed-in person is refused. */
export type AreaFault = 'role' | 'form' | 'method' | 'sent_before' | 'too_many'

/**
 * The state of an app. Apps with a client metadata document are `unreviewed`, `reviewed`, `changed`
 * (since the review) or `blocked`. All others are `active`, `disabled`, or `unused` if they registered
 * themselves and no one has connected them. Turning MCP connections off does not change a state.
 */
export type ApplicationState =
  'active' | 'unused' | 'disabled' | 'unreviewed' | 'reviewed' | 'changed' | 'blocked'

/** A scope with its description. */
export interface ScopeWords {
  readonly scope: string
  /** The description, with the school's name filled in. */
  readonly text: string
  readonly group: string
  readonly access: ScopeAccess
  readonly personalData: boolean
  readonly sensitive: boolean
}

/** An entry of a log. */
export interface ActivityEntry {
  readonly at: number
  /** Type of the audit event, such as `oauth.client.created`. An unknown type is shown as it is. */
  readonly type: string
  /** Name of the person who did it, or `null` if no person did. */
  readonly actor: string | null
  /** Name of the person whom it concerns, or `null` if it concerns no one but the actor. */
  readonly subject: string | null
  /** A reason or scope names, shown after the description, or `null`. */
  readonly detail: string | null
  /** The app, where entries of several apps are listed. Default: not shown. */
  readonly app?: { readonly clientId: string; readonly name: string } | null
}

/** An app in the list. */
export interface ApplicationRow {
  readonly clientId: string
  readonly name: string
  readonly kind: ClientKind
  readonly state: ApplicationState
  /** A name from `APPLICATION_ICONS`. For `null` or any other name, the first letter is shown. */
  readonly icon: string | null
  /** Number of people with a valid grant. */
  readonly people: number
  /** `null` if it was never used. */
  readonly lastUsedAt: number | null
  /** Number of scopes that it may request, including identity scopes. */
  readonly scopes: number
}

/**
 * `GET /oauth/applications`. The filter is a `GET` form to the same path with `view`, `search`, `kind`,
 * `state` and `sort`; an empty field does not filter. The first `page` is 1. The switch posts
 * `enabled=on` to `/oauth/applications/beta`; turning off leads to the page at that path first.
 */
export interface ApplicationsView extends SignedInFrame {
  /** Whether services can be created, so that the page links to them. Default: `false`. */
  readonly hasServices?: boolean
  /** Whether MCP connections are on at this site. */
  readonly enabled: boolean
  readonly filter: {
    /**
     * `connected`: apps that someone has connected, member apps, and documents. `review`: documents to review.
     * `tried`: apps that registered themselves, and that no one has connected. `all`: these, and those of the
     * configuration.
     */
    readonly view: 'connected' | 'review' | 'tried' | 'all'
    readonly kind: ClientKind | null
    readonly state: ApplicationState | null
    /** The text as typed: a part of a name, of a client ID or of a redirect address. Empty for any. */
    readonly search: string
    readonly sort: 'newest' | 'oldest' | 'name'
  }
  /** How many apps each view has with the rest of the filter. */
  readonly counts: Readonly<Record<ApplicationsView['filter']['view'], number>>
  /** The apps that match the filter, in the order in which they are shown. */
  readonly applications: readonly ApplicationRow[]
  /** Whether the site has no apps at all, regardless of the filter. */
  readonly isEmpty: boolean
  /** From 1. */
  readonly page: number
  readonly hasNext: boolean
  /** The action that was just done, from the query parameter `done`. */
  readonly done: 'beta_on' | 'beta_off' | 'deleted' | 'request_dismissed' | null
  /** People who ask for an app that their role does not allow, the newest request first. */
  readonly requests: readonly {
    readonly memberId: string
    readonly name: string
    /** The role of the person, in words. */
    readonly roles: string
    readonly clientId: string
    readonly app: string
    /** Epoch seconds. */
    readonly at: number
  }[]
}

/** A button that adds known redirect addresses. */
export interface RedirectPreset {
  /** Sent in the field `preset`. */
  readonly preset: string
  /** Such as `Claude`, or `null` for an app on the person's own computer. */
  readonly label: string | null
}

/** A checked line of the redirect addresses. */
export interface CheckedAddress {
  /** The line number, from 1, including empty lines. */
  readonly line: number
  readonly uri: string
  /** The error of this address, in one sentence, or `null`. */
  readonly fault: string | null
}

/** The errors of a form by field: one sentence each, or `null` if the field has no error. */
export interface ApplicationFaults {
  /** An error of the form as a whole: another person saved first, or the form is too old. */
  readonly form: string | null
  readonly name: string | null
  readonly description: string | null
  readonly icon: string | null
  readonly authMethod: string | null
  readonly keys: string | null
  /** An error of all addresses together: none, or too many. Errors of one line are in `addresses`. */
  readonly redirectUris: string | null
  readonly scopes: string | null
}

/**
 * `GET /oauth/applications/new` and `GET /oauth/applications/:id/edit`; the form posts to the same
 * path. Fields: `name`, `description`, `icon`, `auth_method` (one of `methods`, only when new), `keys` (if an app
 * may sign), `redirect_uris` (one per line, CRLF), `scope` (repeated), `revision` (only when editing).
 * The buttons next to the addresses also send `preset`. The response is the same form with the preset's
 * addresses added, and nothing is saved.
 */
export interface ApplicationFormView extends SignedInFrame {
  /** The app being edited, or `null` for a new one. */
  readonly editing: {
    readonly clientId: string
    /** The stored name, for the heading. */
    readonly name: string
    /** Sent back in `revision`. */
    readonly revision: number
    /** The scopes it has now. Removing one narrows the app. */
    readonly scopes: readonly string[]
    /** Number of people whom that would affect. */
    readonly people: number
  } | null
  /** The values as typed. */
  readonly values: {
    readonly name: string
    readonly description: string
    /** `null` for the first letter, which is sent as an empty `icon`. */
    readonly icon: string | null
    readonly authMethod: TokenEndpointAuthMethod
    /** The address of the public keys of an app that signs, or the keys as JSON. */
    readonly keys: string
    /** The whole text, one address per line. */
    readonly redirectUris: string
    readonly scopes: readonly string[]
  }
  /** Every line with an address, once the form was sent. Empty before that. */
  readonly addresses: readonly CheckedAddress[]
  /** `null` if the form was not sent yet, or only to add a preset. */
  readonly faults: ApplicationFaults | null
  readonly presets: readonly RedirectPreset[]
  /** Whether the app may be a device, which has no redirect address. */
  readonly mayOmitRedirects: boolean
  /** The ways to authenticate from which to choose. With `private_key_jwt` there is a field for keys. */
  readonly methods: readonly TokenEndpointAuthMethod[]
  /** The member scopes, in the order of the registry. */
  readonly choices: readonly ScopeWords[]
  /** The identity scopes, which every app has. */
  readonly identity: readonly ScopeWords[]
}

/**
 * The response to a `POST` that created an app or a secret. It is shown once, never by a `GET`. Its only
 * form is the sign-out form.
 */
export interface ApplicationResultView extends SignedInFrame {
  readonly cause: 'created' | 'rotated'
  readonly clientId: string
  readonly name: string
  /** `null` for a public app, which has no secret. */
  readonly secret: string | null
  /** When the previous secret expires, or `null` if it is no longer valid or there was none. */
  readonly previousSecretUntil: number | null
  readonly authMethod: TokenEndpointAuthMethod
  /** The issuer. */
  readonly origin: string
}

/** A person who connected an app. */
export interface ConnectedPerson {
  /** Sent back in the field `subject`. */
  readonly subject: string
  readonly name: string
  readonly since: number
  readonly lastUsedAt: number | null
  readonly scopes: readonly ScopeWords[]
}

/** An action that this person may take on an app now. The page offers no other actions. */
export type ApplicationAction =
  | 'edit'
  | 'rotate'
  | 'end_old_secret'
  | 'set_end'
  | 'disable'
  | 'enable'
  | 'delete'
  | 'disconnect'
  | 'review'
  | 'block'
  | 'unblock'
  | 'fetch'

/** The fetched client metadata document of an app. */
export interface DocumentFacts {
  readonly firstSeenAt: number
  readonly fetchedAt: number
  readonly freshUntil: number
  /** `null` if it was never reviewed. */
  readonly reviewedAt: number | null
  /** When it changed after its review, or `null` if it did not. */
  readonly changedAt: number | null
  /** A digest of the content that is shown. Sent back in `digest`, so that no unseen content is approved. */
  readonly digest: string
  /** The document as the school keeps it: JSON over several lines. */
  readonly kept: string
  /** The members that differ from the last review. Empty if there was none. */
  readonly differences: readonly DocumentDifference[]
  /** Why the last fetch failed, in one sentence, or `null` if it succeeded. */
  readonly fetchFault: string | null
}

/** A write scope that a reviewer may allow to an app with a client metadata document. */
export interface ReviewChoice extends ScopeWords {
  /** Ticked when the page opens. */
  readonly allowed: boolean
  /** Whether the reviewer's own role includes it. If not, it is shown but not sent. */
  readonly withinRole: boolean
}

/** The action that was just taken on an app, from the query parameter `done`. */
export type ApplicationDone =
  | 'saved'
  | 'old_secret_ended'
  | 'end_set'
  | 'disabled'
  | 'enabled'
  | 'disconnected'
  | 'all_disconnected'
  | 'reviewed'
  | 'reviewed_without_logo'
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
 * | `…/review` | `scope` (repeated, optional), `digest` |
 * | `…/unblock` | |
 * | `…/fetch` | |
 */
export interface ApplicationDetailView extends SignedInFrame {
  /** Whether the app is a service, which acts for no person. Default: `false`. */
  readonly isService?: boolean
  readonly clientId: string
  readonly name: string
  readonly description: string | null
  readonly icon: string | null
  /** Path of the school's copy of its logo, or `null`. */
  readonly logo: string | null
  /** Links and contacts that the app names. No one has proved them. */
  readonly said: readonly { readonly member: SaidMember; readonly values: readonly string[] }[]
  readonly kind: ClientKind
  readonly state: ApplicationState
  /** Whether MCP connections are on. While they are off, member apps do not work. */
  readonly enabled: boolean
  readonly authMethod: TokenEndpointAuthMethod
  /** The issuer. */
  readonly origin: string
  readonly redirectUris: readonly string[]
  /** All scopes that it may request, including identity scopes. */
  readonly scopes: readonly ScopeWords[]
  /** `null` for an app from the configuration, where it is not known. */
  readonly createdAt: number | null
  readonly lastUsedAt: number | null
  /** When the app ends for everyone; `null` if it has no end. */
  readonly endsAt: number | null
  /** `null` for an app without a secret. */
  readonly secret: {
    /** `null` if it is not known. */
    readonly since: number | null
    /** When the previous secret expires, or `null` if there is none. */
    readonly previousUntil: number | null
  } | null
  /** Newest first. */
  readonly people: readonly ConnectedPerson[]
  /** Number of people who are not listed. */
  readonly morePeople: number
  /** Newest first. */
  readonly log: readonly ActivityEntry[]
  readonly document: DocumentFacts | null
  /** Every write scope that a review can allow. Empty for other kinds of apps. */
  readonly review: readonly ReviewChoice[]
  /** The error of a review, in one sentence, or `null`. */
  readonly reviewFault: string | null
  readonly actions: readonly ApplicationAction[]
  readonly done: ApplicationDone | null
}

/** A fact that an app or its document names about itself. */
export type SaidMember = DocumentDifference['member'] | 'contacts'

/** An action that stops an app for everyone, or starts it again. */
export type SwitchAction = Extract<
  ApplicationAction,
  'disable' | 'enable' | 'block' | 'unblock' | 'delete'
>

/** An action that a page asks about first, because it affects people. */
export type ConfirmKind = 'disable' | 'delete' | 'disconnect_all' | 'block'

/**
 * `GET /oauth/applications/:id/{disable,delete,disconnect-all,block}`; the form posts to the same
 * path. `delete` sends the field `name`, which must equal the app's name.
 */
export interface ApplicationConfirmView extends SignedInFrame {
  readonly confirm: ConfirmKind
  readonly clientId: string
  readonly name: string
  readonly kind: ClientKind
  /** Number of people whom it affects. */
  readonly people: number
  /** The value of `name` if it did not match, or `null` if nothing was sent yet. */
  readonly typedName: string | null
}

/**
 * `GET /oauth/applications/beta`; the form posts the opposite of the current state, `enabled=off` or
 * `enabled=on`, to the same path.
 */
export interface BetaView extends SignedInFrame {
  readonly enabled: boolean
  /** Number of people who lose access, or get it back. */
  readonly people: number
  /** Number of member apps that stop, or start again. */
  readonly applications: number
}

/** An app that a person connected, with all its grants combined. */
export interface ConnectedAppView {
  readonly clientId: string
  readonly name: string
  readonly kind: ClientKind
  readonly icon: string | null
  /** Whether the school vouches for the name, as in `ClientView`. */
  readonly verified: ClientView['verified']
  /** `off` if the school has turned off the app or MCP connections. */
  readonly state: 'on' | 'off'
  readonly scopes: readonly ScopeWords[]
  readonly since: number
  /** When its access ends by itself. */
  readonly endsAt: number
  readonly lastUsedAt: number | null
  /** The latest things it did for this person, newest first. */
  readonly recent: readonly ActivityEntry[]
}

/**
 * `GET /oauth/authorized_applications`. Each app links to
 * `/oauth/authorized_applications/disconnect?client_id=…`, and the page to `…/disconnect-all` if there are several.
 */
export interface ConnectedAppsView extends SignedInFrame {
  /** The apps of this page, the last used first. */
  readonly apps: readonly ConnectedAppView[]
  /** Number of apps on all pages. */
  readonly count: number
  /** From 1. */
  readonly page: number
  readonly hasNext: boolean
  /** Name of the app that was just disconnected, or `null`. Never take it from the URL. */
  readonly disconnected: string | null
  /** Name of the app that the person has just asked for, or `null`. Never take it from the URL. */
  readonly asked: string | null
  /** Whether all apps were just disconnected. */
  readonly isAllDone: boolean
}

/**
 * `GET /oauth/authorized_applications/ask?client_id=…`; the form posts `client_id` to the same path.
 */
export interface AskForAppView extends SignedInFrame {
  readonly clientId: string
  readonly name: string
}

/**
 * `GET /oauth/authorized_applications/disconnect-all`; the form posts to the same path.
 */
export interface DisconnectAllAppsView extends SignedInFrame {
  /** Names of the apps, at least one. Last used first. */
  readonly names: readonly string[]
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

/**
 * `GET /oauth/applications/activity`. The search is a `GET` form to the same path with `search` and `days`.
 * `before` requests the next page, and `format` a file: `csv` or `json`.
 */
export interface ActivityView extends SignedInFrame {
  readonly filter: { readonly search: string; readonly days: number }
  /** The numbers of days to choose from. */
  readonly periods: readonly number[]
  /** Newest first. */
  readonly entries: readonly ActivityEntry[]
  /** `before` of the next page; `null` on the last one. */
  readonly next: string | null
}

/** An attempt of an app to connect, in the list. */
export interface AttemptRow {
  readonly id: string
  /** The name that the app gave itself, or its `client_id`; `null` if it sent neither. */
  readonly name: string | null
  readonly outcome: AttemptOutcome
  /** The stage that decided the outcome. */
  readonly stage: AttemptStage
  /** The exact cause; `null` unless the attempt has stopped. */
  readonly reason: string | null
  readonly startedAt: number
  /** The cause, or how far it got, in English. It may contain the name, and code between backticks. */
  readonly sentence: string
  readonly turn: AttemptTurn
}

/** The list of attempts to connect. */
export interface AttemptsView extends SignedInFrame {
  readonly filter: {
    readonly search: string
    readonly outcome: AttemptOutcome | null
    readonly clientId: string | null
  }
  readonly attempts: readonly AttemptRow[]
  /** How many there are of each outcome, for the search and the app. */
  readonly counts: Readonly<Record<AttemptOutcome, number>>
  /** `before` of the next page; `null` on the last one. */
  readonly next: string | null
}

/** One attempt to connect. */
export interface AttemptView extends SignedInFrame, AttemptRow {
  readonly clientId: string | null
  /** Whether the site has the app, so that the page links to it. */
  readonly isKnown: boolean
  readonly resource: string | null
  readonly scopes: readonly string[]
  /** The correction in English; `null` if there is nothing to do. */
  readonly change: string | null
  /** In their order, at least one. `url`: where the documentation has the reason, of {@link ShownError}. */
  readonly steps: readonly (AttemptStep & { readonly url?: string | undefined })[]
}

/** A service of the school in the list. */
export interface ServiceRow {
  readonly clientId: string
  readonly name: string
  /** The name of its role. */
  readonly role: string
  /** The scopes for which its app may ask. */
  readonly scopes: readonly ScopeWords[]
  /** When it last got a token; `null` if it has none that is valid. */
  readonly lastUsedAt: number | null
  /** `null` while it may act. */
  readonly endedAt: number | null
  /** `off` if its app is turned off, or has reached its end. */
  readonly state: 'active' | 'off' | 'ended'
}

/** `GET /oauth/applications/services`. Each service links to `…/services/:client_id`, which ends it. */
export interface ServicesView extends SignedInFrame {
  /** Newest first. */
  readonly services: readonly ServiceRow[]
  /** Name of the service that was just ended, or `null`. Never take it from the URL. */
  readonly ended: string | null
}

/** A role that a service can have. */
export type ServiceRoleName = 'manager' | 'lecturer' | 'assistant'

/**
 * `GET /oauth/applications/services/new`; the form posts to the same path. Fields: `name`, `description`, `role`,
 * `scope` (repeated).
 */
export interface ServiceFormView extends SignedInFrame {
  /** The values as typed. */
  readonly values: {
    readonly name: string
    readonly description: string
    readonly role: string
    readonly scopes: readonly string[]
  }
  /** The errors by field: one sentence each; `null` if the form was not sent yet. */
  readonly faults: {
    readonly form: string | null
    readonly name: string | null
    readonly description: string | null
    readonly role: string | null
    readonly scopes: string | null
  } | null
  /** The roles that the manager may give. */
  readonly roles: readonly ServiceRoleName[]
  /** The operator scopes that the manager may give, in the order of the registry. */
  readonly choices: readonly ScopeWords[]
}

/** The response to a `POST` that created a service. It is shown once, never by a `GET`. */
export interface ServiceResultView extends SignedInFrame {
  readonly clientId: string
  readonly name: string
  readonly secret: string
  /** The issuer. */
  readonly origin: string
  readonly scopes: readonly string[]
}

/** `GET /oauth/applications/services/:client_id`; the form posts to the same path. */
export interface ServiceEndView extends SignedInFrame {
  readonly clientId: string
  readonly name: string
  /** How many of its tokens are valid now. */
  readonly grants: number
}

/** The pages that every area for signed-in people needs, for one reader. */
export interface PagesOfArea {
  readonly notFound: () => Html
  readonly refused: (refusal: { reason: AreaFault; back: string | null }) => Html
}

/** The pages on which people see the apps that they have connected, for one reader. */
export interface PagesOfConnectedApps extends PagesOfArea {
  /** In place of the name of a person whom the school does not know. */
  readonly someone: string
  readonly list: (view: ConnectedAppsView) => Html
  readonly ask: (view: AskForAppView) => Html
  readonly disconnect: (view: DisconnectAppView) => Html
  readonly disconnectAll: (view: DisconnectAllAppsView) => Html
}

/** The pages on which a school manages its apps, and the texts of their views, for one reader. */
export interface PagesOfApplications extends PagesOfArea {
  readonly list: (view: ApplicationsView) => Html
  readonly detail: (view: ApplicationDetailView) => Html
  readonly form: (view: ApplicationFormView) => Html
  readonly result: (view: ApplicationResultView) => Html
  readonly confirm: (view: ApplicationConfirmView) => Html
  readonly beta: (view: BetaView) => Html
  readonly attempts: (view: AttemptsView) => Html
  readonly attempt: (view: AttemptView) => Html
  readonly activity: (view: ActivityView) => Html
  readonly services: (view: ServicesView) => Html
  readonly serviceForm: (view: ServiceFormView) => Html
  readonly serviceResult: (view: ServiceResultView) => Html
  readonly serviceEnd: (view: ServiceEndView) => Html
  /** Names a service where people are named too. */
  readonly serviceNamed: (name: string) => string
  readonly chooseRole: string
  /** The names of the icons that an app can have. */
  readonly icons: readonly string[]
  /** In place of the name of a person whom the school does not know. */
  readonly someone: string
  readonly nameOf: (person: Pick<Person, 'name' | 'email'>) => string
  readonly rolesOf: (person: Pick<Person, 'roles'>) => string
  /** Says why something was refused. */
  readonly refusal: (reason: string) => string
  /** Says what is wrong with a field, or returns `null` if nothing is. */
  readonly faults: (faults: readonly Pick<DraftIssue, 'reason'>[]) => string | null
  /** Describes a type of audit events. */
  readonly act: (type: string) => string
  /** Returns the types whose description contains a text. */
  readonly typesOf: (text: string) => readonly string[]
}
