import type { Client } from 'hallpass/policy'
import type { ApplicationAction } from '../../../pages/applications/views.js'
import type { Known } from './known.js'

const STOPPABLE = ['disable', 'enable', 'delete', 'disconnect'] as const

const ACTIONS: Readonly<Record<Client['kind'], readonly ApplicationAction[]>> = {
  member: ['edit', 'rotate', 'end_old_secret', 'set_end', ...STOPPABLE],
  // Only the client of a service has a secret, and none of these has an end.
  vendor: ['rotate', 'end_old_secret', ...STOPPABLE],
  loopback: STOPPABLE,
  document: ['set_end', 'review', 'block', 'unblock', 'fetch', 'disconnect'],
}

const actionsAtAll = ({ client, isConfigured }: Known): readonly ApplicationAction[] =>
  isConfigured ? ['disconnect'] : ACTIONS[client.kind]

/** Whether an action is possible for this kind of app, whatever its state is. */
export const isMeantFor = (action: ApplicationAction, known: Known): boolean =>
  actionsAtAll(known).includes(action)

/**
 * Returns the actions that are possible for an app in its current state. While MCP connections are off,
 * a member app cannot be edited or given a new secret, but it can be stopped.
 */
export function actionsOf(
  known: Known,
  { enabled, now }: { enabled: boolean; now: number },
): readonly ApplicationAction[] {
  const { client } = known
  const hasSecret = client.tokenEndpointAuthMethod === 'client_secret_post'
  const impossible: Readonly<Partial<Record<ApplicationAction, boolean>>> = {
    edit: !enabled,
    rotate: (client.kind === 'member' && !enabled) || !hasSecret,
    end_old_secret: previousSecretUntil(client, now) === null,
    disable: client.disabled,
    enable: !client.disabled,
    review: client.disabled,
    block: client.disabled,
    unblock: !client.disabled,
  }
  return actionsAtAll(known).filter((action) => impossible[action] !== true)
}

/** Returns when the previous secret expires, or `null` if it is no longer valid or there is none. */
export function previousSecretUntil({ secrets: [, previous] }: Client, now: number): number | null {
  const until = previous?.expiresAt ?? null
  return until !== null && until > now ? until : null
}
