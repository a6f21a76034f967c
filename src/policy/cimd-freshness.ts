import { present } from './decision.js'

/** The shortest time before a document is fetched again, whatever its headers permit. */
const MIN_SECONDS = 30
/** The longest time before a document is fetched again, whatever its headers permit. */
const MAX_SECONDS = 24 * 60 * 60
/** The lifetime of a document whose headers give none. */
const DEFAULT_SECONDS = 60 * 60

/** Greater numbers of seconds are read as this one (RFC 9111 §1.2.2). */
const MANY_SECONDS = 2 ** 31

const DIRECTIVE = /^([!#$%&'*+.^_`|~\w-]+)(?:=(.*))?$/
const SECONDS = /^(?:(\d+)|"(\d+)")$/
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Returns when a client metadata document must be fetched again. The headers of the response
 * decide, within 30 seconds to 24 hours. If they give no lifetime, it is one hour.
 *
 * The rules are those of a shared cache, because one copy serves every person of the site.
 * `s-maxage` overrides `max-age`, which overrides `Expires`, and `Age` is subtracted. With
 * `private`, `no-store`, `no-cache`, `Vary: *`, or a directive that is malformed or repeated, the
 * lifetime is 30 seconds. It is not shorter, because one sign-in takes longer than one request and
 * needs the same copy.
 *
 * @param response - `headers`: those of the response; `now`: epoch seconds at which the response
 *   arrived
 * @returns epoch seconds
 * @see [RFC 9111, section 4.2](https://www.rfc-editor.org/rfc/rfc9111#section-4.2)
 * @see [RFC 9111, section 5.2.2](https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2)
 *
 * @example
 * ```ts
 * import { documentFreshUntil } from 'hallpass/policy'
 *
 * const now = 1_795_165_200
 * documentFreshUntil({ headers: new Headers({ 'cache-control': 'max-age=600' }), now }) // => now + 600
 * documentFreshUntil({ headers: new Headers({ 'cache-control': 'no-store' }), now }) // => now + 30
 * documentFreshUntil({ headers: new Headers(), now }) // => now + 3600
 * ```
 *
 * @group Client metadata documents
 */
export function documentFreshUntil({
  headers,
  now,
}: {
  headers: Pick<Headers, 'get'>
  now: number
}): number {
  present({ now })
  const seconds = lifetime(headers, now) ?? 0
  return now + Math.min(Math.max(seconds, MIN_SECONDS), MAX_SECONDS)
}

/** Returns the seconds that remain. `null` if the headers forbid caching or are malformed. */
function lifetime(headers: Pick<Headers, 'get'>, now: number): number | null {
  if ((headers.get('vary') ?? '').includes('*')) return null
  const age = secondsOf(headers.get('age') ?? '0')
  const directives = parseDirectives(headers.get('cache-control') ?? '')
  if (age === null || directives === null) return null
  if (['no-store', 'no-cache', 'private'].some((name) => directives.has(name))) return null
  const stated = directives.get('s-maxage') ?? directives.get('max-age')
  const left = stated === undefined ? untilExpires(headers, now) : secondsOf(stated)
  return left === null ? null : left - age
}

/** Returns the directives by lower-case name. `null` if one is malformed or repeated. */
function parseDirectives(header: string): ReadonlyMap<string, string> | null {
  const directives = new Map<string, string>()
  for (const part of header.split(',').map((one) => one.trim())) {
    if (part === '') continue
    const [, name = '', value = ''] = DIRECTIVE.exec(part) ?? []
    if (name === '' || directives.has(name.toLowerCase())) return null
    directives.set(name.toLowerCase(), value)
  }
  return directives
}

function secondsOf(text: string): number | null {
  const [, plain, quoted] = SECONDS.exec(text) ?? []
  const digits = plain ?? quoted
  return digits === undefined ? null : Math.min(Number(digits), MANY_SECONDS)
}

function untilExpires(headers: Pick<Headers, 'get'>, now: number): number | null {
  const expires = headers.get('expires')
  if (expires === null) return DEFAULT_SECONDS
  const date = headers.get('date')
  const from = date === null ? now : timeOf(date)
  const until = timeOf(expires)
  return from === null || until === null ? null : until - from
}

function timeOf(text: string): number | null {
  const milliseconds = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1000)
}
