import type { AttemptStore } from 'hallpass/clients'
import type { Store, StoreMethod } from '../../../src/store/store.js'
import {
  clientSample,
  codeSample,
  eventSample,
  grantSample,
  keySample,
  pendingSample,
  redemption,
  rotation,
} from '../../../src/store-contract/samples.js'

/** Long ago, so that nothing is due by the clock of a database, and everything by that of {@link LATER}. */
export const NOW = 1_700_000_000
export const LATER = NOW + 1000 * 86_400

/** Each method of a store with each form of its parameters, for the rows of `fillTables`. */
export function everyCall(
  store: Store,
): Readonly<Record<StoreMethod, readonly (() => Promise<unknown>)[]>> {
  const eventsOf = [[], [eventSample({ id: 'new' })]]
  const page = { limit: 50, now: NOW }
  const places = [null, { createdAt: NOW - 10, clientId: 'client 10', grantId: 'grant_10' }]
  const ended = { revokedAt: NOW, revokedReason: 'x' }
  const [grantId, codeHash, idHash] = ['new', 'code10', 'p7'].map((one, index) =>
    index === 0 ? one : one.padEnd(43, '-'),
  ) as [string, string, string]
  const { accessToken, refreshToken, ...redeemed } = redemption()
  const redeeming = {
    ...redeemed,
    codeHash,
    grant: grantSample({ grantId }),
    accessToken: { ...accessToken, grantId },
    refreshToken: { ...refreshToken, grantId },
  }
  const rotating = { ...rotation('0', '1'), tokenHash: 'refresh11'.padEnd(43, '-') }
  const key = keySample({ state: 'active' })
  const [clientId, subject] = ['client 7', 'mem_7']
  const holders = ['everyone', { clientId }, { subject }, { clientId, subject }] as const
  const [mark, moved] = [NOW, NOW + 1].map((trustedAt) => ({ trustedAt, leap: null }))
  return {
    findClient: [() => store.findClient(clientId)],
    insertClient: eventsOf.map((events) => () => store.insertClient(clientSample(), events)),
    replaceClient: eventsOf.map(
      (events) => () => store.replaceClient(clientSample({ clientId, revision: 2 }), events),
    ),
    listClients: places.flatMap((after) =>
      [null, 'Client 9', 'no such name'].flatMap((search) =>
        ([['loopback', 'document'], ['member'], ['vendor', 'loopback']] as const).map(
          (kinds) => () => store.listClients({ ...page, kinds, search, after }),
        ),
      ),
    ),
    savePending: [() => store.savePending(pendingSample())],
    findPending: [() => store.findPending(idHash)],
    endPending: eventsOf.flatMap((events) =>
      [undefined, pendingSample()].map((next) => () => store.endPending(idHash, events, next)),
    ),
    hasConsent: [() => store.hasConsent('c7'.padEnd(43, '-'))],
    issueCode: eventsOf.map(
      (events) => () =>
        store.issueCode({ code: codeSample(), pendingIdHash: idHash, consentKey: 'new' }, events),
    ),
    findCode: [() => store.findCode(codeHash)],
    redeemCode: eventsOf.map((events) => () => store.redeemCode(redeeming, events)),
    findRefreshToken: [() => store.findRefreshToken(rotating.tokenHash)],
    rotateRefreshToken: eventsOf.map((events) => () => store.rotateRefreshToken(rotating, events)),
    findAccessToken: [() => store.findAccessToken('access7'.padEnd(43, '-'))],
    revokeAccessToken: eventsOf.map(
      (events) => () =>
        store.revokeAccessToken({ tokenHash: 'access7'.padEnd(43, '-'), revokedAt: NOW }, events),
    ),
    revokeGrant: eventsOf.map(
      (events) => () => store.revokeGrant({ grantId: 'grant_11', ...ended }, events),
    ),
    findGrant: [() => store.findGrant('grant_10')],
    widenGrant: eventsOf.map(
      (events) => () => store.widenGrant({ grantId: 'grant_11', scopes: ['x'] }, events),
    ),
    revokeGrants: eventsOf.map(
      (events) => () => store.revokeGrants({ clientId, subject, ...ended }, events),
    ),
    revokeGrantsOfClient: eventsOf.map(
      (events) => () => store.revokeGrantsOfClient({ clientId, ...ended }, events),
    ),
    revokeAllGrants: eventsOf.map(
      (events) => () =>
        store.revokeAllGrants({ issuedBefore: NOW + 1, limit: 50, ...ended }, events),
    ),
    listGrants: places.flatMap((after) =>
      holders.map((of) => () => store.listGrants({ ...page, of, after })),
    ),
    erasePerson: eventsOf.map(
      (events) => () =>
        store.erasePerson({ subject, loginHints: ['person8@example.com'], erasedAt: NOW }, events),
    ),
    listEvents: [() => store.listEvents({ limit: 100 })],
    deleteEvents: [
      () => store.deleteEvents(Array.from({ length: 10 }, (_, index) => `event ${index}`)),
    ],
    listKeys: [() => store.listKeys()],
    insertKey: [() => store.insertKey(key)],
    moveKey: eventsOf.map((events) => () => store.moveKey({ key, from: 'retiring' }, events)),
    findClock: [() => store.findClock()],
    moveClock: [null, mark!].flatMap((from) =>
      eventsOf.map((events) => () => store.moveClock({ from, to: moved! }, events)),
    ),
    useOnce: [() => store.useOnce({ key: 'use 7', until: NOW, claim: 'one' })],
    giveBack: [() => store.giveBack({ key: 'use 7', claim: 'one' })],
    purge: [() => store.purge({ now: LATER, limit: 100 })],
  }
}

/** Calls each method of a storage of attempts with each form of its parameters. */
export async function everyAttemptCall(attempts: AttemptStore): Promise<void> {
  const query = { search: 'a', clientId: 'app', outcome: null, before: null, limit: 1, now: 1 }
  await attempts.append({ id: 'att_1', joins: null, clientId: 'app', clientName: 'A', resource: null, scopes: [], network: 'net', grantId: null, steps: [{ at: 1, stage: 'authorize', ok: true, error: null, reason: null, requestId: null, detail: null, network: 'net' }] }) // prettier-ignore
  await attempts.find('att_1')
  const { next } = await attempts.list({ ...query, search: null, clientId: null })
  for (const outcome of ['connected', 'waiting', 'stopped'] as const)
    await attempts.list({ ...query, outcome, before: next })
  await attempts.purge({ before: 1, limit: 1 })
  await attempts.erase(['a'])
}

/** How many rows a call visits for one that it returns or changes. */
const MOST_VISITED = 15
/** The same for a client of a list: the newest 100 of its grants, and a token of each. */
const OF_FIGURES = 250

/**
 * Calls each method with each form of its parameters. Returns how many rows those visited for one that visited too many.
 *
 * @param count - makes a call, takes it back, and returns how many rows it visited, and how many it returned or changed
 */
export async function dearCalls(
  store: Store,
  count: (call: () => Promise<unknown>) => Promise<{ visited: number; rows: number }>,
): Promise<Readonly<Record<string, number>>> {
  const dear: Record<string, number> = {}
  for (const [method, forms] of Object.entries(everyCall(store)))
    for (const [form, call] of forms.entries()) {
      const { visited, rows } = await count(call)
      const each = Math.round(visited / Math.max(1, rows))
      if (each > (method === 'listClients' ? OF_FIGURES : MOST_VISITED))
        dear[`${method} ${form}`] = each
    }
  return dear
}
