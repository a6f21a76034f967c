import {
  callback,
  flag,
  list,
  methods,
  OptionsError,
  optional,
  orNull,
  type Rules,
  text,
  whole,
} from '../options/check.js'
import type { ErrorUris } from '../http/respond.js'
import type { OAuthErrorCode } from '../policy/refusals.js'
import type { Person } from '../policy/person.js'
import { unknownScopes } from '../site/rules.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import { guardStorage } from '../store/guard.js'
import type { KeySource } from '../token/key-ring.js'
import { readErrorUris } from './error-uri.js'
import type { Interact } from './interact.js'

/** Options of an authorization server beside its site. */
export interface AuthorizationServerOptions<Scope extends string = string> {
  /** Signs ID tokens: a key ring. */
  readonly keys: KeySource
  readonly interact: Interact
  /** Further claims for the ID token and UserInfo; cannot override protocol or identity claims. */
  readonly extraClaims?: (question: {
    person: Person
    scopes: readonly string[]
  }) => Readonly<Record<string, unknown>>
  /** Client ids of resource servers that may introspect every token of the site. */
  readonly introspectionClientIds?: readonly string[]
  /** Scopes that the resource metadata recommends to start with; identity scopes by default. */
  readonly baselineScopes?: readonly NoInfer<Scope>[]
  /** Whether `state` must be sent at the authorization endpoint. Default `true`. */
  readonly requireState?: boolean
  /** Asked for where `scope` is missing. Default `null`: `scope` must be sent. */
  readonly defaultScopes?: readonly NoInfer<Scope>[] | null
  /** Default 60, at most 600. */
  readonly codeSeconds?: number
  /** Default 3600. */
  readonly accessTokenSeconds?: number
  /** How long a refresh token may lie unused. Default 30 days. */
  readonly refreshIdleSeconds?: number
  /** How long a grant may live however it is used. Default 180 days. */
  readonly grantSeconds?: number
  /** How long a lost refresh answer can be asked for again; 0 = never. Default 60. */
  readonly refreshRetrySeconds?: number
  /** How long a person may take to sign in and decide. Default 600. */
  readonly interactionSeconds?: number
  /**
   * The page about an error, sent as `error_uri`: an absolute http(s) URI. Asked for every code once,
   * at start-up. Default: none is sent. A site that serves `/auth.md` has a place for each there:
   * ``(error) => `${issuer}/auth.md#error-${error}` ``.
   */
  readonly errorUri?: (error: OAuthErrorCode) => string
}

/** A site with the checked options of its authorization server, every default in place. */
export interface AuthorizationServerConfiguration
  extends Site, Required<Omit<AuthorizationServerOptions, 'errorUri'>> {
  /** The page about each error; `null` = none is sent. */
  readonly errorUris: ErrorUris | null
}

const KEY_VERBS = { jwks: true, signer: true } as const

/** What each option of an authorization server has to be. */
export const SERVER_RULES: Rules<AuthorizationServerOptions> = {
  keys: methods<KeySource>('createKeyRing(site, { sealingSecret })', KEY_VERBS),
  interact: methods<Interact>('{ currentPerson, signIn, consent, error }', {
    currentPerson: true,
    signIn: true,
    consent: true,
    error: true,
  }),
  extraClaims: optional(callback('({ person }) => ({ locale: person.locale })')),
  introspectionClientIds: optional(list(text('"my-api"'))),
  baselineScopes: optional(list(text('"openid"'))),
  requireState: optional(flag),
  defaultScopes: optional(orNull(list(text('"openid"')))),
  codeSeconds: optional(whole(1, 600)),
  accessTokenSeconds: optional(whole(1, 86_400)),
  refreshIdleSeconds: optional(whole(1, 365 * 86_400)),
  grantSeconds: optional(whole(1, 3650 * 86_400)),
  refreshRetrySeconds: optional(whole(0, 600)),
  interactionSeconds: optional(whole(30, 3600)),
  errorUri: optional(callback('(error) => `https://school.example/errors/${error}`')),
}

/** The scopes of the options that the site's registry lacks. */
export const unknownScopesOf =
  (site: Site) =>
  (right: Partial<AuthorizationServerOptions>): readonly string[] => [
    ...unknownScopes('baselineScopes', right.baselineScopes ?? [], site.scopes),
    ...unknownScopes('defaultScopes', right.defaultScopes ?? [], site.scopes),
  ]

/**
 * Checks the options of an authorization server and puts every default in place.
 *
 * @throws OptionsError - naming every mistake at once: options that are unknown, missing or of a wrong
 *   kind, scopes that the registry lacks, lifetimes out of range, an `errorUri` that gives no absolute
 *   http(s) URI
 */
export function configureAuthorizationServer<Scope extends string>(
  site: Site<Scope>,
  options: AuthorizationServerOptions<Scope>,
): AuthorizationServerConfiguration {
  const { errorUri, ...own } = checkOwnOptions(
    'authorization server',
    site,
    options,
    SERVER_RULES,
    unknownScopesOf(site),
  )
  const { errorUris, faults } = readErrorUris(errorUri)
  if (faults.length > 0) throw new OptionsError('authorization server', faults)
  return {
    ...site,
    extraClaims: () => ({}),
    introspectionClientIds: [],
    baselineScopes: site.scopes.names.filter(
      (scope) => site.scopes.get(scope)?.access === 'identity',
    ),
    requireState: true,
    defaultScopes: null,
    codeSeconds: 60,
    accessTokenSeconds: 3600,
    refreshIdleSeconds: 30 * 86_400,
    grantSeconds: 180 * 86_400,
    refreshRetrySeconds: 60,
    interactionSeconds: 600,
    ...own,
    keys: guardStorage(own.keys, KEY_VERBS),
    errorUris,
  }
}
