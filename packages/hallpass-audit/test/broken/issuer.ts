import { both, type Broken, json, requested, returned } from '../faults.js'

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
    name: 'iss is missing where no one is asked',
    fault: (() => {
      const silent = new Set<string | null>()
      return both(
        requested((query) => {
          if (query.get('prompt') === 'none') silent.add(query.get('state'))
        }),
        returned((to) => {
          if (silent.has(to.searchParams.get('state'))) to.searchParams.delete('iss')
        }),
      )
    })(),
    violates: ['issuer/in-error'],
    holds: ['authorization/prompt-none'],
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
]
