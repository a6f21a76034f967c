import { type Promised, same } from './check.js'
import {
  accessSample,
  clientSample,
  codeSample,
  grantSample,
  hash,
  pendingSample,
  redemption,
  rotation,
  storeGrant,
  T,
} from './samples.js'

const [boundTo, other] = [hash('a key'), hash('another key')]

/** The checks of what is bound to a key. A store that loses the key makes a Bearer token of a bound one. */
export const boundChecks: readonly Promised[] = [
  {
    name: 'returns a pending request and its code with the key to which they are bound',
    async check(store) {
      const pending = pendingSample({ boundTo })
      await store.savePending(pending)
      same(await store.findPending(pending.idHash), pending, 'findPending')
      const code = codeSample({ boundTo })
      await store.issueCode({ code, pendingIdHash: pending.idHash, consentKey: null })
      same(await store.findCode(code.codeHash), { ...code, client: null }, 'findCode')
    },
  },
  {
    name: 'returns a grant and its access token each with the key to which it is bound',
    async check(store) {
      await store.issueCode({ code: codeSample(), pendingIdHash: null, consentKey: null })
      const grant = grantSample({ boundTo })
      const redeemed = redemption('0', { grant, accessToken: accessSample({ boundTo: other }) })
      await store.redeemCode(redeemed)
      const access = await store.findAccessToken(redeemed.accessToken.tokenHash)
      same(access?.accessToken, redeemed.accessToken, 'the access token')
      same(access?.grant, grant, 'the grant of the access token')
      same((await store.findRefreshToken(hash('refresh 0')))?.grant, grant, 'that of a refresh')
      const [listed] = await store.listGrants({
        of: { clientId: grant.clientId },
        after: null,
        limit: 1,
        now: T + 2,
      })
      same(listed?.grant, grant, 'that of a list')
    },
  },
  {
    name: 'returns the access token of a rotation with the key to which it is bound',
    async check(store) {
      await storeGrant(store)
      const rotated = rotation('0', '1')
      const accessToken = { ...rotated.accessToken, boundTo }
      same(await store.rotateRefreshToken({ ...rotated, accessToken }), 'rotated', 'outcome')
      const found = await store.findAccessToken(accessToken.tokenHash)
      same(found?.accessToken, accessToken, 'the access token')
      same(found?.grant, grantSample(), 'the grant, which is bound to none')
    },
  },
  {
    name: 'returns a client that gets bound tokens only as one, until it is changed',
    async check(store) {
      const client = clientSample({ dpopBoundAccessTokens: true })
      await store.insertClient(client)
      same(await store.findClient(client.clientId), client, 'the client')
      const changed = clientSample({ revision: 2 })
      await store.replaceClient(changed)
      same(await store.findClient(client.clientId), changed, 'the client that gets others')
      const again = clientSample({ revision: 3, dpopBoundAccessTokens: true })
      await store.replaceClient(again)
      same(await store.findClient(client.clientId), again, 'the client that gets bound ones again')
    },
  },
  {
    name: 'returns a client that pushes every request as one, until it is changed',
    async check(store) {
      const client = clientSample({ requirePushedRequests: true })
      await store.insertClient(client)
      same(await store.findClient(client.clientId), client, 'the client')
      const changed = clientSample({ revision: 2 })
      await store.replaceClient(changed)
      same(await store.findClient(client.clientId), changed, 'the client that pushes none')
      const again = clientSample({ revision: 3, requirePushedRequests: true })
      await store.replaceClient(again)
      same(await store.findClient(client.clientId), again, 'the client that pushes again')
    },
  },
]
