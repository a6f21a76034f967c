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

/** The names of people. */
export interface Names {
  /** Returns the names of these people. Those who have none are omitted. */
  readonly names: (subjects: readonly string[]) => Promise<ReadonlyMap<string, string>>
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

/**
 * Returns the function that names the people in entries of the audit log.
 *
 * @param someone - in place of a name if the school's table no longer has the person, or has no name
 */
export async function namerOf(
  entries: readonly Pick<LogEntry, 'actor' | 'subject'>[],
  people: Names,
  someone: string,
): Promise<(id: string | null) => string | null> {
  const ids = entries.flatMap(({ actor, subject }) => [actor, subject])
  const names = await people.names([...new Set(ids.filter((id) => id !== null))])
  return (id) => (id === null ? null : (names.get(id) ?? someone))
}

/** Returns entries of the audit log with the names of the people in them. `someone`: see {@link namerOf}. */
export async function activityOf(
  entries: readonly LogEntry[],
  people: Names,
  someone: string,
): Promise<readonly ActivityEntry[]> {
  const nameOf = await namerOf(entries, people, someone)
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
