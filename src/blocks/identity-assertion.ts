import type {
  AuthorizationServerConfiguration,
  ClientRequest,
  GrantType,
} from '../authorization-server/block.js'
import {
  callback,
  checkOptions,
  custom,
  isObject,
  methods,
  OptionsError,
  optional,
  type Rules,
  shape,
  simple,
  text,
  unlike,
  whole,
} from '../options/check.js'
import { orNull, type Wanted } from '../options/wanted.js'
import type { AuthenticatedClient } from '../policy/client-authentication.js'
import type { Client } from '../policy/client.js'
import { type Decision, refuse as refuseOfCore, refuseFrom } from '../policy/decision.js'
import {
  decideIdentityAssertion,
  IDENTITY_ASSERTION_REFUSALS,
  type IdentityAssertionReason,
  SCOPE_EMPTY,
  type TrustedProvider,
} from '../policy/identity-assertion.js'
import { readJwt } from '../policy/reading.js'
import { decideApprover, effectiveScopes } from '../policy/role.js'
import { GRANT } from '../site/block.js'
import type { FetchDocument } from '../site/fetch-document.js'
import { createDeadline } from '../store/deadline.js'
import { STORE_ARGUMENTS } from '../store/arguments.js'
import type { StoreWith } from '../store/groups.js'
import { guardStorage, readAs, thrownBy } from '../store/guard.js'
import { STORE_RESULTS } from '../store/returned.js'
import type { Once } from '../http/uses.js'
import type { Store } from '../store/store.js'
import { withMembers } from './members.js'
import { ofSite } from './of-site.js'
import { openGrant, type Opening } from './open-grant.js'
import {
  createFetchedKeys,
  createFixedKeys,
  type IsSigned,
  isKeySet,
  type Jwks,
} from './provider-keys.js'
import { ALGORITHM_RULE, type ALGORITHMS } from './signed-by.js'

const NAME = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag'
const MAX_ASSERTION_LENGTH = 8192

/**
 * The claims of an assertion whose signature is verified.
 *
 * @inline
 */
type IdentityAssertionClaims = Readonly<Record<string, unknown>> & {
  readonly iss: string
  readonly sub: string
}

/**
 * An identity provider whose assertions a site accepts in place of a consent page.
 *
 *
 * @inline
 */
interface IdentityProvider {
  /**
   * The `client_id` of each client that may use assertions of this provider. At least one: no other client gets
   * a token. Where the provider calls a client otherwise, a pair of the `client_id` here and there.
   *
   * A public client may be named. Then anyone with an unused assertion of it gets a token.
   */
  readonly clients: readonly (string | readonly [here: string, there: string])[]
  /**
   * Returns the subject of the person at this site, as `findPerson` finds it; `null` if there is none, or if this client
   * may not act for this person. Called once the signature and every claim are right. Ask for `claims.sub`, which is
   * unique at this provider. An `email` names someone only as surely as the provider verified it.
   *
   * An exception leads to a 503 response, and so does a result that is not a subject or takes longer than
   * `callDeadlineMilliseconds`.
   */
  readonly personOf: (
    claims: IdentityAssertionClaims,
    client: Client,
  ) => string | null | Promise<string | null>
  /** The `jwks_uri` of the provider: an https URL. Either this or `keys`. Default: none. */
  readonly jwksUri?: string
  /** The public keys of the provider as a JWK Set, of at most 64 keys, if they never change. Default: none. */
  readonly keys?: Jwks
  /** The only `tenant` that is trusted, of a provider with several. Default: none, and an assertion with one is refused. */
  readonly tenant?: string
}

