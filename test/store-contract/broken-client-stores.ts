import type { Client } from 'hallpass/policy'
import type { Store } from 'hallpass/store'
import { T } from '../../src/store-contract/samples.js'

type ClientQuery = Parameters<Store['listClients']>[0]
type GrantQuery = Parameters<Store['listGrants']>[0]

/** A store with one fault, and the promise that the fault breaks. */
export type Broken = readonly [
  fault: string,
  promise: string,
  break_: (store: Store) => Partial<Store>,
]

/** Lets whatever runs beside this go on. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const REPLACES = 'replaces every field of a client except the time of its first use'
const REPLACES_ONCE =
  'replaces a client once when several callers change the same revision at the same time'
const DELETES = 'does not find a deleted client, and never reuses its identifier'
const LISTS_CLIENTS = 'lists clients by kind and name, newest first, page by page'
const COUNTS = 'reports how many people use a client, and when its last token was issued'
const LISTS_GRANTS = 'lists active grants by client and person, newest first, page by page'
const LAST_TIME = 'knows when the last token was issued, also if one of the same second is purged'
const ENDS = 'ends everything between a client and a person, and nothing else'
const ENDS_BESIDE =
  'leaves no active grant when a redemption or a refresh runs at the same time as revokeGrants'
const PURGES = 'purges document clients that were not used, reviewed or blocked within seven days'
const ERASES = 'erases every row about a person, and no other'
const ERASES_FOR_A_DAY = 'issues no code for an erased person until purge forgets it, a day later'
const ERASES_BESIDE =
  'leaves nothing of a person when codes are issued or redeemed, or tokens refreshed, at the same time as erasePerson'

const RESTORES = 'ends all that was issued before a time, and nothing else'
const RESTORES_IN_STEPS = 'ends no more rows of a kind than the limit allows'
const RESTORES_BESIDE =
  'leaves no active grant when a redemption or a refresh runs at the same time as revokeAllGrants'

const EVERYTHING = { search: null, after: null, limit: 1000 } as const

/** Lists clients by a rule of its own. */
const listing = (
  store: Store,
  change: (query: ClientQuery) => Partial<ClientQuery>,
): Partial<Store> => ({
  listClients: (query) => store.listClients({ ...query, ...change(query) }),
})
const listingGrants = (
  store: Store,
  change: (query: GrantQuery) => Partial<GrantQuery>,
): Partial<Store> => ({
  listGrants: (query) => store.listGrants({ ...query, ...change(query) }),
})
/** Stores new clients otherwise than they are given. */
const inserting = (store: Store, change: (client: Client) => Partial<Client>): Partial<Store> => ({
  insertClient: (client) => store.insertClient({ ...client, ...change(client) }),
})

