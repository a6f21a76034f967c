import {
  checkOptions, END_OF_SECONDS, flag, list, oneOf, optional, orNull, type Rules, shape, text, whole,
} from '../options/check.js' // prettier-ignore
import { clientFields, judged, redirectMistakes } from '../site/client-rules.js'
import {
  isClientDescription,
  isClientIcon,
  MAX_DESCRIPTION_LENGTH,
} from '../policy/client-metadata.js'
import type { RedirectPolicy } from '../policy/client-redirect.js'
import {
  type Client,
  type ClientFields,
  type ClientSecret,
  completeClient,
  type DocumentRecord,
} from '../policy/client.js'

const time = judged<number>(
  'whole seconds since 1970 such as 1795165200, not milliseconds',
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < END_OF_SECONDS,
)
const secrets = list(
  shape<ClientSecret>('a secret such as { hash: hashToken(secret), expiresAt: null }', {
    hash: judged(
      'hashToken(secret)',
      (value) => typeof value === 'string' && /^[\w-]{43}$/.test(value),
    ),
    expiresAt: orNull(time),
  }),
)
const CLIENT: Rules<ClientFields> = {
  ...clientFields,
  kind: oneOf('loopback', 'vendor', 'document', 'member'),
  tokenEndpointAuthMethod: optional(oneOf('none', 'client_secret_post')),
  secrets: optional(secrets),
  scopes: optional(clientFields.scopes),
  disabled: optional(flag),
  description: optional(
    orNull(
      judged<string>(
        `at most ${MAX_DESCRIPTION_LENGTH} printable characters such as "Keeps your notes."`,
        isClientDescription,
      ),
    ),
  ),
  icon: optional(orNull(judged<string>('a word such as "pencil"', isClientIcon))),
  revision: optional(whole(1)),
  createdAt: time,
  usedAt: optional(orNull(time)),
  deletedAt: optional(orNull(time)),
  document: optional(
    orNull(
      shape<DocumentRecord>('what is known of a metadata document', {
        firstSeenAt: time,
        fetchedAt: time,
        freshUntil: time,
        digest: text('documentDigest(document)'),
        reviewedAt: orNull(time),
        changedAt: orNull(time),
      }),
    ),
  ),
}

/**
 * Makes a client of the host's own, such as one that a script puts into the store, with everything that
 * is not said left at its default: public, enabled, never used. It is judged as a draft in the client
 * management is: what {@link decideMemberClient} would refuse, this does.
 *
 * @param fields - times in epoch seconds
 * @param allowed - `loopbackHosts` and `appSchemes`, where the site has others than the default ones
 * @throws OptionsError - naming every mistake at once: a redirect URI such as `javascript:` or `http://`
 *   beyond loopback, a time in milliseconds, a secret with the method `none` or none with
 *   `client_secret_post`, a name that no field has
 */
export function defineClient(fields: ClientFields, allowed: RedirectPolicy = {}): Client {
  const judged = checkOptions('defineClient', fields, CLIENT, (right) => [
    ...redirectMistakes('redirectUris', right.redirectUris, allowed),
    ...secretMistakes(completeClient(right)),
  ])
  return completeClient(judged)
}

function secretMistakes({
  tokenEndpointAuthMethod: method,
  secrets: kept,
}: Client): readonly string[] {
  if (kept.length > 2) return ['secrets must be at most two, so that a rotation can overlap']
  if (method === 'none' && kept.length > 0)
    return ['secrets must be [] where tokenEndpointAuthMethod is not "client_secret_post"']
  return method === 'client_secret_post' && kept.length === 0
    ? ['secrets must hold one such as { hash: hashToken(secret), expiresAt: null }']
    : []
}
