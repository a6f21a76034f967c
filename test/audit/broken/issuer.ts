import { both, type Broken, json, returned } from '../faults.js'

const METADATA = '/.well-known/oauth-authorization-server'

export const issuer: readonly Broken[] = [
  {
    name: 'iss is missing',
    fault: returned((to) => to.searchParams.delete('iss')),
    violates: ['issuer/in-code', 'issuer/in-error', 'issuer/in-denial'],
    whole: true,
  },
  {
    name: 'iss is missing in errors',
    fault: returned((to) => {
      if (to.searchParams.has('error')) to.searchParams.delete('iss')
    }),
    violates: ['issuer/in-error', 'issuer/in-denial'],
  },
  {
    name: 'iss is missing where a person has denied',
    fault: returned((to) => {
      if (to.searchParams.get('error') === 'access_denied') to.searchParams.delete('iss')
    }),
    violates: ['issuer/in-denial'],
  },
  {
    name: 'nothing promises iss',
    fault: json(METADATA, (metadata) => ({
      ...metadata,
      authorization_response_iss_parameter_supported: undefined,
    })),
    violates: ['issuer/promised'],
  },
  {
    name: 'there is no iss, and nothing promises it',
    fault: both(
      json(METADATA, (metadata) => ({
        ...metadata,
        authorization_response_iss_parameter_supported: false,
      })),
      returned((to) => to.searchParams.delete('iss')),
    ),
    violates: ['issuer/offered'],
  },
  {
    name: 'iss ends with a slash',
    fault: returned((to) => to.searchParams.set('iss', `${to.searchParams.get('iss')}/`)),
    violates: ['issuer/of-metadata'],
  },
  {
    name: 'the ID token is of another issuer',
    fault: json('/api/oauth/token', (body) => {
      const idToken = body['id_token']
      if (typeof idToken !== 'string') return body
      const [header, payload = '', signature] = idToken.split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
      const other = JSON.stringify({ ...claims, iss: 'https://auth.school.example' })
      return { ...body, id_token: [header, Buffer.from(other).toString('base64url'), signature].join('.') } // prettier-ignore
    }),
    violates: ['issuer/of-id-token'],
  },
]
