import type { decideAuthorizationRequest } from '../policy/authorization-request.js'
import type { Client } from '../policy/client.js'
import type { Refusal } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import { parseLoopbackUri } from '../policy/loopback-redirect.js'
import { decideScopes, parseScope } from '../policy/scope-audience.js'

type Asked = Parameters<typeof decideAuthorizationRequest>[0]

/**
 * Returns what the refusal of an authorization request is about: the origin of a
 * redirect URI, scopes, a resource. Values that could be secret are left out, such as a path or `state`.
 */
export function detailOfRequest(
  { reason }: Refusal,
  { parameters, client, policy }: Pick<Asked, 'parameters' | 'policy'> & { client: Client | null },
): string | null {
  switch (reason) {
    case 'redirect_uri_not_registered':
      return aboutRedirect(parameters.single('redirect_uri')!, {
        registered: client!.redirectUris,
        loopbackHosts: policy.loopbackHosts,
      })
    case 'scope_unknown':
    case 'scope_of_other_audience':
    case 'scope_not_allowed_for_client': {
      const parsed = parseScope(parameters.single('scope')!)
      const refused = (parsed.ok ? parsed.scopes : []).filter((scope) => {
        const decided = decideScopes({
          scopes: [scope],
          client: client!,
          registry: policy.registry,
        })
        return !decided.ok && decided.reason === reason
      })
      return refused.join(' ')
    }
    case 'resource_unknown':
      return aboutResources(parameters)
    case 'parameter_repeated':
      return parameters.repeated.join(', ')
    case 'response_type_not_supported':
      return word(parameters.single('response_type')!)
    case 'code_challenge_method_not_supported':
      return word(parameters.single('code_challenge_method')!)
    default:
      return null
  }
}

/** Returns what the refusal of a registration is about. */
export function detailOfRegistration({ reason }: Refusal, metadata: unknown): string | null {
  if (reason !== 'redirect_uri_not_loopback' && reason !== 'redirect_uri_malformed') return null
  const { redirect_uris: uris } = metadata as { redirect_uris: readonly string[] }
  return uris.map(originOf).join(', ')
}

/** Returns what the refusal of a code exchange is about. */
export function detailOfExchange({ reason }: Refusal, parameters: FormParameters): string | null {
  if (reason === 'redirect_uri_mismatch')
    return `sent an address at ${originOf(parameters.single('redirect_uri')!)}`
  return reason === 'resource_mismatch' ? aboutResources(parameters) : null
}

const aboutResources = (parameters: FormParameters): string =>
  `sent ${parameters.all('resource').map(originOf).join(', ')}`

/** Says which part of a redirect URI is not the registered one. */
function aboutRedirect(
  sent: string,
  {
    registered,
    loopbackHosts,
  }: Pick<Asked['policy'], 'loopbackHosts'> & { registered: readonly string[] },
): string {
  const origins = [...new Set(registered.map(originOf))]
  const origin = originOf(sent)
  // The port of a loopback address may differ, so it is never the cause.
  const placeOf = (uri: string): string =>
    parseLoopbackUri(uri, loopbackHosts) === null ? originOf(uri) : new URL(uri).hostname
  return registered.some((uri) => placeOf(uri) === placeOf(sent))
    ? `sent an address at ${origin}, where another path is registered`
    : `sent an address at ${origin}, registered: ${origins.join(', ')}`
}

/** Returns scheme, host and port of a URI, or its scheme. The rest could hold a secret. */
function originOf(uri: string): string {
  if (!URL.canParse(uri)) return 'no URI'
  const { origin, protocol } = new URL(uri)
  return origin === 'null' ? protocol : origin
}

/** Returns a value that is a word of the protocol, and leaves out any other. */
const word = (value: string): string | null =>
  /^[\w ]{1,40}$/.test(value) ? `sent ${value}` : null
