import {
  isClientDescription,
  isClientIcon,
  isClientName,
  isStringArray,
  MAX_DESCRIPTION_LENGTH,
  MAX_NAME_LENGTH,
  MAX_REDIRECT_URIS,
  quote,
} from './client-metadata.js'
import { type RedirectPolicy, redirectUriFault } from './client-redirect.js'
import {
  type Client,
  type ClientFields,
  type ClientSecret,
  completeClient,
  type DocumentRecord,
} from './client.js'
import { LOOPBACK_HOSTS } from './redirect-uri.js'
import type { Vendor } from './vendor.js'

/** What a field must be, in words that stand behind its name. */
type Rule = readonly [isRight: (value: unknown) => boolean, words: string]
type Rules<Fields> = Readonly<Record<keyof Fields, Rule>>

const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value)
const isNullOr =
  (isRight: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || isRight(value)
const matches =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    typeof value === 'string' && pattern.test(value)

// As many seconds are the year 5138, as many milliseconds the year 1973.
const END_OF_SECONDS = 1e11
const isTime = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < END_OF_SECONDS

const SECONDS = 'seconds since 1970 such as 1795165200, not milliseconds'
const TIME: Rule = [isTime, `must be whole ${SECONDS}`]
const TIME_OR_NULL: Rule = [isNullOr(isTime), `must be null or whole ${SECONDS}`]

const SECRET: Rules<ClientSecret> = {
  hash: [matches(/^[\w-]{43}$/), 'must be hashToken(secret)'],
  expiresAt: TIME_OR_NULL,
}
const DOCUMENT: Rules<DocumentRecord> = {
  firstSeenAt: TIME,
  fetchedAt: TIME,
  freshUntil: TIME,
  digest: [matches(/./), 'must be documentDigest(document)'],
  reviewedAt: TIME_OR_NULL,
  changedAt: TIME_OR_NULL,
}
type StoredClient = Omit<Client, 'offBy'>
const CLIENT: Rules<StoredClient> = {
  clientId: [matches(/^[\x20-\x7e]{1,2048}$/), 'must be printable ASCII such as "study-app"'],
  kind: [
    isOneOf('loopback', 'vendor', 'document', 'member'),
    'must be "loopback", "vendor", "document" or "member"',
  ],
  name: [
    (value) => isClientName(value) && value.trim() !== '',
    `must be 1 to ${MAX_NAME_LENGTH} printable characters such as "Study App"`,
  ],
  redirectUris: [
    (value) => isStringArray(value) && value.length > 0 && value.length <= MAX_REDIRECT_URIS,
    `must be 1 to ${MAX_REDIRECT_URIS} addresses such as ["https://app.example/callback"]`,
  ],
  tokenEndpointAuthMethod: [
    isOneOf('none', 'client_secret_post'),
    'must be "none" or "client_secret_post"',
  ],
  secrets: [
    isSecrets,
    'must be at most two such as [{ hash: hashToken(secret), expiresAt: null }]',
  ],
  scopes: [isNullOr(isStringArray), 'must be null or scopes such as ["account:read"]'],
  disabled: [isOneOf(true, false), 'must be true or false'],
  description: [
    isNullOr(isClientDescription),
    `must be null or at most ${MAX_DESCRIPTION_LENGTH} printable characters such as "Keeps your notes."`,
  ],
  icon: [isNullOr(isClientIcon), 'must be null or a word such as "pencil"'],
  revision: [
    (value) => Number.isInteger(value) && (value as number) > 0,
    'must be a whole number above 0 such as 1',
  ],
  createdAt: TIME,
  usedAt: TIME_OR_NULL,
  deletedAt: TIME_OR_NULL,
  document: [isNullOr(isObject), 'must be null, or what is known of a metadata document'],
}
const VENDOR: Rules<Vendor> = {
  clientId: CLIENT.clientId,
  name: CLIENT.name,
  redirectUris: CLIENT.redirectUris,
  scopes: CLIENT.scopes,
  reviewedOn: [matches(/^\d{4}-\d{2}-\d{2}$/), 'must be a day such as "2026-11-20"'],
}

/**
 * Makes a client of the host's own, such as one that a script puts into the store, with everything that
 * is not said left at its default: public, enabled, never used. It is judged as a draft in the client
 * management is: what {@link decideMemberClient} would refuse, this does.
 *
 * @param fields - times in epoch seconds
 * @param allowed - `loopbackHosts` and `appSchemes`, where the site has others than the default ones
 * @throws TypeError naming every field at fault: a redirect URI such as `javascript:` or `http://` beyond
 *   loopback, a time in milliseconds, a secret with the method `none` or none with
 *   `client_secret_post`, a name that no field has
 */
export function defineClient(fields: ClientFields, allowed: RedirectPolicy = {}): Client {
  const client = completeClient(fields)
  const faults = clientFaults(client, allowed)
  if (faults.length > 0) throw new TypeError(`defineClient: ${faults.join('; ')}`)
  return client
}

/**
 * What is wrong with the vendors of a configuration. Any scheme that no browser opens may be a vendor's
 * own, and a loopback host of the default ones may stand there whatever the site says of others.
 */
export function vendorFaults(
  vendors: readonly Vendor[],
  siteHosts: readonly string[] = [],
): readonly string[] {
  const allowed = { loopbackHosts: [...LOOPBACK_HOSTS, ...siteHosts], appSchemes: null }
  return vendors.flatMap((vendor, index) =>
    [...fieldFaults(vendor, VENDOR), ...redirectFaults(vendor.redirectUris, allowed)].map(
      (fault) => `vendors[${index}]: ${fault}`,
    ),
  )
}

function clientFaults(client: StoredClient, allowed: RedirectPolicy): readonly string[] {
  const { redirectUris, secrets, tokenEndpointAuthMethod: method, document } = client
  const faults = [...fieldFaults(client, CLIENT), ...redirectFaults(redirectUris, allowed)]
  if (isObject(document)) faults.push(...nestedFaults('document', document, DOCUMENT))
  if (!isSecrets(secrets)) return faults
  secrets.forEach((secret, index) =>
    faults.push(...nestedFaults(`secrets[${index}]`, secret, SECRET)),
  )
  if (method === 'none' && secrets.length > 0)
    faults.push('secrets must be [] where tokenEndpointAuthMethod is not "client_secret_post"')
  if (method === 'client_secret_post' && secrets.length === 0)
    faults.push('secrets must hold one such as { hash: hashToken(secret), expiresAt: null }')
  return faults
}

function redirectFaults(uris: unknown, allowed: RedirectPolicy): readonly string[] {
  return (isStringArray(uris) ? uris : [])
    .filter((uri) => redirectUriFault(uri, allowed) !== null)
    .map(
      (uri) =>
        `redirectUris must be https, http on loopback, or of an app's own scheme, such as https://app.example/callback, http://127.0.0.1/callback or com.example.app:/callback, not "${quote(uri)}"`,
    )
}

function fieldFaults<Fields extends object>(
  fields: Fields,
  rules: Rules<Fields>,
): readonly string[] {
  const known = Object.keys(rules) as (keyof Fields & string)[]
  const unknown = Object.keys(fields).filter((name) => !Object.hasOwn(rules, name))
  const wrong = known.filter((name) => !rules[name][0](fields[name]))
  return [
    ...unknown.map((name) => `unknown field "${name}"`),
    ...wrong.map((name) => `${name} ${rules[name][1]}`),
  ]
}

function nestedFaults<Fields extends object>(
  within: string,
  fields: Fields,
  rules: Rules<Fields>,
): readonly string[] {
  return fieldFaults(fields, rules).map((fault) => `${within}: ${fault}`)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isSecrets(value: unknown): value is readonly ClientSecret[] {
  return Array.isArray(value) && value.length <= 2 && value.every(isObject)
}
