import {
  custom,
  list,
  optional,
  orNull,
  pattern,
  type RequiredRule,
  type Rules,
  shape,
  text,
} from '../options/check.js'
import { areContacts, type ClientAbout, isWebLink } from '../policy/client-about.js'
import {
  isBlank,
  isClientName,
  MAX_NAME_LENGTH,
  MAX_REDIRECT_URIS,
  quote,
} from '../policy/client-metadata.js'
import { type RedirectPolicy, redirectUriFault } from '../policy/client-redirect.js'
import { LOOPBACK_HOSTS } from '../policy/loopback-redirect.js'
import type { Vendor } from '../policy/vendor-match.js'
import { isEpochSeconds } from '../time/seconds.js'
import { CLIENT_ID } from './client-finder.js'

/** Makes a rule from a predicate, with a message that never shows the value. */
export const judged = <Value>(
  wanted: string,
  isRight: (value: unknown) => boolean,
): RequiredRule<Value> =>
  custom(wanted, (value, name) => (isRight(value) ? [] : [`${name} must be ${wanted}`]))

/** Makes the rule of a date, `YYYY-MM-DD`. */
export const day = (example: string): RequiredRule<string> =>
  pattern(`a date such as ${example}`, /^\d{4}-\d{2}-\d{2}$/)

/** The rule of a time. */
export const time: RequiredRule<number> = judged<number>(
  'epoch seconds such as 1795165200, not milliseconds',
  isEpochSeconds,
)

const CALLBACK = '["https://app.example/callback"]'

const redirectsRule = (wanted: string, least: 0 | 1): RequiredRule<readonly string[]> =>
  judged(
    wanted,
    (value) =>
      Array.isArray(value) &&
      value.length >= least &&
      value.length <= MAX_REDIRECT_URIS &&
      value.every((uri) => typeof uri === 'string'),
  )

/** The rule of redirect URIs of a client that may be a device or a service, to which none leads. */
export const optionalRedirects: RequiredRule<readonly string[]> = redirectsRule(
  `at most ${MAX_REDIRECT_URIS} redirect URIs such as ${CALLBACK}, or [] for a device or a service`,
  0,
)

/** The rules of the fields that every client has. */
export const clientFields: Rules<Omit<Vendor, 'reviewedOn' | 'about'>> = {
  clientId: pattern('printable ASCII such as "study-app"', CLIENT_ID),
  name: judged(
    `1 to ${MAX_NAME_LENGTH} printable characters such as "Study App"`,
    (value) => isClientName(value) && !isBlank(value),
  ),
  redirectUris: redirectsRule(`1 to ${MAX_REDIRECT_URIS} redirect URIs such as ${CALLBACK}`, 1),
  scopes: orNull(list(text('"account:read"'))),
  endsAt: optional(orNull(time)),
}

const link = orNull(
  judged<string>(
    'an http or https URL such as "https://app.example/about", without user name and password',
    isWebLink,
  ),
)

/** The rule of what a client says of itself. */
export const aboutRule: RequiredRule<ClientAbout> = shape<ClientAbout>(
  'what the client says of itself, { clientUri, policyUri, tosUri, logoUri, contacts }',
  {
    clientUri: link,
    policyUri: link,
    tosUri: link,
    logoUri: link,
    contacts: judged('at most 5 printable strings such as ["help@app.example"]', areContacts),
  },
)

/** The rule of a vendor. It does not depend on the loopback hosts of the site. */
export const vendorRule: RequiredRule<Vendor> = shape<Vendor>(
  'a vendor { clientId, name, redirectUris, scopes, reviewedOn }',
  {
    ...clientFields,
    about: optional(aboutRule),
    reviewedOn: day('"2026-11-20"'),
  },
)

/**
 * Finds the mistakes in the redirect URIs of vendors. A vendor may use any scheme that browsers do not
 * open themselves, and always the default loopback hosts, in addition to those of the site.
 */
export function vendorMistakes(
  vendors: readonly Vendor[],
  siteHosts: readonly string[] = [],
): readonly string[] {
  const allowed = { loopbackHosts: [...LOOPBACK_HOSTS, ...siteHosts], appSchemes: null }
  return vendors.flatMap((vendor, index) =>
    redirectMistakes(`vendors[${index}].redirectUris`, vendor.redirectUris, allowed),
  )
}

/**
 * Finds the redirect URIs that a client may not have.
 *
 * @param name - the option that contains them
 */
export function redirectMistakes(
  name: string,
  uris: readonly string[],
  allowed: RedirectPolicy,
): readonly string[] {
  return uris.flatMap((uri, index) =>
    redirectUriFault(uri, allowed) === null
      ? []
      : [
          `${name}[${index}] must be an https URI, an http URI on a loopback host or a URI with a scheme of the app's own, such as https://app.example/callback, http://127.0.0.1/callback or com.example.app:/callback, not "${quote(uri)}"`,
        ],
  )
}