/** Stores that fail at what is managed: clients that change, and the grants behind them. */
export const BROKEN_CLIENTS: readonly Broken[] = [
  [
    'forgets the picture of a changed client',
    REPLACES,
    (store) => ({ replaceClient: (client) => store.replaceClient({ ...client, icon: null }) }),
  ],
  [
    'leaves what was known of a document as it was',
    REPLACES,
    (store) => ({
      async replaceClient(client) {
        const stored = await store.findClient(client.clientId)
        return store.replaceClient({ ...client, document: stored?.document ?? null })
      },
    }),
  ],
  [
    'takes the first use of a client from whoever changes it',
    REPLACES,
    (store) => {
      const used = new Map<string, number | null>()
      return {
        replaceClient(client) {
          used.set(client.clientId, client.usedAt)
          return store.replaceClient(client)
        },
        async findClient(id) {
          const client = await store.findClient(id)
          return client && used.has(id) ? { ...client, usedAt: used.get(id)! } : client
        },
      }
    },
  ],
  [
    'looks at the revision and then replaces the client',
    REPLACES_ONCE,
    (store) => ({
      async replaceClient(client) {
        const stored = await store.findClient(client.clientId)
        if (stored === null) return 'missing'
        if (stored.revision !== client.revision - 1) return 'conflict'
        await pause()
        await store.replaceClient(client)
        return 'replaced'
      },
    }),
  ],
  [
    'takes any later revision for the next one',
    REPLACES_ONCE,
    (store) => ({
      async replaceClient(client) {
        const stored = await store.findClient(client.clientId)
        const isLater = stored !== null && stored.revision < client.revision
        return store.replaceClient(isLater ? { ...client, revision: stored.revision + 1 } : client)
      },
    }),
  ],
  [
    'inserts a client that it cannot replace',
    REPLACES_ONCE,
    (store) => ({
      async replaceClient(client) {
        const outcome = await store.replaceClient(client)
        if (outcome !== 'missing') return outcome
        await store.insertClient(client)
        return 'replaced'
      },
    }),
  ],
  [
    'finds clients that are deleted',
    DELETES,
    (store) => {
      const deleted = new Map<string, Client>()
      return {
        replaceClient(client) {
          if (client.deletedAt !== null) deleted.set(client.clientId, client)
          return store.replaceClient(client)
        },
        findClient: async (id) => (await store.findClient(id)) ?? deleted.get(id) ?? null,
      }
    },
  ],
  [
    'lists clients that are deleted',
    'lists no client that is deleted',
    (store) => {
      const deleted: Client[] = []
      return {
        replaceClient(client) {
          if (client.deletedAt !== null) deleted.push(client)
          return store.replaceClient(client)
        },
        listClients: async (query) => [
          ...(await store.listClients(query)),
          ...deleted.map((client) => ({ client, people: 0, lastIssuedAt: null })),
        ],
      }
    },
  ],
  [
    'gives the identifier of a deleted client away again',
    DELETES,
    (store) => ({
      async insertClient(client) {
        await store.insertClient(client)
        return (await store.findClient(client.clientId)) === client ? 'exists' : 'inserted'
      },
    }),
  ],
  [
    'brings a deleted client back when it is changed',
    DELETES,
    (store) => {
      const back = new Map<string, Client>()
      return {
        async replaceClient(client) {
          const outcome = await store.replaceClient(client)
          if (outcome !== 'missing') return outcome
          back.set(client.clientId, client)
          return 'replaced'
        },
        findClient: async (id) => (await store.findClient(id)) ?? back.get(id) ?? null,
      }
    },
  ],
  ['lists clients of every kind', LISTS_CLIENTS, (store) => listing(store, () => ({ kinds: ['loopback', 'vendor', 'document', 'member'] }))],
  ['lists clients whatever their name', LISTS_CLIENTS, (store) => listing(store, () => ({ search: null }))],
  ['lists the first page of clients again and again', LISTS_CLIENTS, (store) => listing(store, () => ({ after: null }))],
  ['lists more clients than asked for', LISTS_CLIENTS, (store) => listing(store, () => ({ limit: 1000 }))],
  [
    'skips what was made in the same second as the last client of a page',
    LISTS_CLIENTS,
    (store) =>
      listing(store, ({ after }) => ({ after: after && { ...after, clientId: '\uffff' } })),
  ],
  [
    'minds the case of what is searched for',
    LISTS_CLIENTS,
    (store) => ({
      listClients: async (query) =>
        (await store.listClients(query)).filter(({ client }) =>
          client.name.includes(query.search ?? ''),
        ),
    }),
  ],
  [
    'takes what is searched for as a pattern',
    LISTS_CLIENTS,
    (store) => ({
      async listClients(query) {
        const pattern = (query.search ?? '').replaceAll('_', '.').replaceAll('%', '.*')
        const all = await store.listClients({ ...query, search: null })
        return all.filter(({ client }) => new RegExp(pattern, 'i').test(client.name))
      },
    }),
  ],
  [
    'sorts clients as a dictionary does',
    LISTS_CLIENTS,
    (store) => ({
      async listClients(query) {
        const all = await store.listClients({ ...query, ...EVERYTHING, search: query.search })
        const sorted = all.toSorted(({ client: one }, { client: other }) =>
          one.createdAt === other.createdAt
            ? one.clientId.localeCompare(other.clientId, 'en')
            : other.createdAt - one.createdAt,
        )
        const { after, limit } = query
        const start = sorted.findIndex(({ client }) => client.clientId === after?.clientId) + 1
        return sorted.slice(start, start + limit)
      },
    }),
  ],
  [
    'counts grants and calls them people',
    COUNTS,
    (store) => ({
      async listClients(query) {
        const counted = (await store.listClients(query)).map(async (row) => {
          const { clientId } = row.client
          const own = { ...EVERYTHING, of: { clientId }, now: query.now }
          return { ...row, people: (await store.listGrants(own)).length }
        })
        return Promise.all(counted)
      },
    }),
  ],
  [
    'tells when a client last got a grant',
    COUNTS,
    (store) => ({
      async listClients(query) {
        const rows = (await store.listClients(query)).map(async (row) => {
          const { clientId } = row.client
          const own = { ...EVERYTHING, of: { clientId }, now: query.now }
          const [newest] = await store.listGrants(own)
          return { ...row, lastIssuedAt: newest?.grant.createdAt ?? null }
        })
        return Promise.all(rows)
      },
    }),
  ],
  ['counts grants past their expiry', COUNTS, (store) => listing(store, () => ({ now: 0 }))],
  [
    'counts the people whose grant was ended',
    COUNTS,
    () => ({ revokeGrant: async () => 'revoked' }),
  ],
  ['lists grants past their expiry', LISTS_GRANTS, (store) => listingGrants(store, () => ({ now: 0 }))],
  ['lists grants that were ended', LISTS_GRANTS, () => ({ revokeGrant: async () => 'revoked' })],
  ['lists the grants of every client', LISTS_GRANTS, (store) => listingGrants(store, ({ of }) => ({ of: of !== 'everyone' && 'subject' in of ? { subject: of.subject } : 'everyone' }))],
  ['lists the grants of everybody', LISTS_GRANTS, (store) => listingGrants(store, ({ of }) => ({ of: of !== 'everyone' && 'clientId' in of ? { clientId: of.clientId } : 'everyone' }))],
  ['lists the first page of grants again and again', LISTS_GRANTS, (store) => listingGrants(store, () => ({ after: null }))],
  ['lists more grants than asked for', LISTS_GRANTS, (store) => listingGrants(store, () => ({ limit: 1000 }))],
  [
    'skips what was made in the same second as the last grant of a page',
    LISTS_GRANTS,
    (store) =>
      listingGrants(store, ({ after }) => ({ after: after && { ...after, grantId: '\uffff' } })),
  ],
  [
    'lists grants oldest first',
    LISTS_GRANTS,
    (store) => ({ listGrants: async (query) => (await store.listGrants(query)).toReversed() }),
  ],
  [
    'calls a grant used when it was made',
    LISTS_GRANTS,
    (store) => ({
      listGrants: async (query) =>
        (await store.listGrants(query)).map(({ grant }) => ({
          grant,
          lastIssuedAt: grant.createdAt,
        })),
    }),
  ],
  [
    'counts an access token as the last use of its grant',
    COUNTS,
    (store) => {
      let last = 0
      return {
        async rotateRefreshToken(rotation) {
          last = Math.max(last, rotation.accessToken.issuedAt)
          return store.rotateRefreshToken(rotation)
        },
        listClients: async (query) =>
          (await store.listClients(query)).map((row) => ({
            ...row,
            lastIssuedAt: row.lastIssuedAt && Math.max(row.lastIssuedAt, last),
          })),
      }
    },
  ],
  [
    'forgets the last time with the first token of that second',
    LAST_TIME,
    (store) => {
      const purged = new Set<number>()
      return {
        async purge(query) {
          purged.add(query.now)
          return store.purge(query)
        },
        listGrants: async (query) =>
          (await store.listGrants(query)).map((listed) =>
            purged.has(query.now) ? { ...listed, lastIssuedAt: listed.grant.createdAt } : listed,
          ),
      }
    },
  ],
  [
    'leaves the codes that wait',
    ENDS,
    (store) => {
      const codes = new Map<string, Awaited<ReturnType<Store['findCode']>>>()
      return {
        issueCode(issue) {
          codes.set(issue.code.codeHash, { ...issue.code, client: null })
          return store.issueCode(issue)
        },
        findCode: async (hash) => (await store.findCode(hash)) ?? codes.get(hash) ?? null,
      }
    },
  ],
  [
    'removes the codes that were redeemed as well',
    ENDS,
    (store) => {
      let ended = false
      return {
        revokeGrants(revocation) {
          ended = true
          return store.revokeGrants(revocation)
        },
        async findCode(hash) {
          const code = await store.findCode(hash)
          return ended && code?.redeemedAt !== null ? null : code
        },
      }
    },
  ],
  [
    'leaves what is remembered',
    ENDS,
    (store) => {
      const consents = new Set<string>()
      return {
        issueCode(issue) {
          if (issue.consentKey !== null) consents.add(issue.consentKey)
          return store.issueCode(issue)
        },
        hasConsent: async (key) => consents.has(key),
      }
    },
  ],
  [
    "forgets everybody's consent with one person's",
    ENDS,
    (store) => {
      let ended = false
      return {
        revokeGrants(revocation) {
          ended = true
          return store.revokeGrants(revocation)
        },
        hasConsent: async (key) => !ended && store.hasConsent(key),
      }
    },
  ],
  [
    'ends what everybody has with one person',
    ENDS,
    (store) => ({
      revokeGrants: (revocation) => store.revokeGrantsOfClient(revocation),
    }),
  ],
  [
    'forgets why it ended a grant',
    ENDS,
    (store) => ({
      revokeGrants: (revocation) => store.revokeGrants({ ...revocation, revokedReason: '' }),
    }),
  ],
  [
    'counts what was ended before',
    ENDS,
    (store) => {
      let ended = 0
      return {
        async revokeGrantsOfClient(revocation) {
          ended += await store.revokeGrantsOfClient(revocation)
          return ended
        },
      }
    },
  ],
  [
    'looks at the grants and then ends each of them',
    ENDS_BESIDE,
    (store) => ({
      async redeemCode(redeem) {
        await pause()
        return store.redeemCode(redeem)
      },
      async revokeGrants({ clientId, subject, ...revocation }) {
        const alive = await store.listGrants({ ...EVERYTHING, of: { clientId, subject }, now: 0 })
        await pause()
        for (const { grant } of alive)
          await store.revokeGrant({ ...revocation, grantId: grant.grantId })
        return alive.length
      },
    }),
  ],
  [
    'goes on redeeming a code that was removed meanwhile',
    ENDS_BESIDE,
    (store) => ({
      async redeemCode(redeem) {
        const code = await store.findCode(redeem.codeHash)
        await pause()
        if (code !== null && (await store.findCode(redeem.codeHash)) === null)
          await store.issueCode({ code, pendingIdHash: null, consentKey: null })
        return store.redeemCode(redeem)
      },
    }),
  ],
  [
    'counts the age of a document from when it was first seen',
    PURGES,
    (store) =>
      inserting(store, ({ document, createdAt }) => ({
        document: document && { ...document, fetchedAt: createdAt },
      })),
  ],
  ['purges documents that are blocked', PURGES, (store) => inserting(store, () => ({ disabled: false }))],
  [
    'takes a document for reviewed that was reviewed before it changed',
    PURGES,
    (store) =>
      inserting(store, ({ document, scopes }) => ({
        scopes: document?.reviewedAt == null ? scopes : [],
      })),
  ],
  ['purges documents that were reviewed', PURGES, (store) => inserting(store, ({ kind, scopes }) => ({ scopes: kind === 'document' ? null : scopes }))],
  ['purges documents that were used', PURGES, (store) => inserting(store, () => ({ usedAt: null }))],
  [
    'only revokes the grants of an erased person',
    ERASES,
    (store) => ({
      async erasePerson({ subject, erasedAt }) {
        const grants = await store.listGrants({ ...EVERYTHING, of: { subject }, now: 0 })
        for (const { grant } of grants)
          await store.revokeGrant({
            grantId: grant.grantId,
            revokedAt: erasedAt,
            revokedReason: 'erased',
          })
        return { grants: grants.length, codes: 0, consents: 0, pending: 0 }
      },
    }),
  ],
  [
    'minds the case of a login hint',
    ERASES,
    (store) => ({
      savePending: (pending) =>
        store.savePending({ ...pending, loginHint: pending.loginHint && `${pending.loginHint} ` }),
    }),
  ],
  [
    'keeps what an erased person consented to',
    ERASES,
    (store) => {
      const consents = new Set<string>()
      return {
        async issueCode(issue) {
          const outcome = await store.issueCode(issue)
          if (outcome === 'issued' && issue.consentKey !== null) consents.add(issue.consentKey)
          return outcome
        },
        hasConsent: async (key) => consents.has(key),
      }
    },
  ],
  [
    'keeps the codes of an erased person that were redeemed',
    ERASES,
    (store) => {
      const codes = new Map<string, Awaited<ReturnType<Store['findCode']>>>()
      return {
        async redeemCode(redeem) {
          const outcome = await store.redeemCode(redeem)
          codes.set(redeem.codeHash, await store.findCode(redeem.codeHash))
          return outcome
        },
        findCode: async (hash) => (await store.findCode(hash)) ?? codes.get(hash) ?? null,
      }
    },
  ],
  [
    'erases everybody with one person',
    ERASES,
    (store) => ({
      async erasePerson(erasure) {
        const erased = await store.erasePerson(erasure)
        const rest = await store.listGrants({ ...EVERYTHING, of: 'everyone', now: 0 })
        for (const { grant } of rest)
          await store.erasePerson({ ...erasure, subject: grant.subject })
        return erased
      },
    }),
  ],
  [
    'counts what was erased before',
    ERASES,
    (store) => {
      let grants = 0
      return {
        async erasePerson(erasure) {
          const erased = await store.erasePerson(erasure)
          return { ...erased, grants: (grants += erased.grants) }
        },
      }
    },
  ],
  [
    'issues a silent code for an erased person',
    ERASES_FOR_A_DAY,
    (store) => ({
      async issueCode(issue) {
        const outcome = await store.issueCode(issue)
        return issue.pendingIdHash === null ? 'issued' : outcome
      },
    }),
  ],
  [
    'ends the pending request although it issues no code',
    ERASES_FOR_A_DAY,
    (store) => ({
      async issueCode(issue) {
        const outcome = await store.issueCode(issue)
        if (issue.pendingIdHash !== null) await store.endPending(issue.pendingIdHash)
        return outcome
      },
    }),
  ],
  [
    'compares the time of a code with that of the erasure',
    ERASES_FOR_A_DAY,
    (store) => ({
      issueCode: async (issue, events) =>
        issue.code.issuedAt < T + 86_400
          ? store.issueCode(issue, events)
          : store.issueCode({ ...issue, code: { ...issue.code, subject: 'somebody' } }, events),
    }),
  ],
  [
    'forgets too early who was erased',
    ERASES_FOR_A_DAY,
    (store) => ({ erasePerson: (erasure) => store.erasePerson({ ...erasure, erasedAt: 0 }) }),
  ],
  [
    'goes on redeeming a code that was erased meanwhile',
    ERASES_BESIDE,
    (store) => ({
      async redeemCode(redeem) {
        const code = await store.findCode(redeem.codeHash)
        await pause()
        if (code !== null && (await store.findCode(redeem.codeHash)) === null)
          await store.issueCode({
            code: { ...code, subject: 'somebody' },
            pendingIdHash: null,
            consentKey: null,
          })
        return store.redeemCode(redeem)
      },
    }),
  ],
  ['ends what was issued at that time', RESTORES, (store) => ({ revokeAllGrants: (all) => store.revokeAllGrants({ ...all, issuedBefore: all.issuedBefore + 1 }) })],
  ['forgets why it ended all grants', RESTORES, (store) => ({ revokeAllGrants: (all) => store.revokeAllGrants({ ...all, revokedReason: '' }) })],
  [
    'keeps what was remembered before a restore',
    RESTORES,
    (store) => {
      const consents = new Set<string>()
      return {
        issueCode(issue) {
          if (issue.consentKey !== null) consents.add(issue.consentKey)
          return store.issueCode(issue)
        },
        hasConsent: async (key) => consents.has(key),
      }
    },
  ],
  [
    'ends what was issued in one step',
    RESTORES_IN_STEPS,
    (store) => ({ revokeAllGrants: (all) => store.revokeAllGrants({ ...all, limit: 1000 }) }),
  ],
  [
    'says at once that nothing is left',
    RESTORES_IN_STEPS,
    (store) => ({
      async revokeAllGrants(all) {
        await store.revokeAllGrants(all)
        return { grants: 0, codes: 0, consents: 0, pending: 0 }
      },
    }),
  ],
  [
    'redeems a code that it read before all grants were ended',
    RESTORES_BESIDE,
    (store) => ({
      async redeemCode(redeem) {
        const code = await store.findCode(redeem.codeHash)
        for (let step = 0; step < 4; step++) await pause()
        if (code !== null && (await store.findCode(redeem.codeHash)) === null)
          await store.issueCode({ code, pendingIdHash: null, consentKey: null })
        return store.redeemCode(redeem)
      },
    }),
  ],
  ['keeps documents for ever', PURGES, (store) => inserting(store, ({ kind, usedAt }) => ({ usedAt: kind === 'document' ? 1 : usedAt }))],
] // prettier-ignore

/** What such a store finds or ends of another site. */
export const SHARED_CLIENTS: readonly Broken[] = [
  ['lists the clients of every site', LISTS_CLIENTS, () => ({})],
  ['lists the grants of every site', LISTS_GRANTS, () => ({})],
  ['ends what another site has with a client of the same identifier', ENDS, () => ({})],
  ['erases the same subject at another site', ERASES, () => ({})],
  ['ends what another site issued', RESTORES, () => ({})],
]
