import type { Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { type Fault, ORIGIN } from '../broken-server.js'
import { both, type Broken, json, received, requested, storeAt } from '../faults.js'

const TOKEN = '/api/oauth/token'
const INTROSPECT = '/api/oauth/introspect'

/** Issues a token for any resource, and says so in its audience. */
function issuesForAny(): Fault {
  const asked = new Map<string, string>()
  const { wrap } = requested((query) => {
    const resource = query.get('resource') ?? ''
    if (!/^https?:[^#]+$/.test(resource) || resource === ORIGIN) return
    asked.set(query.get('nonce') ?? '', resource)
    query.delete('resource')
  })
  const resourceOf = async (store: Pick<Store, 'findCode'>, codeHash: string) =>
    asked.get((await store.findCode(codeHash))?.nonce ?? '')
  return {
    wrap: (next, parts) =>
      received(TOKEN, async (form) => {
        const resource = await resourceOf(parts.store, hashToken(form.get('code') ?? ''))
        if (resource !== undefined && resource === form.get('resource')) form.delete('resource')
      }).wrap(wrap(next, parts), parts),
    store: (store) => ({
      redeemCode: async (redemption, events) => {
        const resource = (await resourceOf(store, redemption.codeHash)) ?? ORIGIN
        return store.redeemCode({ ...redemption, grant: { ...redemption.grant, resource } }, events)
      },
    }),
  }
}

/** Does not compare the audience of a token with the resource. */
const takesAnyAt = (path: string): Fault =>
  storeAt(path, (store) => ({
    findAccessToken: async (hash) => {
      const found = await store.findAccessToken(hash)
      return found && { ...found, grant: { ...found.grant, resource: ORIGIN } }
    },
  }))

const withoutResource = (grantType: string): Fault =>
  received(TOKEN, (form) => {
    if (form.get('grant_type') === grantType) form.set('resource', ORIGIN)
  })

export const resource: readonly Broken[] = [
  {
    name: 'nothing but a resource that is compared at the token endpoint',
    fault: both(
      requested((query) => {
        if (query.get('resource')?.includes('hallpass-audit')) query.set('resource', ORIGIN)
      }),
      json(TOKEN, (body) => ({ ...body, error: 'invalid_target' }), 400),
    ),
    violates: [],
  },
  {
    name: 'resource is ignored',
    fault: both(
      requested((query) => query.delete('resource')),
      received(TOKEN, (form) => form.delete('resource')),
    ),
    violates: ['resource/unknown', 'resource/other-token'],
    whole: true,
  },
  {
    name: 'the published resource is refused',
    fault: requested((query) => {
      if (query.get('resource') === ORIGIN) query.set('resource', `${ORIGIN}/v1`)
    }),
    violates: ['resource/accepted'],
  },
  {
    name: 'a path is completed with the origin',
    fault: requested((query) => {
      if (query.get('resource')?.startsWith('/')) query.set('resource', ORIGIN)
    }),
    violates: ['resource/relative'],
  },
  {
    name: 'the fragment of a resource is cut off',
    fault: requested((query) => {
      const [resource, fragment] = query.get('resource')?.split('#') ?? []
      if (fragment !== undefined) query.set('resource', resource ?? '')
    }),
    violates: ['resource/fragment'],
  },
  {
    name: 'resource may be sent once only',
    fault: requested((query) => {
      // The server refuses every other parameter that comes twice.
      if (query.getAll('resource').length > 1) query.append('scope', 'openid')
    }),
    violates: ['resource/repeated'],
  },
  {
    name: 'a token has no audience',
    fault: json(INTROSPECT, ({ aud: _aud, ...body }) => body),
    violates: ['resource/audience'],
  },
  {
    name: 'the audience of a token is its client',
    fault: json(INTROSPECT, (body) => ({ ...body, aud: body['client_id'] })),
    violates: ['resource/audience'],
  },
  {
    name: 'a signed token has the audience of an ID token',
    fault: json(TOKEN, (body) => {
      const [header, claims] = [
        { alg: 'RS256', typ: 'at+jwt' },
        { iss: ORIGIN, aud: 'desk' },
      ]
      const parts = [header, claims].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      )
      return { ...body, access_token: [...parts, 'signature'].join('.') }
    }),
    violates: ['resource/audience'],
  },
  {
    name: '/mcp takes tokens of other resources',
    fault: (() => {
      const [issuing, taking] = [issuesForAny(), takesAnyAt('/mcp')]
      return {
        ...both(issuing, taking),
        store: (store) => ({ ...issuing.store?.(store), ...taking.store?.(store) }),
      } satisfies Fault
    })(),
    violates: ['resource/other-token'],
  },
  {
    name: 'a code is redeemed for any resource',
    fault: withoutResource('authorization_code'),
    violates: ['resource/code-for-other'],
  },
  {
    name: 'a refresh is for any resource',
    fault: withoutResource('refresh_token'),
    violates: ['resource/refresh-for-other'],
  },
]