/** @inline */
interface IdentityAssertionOptions {
  /** The identity providers, by issuer: exactly as in `iss`. At least one. */
  readonly providers: Readonly<Record<string, IdentityProvider>>
  /** Remembers the assertions that were used, until they expire. Every process needs the same one. Default: the store of the site. */
  readonly once?: Pick<Store, 'useOnce' | 'giveBack'>
  /**
   * Algorithms of the signature. Default: `RS256`, `ES256`, `PS256`, `Ed25519` and its older name `EdDSA`.
   */
  readonly algorithms?: readonly (typeof ALGORITHMS)[number][]
  /**
   * Lifetime of an access token, in seconds: an integer from 60 to 86,400. A person who is
   * off at the provider can use the last one until its end. Default: 3600.
   */
  readonly accessTokenSeconds?: number
  /**
   * Fetches the keys of each `jwksUri`, such as `createDocumentFetcher()` from hallpass/node. It must not follow
   * redirects. It is given up after five seconds, and a body of more than 60,000 bytes is refused. Default: `fetchDocument`
   * of the site. Required with a `jwksUri` if the site has no `documents`, or if the provider is on this computer.
   */
  readonly fetchKeys?: FetchDocument
}

/**
 * Lets an organization's identity provider decide who uses which client at the site, in place of a consent page:
 * enterprise-managed authorization of MCP. A client presents an assertion of the provider (ID-JAG), and gets an access
 * token for the person that it names: never a refresh token. Each assertion is accepted once.
 *
 * The person must be known at the site, with a role that may authorize the client. Client, person and role are checked
 * again with each request of the token, as for any token. A sensitive scope needs an `auth_time` of the last five minutes in the
 * assertion; `acr` and `amr` are for `personOf` to read.
 *
 * @returns a block for `blocks` of a site
 * @throws OptionsError that lists every mistake, such as a provider without `clients`
 * @see [ID-JAG](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-identity-assertion-authz-grant-04)
 * @see [RFC 7523, section 2.1](https://www.rfc-editor.org/rfc/rfc7523#section-2.1)
 * @group Grants
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { identityAssertion } from 'hallpass/blocks'
 * import { createDocumentFetcher } from 'hallpass/node'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const accounts = new Map([['u-17', 'per_mei']]) // yours: who has signed in with the provider
 * const idp = {
 *   jwksUri: 'https://idp.example/jwks',
 *   clients: ['https://notes.example/client.json'],
 *   personOf: async (claims: { sub: string }) => accounts.get(claims.sub) ?? null,
 * }
 * const providers = { 'https://idp.example': idp }
 * const fetchKeys = createDocumentFetcher()
 * const { site } = testSite({ blocks: [identityAssertion({ providers, fetchKeys })] })
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 *
 * const url = 'https://school.example/.well-known/oauth-authorization-server'
 * const metadata = await (await server.authorizationServerMetadata(new Request(url))).json()
 * metadata.authorization_grant_profiles_supported // => ['urn:ietf:params:oauth:grant-profile:id-jag']
 *
 * identityAssertion({ providers: {} }) // throws OptionsError
 * ```
 */
