import type { ClientKind } from '../policy/client.js'
import type { StoreWith } from '../store/groups.js'
import type { RotateRefreshToken, Store } from '../store/store.js'
import { type Promised, race, same, tally } from './check.js'

type ClientQuery = Parameters<Store['listClients']>[0]
import {
  clientSample,
  codeSample,
  grantSample,
  hash,
  HOSTILE,
  redemption,
  rotation,
  storeGrant,
  T,
} from './samples.js'

const ALL_KINDS: readonly ClientKind[] = ['loopback', 'vendor', 'document', 'member']
const DAY = 86_400

const clientIds = async (
  store: StoreWith<'management'>,
  query: Partial<ClientQuery> = {},
): Promise<readonly string[]> => {
  const all = { kinds: ALL_KINDS, search: null, after: null, limit: 100, now: T + 10 }
  return (await store.listClients({ ...all, ...query })).map(({ client }) => client.clientId)
}
const grantIds = async (
  store: StoreWith,
  query: Partial<Parameters<Store['listGrants']>[0]> = {},
): Promise<readonly string[]> => {
  const all = { of: 'everyone' as const, after: null, limit: 100, now: T + 10 }
  return (await store.listGrants({ ...all, ...query })).map(({ grant }) => grant.grantId)
}

/** Stores a grant of a person for a client with its code and tokens, all under one name. */
function storeNamed(
  store: StoreWith,
  grantId: string,
  { clientId, subject, createdAt = T }: { clientId: string; subject: string; createdAt?: number },
): Promise<void> {
  return storeGrant(store, grantId, {
    code: codeSample({ codeHash: hash(`code ${grantId}`), grantId, clientId, subject }),
    grant: grantSample({ grantId, clientId, subject, createdAt }),
  })
}

/** Returns a rotation of the refresh token of the grant with this name. */
function rotationOf(grantId: string, issuedAt: number): RotateRefreshToken {
  const { rotation: record, accessToken, successor } = rotation(grantId, `next of ${grantId}`)
  return {
    tokenHash: hash(`refresh ${grantId}`),
    rotation: record,
    forgetSaltsUntil: 0,
    successor: { ...successor, grantId, issuedAt },
    accessToken: { ...accessToken, grantId },
  }
}

const document = {
  firstSeenAt: T,
  fetchedAt: T,
  freshUntil: T + 3600,
  digest: hash('document'),
  reviewedAt: T + 1,
  changedAt: null,
  reviewed: { name: 'Study', redirectUris: ['https://app.example/cb'], about: null },
}

