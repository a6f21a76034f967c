import { parseLoopbackUri } from 'hallpass/policy'

/** Whether a member of metadata is a list of texts. */
export function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** Returns a member of metadata itself; `undefined` if it has none, or if this is not an object. */
export function memberOf(metadata: unknown, name: string): unknown {
  return typeof metadata === 'object' && metadata !== null && Object.hasOwn(metadata, name)
    ? (metadata as Readonly<Record<string, unknown>>)[name]
    : undefined
}

/** The first port that operating systems choose at random. */
const FIRST_RANDOM_PORT = 32_768
const RANDOM_PORT = '50000'
const MAX_TEXT_LENGTH = 2000

/** The members of a registration that are public, by how their values are cleaned. */
const MEMBERS: Readonly<Record<string, (value: string) => string>> = {
  client_name: short,
  client_uri: publicUri,
  logo_uri: publicUri,
  redirect_uris: publicUri,
  token_endpoint_auth_method: short,
  grant_types: short,
  response_types: short,
  scope: short,
  application_type: short,
}

/**
 * Returns a URI without what could be secret or differs each time: user info, the fragment, the values of the query,
 * and random ports of this computer.
 */
export function publicUri(uri: string): string {
  const [address = '', query] = short(uri).replace(/#.*$/s, '').split('?', 2)
  const rest = query === undefined ? '' : `?${query.split('&').map(publicParameter).join('&')}`
  const loopback = parseLoopbackUri(address)
  if (loopback === null) return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1') + rest
  const isRandom = Number(loopback.port) >= FIRST_RANDOM_PORT
  const port = isRandom ? RANDOM_PORT : loopback.port
  return `http://${loopback.host}${port === null ? '' : `:${port}`}${loopback.rest}${rest}`
}

/** Returns the public members of a registration request; `null` if it is not an object. */
export function publicMetadata(sent: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return null
  const kept = Object.entries(sent).flatMap(
    ([member, value]: [string, unknown]): (readonly [string, unknown])[] => {
      const clean = Object.hasOwn(MEMBERS, member) ? MEMBERS[member] : undefined
      if (clean === undefined) return []
      if (isStringArray(value)) return [[member, value.map(clean)]]
      return typeof value === 'string' ? [[member, clean(value)]] : []
    },
  )
  return Object.fromEntries(kept)
}

/** Without its value, also if the value is short or has no name. */
function publicParameter(parameter: string): string {
  const mark = parameter.indexOf('=')
  return mark === -1 ? 'removed' : `${parameter.slice(0, mark)}=removed`
}

function short(value: string): string {
  return value.slice(0, MAX_TEXT_LENGTH)
}
