import type { Context } from '../http/context.js'
import type { Answer } from '../http/frame.js'
import type { ClientKind } from '../policy/client.js'
import type { FormParameters } from '../policy/form-parameters.js'
import type { OAuthErrorCode, RefusalReason } from '../policy/refusals.js'
import type { Person } from '../policy/person.js'
import type { ScopeAccess } from '../scope/scope-registry.js'

/**
 * The functions that your application implements for the authorization endpoint: who is signed in, and the
 * pages that people see. The library renders no HTML. Each function receives a view with every fact that
 * its page shows, and returns your own page.
 *
 * @group Pages
 */
export interface Interact {
  /**
   * Returns the person who is signed in, according to the cookies of the request; `null` if no one is. It
   * must not throw for an invalid cookie. It is called again on every visit, also when the consent form is
   * sent, so a sign-out in another tab has effect.
   */
  currentPerson(request: Request): Promise<SignedIn | null>
  /** Returns the sign-in page, or a redirect to it. After sign-in, send the browser to `view.returnTo`. */
  signIn(request: Request, view: SignInView): Response | Promise<Response>
  /** Returns the consent page, with one form that posts to `view.action`. */
  consent(request: Request, view: ConsentView): Response | Promise<Response>
  /**
   * The page at a step-up link: `createStepUp({ backToApp })` from hallpass/authorization-server. Required if the site
   * has `stepUpLinks`. Default: none.
   */
  readonly stepUp?:
    | {
        /** @internal */
        createPage(
          configuration: object,
        ): (context: Context, form: FormParameters | null) => Promise<Answer>
      }
    | undefined
  /**
   * Returns the page with an address to paste into a terminal on another computer, whose program waits at a loopback
   * address there. The address contains the code. Without this function the consent page offers none.
   */
  pasteAddress?(request: Request, view: PasteAddressView): Response | Promise<Response>
  /** Returns the page for a request that cannot continue and must not be redirected to the client. */
  error(request: Request, view: ErrorView): Response | Promise<Response>
}

/**
 * The person who is signed in at the host application.
 *
 * @group Pages
 */
export interface SignedIn {
  /** Identifier of the person, as `findPerson` expects it. */
  readonly subject: string
  /**
   * Time of the authentication, such as the password entry, in epoch seconds. It must not change when the
   * session is extended: `max_age` and `prompt=login` require a new authentication.
   */
  readonly authTime: number
}

/**
 * The client as a page shows it. The client chose every string in it: escape them.
 *
 * @group Pages
 */
export interface ClientView {
  readonly clientId: string
  readonly name: string
  readonly kind: ClientKind
  /**
   * Whether the site vouches for the name: the client is a member client, a vendor of the configuration, or
   * has a reviewed metadata document.
   */
  readonly verified: boolean
  /**
   * The pages that the client names about itself: its site, its privacy policy and its terms, in this order.
   * Show each with its host. Empty if it names none.
   */
  readonly links: readonly ClientLink[]
  /**
   * The `logo_uri` of a client whose links the site vouches for, otherwise `null`. Serve
   * your own copy, with this URL as its key: a page that loads it from its host would show that host your visitors.
   */
  readonly logoUri: string | null
  /**
   * When the client registered, or when its metadata document was first read, in epoch seconds; `null` if it is in the
   * configuration of the site.
   */
  readonly createdAt: number | null
  /** Host and port that receive the code; the scheme, such as `com.example.app:`, if it is not http(s). */
  readonly redirectHost: string
  /** Whether the computer of the person receives the code: a program there, or a page of a site that runs there. */
  readonly redirectIsLoopback: boolean
  /** Whether a page of the site itself receives the code: the redirect URI is at the origin of the issuer. */
  readonly redirectIsOwn: boolean
}

/**
 * A page that a client names about itself.
 *
 * @see [RFC 7591, section 2](https://www.rfc-editor.org/rfc/rfc7591#section-2)
 *
 * @group Pages
 */
export interface ClientLink {
  /** `site`: the client's own page. `policy`: its privacy policy. `terms`: its terms of service. */
  readonly page: 'site' | 'policy' | 'terms'
  /** Host of the link, and its port if it is not the default one. It is ASCII, so `bücher.example` is `xn--…`. */
  readonly host: string
  /** Whether no redirect URI of the client is on this host, nor its metadata document. */
  readonly isElsewhere: boolean
  /**
   * The address to which the link leads: an http or https URL. `null` unless the site vouches for the links, by its
   * configuration or by a review: show the host as text then. Link with `rel="noopener noreferrer nofollow"`.
   */
  readonly href: string | null
}

/**
 * The facts that the sign-in page shows.
 *
 * @group Pages
 */
export interface SignInView {
  /**
   * Path on this origin at which the request continues after sign-in, with a query at some pages. If it travels through
   * your form, redirect to what `site.returnTo` reads from the form, so that no one can replace it.
   */
  readonly returnTo: string
  /** The client that asks. At a step-up link it is your own site, because who has the link learns no client. */
  readonly client: ClientView
  /**
   * `signed_out`: no one is signed in. `again`: the client requires the person to sign in again. `sensitive`: a scope
   * requires it. `other_account`: the client asks for another person than the one who is signed in, with
   * `id_token_hint`. `suspended`: someone is signed in whom `findPerson` does not return, so say that this account may not
   * be used.
   */
  readonly cause: 'signed_out' | 'again' | 'sensitive' | 'other_account' | 'suspended'
  /** The `login_hint` of the client, usually an email address; `null` if it sent none. Escape it. */
  readonly loginHint: string | null
  /**
   * The languages that the client asks for with `ui_locales`, such as `['zh-Hant-TW', 'en']`, the preferred one first.
   * Prefer them to `Accept-Language`. Empty if it sent none.
   */
  readonly uiLocales: readonly string[]
}

