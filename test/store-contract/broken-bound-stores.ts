import type { Broken } from './broken-client-stores.js'

/** Returns a record without the key to which it is bound. */
function loose<Bound extends { readonly boundTo?: string | null }>(
  record: Bound,
): Omit<Bound, 'boundTo'> {
  const { boundTo: _, ...rest } = record
  return rest
}

const PENDING = 'returns a pending request and its code with the key to which they are bound'
const GRANT = 'returns a grant and its access token each with the key to which it is bound'
const ROTATED = 'returns the access token of a rotation with the key to which it is bound'
const CLIENT = 'returns a client that gets bound tokens only as one, until it is changed'
const PUSHING = 'returns a client that pushes every request as one, until it is changed'

/** Stores that lose the key of a record, as one does whose columns were written before there were keys. */
export const BROKEN_BOUND: readonly Broken[] = [
  [
    'loses the key of a request',
    PENDING,
    (store) => ({ savePending: (pending) => store.savePending(loose(pending)) }),
  ],
  [
    'loses the key of a code',
    PENDING,
    (store) => ({
      issueCode: (issue, events) => store.issueCode({ ...issue, code: loose(issue.code) }, events),
    }),
  ],
  [
    'loses the key of a grant',
    GRANT,
    (store) => ({
      redeemCode: (redeem, events) =>
        store.redeemCode({ ...redeem, grant: loose(redeem.grant) }, events),
    }),
  ],
  [
    'loses the key of an access token',
    GRANT,
    (store) => ({
      redeemCode: (redeem, events) =>
        store.redeemCode({ ...redeem, accessToken: loose(redeem.accessToken) }, events),
    }),
  ],
  [
    'gives an access token the key of its grant',
    GRANT,
    (store) => ({
      redeemCode: (redeem, events) =>
        store.redeemCode(
          {
            ...redeem,
            accessToken: { ...redeem.accessToken, boundTo: redeem.grant.boundTo ?? null },
          },
          events,
        ),
    }),
  ],
  [
    'loses the key of a refreshed access token',
    ROTATED,
    (store) => ({
      rotateRefreshToken: (rotate, events) =>
        store.rotateRefreshToken({ ...rotate, accessToken: loose(rotate.accessToken) }, events),
    }),
  ],
  [
    'binds a grant to the key of a refresh',
    ROTATED,
    (store) => {
      let key: string | undefined
      return {
        rotateRefreshToken(rotate, events) {
          key = rotate.accessToken.boundTo ?? undefined
          return store.rotateRefreshToken(rotate, events)
        },
        async findAccessToken(hash) {
          const found = await store.findAccessToken(hash)
          return found && { ...found, grant: { ...found.grant, ...(key && { boundTo: key }) } }
        },
      }
    },
  ],
  [
    'loses that a client gets bound tokens only',
    CLIENT,
    (store) => ({
      insertClient(client, events) {
        const { dpopBoundAccessTokens: _, ...rest } = client
        return store.insertClient(rest, events)
      },
    }),
  ],
  [
    'keeps that a client got bound tokens only',
    CLIENT,
    (store) => ({
      async replaceClient(client, events) {
        const known = await store.findClient(client.clientId)
        const { dpopBoundAccessTokens = client.dpopBoundAccessTokens } = known ?? {}
        return store.replaceClient(
          { ...client, ...(dpopBoundAccessTokens && { dpopBoundAccessTokens }) },
          events,
        )
      },
    }),
  ],
  [
    'loses that a client pushes every request',
    PUSHING,
    (store) => ({
      insertClient(client, events) {
        const { requirePushedRequests: _, ...rest } = client
        return store.insertClient(rest, events)
      },
    }),
  ],
  [
    'keeps that a client pushed every request',
    PUSHING,
    (store) => ({
      async replaceClient(client, events) {
        const known = await store.findClient(client.clientId)
        const { requirePushedRequests = client.requirePushedRequests } = known ?? {}
        return store.replaceClient(
          { ...client, ...(requirePushedRequests && { requirePushedRequests }) },
          events,
        )
      },
    }),
  ],
]