/** The checks of clients that change, and of the lists of grants. */
export const clientChecks: readonly Promised[] = [
  {
    name: 'replaces every field of a client except the time of its first use',
    async check(store) {
      const [text = ''] = HOSTILE
      const jwksUri = 'https://app.example/jwks.json'
      const keys = { jwks: null, jwksUri, signingAlg: null }
      await store.insertClient(clientSample({ kind: 'document', usedAt: T - 5, document, keys }))
      same((await store.findClient('app_1'))?.keys, keys, 'the address of keys')
      const changed = clientSample({
        kind: 'document',
        name: text,
        redirectUris: [text],
        tokenEndpointAuthMethod: 'none',
        secrets: [],
        scopes: null,
        disabled: true,
        endsAt: T + 5,
        description: null,
        icon: text,
        about: null,
        revision: 2,
        usedAt: null,
        document: { ...document, reviewedAt: null, changedAt: T + 2 },
        keys: { jwks: { keys: [{ kty: 'OKP', kid: text }] }, jwksUri: null, signingAlg: 'Ed25519' },
      })
      same(await store.replaceClient(changed), 'replaced', 'replaceClient')
      same(await store.findClient('app_1'), { ...changed, usedAt: T - 5 }, 'findClient')
    },
  },
  {
    name: 'replaces a client once when several callers change the same revision at the same time',
    isRace: true,
    async check(store) {
      await store.insertClient(clientSample())
      await store.insertClient(clientSample({ clientId: 'app_2' }))
      const outcomes = await race(10, (index) =>
        store.replaceClient(clientSample({ name: `name ${index}`, revision: 2 })),
      )
      same(tally(outcomes), { conflict: 9, replaced: 1 }, 'outcomes')
      const found = await store.findClient('app_1')
      same(found?.name, `name ${outcomes.indexOf('replaced')}`, 'the name')
      same(await store.findClient('app_2'), clientSample({ clientId: 'app_2' }), 'another client')
      const skipping = clientSample({ revision: 4 })
      same(await store.replaceClient(skipping), 'conflict', 'a revision too far ahead')
      const unknown = clientSample({ clientId: 'app_3', revision: 2 })
      same(await store.replaceClient(unknown), 'missing', 'an unknown client')
    },
  },
  {
    name: 'does not find a deleted client, and never reuses its identifier',
    async check(store) {
      await store.insertClient(clientSample())
      const deleted = clientSample({ revision: 2, deletedAt: T })
      same(await store.replaceClient(deleted), 'replaced', 'replaceClient')
      same(await store.findClient('app_1'), null, 'findClient')
      same(await store.insertClient(clientSample()), 'exists', 'insertClient')
      same(await store.replaceClient(clientSample({ revision: 3 })), 'missing', 'replaceClient')
      same(await store.findClient('app_1'), null, 'findClient afterwards')
    },
  },
  {
    name: 'lists active grants by client and person, newest first, page by page',
    async check(store, other) {
      await storeNamed(other, 'theirs', { clientId: 'app_1', subject: 'mem_1' })
      await storeNamed(store, 'g1', { clientId: 'app_1', subject: 'mem_1', createdAt: T - 9 })
      await storeNamed(store, 'G2', { clientId: 'app_2', subject: 'mem_1', createdAt: T })
      await storeNamed(store, 'g2', { clientId: 'app_1', subject: 'mem_2', createdAt: T })
      await storeNamed(store, 'gone', { clientId: 'app_1', subject: 'mem_1', createdAt: T })
      await store.revokeGrant({ grantId: 'gone', revokedAt: T, revokedReason: 'test' })
      same(await grantIds(store), ['G2', 'g2', 'g1'], 'all of them')
      same(await grantIds(store, { of: { clientId: 'app_1' } }), ['g2', 'g1'], 'of a client')
      same(await grantIds(store, { of: { subject: 'mem_1' } }), ['G2', 'g1'], 'of a person')
      same(
        await grantIds(store, { of: { clientId: 'app_1', subject: 'mem_2' } }),
        ['g2'],
        'of both',
      )
      same(await grantIds(store, { now: grantSample().expiresAt }), [], 'after their expiry')
      const [first] = await store.listGrants({
        of: 'everyone',
        after: null,
        limit: 1,
        now: T,
      })
      same(first, { grant: first?.grant, lastIssuedAt: T + 1 }, 'the first with its last token')
      const after = { createdAt: T, grantId: 'G2' }
      same(await grantIds(store, { after, limit: 1 }), ['g2'], 'the page behind the first')
    },
  },
  {
    name: 'knows when the last token was issued, also if one of the same second is purged',
    async check(store) {
      await storeNamed(store, 'g1', { clientId: 'app_1', subject: 'mem_1' })
      await store.rotateRefreshToken(rotationOf('g1', T + 1))
      const first = await store.findRefreshToken(hash('refresh g1'))
      const now = first!.refreshToken.expiresAt
      await store.purge({ now, limit: 100 })
      same(await store.findRefreshToken(hash('refresh g1')), null, 'the first token')
      const query = { of: 'everyone', after: null, limit: 1, now } as const
      same((await store.listGrants(query))[0]?.lastIssuedAt, T + 1, 'the last time')
    },
  },
  {
    name: 'purges document clients that were not used, reviewed or blocked within seven days',
    async check(store) {
      const base = {
        kind: 'document' as const,
        createdAt: T - 400 * DAY,
        usedAt: null,
        scopes: null,
      }
      const put = (clientId: string, fields: object): Promise<unknown> =>
        store.insertClient(clientSample({ ...base, clientId, document, ...fields }))
      await put('unused', {})
      await put('used', { usedAt: T })
      await put('reviewed', { scopes: [] })
      await put('blocked', { disabled: true })
      await put('fetched again', { document: { ...document, fetchedAt: T + DAY } })
      same((await store.purge({ now: T + 7 * DAY - 1, limit: 100 })).rows, 0, 'a second too early')
      same((await store.purge({ now: T + 7 * DAY, limit: 100 })).rows, 1, 'in time')
      same(
        await Promise.all(
          ['unused', 'used', 'reviewed', 'blocked', 'fetched again'].map(
            async (clientId) => (await store.findClient(clientId)) !== null,
          ),
        ),
        [false, true, true, true, true],
        'what is left',
      )
    },
  },
]

