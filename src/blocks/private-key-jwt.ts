import {
  callback,
  checkOptions,
  isObject,
  methods,
  optional,
  type Rules,
  whole,
} from '../options/check.js'
import { orNull, record } from '../options/wanted.js'
import {
  ASSERTION_REFUSALS,
  ASSERTION_SECONDS,
  type AssertionReason,
  decideClientAssertion,
  MALFORMED,
  MAX_ASSERTION_LENGTH,
} from '../policy/client-assertion.js'
import { decideClientKeys, MAX_CLIENT_KEYS } from '../policy/client-keys.js'
import { documentPolicyOf } from '../policy/cimd-url.js'
import type { Client } from '../policy/client.js'
import type { AuthenticatedClient } from '../policy/client-authentication.js'
import { type Decision, refuseFrom } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import { isMembers, memberOf, readJwt } from '../policy/reading.js'
import { STORE_ARGUMENTS } from '../store/arguments.js'
import type { StoreWith } from '../store/groups.js'
import { type Deadline, guarded, guardStorage, readAs } from '../store/guard.js'
import { STORE_RESULTS } from '../store/returned.js'
import type { Once } from '../http/uses.js'
import type { Store } from '../store/store.js'
import { defineClientAuthentication, type OwnMethod } from './client-authentication.js'
import {
  ALGORITHM_RULE,
  type ALGORITHMS,
  createKeySet,
  type KeySet,
  type Signature,
  verifySignature,
} from './signed-by.js'
import { createClientKeys, type Jwks as ClientJwks } from './client-keys.js'

type Jwks = { readonly keys: readonly object[] }

const RULES: Rules<NonNullable<Parameters<typeof privateKeyJwt>[0]>> = {
  keysOf: optional(callback('(client) => keySets.get(client.clientId) ?? null')),
  once: optional(
    methods<Once>('the store of the site, such as createMemoryStore()', {
      useOnce: true,
      giveBack: true,
    }),
  ),
  assertionSeconds: optional(whole(60, 86_400)),
  algorithms: ALGORITHM_RULE,
}

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const refuse = /* @__PURE__ */ refuseFrom(ASSERTION_REFUSALS)

const KEYS = /* @__PURE__ */ orNull(
  /* @__PURE__ */ record({
    keys: {
      words: `a list of at most ${MAX_CLIENT_KEYS} keys`,
      fits: (keys) => Array.isArray(keys) && keys.length <= MAX_CLIENT_KEYS && keys.every(isObject),
    },
  }),
)

/**
 * Lets clients authenticate with a JWT that they sign (`private_key_jwt`), in place of a secret. Each assertion is
 * accepted once, at the token, revocation and introspection endpoints.
 *
 * Its clients have the `tokenEndpointAuthMethod` `private_key_jwt`: from a client metadata document, from client management, or
 * from `defineClient`. They cannot register themselves. Their keys are in their metadata, as `jwks` or at `jwks_uri`, which
 * `fetchDocument` of the site fetches. A copy is used for as long as its headers permit, at most an hour, and for at most
 * four hours while the address does not respond. Keys that are new are fetched when an assertion names them.
 *
 * @returns a block for `blocks` of a site
 * @throws OptionsError that lists every mistake, such as a store without the group `once`
 * @see [RFC 7523, section 2.2](https://www.rfc-editor.org/rfc/rfc7523#section-2.2)
 * @see [OpenID Connect Core, section 9](https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication)
 * @group Client authentication
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { privateKeyJwt } from 'hallpass/blocks'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite({ blocks: [privateKeyJwt()] })
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 *
 * const url = 'https://school.example/.well-known/openid-configuration'
 * const metadata = await (await server.openidConfiguration(new Request(url))).json()
 * metadata.token_endpoint_auth_methods_supported.at(-1) // => 'private_key_jwt'
 *
 * privateKeyJwt({ once: {} as never }) // throws OptionsError
 * ```
 */
