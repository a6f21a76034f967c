import {
  callback,
  custom,
  flag,
  list,
  made,
  methods,
  OptionsError,
  optional,
  orNull,
  type Rules,
  shape,
  text,
  whole,
  withoutUndefined,
} from '../options/check.js'
import type { ErrorUris } from '../http/respond.js'
import type { OAuthErrorCode, RefusalTable } from '../policy/refusals.js'
import type { Person } from '../policy/person.js'
import {
  REFRESH_POLICIES,
  type RefreshPolicies,
  type RefreshPolicy,
} from '../policy/refresh-policy.js'
import { baselineOf } from '../protected-resource/resource-metadata.js'
import { readEnds, readPage, readRefreshSecrets, readSignedIn } from '../site/returned.js'
import { unknownScopes } from '../site/rules.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import { createDeadline } from '../store/deadline.js'
import { type Deadline, guardStorage, thrownBy } from '../store/guard.js'
import type { StoreWith } from '../store/groups.js'
import type { KeySource } from '../token/key-ring.js'
import { isNotAfter } from '../time/seconds.js'
import { type ClientAuthenticationMethod, methodsRule } from './client-authentication-method.js'
import { readErrorUris } from './error-uri.js'
import { type GrantType, grantsRule } from './grant-type.js'
import type { ClientView, GrantEnd, Interact } from './interact.js'
import type { PushedRequests } from './pushed-requests.js'
import { KEY_VERBS, keySourceRule, type KeyVerbs } from '../token/key-rules.js'

/**
 * Options of an authorization server, in addition to its site.
 *
 * @group Configuration
 */
export interface AuthorizationServerOptions<
  Scope extends string = string,
  More extends string = never,
