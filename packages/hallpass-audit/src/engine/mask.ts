/** Names of form fields, query parameters and JSON members whose values are secrets. */
const NAMES = [
  'access_token',
  'assertion',
  'client_assertion',
  'client_secret',
  'code',
  'code_verifier',
  'csrf_token',
  'device_code',
  'id_token',
  'id_token_hint',
  'password',
  'refresh_token',
  'registration_access_token',
  'request_uri',
  'subject_token',
  'token',
  'user_code',
]
/** Members of a private key (RFC 7518, section 6), which no server should publish and some do. */
const OF_KEYS = /("(?:d|p|q|dp|dq|qi|k)"\s*:\s*")([\w-]{8,})("|$)/g
const IN_HEADER =
  /^((?:authorization|cookie|dpop|mcp-session-id|proxy-authorization|set-cookie): )(.*)$/gim
/** A field of a form of a page that people see, whose names are the host's own. */
const IN_FIELD = /(<input\b[^<>]*?\bvalue=["'])([^"']*)(["'])/gi
const JWT = /\beyJ[\w-]+(?:\.[\w-]*){1,4}/g
/** A part of a text that may be one of a secret: longer than a word, and not the end of an encoded character. */
const PART = /%[\da-f]{2}|[\w~-]{12,}/gi
/** A word such as `client_credentials`, which servers send under the names of secrets as well. */
const WORD = /^[a-z_-]+$|^[A-Z_-]+$/

/** Knows what is secret in one audit. */
export interface Mask {
  /**
   * Returns a text in which no secret can be read: none that its name tells, and none that was in an earlier text. A
   * server may repeat a token under another name, such as in the description of an error.
   */
  readonly hide: (text: string) => string
}

/** The parts of a sign-in that no one else may read. */
export interface Secrets {
  /** Names of fields of the host's own sign-in form. */
  readonly names: readonly string[]
  readonly values: readonly string[]
}

export function createMask({ names, values }: Secrets = { names: [], values: [] }): Mask {
  const all = [...NAMES, ...names.map((name) => name.replace(/[^\w-]/g, '\\$&'))].join('|')
  const inForm = new RegExp(`((?:^|[?&\\s#])(?:${all})=)([^&\\s"'<>]+)`, 'gi')
  const inJson = new RegExp(`("(?:${all})"\\s*:\\s*")((?:[^"\\\\]|\\\\.)*)("|$)`, 'gi')
  const given = new Set(values.filter((one) => one.length >= 8).flatMap(encodingsOf))
  const seen = new Set<string>()

  /** Hides a secret, and remembers it. */
  function secret(value: string): string {
    for (const part of value.split(/%[\da-f]{2}|[^\w~-]+/i))
      if (part.length >= 12 && !WORD.test(part)) seen.add(part)
    return beginning(value)
  }
  const between = (_: string, start: string, value: string, end = ''): string =>
    start + secret(value) + end

  /** Keeps the scheme of credentials, and the name and the attributes of a cookie. */
  function header(_: string, name: string, value: string): string {
    const scheme = /^(?:Bearer|DPoP|Basic) /i.exec(value)?.[0]
    if (scheme !== undefined) return name + scheme + secret(value.slice(scheme.length))
    if (!/cookie/i.test(name)) return name + secret(value)
    return name + value.replace(/(^|; )((?!path|max-age|expires|domain|samesite)[^=;]+=)([^;]*)/gi, (_pair, before: string, start: string, cookie: string) => before + start + secret(cookie)) // prettier-ignore
  }

  return {
    hide(text) {
      let hidden = text
      for (const one of given) hidden = hidden.replaceAll(one, '…')
      return hidden
        .replace(IN_HEADER, header)
        .replace(inForm, (_, start: string, value: string) => start + secret(value))
        .replace(inJson, between)
        .replace(OF_KEYS, between)
        .replace(IN_FIELD, (_, start: string, value: string, end: string) => start + beginning(value) + end)
        .replace(JWT, beginning)
        .replace(PART, (part) => (seen.has(part) ? beginning(part) : part))
    },
  } // prettier-ignore
}

/** The beginning of a secret, so that two can be distinguished and neither can be used. */
const beginning = (secret: string): string =>
  secret.length > 12 ? `${secret.slice(0, 4)}…` : secret === '' ? '' : '…'

/** A text as requests and answers have it: as it is, in a form, in a URL and in JSON. */
const encodingsOf = (text: string): readonly string[] => [
  text,
  new URLSearchParams({ '': text }).toString().slice(1),
  encodeURIComponent(text),
  JSON.stringify(text).slice(1, -1),
]