export function privateKeyJwt(
  options: {
    /**
     * Returns the public keys of a client as a JWK Set, of at most 16 keys; `null` for a client whose keys are those of its
     * metadata. Called for each request whose claims are right. An exception, another value or no result within
     * `callDeadlineMilliseconds` leads to 503. Default: every client has the keys of its metadata.
     */
    readonly keysOf?: (
      client: Client,
    ) =>
      | { readonly keys: readonly object[] }
      | null
      | Promise<{ readonly keys: readonly object[] } | null>
    /**
     * Remembers the assertions that were used, until they expire. Every process needs the same one. Default: the store of the
     * site.
     */
    readonly once?: Pick<Store, 'useOnce' | 'giveBack'>
    /**
     * How far ahead an assertion may expire, in seconds: an integer from 60 to 86,400. So long a stolen one that was not used
     * is valid, and a used one is remembered. Libraries make 60 to 3600. Default: 3600.
     */
    readonly assertionSeconds?: number
    /**
     * Algorithms of the signature. Default: `ES256`, `PS256`, `Ed25519` and its older name `EdDSA`, as FAPI 2.0 has them.
     * `RS256` is for clients that know no other. A client whose metadata names one of them may use only that one.
     */
    readonly algorithms?: readonly (typeof ALGORITHMS)[number][]
  } = {},
): OwnMethod<AssertionReason> {
  const checked = checkOptions('privateKeyJwt', options, RULES)
  const { algorithms = ['ES256', 'PS256', 'Ed25519', 'EdDSA'], keysOf = () => null } = checked
  const { assertionSeconds = ASSERTION_SECONDS } = checked
  const clientKeys = createClientKeys(algorithms)
  // A key set imports each of its keys only once.
  const keySets = new WeakMap<Jwks, KeySet>()
  function keySetOf(jwks: Jwks): KeySet {
    const known = keySets.get(jwks) ?? createKeySet(jwks)
    keySets.set(jwks, known)
    return known
  }

  /** @param deadline - for the host application; the fetch of keys has its own */
  function authenticateWithin(deadline?: Deadline): Method['authenticate'] {
    const limit = deadline?.('private_key_jwt')
    const ownKeysOf = guarded(
      'keysOf',
      async (client: Client) => readAs(await keysOf(client), KEYS, 'keysOf returned'),
      limit,
    )
    const own =
      checked.once &&
      guardStorage<Once>(
        checked.once,
        { useOnce: STORE_ARGUMENTS.useOnce, giveBack: STORE_ARGUMENTS.giveBack },
        { results: STORE_RESULTS, ...(limit && { deadline: () => limit }) },
      )
    return async (request) => {
      const { client, parameters, now, site } = request
      const read = readAssertion(parameters)
      if (read === null) return refuse('invalid_client', 'assertion_malformed', MALFORMED)
      const { token, header, claims } = read
      const audiences = audiencesOf(request)
      const decided = decideClientAssertion({ claims, client, audiences, assertionSeconds, now })
      if (!decided.ok) return decided
      const only = client.keys?.signingAlg ?? null
      const accepted = algorithms.filter((one) => only === null || one === only)
      const alg = memberOf(header, 'alg')
      if (!accepted.some((one) => one === alg))
        return refuse('invalid_client', 'assertion_alg_not_accepted')

      const verify = async (jwks: Jwks): Promise<Signature> =>
        verifySignature(keySetOf(jwks), { token, header, algorithms: accepted })
      const ofHost = await ownKeysOf(client)
      const found =
        ofHost === null ? await clientKeys.find(request) : ({ ok: true, jwks: ofHost } as const)
      if (!found.ok) return found
      let signature = await verify(found.jwks)
      if (signature !== 'right' && ofHost === null) {
        const newer = await clientKeys.findAgain(request, found.jwks as ClientJwks)
        if (newer !== null) signature = await verify(newer)
      }
      if (signature !== 'right') return refuse('invalid_client', REASONS[signature])
      // Last, so that a wrong signature uses up no assertion of the client.
      const once = own ?? (site.store as StoreWith<'once'>)
      return (await request.context.uses.useOnce(once, decided.once, 'client assertion'))
        ? { ok: true }
        : refuse(
            'invalid_client',
            'assertion_used_before',
            'an assertion with this jti was used before: create one for each request',
          )
    }
  }

  /**
   * Adds words to a refusal that has none. Words about claims and algorithm follow from what was sent. All others are the
   * same, so that they do not show which clients exist.
   */
  function explained(
    decided: Decision<{ client: AuthenticatedClient }>,
    form: Form,
  ): typeof decided {
    if (decided.ok || decided.error !== 'invalid_client' || decided.description !== undefined)
      return decided
    const { parameters, now } = form
    const { header, claims } = readAssertion(parameters)!
    const clientId = parameters.single('client_id') ?? (memberOf(claims, 'sub') as string)
    const audiences = audiencesOf(form)
    const client = { clientId }
    const sent = decideClientAssertion({ claims, client, audiences, assertionSeconds, now })
    const isAccepted = algorithms.some((one) => one === memberOf(header, 'alg'))
    const description = isAccepted
      ? UNPROVED
      : `alg of the assertion must be one of ${algorithms.join(', ')}`
    return { ...decided, description: (sent.ok ? undefined : sent.description) ?? description }
  }

  const method = defineClientAuthentication({
    name: 'private_key_jwt',
    refusals: ASSERTION_REFUSALS,
    metadata: (endpoints) =>
      Object.fromEntries(
        endpoints.map((one) => [`${one}_endpoint_auth_signing_alg_values_supported`, algorithms]),
      ),
    parameters: {
      client_assertion_type: {
        type: 'string',
        enum: [TYPE],
        description: 'Required for a client with `private_key_jwt`.',
      },
      client_assertion: {
        type: 'string',
        maxLength: MAX_ASSERTION_LENGTH,
        description: 'A JWT that the client signed, once for each request.',
      },
    },
    identify(parameters) {
      if (parameters.single('client_assertion_type') !== TYPE) return null
      const subject = memberOf(readAssertion(parameters)?.claims ?? {}, 'sub')
      return typeof subject === 'string'
        ? { ok: true, clientId: subject }
        : refuse('invalid_client', 'assertion_malformed', MALFORMED)
    },
    authenticate: authenticateWithin(),
  })
  const { forServer } = method
  return {
    ...method,
    isOnceOfSite: checked.once === undefined,
    forServer: {
      ...forServer,
      limit: (own, deadline) =>
        own.authenticate === method.authenticate
          ? { ...own, authenticate: authenticateWithin(deadline) }
          : forServer.limit(own, deadline),
      accept(own, form) {
        const find: typeof form.find = async (id) =>
          withPinnedKeys(await form.find(id), form.site, algorithms)
        const decided = forServer.accept(own, { ...form, find })
        return decided instanceof Promise ? decided.then((one) => explained(one, form)) : decided
      },
      keysOf: (metadata, policy) => decideClientKeys({ metadata, algorithms, policy }),
    },
  }
}