/**
 * One scope of a request, as the consent page shows it.
 *
 * @group Pages
 */
export interface ConsentScope {
  readonly scope: string
  /** The permission, in words for the person. */
  readonly text: string
  /** Heading under which the scope appears. */
  readonly group: string
  readonly access: ScopeAccess
  /** Whether the scope gives access to personal data of other people. */
  readonly personalData: boolean
  /** Whether an app could do great harm with the scope, so that it requires a new sign-in. */
  readonly sensitive: boolean
  /** Whether the person has already granted the scope to this client. */
  readonly alreadyGranted: boolean
  /**
   * Whether the scope has no effect now, because the role of the person does not include it. The grant
   * contains it nevertheless, so a new role brings it into effect.
   */
  readonly beyondRole: boolean
}

/**
 * An end that a person may choose for a grant on the consent page.
 *
 * @group Pages
 */
export interface GrantEnd {
  /** Name of the choice in the form, such as `term`. The form is decided by the end that has this name then. */
  readonly id: string
  /** The choice, in words for the person. */
  readonly label: string
  /** Epoch seconds from which the grant is refused. It never lasts longer than `grantSeconds`. */
  readonly endsAt: number
}

/**
 * The facts that the consent page shows, and the form that it sends.
 *
 * @group Pages
 */
export interface ConsentView {
  /** Path to which the form posts, as `application/x-www-form-urlencoded`. */
  readonly action: string
  /** Value of the form field `csrf_token`. It is bound to the request, the browser and the person. */
  readonly csrfToken: string
  readonly client: ClientView
  readonly person: Person
  /** The languages of `ui_locales`, as in {@link SignInView}. */
  readonly uiLocales: readonly string[]
  /** The requested scopes, in the order of the registry. */
  readonly scopes: readonly ConsentScope[]
  /**
   * At a step-up link: the scopes that the client has already, to which the person can add `scopes`. `null` for
   * an authorization request.
   */
  readonly addsTo: readonly ConsentScope[] | null
  /**
   * Why the person cannot approve the request; `null` if the person can. With `null`, the form sends
   * `decision=allow` or `decision=deny`. Otherwise the page explains the cause and offers only
   * `decision=deny`, which reports the refusal to the client.
   */
  readonly blocked: 'no_role' | 'not_staff' | null
  /**
   * Whether the form may offer `decision=allow_and_paste`, which allows the request and shows the page of `pasteAddress`
   * in place of the redirect. Only if the redirect URI is a loopback one.
   */
  readonly mayPaste: boolean
  /**
   * Whether the form may let the person narrow the request, with a field `access` of the value `all`, `read`
   * or `choose`. With `choose`, send one field `scope` for each selected scope. Identity scopes are always
   * included.
   */
  readonly mayNarrow: boolean
  /** A problem of the form that was just sent, `null` if none. `nothing_left`: no scope was selected. */
  readonly notice: 'nothing_left' | null
  /** Lifetime of the grant in seconds, after which the client must ask again. */
  readonly grantLifetimeSeconds: number
  /**
   * The ends that the person may choose, of those that `grantEnds` returned. The form sends the `id` of one in a
   * field `until`; without the field or with an empty one, the grant has its whole lifetime.
   */
  readonly grantEnds: readonly GrantEnd[]
  /** Epoch seconds at which the client itself ends, and with it the grant; `null` if it has no end. */
  readonly clientEndsAt: number | null
}

/**
 * The facts that the page after a decision at a step-up link shows: the person goes back to the app and tries
 * again. Nothing redirects there, because the app waits for no response.
 *
 * @group Pages
 */
export interface BackToAppView {
  readonly client: ClientView
  /** Whether the person allowed it. */
  readonly allowed: boolean
}

/**
 * The facts that the page with an address to paste shows.
 *
 * @group Pages
 */
export interface PasteAddressView {
  readonly client: ClientView
  /** The loopback redirect URI with the response in its query, which is a code that works once. Do not log it. */
  readonly address: string
  /** Lifetime of the code, in seconds. */
  readonly codeSeconds: number
  /** The languages of `ui_locales`, as in {@link SignInView}. */
  readonly uiLocales: readonly string[]
}

/**
 * The facts that the error page shows.
 *
 * @group Pages
 */
export interface ErrorView {
  /** HTTP status of the page. */
  readonly status: number
  /** The OAuth error code. */
  readonly error: OAuthErrorCode
  /**
   * The exact cause, such as `client_unknown`, `redirect_uri_not_registered` or `interaction_expired`.
   * `service_unavailable` is an outage, such as storage that fails: this page must need none of it.
   */
  readonly reason: RefusalReason | 'service_unavailable'
  /** One sentence about the cause and what to do, in printable ASCII. */
  readonly description: string
  /** Identifier of the request, as in the notice of `onRefusal` or `onFault`. Show it, so that people can quote it. */
  readonly requestId: string
  /**
   * Identifier of the attempt to connect, with which a manager finds what stopped it. Show it instead, if there is
   * one: it is absent if no watcher of the site records attempts.
   */
  readonly attemptId?: string
}
