import type { ClientAuthenticationMethod } from '../authorization-server/client-authentication-method.js'
import type { AuthorizationServerOptions } from '../authorization-server/configuration.js'
import { OptionsError } from '../options/check.js'
import { refuse } from '../policy/decision.js'
import type { Site } from '../site/site.js'
import { isBefore, isNotAfter } from '../time/seconds.js'
import type { StoreWith } from '../store/groups.js'

/** The algorithms of FAPI 2.0, section 5.4.1. `Ed25519` is the newer name of `EdDSA`. */
const ALGORITHMS: ReadonlySet<unknown> = new Set(['PS256', 'ES256', 'EdDSA', 'Ed25519'])
const MAX_CODE_SECONDS = 60
/** A client that lost a response sends its refresh token again within this time (section 5.3.2.1). */
const REPEAT_SECONDS = 60

type Own = Pick<
  AuthorizationServerOptions<string, string>,
  'clientAuthentication' | 'pushedRequests' | 'codeSeconds' | 'requireState' | 'refreshPolicies'
>

/**
 * Applies the FAPI 2.0 Security Profile to the options of an authorization server. It checks what the profile needs of
 * site and server, and switches on what follows from it:
 *
 * - Every client authenticates with `private_key_jwt`, with the issuer as the only audience. A client without keys, public
 *   or with a secret, is refused at every endpoint, and the metadata names no other method.
 * - Every client gets only tokens that are bound to its key by DPoP, whatever its record says.
 * - `state` is optional: PKCE, which is always required, protects the redirect.
 *
 * PKCE with S256, `iss` in the redirect, exact redirect URIs, codes that are used once and ES256 for ID tokens are part of
 * every server of hallpass.
 *
 * @param site - the site from `defineSite`, with `senderConstraint: dpop({ once: store })`
 * @param options - those of the server, with `pushedRequests({ required: true })` and `privateKeyJwt`
 * @returns the options, for `createAuthorizationServer` or `createServer` with the same site
 * @throws OptionsError that names everything that the profile lacks
 * @see [FAPI 2.0 Security Profile, section 5.3.2](https://openid.net/specs/fapi-security-profile-2_0-final.html)
 * @group Profiles
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { ASSERTION_REFUSALS, dpop, DPOP_REFUSALS, fapi2, privateKeyJwt, PUSHED_REFUSALS, pushedRequests } from 'hallpass/blocks'
 * import { createMemoryStore } from 'hallpass/store'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const store = createMemoryStore()
 * const refusals = [ASSERTION_REFUSALS, DPOP_REFUSALS, PUSHED_REFUSALS]
 * const { site } = testSite({ store, refusals, senderConstraint: dpop({ once: store }) })
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const clientAuthentication = [privateKeyJwt({ keysOf: async () => null, once: store })]
 * const options = { keys, interact, clientAuthentication, pushedRequests: pushedRequests({ required: true }) }
 * const server = createAuthorizationServer(site, fapi2(site, options))
 *
 * const url = 'https://school.example/.well-known/openid-configuration'
 * const metadata = await (await server.openidConfiguration(new Request(url))).json()
 * metadata.token_endpoint_auth_methods_supported // => ['private_key_jwt']
 *
 * fapi2(site, { keys, interact }) // throws OptionsError
 * ```
 */
export function fapi2<
  Scope extends string,
  More extends string,
  Options extends Partial<AuthorizationServerOptions<Scope, More>>,
>(site: Site<Scope, StoreWith, More>, options: Options): Options {
  const mistakes = mistakesOf(site, options)
  if (mistakes.length > 0) throw new OptionsError('fapi2', mistakes)
  const [method] = options.clientAuthentication!
  return { ...options, requireState: false, clientAuthentication: [onlyMethod(method!)] }
}