export function identityAssertion(
  options: IdentityAssertionOptions,
): GrantType<IdentityAssertionReason> {
  const checked = checkOptions('identityAssertion', options, RULES, contradictionsOf)
  const { accessTokenSeconds: seconds = 3600 } = checked
  const algorithms = [...(checked.algorithms ?? DEFAULT_ALGORITHMS)]

  return {
    kind: GRANT,
    name: NAME,
    refusals: IDENTITY_ASSERTION_REFUSALS,
    isOnceOfSite: checked.once === undefined,
    parameters: {
      assertion: {
        type: 'string',
        maxLength: MAX_ASSERTION_LENGTH,
        description: `With \`${NAME}\`: an ID-JAG of an identity provider that this site trusts.`,
      },
    },
    forServer: {
      describe: (known) =>
        withMembers('identityAssertion', known, {
          authorization_grant_profiles_supported: [PROFILE],
        }),
    },
    create(configuration) {
      const providers = trustedProviders(checked, configuration)
      const { now: clock, issuer, resource: names, scopes: registry, defaultScopes } = configuration
      const deadline = createDeadline(configuration.callDeadlineMilliseconds)
      const once = guardStorage<Once>(
        checked.once ?? (configuration.store as StoreWith<'once'>),
        { useOnce: STORE_ARGUMENTS.useOnce, giveBack: STORE_ARGUMENTS.giveBack },
        { results: STORE_RESULTS, deadline },
      )

      /** Decides, and uses the assertion up last: nothing that is refused before costs the client its assertion. */
      async function decide(
        { parameters, proof, context }: ClientRequest,
        client: AuthenticatedClient,
      ): Promise<Decision<Opening, string>> {
        const assertion = parameters.single('assertion')
        if (assertion === null)
          return refuse(
            'invalid_request',
            'identity_assertion_missing',
            'assertion is required: send the ID-JAG of the identity provider',
          )
        const jwt = readJwt(assertion, MAX_ASSERTION_LENGTH)
        if (jwt === null)
          return refuse(
            'invalid_grant',
            'identity_assertion_malformed',
            `assertion must be a JWT of at most ${MAX_ASSERTION_LENGTH} characters`,
          )
        const now = clock()
        const decided = decideIdentityAssertion({
          ...jwt,
          client,
          providers,
          issuer,
          names,
          registry,
          scope: parameters.single('scope'),
          resources: parameters.all('resource'),
          defaultScopes,
          // Its signature is verified with the client.
          provenKey: proof?.key ?? null,
          now,
        })
        if (!decided.ok) return decided
        const { provider } = decided
        const { isSigned, personOf } = providers.get(provider)!
        const { header } = jwt
        if (!(await isSigned({ token: assertion, header, algorithms }, now)))
          return refuse('invalid_grant', 'identity_assertion_signature_wrong')
        const subject = await deadline('personOf')(
          async () =>
            // `undefined`, as for a row that was not found, is `null`.
            readAs(
              (await personOf(jwt.claims as IdentityAssertionClaims, client)) ?? null,
              SUBJECT,
              'personOf returned',
            ),
          thrownBy('personOf'),
        )
        if (subject === null) return refuse('invalid_grant', 'identity_assertion_person_unknown')
        const narrowed = await forPerson(configuration, { subject, client, scopes: decided.scopes })
        if (!narrowed.ok) return narrowed
        if (!(await context.uses.useOnce(once, decided.once, 'ID-JAG')))
          return refuse('invalid_grant', 'identity_assertion_used_before')
        const { resource } = decided
        return { ok: true, subject, scopes: narrowed.scopes, resource, seconds, provider }
      }

      return {
        async load(request) {
          request.context.operation = 'identity_assertion'
          return {
            presented: null,
            async exchange(client) {
              const decided = await decide(request, client)
              return decided.ok ? openGrant(request, client, decided) : ofSite(decided)
            },
          }
        },
      }
    },
  }
}

const DEFAULT_ALGORITHMS = ['RS256', 'ES256', 'PS256', 'Ed25519', 'EdDSA'] as const

const refuse = /* @__PURE__ */ refuseFrom(IDENTITY_ASSERTION_REFUSALS)

const SUBJECT: Wanted = /* @__PURE__ */ orNull({
  words: 'a subject of 1 to 255 printable ASCII characters',
  fits: (value) => typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value),
})

/** A provider at work. */
interface Provider extends TrustedProvider, Pick<IdentityProvider, 'personOf'> {
  readonly isSigned: IsSigned
}

/** @throws OptionsError if there is no function that fetches the keys of a provider */
function trustedProviders(
  options: IdentityAssertionOptions,
  { documents }: Pick<AuthorizationServerConfiguration, 'documents'>,
): ReadonlyMap<string, Provider> {
  const { fetchKeys = documents?.fetchDocument } = options
  const providers = Object.entries(options.providers)
  if (fetchKeys === undefined && providers.some(([, { keys }]) => keys === undefined))
    throw new OptionsError('identityAssertion', [FETCHER_MISSING])
  return new Map(
    providers.map(([issuer, { clients, tenant = null, jwksUri, keys, personOf }]) => [
      issuer,
      {
        clients: new Map(clients.map((one) => (typeof one === 'string' ? [one, one] : one))),
        tenant,
        personOf,
        isSigned:
          keys === undefined ? createFetchedKeys(jwksUri!, fetchKeys!) : createFixedKeys(keys),
      },
    ]),
  )
}

