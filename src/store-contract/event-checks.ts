import type { StoredEvent } from '../store/records.js'
import type { StoreGroup, StoreWith } from '../store/groups.js'
import { type Promised, race, same, settles } from './check.js'
import {
  clientSample,
  codeSample,
  eventSample,
  grantSample,
  hash,
  HOSTILE,
  keySample,
  pendingSample,
  redemption,
  refreshSample,
  rotation,
  storeGrant,
  T,
} from './samples.js'

const DAY = 86_400

const idsOf = async (store: StoreWith<'outbox'>): Promise<readonly string[]> =>
  (await store.listEvents({ limit: 1000 })).map(({ id }) => id)

const grantsOf = async (store: StoreWith<'outbox'>): Promise<readonly unknown[]> =>
  (await store.listEvents({ limit: 100 })).map(({ id, grants }) => [id, grants])

/** A method with events, called when it wins and when it does not. */
interface Change<in Kept = StoreWith> {
  readonly wins: (store: Kept, events: readonly StoredEvent[]) => Promise<unknown>
  /** Called after `wins`. */
  readonly loses: (store: Kept, events: readonly StoredEvent[]) => Promise<unknown>
}

const twice = <Kept>(change: Change<Kept>['wins']): Change<Kept> => ({
  wins: change,
  loses: change,
})
const issue = { code: codeSample(), pendingIdHash: pendingSample().idHash, consentKey: null }

/** In an order in which each finds what it needs. */
const CHANGES: Readonly<Record<string, Change>> = {
  insertClient: twice((store, events) => store.insertClient(clientSample(), events)),
  replaceClient: twice((store, events) =>
    store.replaceClient(clientSample({ revision: 2, name: 'New' }), events),
  ),
  issueCode: {
    async wins(store, events) {
      await store.savePending(pendingSample())
      return store.issueCode(issue, events)
    },
    loses: (store, events) =>
      store.issueCode({ ...issue, code: codeSample({ codeHash: hash('late') }) }, events),
  },
  redeemCode: twice((store, events) => store.redeemCode(redemption(), events)),
  rotateRefreshToken: twice((store, events) =>
    store.rotateRefreshToken(rotation('0', '1'), events),
  ),
  revokeAccessToken: twice((store, events) =>
    store.revokeAccessToken({ tokenHash: hash('access 0'), revokedAt: T }, events),
  ),
  revokeGrant: twice((store, events) =>
    store.revokeGrant({ grantId: 'grant_1', revokedAt: T, revokedReason: 'test' }, events),
  ),
  endPending: {
    async wins(store, events) {
      await store.savePending(pendingSample({ idHash: hash('denied') }))
      return store.endPending(hash('denied'), events)
    },
    loses: (store, events) => store.endPending(hash('denied'), events),
  },
  moveKey: {
    async wins(store, events) {
      await store.insertKey(keySample())
      return store.moveKey({ key: keySample({ state: 'published' }), from: 'generated' }, events)
    },
    loses: (store, events) =>
      store.moveKey({ key: keySample({ state: 'published' }), from: 'generated' }, events),
  },
}

const WIDENING: Readonly<Record<string, Change<StoreWith<'stepUp'>>>> = {
  widenGrant: {
    wins: (store, events) => store.widenGrant({ grantId: 'grant_1', scopes: ['email'] }, events),
    loses: (store, events) => store.widenGrant({ grantId: 'none', scopes: ['email'] }, events),
  },
}

const MOVES: Readonly<Record<string, Change<StoreWith<'clock'>>>> = {
  'moveClock at first': twice((store, events) =>
    store.moveClock({ from: null, to: { trustedAt: T, leap: null } }, events),
  ),
  'moveClock later': twice((store, events) =>
    store.moveClock(
      { from: { trustedAt: T, leap: null }, to: { trustedAt: T + 1, leap: null } },
      events,
    ),
  ),
}

/** Makes each change twice, and compares the events that are kept. */
async function keepsThoseOf<Kept extends StoreWith<'outbox'>>(
  store: Kept,
  changes: Readonly<Record<string, Change<Kept>>>,
): Promise<void> {
  const expected: string[] = []
  for (const [name, { wins, loses }] of Object.entries(changes)) {
    // The order is not that of their texts.
    const own = [`${name} b`, `${name} a`]
    await wins(
      store,
      own.map((id) => eventSample({ id })),
    )
    expected.push(...own)
    same(await idsOf(store), expected, `events after ${name}`)
    await loses(store, [eventSample({ id: `${name} lost` })])
    same(await idsOf(store), expected, `events after a second ${name}`)
  }
}

