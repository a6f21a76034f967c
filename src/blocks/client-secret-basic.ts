import type {
  ClientAuthenticationMethod,
  ClientAuthenticationSeam,
} from '../authorization-server/client-authentication-method.js'
import { refuse } from '../policy/decision.js'
import { CLIENT_AUTHENTICATION } from '../site/block.js'
import { AMBIGUOUS } from './client-authentication.js'
import { namedIn } from './registration.js'

const NAME = 'client_secret_basic'
const METHOD = 'token_endpoint_auth_method'

// RFC 7617 §2: the scheme, spaces, and base64 of the pair.
const BASIC = /^basic +([a-z0-9+/]+={0,2})$/i

/**
 * Lets clients send their secret by HTTP Basic (`client_secret_basic`) too, for clients and libraries that use nothing
 * else. A client with a secret may use either method, and its registration may name this one.
 *
 * The identifier and the secret are each form-urlencoded within the header (RFC 6749, section 2.3.1).
 *
 * @returns a block for `blocks` of a site, at the token, revocation and introspection
 *   endpoints
 * @see [RFC 6749, section 2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1)
 * @see [RFC 7617](https://www.rfc-editor.org/rfc/rfc7617)
 * @group Client authentication
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { clientSecretBasic } from 'hallpass/blocks'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite({ blocks: [clientSecretBasic()] })
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 *
 * const url = 'https://school.example/.well-known/openid-configuration'
 * const metadata = await (await server.openidConfiguration(new Request(url))).json()
 * metadata.token_endpoint_auth_methods_supported.at(-1) // => 'client_secret_basic'
 * ```
 */
export function clientSecretBasic(): ClientAuthenticationMethod<never> {
  return {
    kind: CLIENT_AUTHENTICATION,
    name: NAME,
    metadata: () => ({}),
    parameters: {},
    // No form names a client in this way.
    identify: () => null,
    forServer: {
      limit: (method) => method,
      describe: (known) => known,
      registers: (metadata) =>
        namedIn(metadata, METHOD) === NAME
          ? { instead: { [METHOD]: 'client_secret_post' }, answer: { [METHOD]: NAME } }
          : null,
      accept,
    },
  }
}

const accept: ClientAuthenticationSeam['accept'] = (
  _,
  { parameters, authorization, methods, decide },
) => {
  if (authorization === null) return null
  if (
    parameters.single('client_secret') !== null ||
    methods.some((one) => one.identify(parameters) !== null)
  )
    return AMBIGUOUS
  const credentials = readCredentials(authorization)
  if (credentials === null)
    return refuse(
      'invalid_client',
      'client_auth_method_not_supported',
      'the Authorization header must be Basic with client_id and client_secret, each form-urlencoded: or send both in the form',
    )
  const { clientId, clientSecret } = credentials
  // A form that names another client names none: the header authenticates only its own.
  const isNamed = (parameters.single('client_id') ?? clientId) === clientId
  return decide(isNamed ? clientId : null, clientSecret)
}

/** Reads the pair of HTTP Basic. A secret without content is absent (RFC 6749, section 2.3.1). */
function readCredentials(
  authorization: string,
): { readonly clientId: string; readonly clientSecret: string | null } | null {
  const encoded = BASIC.exec(authorization)?.[1]
  if (encoded === undefined) return null
  try {
    const bytes = Uint8Array.from(atob(encoded), (one) => one.charCodeAt(0))
    const [id, ...secret] = new TextDecoder('utf-8', { fatal: true }).decode(bytes).split(':')
    const clientId = decoded(id!)
    if (clientId === '' || secret.length === 0) return null
    return { clientId, clientSecret: decoded(secret.join(':')) || null }
  } catch {
    return null
  }
}

const decoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))