> {
  /** The keys that sign ID tokens, such as `createKeyRing(site, { sealingSecret })` from hallpass/token. */
  readonly keys: KeySource
  /** Your sign-in session and your pages. */
  readonly interact: Interact
  /**
   * Ways in which clients authenticate, in addition to `none` and `client_secret_post`: `clientSecretBasic`,
   * `privateKeyJwt`, or your own from `defineClientAuthentication`. `refusals` of the site must have the table of each that
   * has one. Default: none.
   */
  readonly clientAuthentication?: readonly ClientAuthenticationMethod<More>[]
  /**
   * Further values of `grant_type`: opt-in blocks of hallpass/blocks. `refusals` of the site must have the table of each
   * that has one. Default: none.
   */
  readonly grants?: readonly GrantType<More>[]
  /**
   * Lets clients push their authorization requests (RFC 9126): `pushedRequests()` from hallpass/blocks. `refusals` of the
   * site must have its table. Default: none.
   */
  readonly pushedRequests?: PushedRequests<More>
  /**
   * Returns further claims for the ID token and UserInfo. They cannot override protocol claims or identity
   * claims. Default: none.
   */
  readonly extraClaims?: (question: {
    person: Person
    scopes: readonly string[]
  }) => Readonly<Record<string, unknown>>
  /**
   * Identifiers of the resource servers that may introspect every token of the site. Other confidential
   * clients may introspect only their own. Default: none.
   */
  readonly introspectionClientIds?: readonly string[]
  /**
   * Scopes that the protected resource metadata recommends for a first request. Without a challenge, a client
   * requests exactly these, so each document lists what its readers may request. That of `/mcp` has no
   * member scopes, and that of `/account/graphql` no operator scopes. That of the origin has identity scopes only.
   * A vendor whose own `scopes` lack one of them is refused.
   * Default: the identity scopes of the registry, and its read scopes that are not sensitive.
   */
  readonly baselineScopes?: readonly NoInfer<Scope>[]
  /**
   * Whether an authorization request without `state` is refused. PKCE, which is always required, protects
   * such a request from CSRF as well (RFC 9700, section 2.1). Default: `true`.
   */
  readonly requireState?: boolean
  /**
   * Scopes for a request without `scope`: identity scopes and read scopes. A client gets those that it may
   * request. `null` refuses such a request. RFC 6749, section 3.3, permits both. Default: `null`.
   */
  readonly defaultScopes?: readonly NoInfer<Scope>[] | null
  /**
   * Lifetime of an authorization code, in seconds: an integer from 1 to 600, the maximum that RFC 6749,
   * section 4.1.2, recommends. Default: 60.
   */
  readonly codeSeconds?: number
  /**
   * Lifetime of an access token, in seconds: an integer from 1 to 86,400. A revocation has effect earlier,
   * because gates read the store on every request. Default: 3600.
   */
  readonly accessTokenSeconds?: number
  /**
   * How long a refresh token may remain unused before it expires, in seconds: an integer from 1 to
   * 31,536,000 (365 days). Default: 2,592,000 (30 days).
   */
  readonly refreshIdleSeconds?: number
  /**
   * Lifetime of a grant, however often it is refreshed, in seconds: an integer from 1 to 315,360,000
   * (3650 days). Default: 15,552,000 (180 days).
   */
  readonly grantSeconds?: number
  /**
   * Policies for refresh tokens that are used again, one for each kind of holder. A kind that is left out keeps
   * its default. Default: `confidential` is `REFRESH_POLICY.withSecret` from `hallpass/policy`, `native` is
   * `severalProcesses`, and `public` is `oneHolder`.
   */
  readonly refreshPolicies?: Readonly<Partial<RefreshPolicies>>
  /**
   * How long a person may take to sign in and decide, in seconds: an integer from 30 to 3600. After that the
   * person sees your error page, and must start again at the client. Default: 600.
   */
  readonly interactionSeconds?: number
  /**
   * Returns the ends that the person may choose on the consent page for this client, such as the end of the term.
   * Those that have passed are not offered. Called for the page, and again for its form. Default: none.
   */
  readonly grantEnds?: (question: {
    readonly client: ClientView
    readonly person: Person
  }) => readonly GrantEnd[] | Promise<readonly GrantEnd[]>
  /**
   * Returns the page about an error, an absolute http(s) URI that is sent as `error_uri`. Called once for
   * each error code, at start-up. A site that serves `/auth.md` has a section for each:
   * ``(error) => `${issuer}/auth.md#error-${error}` ``. Default: no `error_uri` is sent.
   */
  readonly errorUri?: (error: OAuthErrorCode) => string
}

/**
 * A site with the checked options of its authorization server and their defaults. Created by
 * {@link configureAuthorizationServer} for the factories of single endpoints.
 *
 * @group Configuration
 */
export interface AuthorizationServerConfiguration
  extends
    Site,
    Required<
      Omit<
        AuthorizationServerOptions<string, string>,
        'errorUri' | 'refreshPolicies' | 'pushedRequests'
      >
    > {
  readonly pushedRequests?: PushedRequests
  readonly refreshPolicies: RefreshPolicies
  /** The page about each error; `null` if no `error_uri` is sent. */
  readonly errorUris: ErrorUris | null
}

const policyShape = shape<RefreshPolicy>('{ repeatSeconds, catchUpSeconds, forgiveSeconds }', {
  repeatSeconds: whole(0, 365 * 86_400),
  catchUpSeconds: whole(0, 365 * 86_400),
  forgiveSeconds: whole(0, 3650 * 86_400),
})
const policyRule = custom<RefreshPolicy>(policyShape.wanted, (policy, name) => {
  const mistakes = policyShape.mistakes(policy, name)
  if (mistakes.length > 0) return mistakes
  const { repeatSeconds, catchUpSeconds } = policy as RefreshPolicy
  return isNotAfter(catchUpSeconds, repeatSeconds)
    ? []
    : [`${name}.catchUpSeconds must not be more than its repeatSeconds, ${repeatSeconds}`]
})