/** The checks of the group `management`: lists of clients, and the end of grants. */
export const managementChecks: readonly Promised<StoreWith<'management'>>[] = [
  {
    name: 'lists clients by kind and name, newest first, page by page',
    async check(store, other) {
      await other.insertClient(clientSample({ clientId: 'theirs' }))
      const sorted = ['newest', 'B', 'a', 'b', 'oldest']
      for (const [index, clientId] of ['b', 'oldest', 'a', 'newest', 'B'].entries())
        await store.insertClient(
          clientSample({
            clientId,
            name: `100%_ ${clientId} App`,
            kind: index === 0 ? 'loopback' : 'member',
            createdAt: clientId === 'newest' ? T : clientId === 'oldest' ? T - 2 : T - 1,
          }),
        )
      same(await clientIds(store), sorted, 'all of them')
      same(await clientIds(store, { kinds: ['loopback'] }), ['b'], 'of one kind')
      same(await clientIds(store, { kinds: [] }), [], 'of no kind')
      same(await clientIds(store, { search: 'OLD' }), ['oldest'], 'part of a name')
      same(await clientIds(store, { search: '%_' }), sorted, 'a name with signs of a pattern')
      same(await clientIds(store, { search: '_%' }), [], 'a pattern that does not occur in a name')
      const seen: string[] = []
      let after: ClientQuery['after'] = null
      for (let page = 0; page < 4; page++) {
        const rows = await store.listClients({
          kinds: ALL_KINDS,
          search: null,
          after,
          limit: 2,
          now: T,
        })
        same(rows.length <= 2, true, 'no more rows than asked for')
        seen.push(...rows.map(({ client }) => client.clientId))
        after = rows.at(-1)?.client ?? after
      }
      same(seen, sorted, 'two at a time')
    },
  },
  {
    name: 'lists no client that is deleted',
    async check(store) {
      await store.insertClient(clientSample())
      await store.replaceClient(clientSample({ revision: 2, deletedAt: T }))
      same(await clientIds(store), [], 'listClients')
    },
  },
  {
    name: 'reports how many people use a client, and when its last token was issued',
    async check(store) {
      await store.insertClient(clientSample())
      await store.insertClient(clientSample({ clientId: 'app_2', createdAt: T - 2000 }))
      await storeNamed(store, 'g1', { clientId: 'app_1', subject: 'mem_1' })
      await storeNamed(store, 'g2', { clientId: 'app_1', subject: 'mem_1' })
      await storeNamed(store, 'g3', { clientId: 'app_1', subject: 'mem_2' })
      await storeNamed(store, 'g4', { clientId: 'app_1', subject: 'mem_3' })
      await store.revokeGrant({ grantId: 'g4', revokedAt: T, revokedReason: 'test' })
      await store.rotateRefreshToken(rotationOf('g3', T + 99))
      const list = async (now: number) =>
        (
          await store.listClients({ kinds: ALL_KINDS, search: null, after: null, limit: 9, now })
        ).map(({ client, people, lastIssuedAt }) => [client.clientId, people, lastIssuedAt])
      same(
        await list(T + 100),
        [
          ['app_1', 2, T + 99],
          ['app_2', 0, null],
        ],
        'now',
      )
      const end = grantSample().expiresAt
      same(
        await list(end),
        [
          ['app_1', 0, null],
          ['app_2', 0, null],
        ],
        'after their expiry',
      )
    },
  },
  {
    name: 'ends everything between a client and a person, and nothing else',
    async check(store, other) {
      for (const one of [store, other]) {
        await storeNamed(one, 'g1', { clientId: 'app_1', subject: 'mem_1' })
        await storeNamed(one, 'g2', { clientId: 'app_1', subject: 'mem_2' })
        await storeNamed(one, 'g3', { clientId: 'app_2', subject: 'mem_1' })
        for (const name of ['a1', 'a2'])
          await one.issueCode({
            code: codeSample({
              codeHash: hash(name),
              grantId: name,
              subject: name === 'a1' ? 'mem_1' : 'mem_2',
            }),
            pendingIdHash: null,
            consentKey: hash(`consent ${name}`),
          })
      }
      const revocation = { clientId: 'app_1', revokedAt: T + 5, revokedReason: 'disconnected' }
      same(await store.revokeGrants({ ...revocation, subject: 'mem_1' }), 1, 'of one person')
      same(await store.findCode(hash('a1')), null, 'their code')
      same(await store.hasConsent(hash('consent a1')), false, 'their consent')
      const revoked = await store.findAccessToken(hash('access g1'))
      same([revoked?.grant.revokedAt, revoked?.grant.revokedReason], [T + 5, 'disconnected'], 'why')
      same((await store.findCode(hash('code g1')))?.redeemedAt, T + 1, 'a code that was redeemed')
      same((await store.findCode(hash('a2')))?.subject, 'mem_2', "another person's code")
      same(await store.hasConsent(hash('consent a2')), true, "another person's consent")
      same(await grantIds(store), ['g2', 'g3'], 'what is left')
      same(await store.revokeGrantsOfClient(revocation), 1, 'of all people')
      same(await grantIds(store), ['g3'], 'what is left of other clients')
      same(await store.hasConsent(hash('consent a2')), false, 'every consent')
      same(await store.revokeGrantsOfClient(revocation), 0, 'a second time')
      same(await grantIds(other), ['g1', 'g2', 'g3'], 'what is left of another site')
      same((await other.findCode(hash('a1')))?.subject, 'mem_1', "another site's code")
    },
  },
  {
    name: 'leaves no active grant when a redemption or a refresh runs at the same time as revokeGrants',
    isRace: true,
    async check(store) {
      const ended = { revokedAt: T, revokedReason: 'ended' }
      for (let round = 0; round < 8; round++) {
        const name = `round ${round}`
        const clientId = `app_${round}`
        await storeNamed(store, `old ${name}`, { clientId, subject: 'mem_1' })
        const code = codeSample({ codeHash: hash(name), grantId: `new ${name}`, clientId })
        await store.issueCode({ code, pendingIdHash: null, consentKey: null })
        await Promise.all([
          store.redeemCode(
            redemption(name, {
              codeHash: hash(name),
              grant: grantSample({ grantId: `new ${name}`, clientId }),
              accessToken: { ...redemption(name).accessToken, grantId: `new ${name}` },
              refreshToken: { ...redemption(name).refreshToken, grantId: `new ${name}` },
            }),
          ),
          store.rotateRefreshToken(rotationOf(`old ${name}`, T)),
          round % 2 === 0
            ? store.revokeGrants({ clientId, subject: 'mem_1', ...ended })
            : store.revokeGrantsOfClient({ clientId, ...ended }),
        ])
        same(await grantIds(store, { of: { clientId } }), [], `active grants in ${name}`)
      }
    },
  },
]
