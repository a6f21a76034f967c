import type { Description } from '../site/sender-constraint.js'

type Named = Readonly<Record<string, object>>

interface Operation {
  readonly security?: readonly object[]
  readonly parameters?: readonly { readonly name?: string }[]
  readonly responses?: Named
}

/** The security schemes of access tokens, as hallpass names them. */
const TOKENS = ['accessToken', 'oauth2'] as const

/**
 * Adds to an OpenAPI description what clients with keys send and get. Each scheme of access tokens gets the scheme DPoP,
 * with the header of a proof, as an alternative. Each response to a proof gets its nonce, if there are any.
 *
 * @see [OpenAPI 3.1.1, Security Scheme Object](https://spec.openapis.org/oas/v3.1.1.html#security-scheme-object)
 */
export function describeProofs(
  { paths, components }: Description,
  givesNonces: boolean,
): Description {
  const withNonce = (response: object): object => {
    const { headers } = response as { headers?: object }
    return givesNonces && !('$ref' in response)
      ? {
          ...response,
          headers: { ...headers, 'DPoP-Nonce': { $ref: '#/components/headers/DPoP-Nonce' } },
        }
      : response
  }
  const withProof = (operation: Operation): object => {
    // A path may have other members than its operations.
    if (operation.responses === undefined) return operation
    const { security = [], parameters = [], responses } = operation
    const isForTokens = security.some((one) => TOKENS.some((name) => name in one))
    if (isForTokens)
      return {
        ...operation,
        security: [...security, { dpop: [] }],
        parameters: [...parameters, PROOF],
        responses: each(responses, withNonce),
      }
    return parameters.some(({ name }) => name === 'DPoP')
      ? { ...operation, responses: each(responses, withNonce) }
      : operation
  }
  return {
    paths: each(paths, (path) => each(path as Readonly<Record<string, Operation>>, withProof)),
    components: {
      ...components,
      headers: { ...components['headers'], 'DPoP-Nonce': NONCE },
      responses: each(components['responses'] ?? {}, withNonce),
      securitySchemes: { ...components['securitySchemes'], dpop: SCHEME },
    },
  }
}

const each = <Value extends object>(
  named: Readonly<Record<string, Value>>,
  change: (value: Value) => object,
): Named => Object.fromEntries(Object.entries(named).map(([name, value]) => [name, change(value)]))

const NONCE = {
  description:
    'With the next proof, send this nonce. It is there in each response of the token endpoint, and in others if it is new.',
  schema: { type: 'string', maxLength: 43 },
  example: 'nC4vHqPqI3mcN3WEEm7NhX4w7vUoJq1tJm4l2sYkq0I',
}
const PROOF = {
  name: 'DPoP',
  in: 'header',
  required: false,
  description: 'A proof of the key to which the token is bound (RFC 9449, section 4).',
  schema: { type: 'string', maxLength: 8192 },
}
const SCHEME = {
  type: 'http',
  scheme: 'DPoP',
  description: 'An access token that is bound to a key, with a proof in the header `DPoP`.',
}