/** The checks of the events that are kept with a change. */
export const eventChecks: readonly Promised<StoreWith<'outbox'>>[] = [
  {
    name: 'keeps the events of each change that is made, in order, and none of one that is not',
    check: (store) => keepsThoseOf(store, CHANGES),
  },
  {
    name: 'returns an event with every member as it was kept, at its own site only',
    async check(store, other) {
      const events = [
        eventSample(),
        eventSample({ id: 'bare' }),
        ...HOSTILE.map((text) => eventSample({ id: text, clientName: text, scopes: [text] })),
      ]
      await store.insertClient(clientSample(), events)
      same(await store.listEvents({ limit: 100 }), events, 'events')
      same(await other.listEvents({ limit: 100 }), [], 'events of another site')
      await other.deleteEvents(events.map(({ id }) => id))
      same(await store.listEvents({ limit: 100 }), events, 'events after another site deleted its')
    },
  },
  {
    name: 'returns no more events than the limit, and deletes only those that are named',
    async check(store) {
      const ids = ['1', '2', '3', '4', '5']
      for (const id of ids)
        await store.insertClient(clientSample({ clientId: id }), [eventSample({ id })])
      same(
        (await store.listEvents({ limit: 2 })).map(({ id }) => id),
        ['1', '2'],
        'two events',
      )
      await store.deleteEvents(['2', '4', 'unknown', ...HOSTILE])
      await store.deleteEvents([])
      same(await idsOf(store), ['1', '3', '5'], 'events that are left')
    },
  },
  {
    name: 'keeps an event once, although it is passed with two changes',
    async check(store) {
      await store.insertClient(clientSample(), [eventSample({ clientName: 'first' })])
      const second = [eventSample({ clientName: 'second' }), eventSample({ id: 'other' })]
      same(
        await store.insertClient(clientSample({ clientId: 'app_2' }), second),
        'inserted',
        'insertClient',
      )
      const [first, other] = await store.listEvents({ limit: 100 })
      same([first?.['clientName'], other?.id], ['first', 'other'], 'events')
      same((await idsOf(store)).length, 2, 'number of events')
    },
  },
  {
    name: 'keeps the event of the one caller that redeems a code, and of no other',
    isRace: true,
    async check(store) {
      await store.issueCode({ code: codeSample(), pendingIdHash: null, consentKey: null })
      const outcomes = await race(10, (index) =>
        store.redeemCode(redemption(String(index)), [eventSample({ id: `event ${index}` })]),
      )
      same(await idsOf(store), [`event ${outcomes.indexOf('redeemed')}`], 'events')
    },
  },
  {
    name: 'makes no change whose event cannot be kept, and keeps no event of a change that fails',
    async check(store) {
      await storeGrant(store)
      const [codeHash, grantId] = [hash('second'), 'grant_2']
      const code = codeSample({ codeHash, grantId })
      await store.issueCode({ code, pendingIdHash: null, consentKey: null })
      // A row whose key is taken simulates a fault half way.
      const redeem = redemption('second', {
        codeHash,
        grant: grantSample({ grantId }),
        refreshToken: refreshSample({ grantId }),
      })
      const settled = await settles(store.redeemCode(redeem, [eventSample()]))
      const isRedeemed = (await store.findCode(codeHash))?.redeemedAt !== null
      same(isRedeemed, settled !== null, 'the code is redeemed')
      same(await idsOf(store), isRedeemed ? [eventSample().id] : [], 'events')
    },
  },
  {
    name: 'purges events that were not delivered for thirty days, to the second',
    async check(store) {
      const events = [eventSample({ id: 'old' }), eventSample({ id: 'new', at: T + 1 })]
      await store.insertClient(clientSample(), events)
      same((await store.purge({ now: T + 30 * DAY - 1, limit: 100 })).rows, 0, 'purge before')
      same((await store.purge({ now: T + 30 * DAY, limit: 100 })).rows, 1, 'purge')
      same(await idsOf(store), ['new'], 'events that are left')
    },
  },
]

type WithOutbox<Group extends StoreGroup> = readonly Promised<StoreWith<'outbox' | Group>>[]

/** The checks of the events of the group `stepUp`. */
export const stepUpEventChecks: WithOutbox<'stepUp'> = [
  {
    name: 'keeps the events of a widenGrant that is made, and none of one that is not',
    async check(store) {
      await storeGrant(store)
      await keepsThoseOf(store, WIDENING)
    },
  },
]

/** The checks of the events of the group `clock`. */
export const clockEventChecks: WithOutbox<'clock'> = [
  {
    name: 'keeps the events of a moveClock that is made, and none of one that is not',
    check: (store) => keepsThoseOf(store, MOVES),
  },
]