const FETCHER = 'a function such as createDocumentFetcher() from hallpass/node'
const FETCHER_MISSING = `fetchKeys is missing: ${FETCHER}, because a provider has a jwksUri and the site no documents`

/** Finds the person, and narrows the scopes to what their role allows now. */
async function forPerson(
  { findPerson, roles: table, scopes: registry }: AuthorizationServerConfiguration,
  {
    subject,
    client,
    scopes,
  }: { subject: string; client: AuthenticatedClient; scopes: readonly string[] },
): Promise<Decision<{ scopes: readonly string[] }, string>> {
  const person = await findPerson(subject)
  if (person === null) return refuseOfCore('invalid_grant', 'person_gone')
  const { roles } = person
  const approver = decideApprover({ roles, client, table })
  if (!approver.ok) return refuseOfCore('invalid_grant', approver.reason)
  const held = effectiveScopes({ scopes, clientScopes: scopes, roles, table, registry })
  return held.length === 0 ? SCOPE_EMPTY : { ok: true, scopes: held }
}

const CLIENTS_WANTED =
  'a list of client IDs such as ["https://notes.example/client.json"], or of pairs of the ID here and at the provider'
const isName = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isClient = (one: unknown): boolean =>
  isName(one) || (Array.isArray(one) && one.length === 2 && one.every(isName))

const PROVIDER_RULES: Rules<IdentityProvider> = {
  clients: custom(CLIENTS_WANTED, (value, name) => {
    if (!Array.isArray(value) || !value.every(isClient)) return unlike(name, CLIENTS_WANTED, value)
    return value.length > 0 ? [] : [`${name} must name a client: no other gets a token`]
  }),
  personOf: callback('async (claims) => accounts.get(claims.sub) ?? null'),
  jwksUri: optional(
    simple('an https URL such as "https://idp.example/jwks"', (value) => isAddress(value)),
  ),
  keys: optional(simple('a JWK Set of at most 64 keys', isKeySet)),
  tenant: optional(text('"my-organization"')),
}

const isLoopback = (url: URL): boolean => ['127.0.0.1', 'localhost'].includes(url.hostname)

/** Whether keys may be fetched from an address: by https, or on this computer. */
function isAddress(value: unknown): boolean {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))
}

const PROVIDER = /* @__PURE__ */ shape<IdentityProvider>(
  '{ jwksUri, clients, personOf }',
  PROVIDER_RULES,
)

function providerMistakes(name: string, provider: unknown): readonly string[] {
  const mistakes = PROVIDER.mistakes(provider, name)
  if (mistakes.length > 0) return mistakes
  const { jwksUri, keys } = provider as IdentityProvider
  return (jwksUri === undefined) === (keys === undefined)
    ? [`${name} must have either jwksUri or keys`]
    : []
}

const PROVIDERS_WANTED = 'an object with each provider by its issuer'

const RULES: Rules<IdentityAssertionOptions> = {
  providers: custom(PROVIDERS_WANTED, (value, name) => {
    if (!isObject(value)) return unlike(name, PROVIDERS_WANTED, value)
    const entries = Object.entries(value)
    if (entries.length === 0) return [`${name} must name a provider, by its issuer`]
    return entries.flatMap(([issuer, provider]) =>
      providerMistakes(`${name}["${issuer}"]`, provider),
    )
  }),
  once: optional(
    methods<Once>('the store of the site, such as createMemoryStore()', {
      useOnce: true,
      giveBack: true,
    }),
  ),
  algorithms: ALGORITHM_RULE,

  accessTokenSeconds: optional(whole(60, 86_400)),
  fetchKeys: optional(callback('createDocumentFetcher()')),
}

const contradictionsOf = ({ providers, fetchKeys }: IdentityAssertionOptions): readonly string[] =>
  Object.entries(providers)
    .filter(([, { jwksUri }]) => !fetchKeys && jwksUri && isLoopback(new URL(jwksUri)))
    .map(([issuer]) => `providers["${issuer}"].jwksUri is on this computer: ${LOOPBACK_CURE}`)

const LOOPBACK_CURE = "pass fetchKeys, such as (url) => fetch(url, { redirect: 'error' })"