/** The rule of each option of an authorization server. */
export const SERVER_RULES: Rules<AuthorizationServerOptions<string, string>> = {
  keys: keySourceRule,
  interact: methods<Interact>(
    '{ currentPerson, signIn, consent, error }',
    { currentPerson: true, signIn: true, consent: true, error: true },
    {},
    { stepUp: 'object', pasteAddress: 'function' },
  ),
  clientAuthentication: methodsRule,
  grants: grantsRule,
  pushedRequests: optional(
    made<PushedRequests>('pushedRequests() from hallpass/blocks', { seam: 'object' }),
  ),
  extraClaims: optional(callback('({ person }) => ({ locale: person.locale })')),
  introspectionClientIds: optional(list(text('"my-api"'))),
  baselineScopes: optional(list(text('"openid"'))),
  requireState: optional(flag),
  defaultScopes: optional(orNull(list(text('"openid"')))),
  codeSeconds: optional(whole(1, 600)),
  accessTokenSeconds: optional(whole(1, 86_400)),
  refreshIdleSeconds: optional(whole(1, 365 * 86_400)),
  grantSeconds: optional(whole(1, 3650 * 86_400)),
  refreshPolicies: optional(
    shape<Partial<RefreshPolicies>>('{ native: REFRESH_POLICY.oneHolder }', {
      confidential: optional(policyRule),
      native: optional(policyRule),
      public: optional(policyRule),
    }),
  ),
  interactionSeconds: optional(whole(30, 3600)),
  grantEnds: optional(
    callback("() => [{ id: 'term', label: 'Until the end of term', endsAt: 1798761600 }]"),
  ),
  errorUri: optional(callback('(error) => `https://school.example/errors/${error}`')),
}

/**
 * Finds the scopes of the options that are not in the registry of the site, defaults that write, and blocks whose
 * refusals the site does not name.
 */
export const serverMistakesOf =
  (site: Site) =>
  ({
    baselineScopes,
    defaultScopes,
    clientAuthentication = [],
    grants = [],
    pushedRequests,
  }: Partial<AuthorizationServerOptions<string, string>>): readonly string[] => [
    ...withoutTable('clientAuthentication', clientAuthentication, site),
    ...withoutTable('grants', grants, site),
    ...withoutTable('pushedRequests', pushedRequests ? [pushedRequests] : [], site),
    ...unknownScopes('baselineScopes', baselineScopes ?? [], site.scopes),
    ...unknownScopes('defaultScopes', defaultScopes ?? [], site.scopes),
    ...(defaultScopes ?? [])
      .filter((scope) => site.scopes.get(scope)?.access === 'write')
      .map(
        (scope) =>
          `defaultScopes names the scope "${scope}", which writes: a client that requests nothing gets identity and read scopes only`,
      ),
  ]

/** Finds the blocks of a list whose refusals the site does not name. */
const withoutTable = (
  option: string,
  blocks: readonly { readonly name: string; readonly refusals?: RefusalTable }[],
  { refusals: known }: Site,
): readonly string[] =>
  blocks
    .filter(({ refusals }) => refusals !== undefined && !known.includes(refusals))
    .map(({ name }) => `${option}: refusals of defineSite lacks the table of ${name}`)

/**
 * Checks the options of an authorization server and sets their defaults, for the factories of single
 * endpoints. `createAuthorizationServer` from hallpass calls it for you.
 *
 * An exception of `keys.jwks` or `keys.signer` is reported as an outage, with the status 503, like one of
 * the store.
 *
 * @returns the site together with the options
 * @throws OptionsError that lists every mistake:
 *   - an option that is unknown, missing or of a wrong type
 *   - a scope that is not in the registry of the site, or a write scope in `defaultScopes`
 *   - a lifetime out of range
 *   - an `errorUri` that does not return an absolute http(s) URI
 *   - a block of `clientAuthentication`, `grants` or `pushedRequests` whose table is not in `refusals` of the site
 *   - no `stepUp` in `interact`, although the site has `stepUpLinks`
 * @group Configuration
 * @example
 * ```ts
 * import { configureAuthorizationServer } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const configuration = configureAuthorizationServer(site, { keys, interact })
 * configuration.accessTokenSeconds // => 3600
 *
 * configureAuthorizationServer(site, { keys, interact, codeSeconds: 3600 }) // throws OptionsError
 * ```
 */