/** The checks of the events of the group `management`. */
export const managementEventChecks: WithOutbox<'management'> = [
  {
    name: 'adds the number of grants to the events of revokeGrants and revokeGrantsOfClient',
    async check(store) {
      await storeGrant(store)
      const revoke = { clientId: 'app_1', revokedAt: T, revokedReason: 'test' }
      const ofPerson = { ...revoke, subject: 'mem_1' }
      await store.revokeGrants(ofPerson, [eventSample({ id: 'revoked', grants: 0 })])
      await store.revokeGrants(ofPerson, [eventSample({ id: 'again', grants: 0 })])
      await storeGrant(store, 'next', {
        grant: grantSample({ grantId: 'grant_2' }),
        code: codeSample({ codeHash: hash('code 2'), grantId: 'grant_2' }),
      })
      await store.revokeGrantsOfClient(revoke, [eventSample({ id: 'all', grants: 0 })])
      const numbers = [
        ['revoked', 1],
        ['again', 0],
        ['all', 1],
      ]
      same(await grantsOf(store), numbers, 'grants in events')
    },
  },
]

/** The checks of the events of the group `erasure`. */
export const erasureEventChecks: WithOutbox<'erasure'> = [
  {
    name: 'adds the number of grants to the events of erasePerson',
    async check(store) {
      await storeGrant(store)
      const erase = { subject: 'mem_1', loginHints: [], erasedAt: T }
      await store.erasePerson(erase, [eventSample({ id: 'erased', subject: null, grants: 0 })])
      await store.erasePerson(erase, [eventSample({ id: 'nothing', subject: null, grants: 0 })])
      same(
        await grantsOf(store),
        [
          ['erased', 1],
          ['nothing', 0],
        ],
        'grants in events',
      )
    },
  },
  {
    name: 'leaves no identifier of an erased person in an event, and every other member',
    async check(store) {
      const events = [
        eventSample({ id: 'subject', subject: 'mem_1' }),
        eventSample({ id: 'both', subject: 'mem_1', actor: 'mem_1' }),
        eventSample({ id: 'actor', subject: 'mem_2', actor: 'mem_1' }),
        eventSample({ id: 'other', subject: 'mem_2', actor: 'mem_2' }),
      ]
      await store.insertClient(clientSample(), events)
      await store.erasePerson({ subject: 'mem_1', loginHints: [], erasedAt: T })
      const [subject, both, actor, other] = events
      same(
        await store.listEvents({ limit: 100 }),
        [
          { ...subject!, subject: null },
          { ...both!, subject: null, actor: null },
          { ...actor!, actor: null },
          other,
        ],
        'events',
      )
    },
  },
  {
    name: 'leaves no identifier of a person in the event of a change that is made at the same time as erasePerson',
    isRace: true,
    async check(store) {
      const subjects = Array.from({ length: 8 }, (_, round) => `mem_${round}`)
      for (const [round, subject] of subjects.entries()) {
        const grant = grantSample({ grantId: subject, subject })
        const code = codeSample({ codeHash: hash(subject), grantId: subject, subject })
        await storeGrant(store, subject, { grant, code })
        const revoke = { tokenHash: hash(`access ${subject}`), revokedAt: T }
        const steps: readonly (() => Promise<unknown>)[] = [
          () => store.erasePerson({ subject, loginHints: [], erasedAt: T }),
          () => store.revokeAccessToken(revoke, [eventSample({ id: subject, subject })]),
        ]
        await Promise.all((round % 2 === 0 ? steps : steps.toReversed()).map((step) => step()))
      }
      const events = await store.listEvents({ limit: 100 })
      same(
        events.filter(({ subject }) => subject !== null),
        [],
        'events that name a person',
      )
    },
  },
  {
    name: 'leaves the events of another site as they are when a person is erased',
    async check(store, other) {
      await store.insertClient(clientSample(), [eventSample({ subject: 'mem_1' })])
      await other.erasePerson({ subject: 'mem_1', loginHints: [], erasedAt: T })
      same(await store.listEvents({ limit: 9 }), [eventSample({ subject: 'mem_1' })], 'events')
    },
  },
]

/** The checks of the events of the group `restore`. */
export const restoreEventChecks: WithOutbox<'restore'> = [
  {
    name: 'keeps the events of the call of revokeAllGrants that finds nothing more',
    async check(store) {
      await storeGrant(store)
      const revoke = { issuedBefore: T + DAY, revokedAt: T, revokedReason: 'test', limit: 1 }
      let grants = 1
      for (let round = 0; grants > 0 && round < 10; round++) {
        same(await idsOf(store), [], 'events before the last call')
        const revoked = await store.revokeAllGrants(revoke, [eventSample()])
        grants = Object.values(revoked).reduce((sum, count) => sum + count)
      }
      same(await idsOf(store), [eventSample().id], 'events')
    },
  },
]
