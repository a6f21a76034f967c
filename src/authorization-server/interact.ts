import type { ClientKind } from '../policy/client.js'
import type { OAuthErrorCode, RefusalReason } from '../policy/refusals.js'
import type { Person } from '../policy/person.js'
import type { ScopeAccess } from '../scope/scope-registry.js'

/**
 * The host's part of the authorization endpoint: who is signed in, and the pages people see. The
 * library renders no HTML; each function gets a view model that holds every word and state its page
 * needs, and answers with the host's own page.
 */
export interface Interact {
  /** Who is signed in with this request's cookies; `null` = nobody. Never throws for a bad cookie. */
  currentPerson(request: Request): Promise<SignedIn | null>
  /** The sign-in page, or a redirect to it. Once signed in, the browser returns to `view.returnTo`. */
  signIn(request: Request, view: SignInView): Response | Promise<Response>
  /** The consent page: one form that posts to `view.action`. */
  consent(request: Request, view: ConsentView): Response | Promise<Response>
  /** The page for a request that cannot go on and must not be redirected. */
  error(request: Request, view: ErrorView): Response | Promise<Response>
}

/** The person behind a request. */
export interface SignedIn {
  /** As `findPerson` knows them. */
  readonly subject: string
  /** Epoch seconds of the moment they proved who they are. */
  readonly authTime: number
}

/** The client as a page shows it. Every string is the client's own word: escape it. */
export interface ClientView {
  readonly clientId: string
  readonly name: string
  readonly kind: ClientKind
  /** Whether somebody vouches for the name: the school (member), the configuration (vendor), a reviewer. */
  readonly verified: boolean
  /** Where the code goes: a host with its port, or the address of this computer. */
  readonly redirectHost: string
  /** The code goes to a program on this computer. */
  readonly redirectIsLoopback: boolean
  /**
   * Where the code goes, as a Content Security Policy source. Browsers hold `form-action` against
   * every redirect that follows a form, so each page that leads there allows `'self'` and this.
   */
  readonly redirectSource: string
}

/** What the sign-in page shows. */
export interface SignInView {
  /** Path on this origin at which the request goes on after sign-in. */
  readonly returnTo: string
  readonly client: ClientView
  /** `again`: somebody is signed in, but the client asks for a fresh sign-in. */
  readonly cause: 'signed_out' | 'again'
  /** The client's guess at the e-mail address; `null` = none. Escape it. */
  readonly loginHint: string | null
}

/** One scope in words. */
export interface ConsentScope {
  readonly scope: string
  /** What the client may do, in words for the person. */
  readonly text: string
  readonly group: string
  readonly access: ScopeAccess
  /** It shows other people's personal data. */
  readonly personalData: boolean
  /** The person allows it to this client already. */
  readonly alreadyGranted: boolean
  /** Allowed to this client, but beyond the person's role now: it has no effect. */
  readonly beyondRole: boolean
}

/** What the consent page shows. */
export interface ConsentView {
  /** Path the form posts to, `application/x-www-form-urlencoded`. */
  readonly action: string
  /** Goes back in the field `csrf_token`. Bound to the request, the browser and the person. */
  readonly csrfToken: string
  readonly client: ClientView
  readonly person: Person
  /** What is asked, in the order of the registry. */
  readonly scopes: readonly ConsentScope[]
  /**
   * `null`: the form sends `decision=allow` or `decision=deny`. Otherwise the person cannot allow
   * this; the page says why and offers only `decision=deny`, which tells the client.
   */
  readonly blocked: ConsentBlock | null
  /**
   * Whether the form may ask how much to allow: field `access` = `all`, `read` or `choose`, the last
   * with a field `scope` for each scope that is ticked. Identity scopes stay whatever is chosen.
   */
  readonly mayNarrow: boolean
  /** What to say about the form that was just sent. `nothing_left`: nothing was left to allow. */
  readonly notice: 'nothing_left' | null
  /** Seconds after which the client has to ask again. */
  readonly grantLifetimeSeconds: number
}

/** Why a person cannot allow a request: no role here, or a client for staff. */
export type ConsentBlock = 'no_role' | 'not_staff'

/** What the error page shows. */
export interface ErrorView {
  /** HTTP status that the page must have. */
  readonly status: number
  readonly error: OAuthErrorCode
  /** Exact cause: `client_unknown`, `redirect_uri_not_registered`, `interaction_expired`, … */
  readonly reason: RefusalReason
  /** One sentence on what to do, in printable ASCII. */
  readonly description: string
  /** Names this request, as the notice of `onRefusal` does. Show it, so that people can quote it. */
  readonly requestId: string
}
