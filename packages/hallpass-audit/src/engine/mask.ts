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
].join('|')
const IN_FORM = new RegExp(`((?:^|[?&\\s#])(?:${NAMES})=)([^&\\s"'<>]+)`, 'gi')
const IN_JSON = new RegExp(`("(?:${NAMES})"\\s*:\\s*")((?:[^"\\\\]|\\\\.)*)(")`, 'gi')
const IN_HEADER = /^((?:authorization|dpop|cookie|set-cookie): )(.*)$/gim
/** A field of a form of a page that people see, whose names are the host's own. */
const IN_FIELD = /(<input\b[^>]*?\bvalue=")([^"]*)(")/gi
const JWT = /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g

/** The beginning of a secret, so that two can be distinguished and neither can be used. */
const beginning = (secret: string): string =>
  secret.length > 12 ? `${secret.slice(0, 4)}…` : secret === '' ? '' : '…'

/** A text of a request or an answer, in which no secret can be read. */
export const mask = (text: string): string =>
  text
    .replace(IN_HEADER, (_, name: string, value: string) => name + maskHeader(value))
    .replace(IN_FORM, (_, name: string, value: string) => name + beginning(value))
    .replace(
      IN_JSON,
      (_, start: string, value: string, end: string) => start + beginning(value) + end,
    )
    .replace(
      IN_FIELD,
      (_, start: string, value: string, end: string) => start + beginning(value) + end,
    )
    .replace(JWT, beginning)

/** Keeps the scheme of credentials, and the name and the attributes of a cookie. */
function maskHeader(value: string): string {
  const scheme = /^(?:Bearer|DPoP|Basic) /i.exec(value)?.[0]
  if (scheme !== undefined) return scheme + beginning(value.slice(scheme.length))
  return value.replace(/(^|; )((?!path|max-age|expires|domain|samesite)[^=;]+=)([^;]*)/gi, (_, before: string, name: string, secret: string) => before + name + beginning(secret)) // prettier-ignore
}
