/** A document is not fetched again sooner, whatever its headers say. */
const MIN_SECONDS = 30
/** A document is fetched again after this time, whatever its headers say. */
const MAX_SECONDS = 24 * 60 * 60
/** How long a document counts whose headers say nothing. */
const DEFAULT_SECONDS = 60 * 60

/** More seconds than this are as many as this (RFC 9111 §1.2.2). */
const MANY_SECONDS = 2 ** 31

const DIRECTIVE = /^([!#$%&'*+.^_`|~\w-]+)(?:=(.*))?$/
const SECONDS = /^(?:(\d+)|"(\d+)")$/
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Headers of a response, as the Fetch API's `Headers` has them. */
export interface ResponseHeaders {
  /** Several fields of one name are joined by `, `; `null` = absent. */
  get(name: string): string | null
}

/**
 * When a document has to be fetched again: 30 seconds to 24 hours from now, as its headers say, or in
 * an hour where they say nothing.
 *
 * One copy serves every person of the site, which makes this a shared cache: `s-maxage` comes before
 * `max-age`, and `private` counts as no leave to keep it. Whatever cannot be read, stands twice or
 * varies by `*` is stale at once, and `Age` is taken off. A copy is kept for the 30 seconds even where
 * the host forbids it, as the sign-in that it was fetched for takes longer than one request.
 *
 * @param response - `now` in epoch seconds: when the answer came
 * @returns epoch seconds
 * @see RFC 9111 §4.2, §5.2.2
 */
export function documentFreshUntil({
  headers,
  now,
}: {
  headers: ResponseHeaders
  now: number
}): number {
  const seconds = lifetime(headers, now) ?? 0
  return now + Math.min(Math.max(seconds, MIN_SECONDS), MAX_SECONDS)
}

/** Seconds that are left; `null` where the headers allow none or do not make sense. */
function lifetime(headers: ResponseHeaders, now: number): number | null {
  if ((headers.get('vary') ?? '').includes('*')) return null
  const age = secondsOf(headers.get('age') ?? '0')
  const directives = parseDirectives(headers.get('cache-control') ?? '')
  if (age === null || directives === null) return null
  if (['no-store', 'no-cache', 'private'].some((name) => directives.has(name))) return null
  const stated = directives.get('s-maxage') ?? directives.get('max-age')
  const left = stated === undefined ? untilExpires(headers, now) : secondsOf(stated)
  return left === null ? null : left - age
}

/** Directives by lower-case name; `null` where one cannot be read or repeats. */
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

function untilExpires(headers: ResponseHeaders, now: number): number | null {
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
