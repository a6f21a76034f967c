import { authorizationUrl } from './flow.js'
import { ISSUER, type School } from './school.js'

/** The tests' own proxy says which network a request came from. */
export const networkOf = ({ headers }: Request): string | null => headers.get('x-network')
export const from = (network: string | null): HeadersInit =>
  network === null ? {} : { 'x-network': network }

export const authorize = (
  school: School,
  network: string | null,
  client = 'study-buddy',
): Promise<Response> =>
  school.fetch(authorizationUrl({ client_id: client }), { headers: from(network) })

export const register = (school: School, network: string | null): Promise<Response> =>
  school.fetch(`${ISSUER}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...from(network) },
    body: JSON.stringify({
      client_name: 'Notes',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
    }),
  })
