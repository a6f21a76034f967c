import { hashToken } from 'hallpass/token'
import type { Store } from 'hallpass/store'
import { CLIENT_SECRET, type Fault } from '../broken-server.js'
import { both, type Broken, headers, json, received, storeAt } from '../faults.js'

const REVOKE = '/api/oauth/revoke'

/** An endpoint that answers for itself where the form is of a kind. */
const refuses = (
  isRefused: (form: URLSearchParams, store: Store) => boolean | Promise<boolean>,
  answer: () => Response,
): Required<Pick<Fault, 'wrap'>> => ({
  wrap:
    (next, { store }) =>
    async (request) => {
      if (new URL(request.url).pathname !== REVOKE || request.method !== 'POST')
        return next(request)
      const form = new URLSearchParams(await request.clone().text())
      return (await isRefused(form, store)) ? answer() : next(request)
    },
})

const error = (name: string) => () => Response.json({ error: name }, { status: 400 })
const hashOf = (form: URLSearchParams): string => hashToken(form.get('token') ?? '')

/** Reads tokens from a copy that learns nothing of revoked ones. */
const forgetsAt = (path: string): Fault =>
  storeAt(path, (store) => ({
    findAccessToken: async (hash) => {
      const found = await store.findAccessToken(hash)
      return found && { ...found, accessToken: { ...found.accessToken, revokedAt: null } }
    },
  }))

/** Revokes for clients with a secret only, and says so. */
const confidentialOnly: Fault = both(
  json('/.well-known/oauth-authorization-server', (metadata) => ({
    ...metadata,
    revocation_endpoint_auth_methods_supported: ['client_secret_post'],
  })),
  refuses(
    (form) => !form.has('client_secret'),
    () => Response.json({ error: 'invalid_client' }, { status: 401 }),
  ),
)

export const revocation: readonly Broken[] = [
  {
    name: 'nothing but revocation for clients with a secret',
    fault: confidentialOnly,
    violates: [],
  },
  {
    name: 'nothing but access tokens',
    fault: json('/api/oauth/token', ({ refresh_token: _token, ...body }) => body),
    violates: [],
  },
  {
    name: 'an unknown token is an error',
    fault: refuses(async (form, store) => {
      const hash = hashOf(form)
      const found = (await store.findAccessToken(hash)) ?? (await store.findRefreshToken(hash))
      return form.has('token') && found === null
    }, error('invalid_token')),
    violates: ['revocation/unknown-token'],
  },
  {
    name: 'an unknown hint is an error',
    fault: refuses(
      (form) => !['access_token', 'refresh_token', null].includes(form.get('token_type_hint')),
      error('unsupported_token_type'),
    ),
    violates: ['revocation/unknown-hint'],
  },
  {
    name: 'no token is as good as an unknown one',
    fault: refuses(
      (form) => !form.has('token'),
      () => Response.json({}),
    ),
    violates: ['revocation/missing-token'],
  },
  {
    name: 'errors are text',
    fault: headers(REVOKE, (all, { status }) => {
      if (status >= 400) all.set('content-type', 'text/plain')
    }),
    violates: ['revocation/errors-as-json'],
  },
  {
    name: 'access tokens are not revoked, as it says',
    fault: refuses(
      async (form, store) => (await store.findAccessToken(hashOf(form))) !== null,
      error('unsupported_token_type'),
    ),
    violates: ['revocation/access-token'],
  },
  {
    name: 'a revocation only forgets the refresh token',
    fault: {
      store: (store) => {
        const forgotten = new Set<string>()
        return {
          revokeAccessToken: async () => 'revoked',
          revokeGrant: async (revocation, events) => {
            if (revocation.revokedReason !== 'client_revoked')
              return store.revokeGrant(revocation, events)
            forgotten.add(revocation.grantId)
            return 'revoked'
          },
          findRefreshToken: async (hash) => {
            const found = await store.findRefreshToken(hash)
            return found !== null && forgotten.has(found.grant.grantId) ? null : found
          },
        }
      },
    },
    violates: [
      'revocation/used-at-userinfo',
      'revocation/used-at-mcp',
      'revocation/used-at-paths',
      'revocation/introspected',
      'revocation/ends-access-tokens',
    ],
    whole: true,
  },
  {
    name: 'a revoked token is served at /mcp',
    fault: forgetsAt('/mcp'),
    violates: ['revocation/used-at-mcp'],
  },
  {
    name: 'a revoked token is served at UserInfo',
    fault: forgetsAt('/api/oauth/userinfo'),
    violates: ['revocation/used-at-userinfo'],
  },
  {
    name: 'a revoked token is served by an API of the host',
    fault: forgetsAt('/courses'),
    violates: ['revocation/used-at-paths'],
  },
  {
    name: 'introspection does not know of revocations',
    fault: forgetsAt('/api/oauth/introspect'),
    violates: ['revocation/introspected'],
  },
  {
    name: 'a second revocation is an error',
    fault: refuses(async (form, store) => {
      const found = await store.findAccessToken(hashOf(form))
      return found !== null && found.accessToken.revokedAt !== null
    }, error('invalid_request')),
    violates: ['revocation/twice'],
  },
  {
    name: 'refresh tokens are not revoked, and it says that they are',
    fault: storeAt(REVOKE, () => ({ revokeGrant: async () => 'revoked' })),
    violates: [
      'revocation/refresh-token',
      'revocation/ends-access-tokens',
      'revocation/wrong-hint',
    ],
  },
  {
    name: 'revocation asks for no secret',
    fault: received(REVOKE, (form) => {
      if (form.get('client_id') === 'desk') form.set('client_secret', CLIENT_SECRET)
    }),
    violates: ['revocation/client-authentication'],
  },
  {
    name: 'another client revokes a token',
    fault: storeAt(REVOKE, (store, form) => {
      const asOf = <Found extends { grant: { clientId: string } }>(found: Found | null) =>
        found && {
          ...found,
          client: null,
          grant: { ...found.grant, clientId: form().get('client_id') ?? '' },
        }
      return {
        findAccessToken: async (hash) => asOf(await store.findAccessToken(hash)),
        findRefreshToken: async (hash) => asOf(await store.findRefreshToken(hash)),
      }
    }),
    violates: ['revocation/other-client'],
  },
  {
    name: 'a link revokes a token',
    fault: {
      wrap: (next) => (request) => {
        const { pathname, searchParams } = new URL(request.url)
        if (pathname !== REVOKE || request.method !== 'GET') return next(request)
        return next(
          new Request(new URL(REVOKE, request.url), { method: 'POST', body: searchParams }),
        )
      },
    },
    violates: ['revocation/get'],
  },
  {
    name: 'the hint decides where a token is looked for',
    fault: storeAt(REVOKE, (store, form) => ({
      findRefreshToken: async (hash) =>
        form().get('token_type_hint') === 'access_token' ? null : store.findRefreshToken(hash),
    })),
    violates: ['revocation/wrong-hint'],
  },
]
