import type { StoredEvent } from 'hallpass/store'
import type { SimulationRule } from './ledger.js'
import { type EndedCall, EVENT_SECONDS, isRead, type StoreMethod } from './store-model.js'

/** The changes of a simulation that have an event, each with the types that it may have. */
const TYPES: Readonly<Partial<Record<StoreMethod, readonly string[]>>> = {
  issueCode: ['oauth.authorization.approved'],
  redeemCode: ['oauth.grant.created'],
  rotateRefreshToken: ['oauth.token.refreshed'],
  widenGrant: ['oauth.grant.widened'],
  revokeAccessToken: ['oauth.token.revoked'],
  revokeGrant: [
    'oauth.grant.revoked',
    'oauth.authorization.code_replayed',
    'oauth.grant.reuse_detected',
  ],
  revokeGrants: ['oauth.client.disconnected'],
  revokeGrantsOfClient: ['oauth.client.disconnected'],
  erasePerson: ['oauth.person.erased'],
}
/** The result of a method that takes events and has one winner, if it won. */
const WON: Readonly<Partial<Record<StoreMethod, string>>> = {
  insertClient: 'inserted',
  replaceClient: 'replaced',
  endPending: 'ended',
  issueCode: 'issued',
  redeemCode: 'redeemed',
  rotateRefreshToken: 'rotated',
  widenGrant: 'widened',
  revokeAccessToken: 'revoked',
  revokeGrant: 'revoked',
  moveKey: 'moved',
  moveClock: 'moved',
}

/** Whether a code is one that no one receives: a grant without a person in a browser begins with it. */
const isInner = (parameter: unknown): boolean =>
  (parameter as { code?: { redirectUri: string } } | undefined)?.code?.redirectUri === ''

/** Compares the changes of one site with the events that were delivered. Created by {@link createEventLedger}. */
export interface EventLedger {
  /** Receives the calls of the store that have ended. */
  readonly ended: (calls: readonly EndedCall[]) => void
  /** The audit log of the host application. */
  readonly deliver: (events: readonly StoredEvent[]) => Promise<void>
  /**
   * Compares both, after the last delivery.
   *
   * @param now - the latest time by any clock that is right, in epoch seconds
   */
  readonly check: (now: number) => void
}

/**
 * Creates the ledger of the events of one site.
 *
 * @param violate - receives what should not have happened
 */
export function createEventLedger(
  violate: (rule: SimulationRule, what: string) => void,
): EventLedger {
  const made = new Map<string, StoredEvent>()
  const delivered = new Map<string, StoredEvent>()

  return {
    ended(calls) {
      for (const { verb, parameters, result } of calls) {
        const types = isInner(parameters[0]) ? undefined : TYPES[verb]
        const hasWon = result !== null && result.value === (WON[verb] ?? result.value)
        if (!hasWon || isRead(verb)) continue
        const events = (parameters[1] ?? []) as readonly StoredEvent[]
        const isReported = events.filter(({ type }) => types?.includes(type)).length === 1
        if (types !== undefined && !isReported) violate('change_without_event', verb)
        for (const event of events) made.set(event.id, event)
      }
    },
    async deliver(events) {
      for (const event of events) delivered.set(event.id, event)
    },
    check(now) {
      for (const { id, type, at } of made.values())
        if (!delivered.has(id) && at + EVENT_SECONDS > now) violate('event_lost', type)
      for (const { id, type } of delivered.values())
        if (!made.has(id)) violate('event_without_change', type)
    },
  }
}
