import type { Client } from 'hallpass/policy'
import type { ApplicationAction } from '../pages/applications/views.js'
import type { Known } from './known.js'

const STOPPABLE = ['disable', 'enable', 'delete', 'disconnect'] as const

const ACTIONS: Readonly<Record<Client['kind'], readonly ApplicationAction[]>> = {
  member: ['edit', 'rotate', 'end_old_secret', ...STOPPABLE],
  vendor: STOPPABLE,
  loopback: STOPPABLE,
  document: ['review', 'block', 'unblock', 'fetch', 'disconnect'],
}

const actionsAtAll = ({ client, isConfigured }: Known): readonly ApplicationAction[] =>
  isConfigured ? ['disconnect'] : ACTIONS[client.kind]

/** Whether something can be done to an application like this at all. */
export const isMeantFor = (action: ApplicationAction, known: Known): boolean =>
  actionsAtAll(known).includes(action)

/**
 * What can be done to an application now. While MCP connections are off, a member app is neither changed
 * nor given a new secret; it can be stopped, though.
 */
export function actionsOf(
  known: Known,
  { enabled, now }: { enabled: boolean; now: number },
): readonly ApplicationAction[] {
  const { client } = known
  const isConfidential = client.tokenEndpointAuthMethod !== 'none'
  const impossible: Readonly<Partial<Record<ApplicationAction, boolean>>> = {
    edit: !enabled,
    rotate: !enabled || !isConfidential,
    end_old_secret: previousSecretUntil(client, now) === null,
    disable: client.disabled,
    enable: !client.disabled,
    review: client.disabled,
    block: client.disabled,
    unblock: !client.disabled,
  }
  return actionsAtAll(known).filter((action) => impossible[action] !== true)
}

/** Until when the secret before the current one counts; `null` = it does not, or there is none. */
export function previousSecretUntil({ secrets: [, previous] }: Client, now: number): number | null {
  const until = previous?.expiresAt ?? null
  return until !== null && until > now ? until : null
}