const REASONS = {
  wrong: 'assertion_signature_wrong',
  unknown: 'assertion_key_unknown',
  unusable: 'assertion_key_unusable',
} as const

const UNPROVED =
  'the client is unknown, may not use this method, or has no key that made the signature: check client_id, kid, alg, and the public key that it publishes'

const audiencesOf = ({
  issuer,
  tokenEndpoint,
  pushEndpoint = issuer,
}: Pick<Form, 'issuer' | 'tokenEndpoint' | 'pushEndpoint'>): readonly string[] => [
  issuer,
  tokenEndpoint,
  pushEndpoint,
]

type Form = Parameters<Method['forServer']['accept']>[1]
type Method = OwnMethod<AssertionReason>

/**
 * Returns a client of a pinned document with its keys, if it may sign. It is public as well, since the site accepts only a
 * document that allows that.
 */
function withPinnedKeys(
  client: Client | null,
  { pinnedDocuments }: { readonly pinnedDocuments: readonly { readonly metadata: unknown }[] },
  algorithms: readonly string[],
): Client | null {
  if (client?.kind !== 'document' || client.document !== null) return client
  const isOwn = ({ metadata }: { metadata: unknown }): boolean =>
    (metadata as { client_id?: unknown }).client_id === client.clientId
  const metadata = pinnedDocuments.find(isOwn)?.metadata
  if (!isMembers(metadata)) return client
  const policy = documentPolicyOf({ openRegistration: true })
  const decided = decideClientKeys({ metadata, algorithms, policy })
  return decided?.ok === true
    ? { ...client, tokenEndpointAuthMethod: 'private_key_jwt', keys: decided.keys }
    : client
}

/** Reads the assertion of a form, which anyone can send; `null` for another text, and for one that is too long. */
function readAssertion(
  parameters: FormParameters,
): ({ readonly token: string } & NonNullable<ReturnType<typeof readJwt>>) | null {
  const token = parameters.single('client_assertion') ?? ''
  const read = readJwt(token, MAX_ASSERTION_LENGTH)
  return read && { token, ...read }
}
