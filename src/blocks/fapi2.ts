import type { ClientAuthenticationMethod } from '../authorization-server/client-authentication-method.js'
import { isPushed, type Profile, type ProfiledParts } from '../authorization-server/block.js'
import { OptionsError } from '../options/check.js'
import { refuse } from '../policy/decision.js'
import { type Block, PROFILE } from '../site/block.js'
import type { Site } from '../site/site.js'
import { isBefore, isNotAfter } from '../time/seconds.js'

/** The algorithms of FAPI 2.0, section 5.4.1. `Ed25519` is the newer name of `EdDSA`. */
const ALGORITHMS: ReadonlySet<unknown> = new Set(['PS256', 'ES256', 'EdDSA', 'Ed25519'])
const MAX_CODE_SECONDS = 60
/** A client that lost a response sends its refresh token again within this time (section 5.3.2.1). */
const REPEAT_SECONDS = 60

/**
 * Applies the FAPI 2.0 Security Profile to a site. When a server of the site is configured, it checks what the profile
 * needs of site, server and the other blocks, and switches on what follows from it:
 *
 * - Every client authenticates with `private_key_jwt`, with the issuer as the only audience. A client without keys, public
 *   or with a secret, is refused at every endpoint, and the metadata names no other method.
 * - Every client gets only tokens that are bound to its key by DPoP, whatever its record says.
 * - `state` is optional: PKCE, which is always required, protects the redirect.
 *
 * PKCE with S256, `iss` in the redirect, exact redirect URIs, codes that are used once and ES256 for ID tokens are part of
 * every server of hallpass.
 *
 * @returns a block for `blocks` of a site, with `dpop`, `privateKeyJwt` and `pushedRequests({ required: true })`. Creating a
 *   server throws an `OptionsError` that names everything that the profile lacks
 * @see [FAPI 2.0 Security Profile, section 5.3.2](https://openid.net/specs/fapi-security-profile-2_0-final.html)
 * @group Profiles
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { dpop, fapi2, privateKeyJwt, pushedRequests } from 'hallpass/blocks'
 * import { createMemoryStore } from 'hallpass/store'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const store = createMemoryStore()
 * const keysOf = async () => null
 * const others = [dpop(), privateKeyJwt({ keysOf })]
 * const { site } = testSite({ store, blocks: [fapi2(), ...others, pushedRequests({ required: true })] })
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 *
 * const url = 'https://school.example/.well-known/openid-configuration'
 * const metadata = await (await server.openidConfiguration(new Request(url))).json()
 * metadata.token_endpoint_auth_methods_supported // => ['private_key_jwt']
 *
 * createAuthorizationServer(testSite({ blocks: [fapi2()] }).site, { keys, interact }) // throws OptionsError
 * ```
 */
export function fapi2(): Block<never> {
  const profile: Profile = {
    kind: PROFILE,
    name: 'fapi2',
    apply(site, parts) {
      const mistakes = mistakesOf(site, parts)
      if (mistakes.length > 0) throw new OptionsError('fapi2', mistakes)
      const [method] = parts.clientAuthentication
      return { ...parts, requireState: false, clientAuthentication: [onlyMethod(method!)] }
    },
  }
  return profile
}

/** Finds what the profile lacks. Each sentence names the option, and what to pass. */
function mistakesOf(
  { issuer, senderConstraint, blocks }: Site,
  { clientAuthentication, codeSeconds = 60, requireState, refreshPolicies }: ProfiledParts,
): readonly string[] {
  const pushedRequests = blocks.find(isPushed)
  const [method, ...others] = clientAuthentication
  const isSigned = method?.name === 'private_key_jwt' && others.length === 0
  const repeatSeconds = refreshPolicies?.confidential?.repeatSeconds ?? REPEAT_SECONDS
  return [
    ...when(!issuer.startsWith('https://'), 'issuer of defineSite must begin with https://'),
    ...when(!senderConstraint, 'blocks needs dpop()'),
    ...algorithmMistakes(
      'algorithms of dpop',
      senderConstraint?.metadata['dpop_signing_alg_values_supported'],
    ),
    ...when(pushedRequests?.required !== true, 'blocks needs pushedRequests({ required: true })'),
    ...when(
      !isSigned,
      'blocks needs privateKeyJwt(), and no other way in which clients authenticate',
    ),
    ...algorithmMistakes(
      'algorithms of privateKeyJwt',
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
  const { forServer } = method
  return {
    ...method,
    forServer: {
      ...forServer,
      accept(one, form) {
        const issuerOnly = { tokenEndpoint: form.issuer, pushEndpoint: form.issuer }
        const decided = forServer.accept(one, { ...form, ...issuerOnly })
        return decided === null ? UNSIGNED : bound(decided)
      },
      describe: (...known) =>
        Object.fromEntries(
          Object.entries(forServer.describe(...known)).map(([member, value]) => [
            member,
            member.endsWith('_endpoint_auth_methods_supported') ? [method.name] : value,
          ]),
        ),
    },
  }
}

type Accepted = NonNullable<ReturnType<ClientAuthenticationMethod['forServer']['accept']>>

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
