import { CHANGED_MEANWHILE } from './client-changes.js'
import type { Client } from '../policy/client.js'
import { type Decision, type Refusal, refuse } from '../policy/decision.js'
import type { Manager } from './manager.js'
import type { SiteEvent } from '../site/events.js'
import type { Announcement } from '../site/outbox.js'
import { currentRequestId } from '../site/site.js'
import type { ClientManagementConfiguration } from './configuration.js'

/**
 * The result of a change: the client as it is now stored, or a refusal.
 *
 * @group Client management
 */
export type Changed = Decision<{ readonly client: Client }>

type ManagementEvent = Extract<SiteEvent, { actor: string }>

/** A management event without the members that {@link announceChange} adds to each of them. */
export type Told = ManagementEvent extends infer Event
  ? Event extends ManagementEvent
    ? Omit<Event, 'at' | 'clientId' | 'clientName' | 'actor' | 'requestId'>
    : never
  : never

/** The refusal of an identifier that no stored client has. */
export const UNKNOWN: Refusal = refuse(
  'invalid_request',
  'client_unknown',
  'no app has this identifier',
)

const ROUNDS = 3

/** Announces what a manager is about to do with a client. */
export function announceChange(
  configuration: ClientManagementConfiguration,
  event: Told,
  { manager, client: { clientId, name } }: { manager: Manager; client: Client },
): Announcement {
  const at = configuration.now()
  const requestId = currentRequestId(configuration)
  const { subject: actor } = manager
  const named: ManagementEvent = { ...event, at, clientId, clientName: name, actor, requestId }
  return configuration.announce(named)
}

/**
 * Changes a client as it is stored now, and reports the event. If another request changes the client at
 * the same time, `decide` runs again on the result of that request, up to three times in total.
 *
 * @returns the refusals of `decide`, and two with `invalid_request`: `client_unknown` and
 *   `client_changed_meanwhile`
 */
export async function changeClient(
  configuration: ClientManagementConfiguration,
  {
    manager,
    clientId,
    decide,
    event,
  }: {
    manager: Manager
    clientId: string
    decide: (client: Client) => Changed
    event: Told
  },
): Promise<Changed> {
  const { store, findStored } = configuration
  for (let round = 0; round < ROUNDS; round++) {
    const stored = await findStored(clientId)
    if (stored === null) return UNKNOWN
    const decided = decide(stored)
    if (!decided.ok) return decided
    const { client } = decided
    const { events, tell } = announceChange(configuration, event, { manager, client })
    const outcome = await store.replaceClient(client, events)
    if (outcome === 'missing') return UNKNOWN
    if (outcome === 'conflict') continue
    tell()
    return decided
  }
  return CHANGED_MEANWHILE
}
