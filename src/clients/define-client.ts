import {
  checkOptions,
  flag,
  isObject,
  list,
  oneOf,
  optional,
  orNull,
  type Rules,
  shape,
  text,
  whole,
} from '../options/check.js'
import {
  aboutRule,
  clientFields,
  judged,
  optionalRedirects,
  redirectMistakes,
  time,
} from '../site/client-rules.js'
import {
  isClientDescription,
  isClientIcon,
  MAX_DESCRIPTION_LENGTH,
} from '../policy/client-metadata.js'
import { isDocumentClientId } from '../policy/cimd-url.js'
import type { RedirectPolicy } from '../policy/client-redirect.js'
import {
  type Client,
  type ClientFields,
  type ClientSecret,
  completeClient,
} from '../policy/client.js'

const secrets = list(
  shape<ClientSecret>('a secret such as { hash: hashToken(secret), expiresAt: null }', {
    hash: judged(
      'hashToken(secret)',
      (value) => typeof value === 'string' && /^[\w-]{43}$/.test(value),
    ),
    expiresAt: orNull(time),
  }),
)
const keys = shape<NonNullable<Client['keys']>>(
  'keys such as { jwks: null, jwksUri: "https://study.example/jwks.json", signingAlg: null }',
  {
    jwks: orNull(
      judged(
        'a JWK Set such as { keys: [publicJwk] }',
        (value) => isObject(value) && Array.isArray((value as { keys?: unknown }).keys),
      ),
    ),
    jwksUri: orNull(
      judged<string>(
        'an https URL such as "https://study.example/jwks.json"',
        (value) => typeof value === 'string' && isDocumentClientId(value),
      ),
    ),
    signingAlg: orNull(text('"ES256"')),
  },
)
const CLIENT: Rules<ClientFields> = {
  ...clientFields,
  redirectUris: optionalRedirects,
  kind: oneOf('loopback', 'vendor', 'document', 'member'),
  tokenEndpointAuthMethod: optional(oneOf('none', 'client_secret_post', 'private_key_jwt')),
  dpopBoundAccessTokens: optional(flag),
  requirePushedRequests: optional(flag),
  secrets: optional(secrets),
  keys: optional(orNull(keys)),
  scopes: optional(clientFields.scopes),
  disabled: optional(flag),
  endsAt: optional(orNull(time)),
  description: optional(
    orNull(
      judged<string>(
        `at most ${MAX_DESCRIPTION_LENGTH} printable characters such as "Keeps your notes."`,
        isClientDescription,
      ),
    ),
  ),
  icon: optional(orNull(judged<string>('a word such as "pencil"', isClientIcon))),
  about: optional(orNull(aboutRule)),
  revision: optional(whole(1)),
  createdAt: time,
  usedAt: optional(orNull(time)),
  deletedAt: optional(orNull(time)),
  document: optional(
    orNull(
      shape<NonNullable<Client['document']>>('the record of a client metadata document', {
        firstSeenAt: time,
        fetchedAt: time,
        freshUntil: time,
        digest: text('documentDigest(document)'),
        reviewedAt: orNull(time),
        changedAt: orNull(time),
        reviewed: optional(
          shape<NonNullable<NonNullable<Client['document']>['reviewed']>>(
            'what the review covered, { name, redirectUris, about }',
            {
              name: clientFields.name,
              redirectUris: optionalRedirects,
              about: orNull(aboutRule),
            },
          ),
        ),
      }),
    ),
  ),
}

/**
 * Creates a client record of your own, such as one that a script stores. Fields that are left out have
 * their default: a public client, enabled and never used. The name, description, icon and redirect URIs
 * follow the rules of {@link decideMemberClient}.
 *
 * @param fields - the fields of the client; times in epoch seconds. `redirectUris` is `[]` for a device or a service
 * @param allowed - `loopbackHosts` and `appSchemes` of the site, if they are not the default ones
 * @returns the complete client, to pass to `insertClient` of the store
 * @throws OptionsError - with every mistake, such as an unknown field, a time in milliseconds, or the
 *   redirect URI `javascript:` or `http://` on a host that is not loopback. Also for a secret with
 *   another method than `client_secret_post`, and for that one without a secret
 * @example
 * ```ts
 * import { defineClient } from 'hallpass/clients'
 *
 * const fields = {
 *   clientId: 'study-app',
 *   kind: 'member' as const,
 *   name: 'Study App',
 *   redirectUris: ['https://study.example/callback'],
 *   scopes: ['account:read'],
 *   createdAt: 1795165200,
 * }
 * defineClient(fields).tokenEndpointAuthMethod // => 'none'
 * defineClient({ ...fields, redirectUris: ['javascript:alert(1)'] }) // throws OptionsError
 * defineClient({ ...fields, createdAt: Date.now() }) // throws OptionsError
 * ```
 *
 * @group Client records
 */
export function defineClient(
  fields: ClientFields,
  allowed: {
    /** Host names that mean "this computer". Default: `127.0.0.1`, `[::1]` and `localhost`. */
    readonly loopbackHosts?: readonly string[] | undefined
    /**
     * Accepted schemes without a dot, each an app's own. `null` accepts every one. Default: `cursor`, `vscode` and
     * `vscode-insiders`.
     */
    readonly appSchemes?: readonly string[] | null | undefined
  } = {},
): Client {
  const policy = checkOptions('defineClient', allowed, ALLOWED)
  const judged = checkOptions('defineClient', fields, CLIENT, (right) => [
    ...redirectMistakes('redirectUris', right.redirectUris, policy),
    ...secretMistakes(completeClient(right)),
  ])
  return completeClient(judged)
}

const ALLOWED: Rules<RedirectPolicy> = {
  loopbackHosts: optional(list(text('"localhost"'))),
  appSchemes: optional(orNull(list(text('"com.example.app"')))),
}

function secretMistakes({
  tokenEndpointAuthMethod: method,
  secrets: kept,
  keys: own = null,
}: Client): readonly string[] {
  if (
    own !== null &&
    (method !== 'private_key_jwt' || (own.jwks === null) === (own.jwksUri === null))
  )
    return [
      'keys must be null unless tokenEndpointAuthMethod is "private_key_jwt", and have either jwks or jwksUri',
    ]
  if (kept.length > 2)
    return ['secrets must contain at most two secrets: the current one and the previous one']
  if (method !== 'client_secret_post' && kept.length > 0)
    return ['secrets must be [] unless tokenEndpointAuthMethod is "client_secret_post"']
  return method === 'client_secret_post' && kept.length === 0
    ? ['secrets must contain a secret such as { hash: hashToken(secret), expiresAt: null }']
    : []
}