/** Finds what the profile lacks. Each sentence names the option, and what to pass. */
function mistakesOf(
  { issuer, senderConstraint }: Pick<Site, 'issuer' | 'senderConstraint'>,
  {
    clientAuthentication = [],
    pushedRequests,
    codeSeconds = 60,
    requireState,
    refreshPolicies,
  }: Own,
): readonly string[] {
  const [method, ...others] = clientAuthentication
  const isSigned = method?.name === 'private_key_jwt' && others.length === 0
  const repeatSeconds = refreshPolicies?.confidential?.repeatSeconds ?? REPEAT_SECONDS
  return [
    ...when(!issuer.startsWith('https://'), 'issuer of defineSite must begin with https://'),
    ...when(
      !senderConstraint,
      'senderConstraint of defineSite is required: pass dpop({ once: store })',
    ),
    ...algorithmMistakes(
      'senderConstraint: algorithms of dpop',
      senderConstraint?.metadata['dpop_signing_alg_values_supported'],
    ),
    ...when(
      pushedRequests?.required !== true,
      'pushedRequests is required: pass pushedRequests({ required: true })',
    ),
    ...when(
      !isSigned,
      'clientAuthentication must be [privateKeyJwt({ once: store })], and nothing else',
    ),
    ...algorithmMistakes(
      'clientAuthentication: algorithms of privateKeyJwt',
      isSigned
        ? method.metadata(['token'])['token_endpoint_auth_signing_alg_values_supported']
        : undefined,
    ),
    ...when(
      !isNotAfter(codeSeconds, MAX_CODE_SECONDS),
      `codeSeconds must be at most ${MAX_CODE_SECONDS}, not ${codeSeconds}`,
    ),
    ...when(
      requireState === true,
      'requireState must be false, or left out: a client of the profile may send no state',
    ),
    ...when(
      isBefore(repeatSeconds, REPEAT_SECONDS),
      `refreshPolicies.confidential.repeatSeconds must be at least ${REPEAT_SECONDS}, not ${repeatSeconds}`,
    ),
  ]
}

const when = (isMistake: boolean, sentence: string): readonly string[] =>
  isMistake ? [sentence] : []

function algorithmMistakes(option: string, algorithms: unknown): readonly string[] {
  const foreign = (Array.isArray(algorithms) ? (algorithms as readonly unknown[]) : []).filter(
    (one) => !ALGORITHMS.has(one),
  )
  return when(
    foreign.length > 0,
    `${option} must be some of ${[...ALGORITHMS].join(', ')}, not ${foreign.join(', ')}`,
  )
}

/** Makes a method the only one of its server, with the issuer as the audience, and its clients bound to their keys. */
function onlyMethod<Reason extends string>(
  method: ClientAuthenticationMethod<Reason>,
): ClientAuthenticationMethod<Reason> {
  const { seam } = method
  return {
    ...method,
    seam: {
      ...seam,
      accept(one, form) {
        const issuerOnly = { tokenEndpoint: form.issuer, pushEndpoint: form.issuer }
        const decided = seam.accept(one, { ...form, ...issuerOnly })
        return decided === null ? UNSIGNED : bound(decided)
      },
      describe: (one, known, ...rest) =>
        Object.fromEntries(
          Object.entries(seam.describe(one, known, ...rest)).map(([member, value]) => [
            member,
            member.endsWith('_endpoint_auth_methods_supported') ? [method.name] : value,
          ]),
        ),
    },
  }
}

type Accepted = NonNullable<ReturnType<ClientAuthenticationMethod['seam']['accept']>>

/** A client of the profile gets no token without a proof. */
async function bound(decided: Accepted): Promise<Awaited<Accepted>> {
  const found = await decided
  return found.ok ? { ok: true, client: { ...found.client, dpopBoundAccessTokens: true } } : found
}

const UNSIGNED = /* @__PURE__ */ refuse(
  'invalid_client',
  'client_auth_method_not_supported',
  'this server takes signed assertions only: send client_assertion',
)
