import type { Client } from 'hallpass/policy'
import type { ScopeRegistry } from 'hallpass/scope'
import type {
  ActivityEntry,
  ApplicationState,
  ScopeWords,
} from '../../../pages/applications/views.js'

/** An entry of an audit log. */
export interface LogEntry {
  /** Epoch seconds. */
  readonly at: number
  readonly type: string
  /** The `sub` of the person who did it, or `null`. */
  readonly actor: string | null
  /** The `sub` of the person whom it concerns, or `null`. */
  readonly subject: string | null
  readonly event: Readonly<Record<string, unknown>>
}

/** Returns the newest entries of an audit log: those of a client, or of a client and a person. */
export type RecentEntries = (question: {
  clientId: string
  subject?: string
  limit: number
}) => Promise<readonly LogEntry[]>

/** The names of people, or of services. */
export interface Names {
  /** Returns the names of these people. Those who have none are omitted. */
  readonly names: (subjects: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

/** How a page names people and services. */
interface Naming {
  /** In place of a name if the school's table no longer has the person, or has no name. */
  readonly someone: string
  readonly serviceNamed: (name: string) => string
}

/** Creates the function that describes scopes, in the order of the registry. */
export const createScopeWords =
  ({ scopes, school }: { scopes: ScopeRegistry; school: string }) =>
  (isMeant: (scope: string) => boolean): readonly ScopeWords[] =>
    scopes.names.filter(isMeant).map((scope) => {
      const { consent, group, access, personalData = false, sensitive = false } = scopes.get(scope)!
      const text = consent.replaceAll('{school}', school)
      return { scope, text, group, access, personalData, sensitive }
    })

/**
 * Returns the state of a client, regardless of whether MCP connections are on.
 *
 * @param isUsed - whether someone has connected it. Default: as stored with the client
 */
export function stateOf(
  { kind, disabled, scopes, document, usedAt }: Client,
  isUsed = usedAt !== null,
): ApplicationState {
  if (kind !== 'document')
    return disabled ? 'disabled' : isUsed || kind === 'member' ? 'active' : 'unused'
  if (disabled) return 'blocked'
  if (scopes !== null) return 'reviewed'
  return document?.changedAt == null ? 'unreviewed' : 'changed'
}

/** Returns the function that names the people and the services in entries of the audit log. */
export async function namerOf(
  entries: readonly Pick<LogEntry, 'actor' | 'subject'>[],
  { people, services }: { people: Names; services?: Names | null },
  { someone, serviceNamed }: Naming,
): Promise<(id: string | null) => string | null> {
  const ids = entries.flatMap(({ actor, subject }) => [actor, subject])
  const known = [...new Set(ids.filter((id) => id !== null))]
  const names = await people.names(known)
  const ofServices = await services?.names(known)
  return (id) => {
    if (id === null) return null
    const service = ofServices?.get(id)
    return service === undefined ? (names.get(id) ?? someone) : serviceNamed(service)
  }
}

/** Returns entries of the audit log with the names of the people and the services in them. */
export async function activityOf(
  entries: readonly LogEntry[],
  named: { people: Names; services?: Names | null },
  naming: Naming,
): Promise<readonly ActivityEntry[]> {
  const nameOf = await namerOf(entries, named, naming)
  return entries.map(({ at, type, actor, subject, event }) => ({
    at,
    type,
    actor: nameOf(actor),
    subject: subject === actor ? null : nameOf(subject),
    detail: detailOf(event),
  }))
}

// The reason of a failed fetch is only for operators of the server: it may name machines of its network.
function detailOf({ scopes }: LogEntry['event']): string | null {
  const names = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : []
  return names.length === 0 ? null : names.join(', ')
}
