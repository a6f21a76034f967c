import {
  callback,
  custom,
  flag,
  list,
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
import { isNotAfter } from '../time/seconds.js'
import {
  type AuthorizationServerConfiguration,
  isGrant,
  isMethod,
  isProfile,
  isPushed,
} from './block.js'
import { readErrorUris } from './error-uri.js'
import type { Interact } from './interact.js'
import type { AuthorizationServerOptions } from './options.js'
import { KEY_VERBS, keySourceRule, type KeyVerbs } from '../token/key-rules.js'

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
export const SERVER_RULES: Rules<AuthorizationServerOptions> = {
  keys: keySourceRule,
  interact: methods<Interact>(
    '{ currentPerson, signIn, consent, error }',
    { currentPerson: true, signIn: true, consent: true, error: true },
    {},
    { stepUp: 'object', pasteAddress: 'function' },
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

/** Finds the scopes of the options that are not in the registry of the site, and defaults that write. */
export const serverMistakesOf =
  (site: Site) =>
  ({ baselineScopes, defaultScopes }: Partial<AuthorizationServerOptions>): readonly string[] => [
    ...unknownScopes('baselineScopes', baselineScopes ?? [], site.scopes),
    ...unknownScopes('defaultScopes', defaultScopes ?? [], site.scopes),
    ...(defaultScopes ?? [])
      .filter((scope) => site.scopes.get(scope)?.access === 'write')
      .map(
        (scope) =>
          `defaultScopes names the scope "${scope}", which writes: a client that requests nothing gets identity and read scopes only`,
      ),
  ]

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
export function configureAuthorizationServer<Scope extends string>(
  site: Site<Scope>,
  options: AuthorizationServerOptions<Scope>,
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
  const pushedRequests = site.blocks.find(isPushed)
  const given = { ...own, clientAuthentication: site.blocks.filter(isMethod) }
  const profiled = site.blocks.find(isProfile)?.apply(site, given) ?? given
  return {
    ...site,
    grants: site.blocks.filter(isGrant),
    ...(pushedRequests && { pushedRequests }),
    extraClaims: NO_CLAIMS,
    introspectionClientIds: [],
    baselineScopes: baselineOf(site.scopes),
    requireState: true,
    defaultScopes: null,
    codeSeconds: 60,
    accessTokenSeconds: 3600,
    refreshIdleSeconds: 30 * 86_400,
    grantSeconds: 180 * 86_400,
    interactionSeconds: 600,
    ...profiled,
    grantEnds: limitGrantEnds(own.grantEnds ?? (() => []), deadline),
    refreshPolicies:
      profiled.refreshPolicies === undefined
        ? REFRESH_POLICIES
        : { ...REFRESH_POLICIES, ...withoutUndefined(profiled.refreshPolicies) },
    keys: Object.assign(guardStorage<KeyVerbs>(own.keys, KEY_VERBS, { deadline }), {
      refreshSecrets: () => readRefreshSecrets(own.keys.refreshSecrets()),
    }),
    interact: limitInteract(own.interact, { deadline, site }),
    clientAuthentication: profiled.clientAuthentication.map((method) =>
      method.forServer.limit(method, deadline),
    ),
    errorUris,
  }
}

const NO_CLAIMS = (): Readonly<Record<string, never>> => ({})

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