export function configureAuthorizationServer<Scope extends string, More extends string = never>(
  site: Site<Scope, StoreWith, More>,
  options: AuthorizationServerOptions<Scope, NoInfer<More>>,
): AuthorizationServerConfiguration {
  const { errorUri, ...own } = checkOwnOptions(
    'authorization server',
    site,
    options,
    SERVER_RULES,
    serverMistakesOf(site),
  )
  const { errorUris, faults } = readErrorUris(errorUri)
  if (faults.length > 0) throw new OptionsError('authorization server', faults)
  if (site.stepUpLinks && typeof own.interact.stepUp?.createPage !== 'function')
    throw new OptionsError('authorization server', [
      'interact.stepUp is required, because the site has stepUpLinks: pass createStepUp({ backToApp }) from hallpass/authorization-server',
    ])
  const deadline = createDeadline(site.callDeadlineMilliseconds)
  return {
    ...site,
    grants: [],
    extraClaims: () => ({}),
    introspectionClientIds: [],
    baselineScopes: baselineOf(site.scopes),
    requireState: true,
    defaultScopes: null,
    codeSeconds: 60,
    accessTokenSeconds: 3600,
    refreshIdleSeconds: 30 * 86_400,
    grantSeconds: 180 * 86_400,
    interactionSeconds: 600,
    ...own,
    grantEnds: limitGrantEnds(own.grantEnds ?? (() => []), deadline),
    refreshPolicies: { ...REFRESH_POLICIES, ...withoutUndefined(own.refreshPolicies ?? {}) },
    keys: {
      ...guardStorage<KeyVerbs>(own.keys, KEY_VERBS, { deadline }),
      refreshSecrets: () => readRefreshSecrets(own.keys.refreshSecrets()),
    },
    interact: limitInteract(own.interact, { deadline, site }),
    clientAuthentication: (own.clientAuthentication ?? []).map((method) =>
      method.seam.limit(method, deadline),
    ),
    errorUris,
  }
}

/** Adds the deadline, and reads what is returned. An exception is an outage too. */
const limitGrantEnds =
  (
    grantEnds: Required<AuthorizationServerOptions>['grantEnds'],
    deadline: Deadline,
  ): Required<AuthorizationServerOptions>['grantEnds'] =>
  async (question) =>
    deadline('grantEnds')(async () => readEnds(await grantEnds(question)), thrownBy('grantEnds'))

/** Adds the deadline to each function, and reads what it returns. An exception is an outage too. */
function limitInteract(
  interact: Interact,
  { deadline, site: { now, returnTo } }: { deadline: Deadline; site: Site },
): Interact {
  const page = (name: keyof Interact, show: () => unknown): Promise<Response> =>
    deadline(name)(async () => readPage(name, await show()), thrownBy(name))
  return {
    stepUp: interact.stepUp,
    // A host without such a page offers none.
    ...(interact.pasteAddress !== undefined && {
      pasteAddress: (request, view) =>
        page('pasteAddress', () => interact.pasteAddress!(request, view)),
    }),
    currentPerson: (request) =>
      deadline('currentPerson')(
        async () => readSignedIn(await interact.currentPerson(request), now()),
        thrownBy('currentPerson'),
      ),
    signIn(request, view) {
      // A host redirects only to what `site.returnTo` knows, so a page that gives another could never be reached.
      if (returnTo(view.returnTo) === null)
        throw new TypeError('site.returnTo does not know the path of a sign-in view')
      return page('signIn', () => interact.signIn(request, view))
    },
    consent: (request, view) => page('consent', () => interact.consent(request, view)),
    error: (request, view) => page('error', () => interact.error(request, view)),
  }
}
