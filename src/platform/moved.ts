import { type Incoming, type Outgoing, pathOf } from '../http/exchange.js'
import {
  ACCOUNT_PATH,
  ACCOUNT_SCHEMA_PATH,
  ADMIN_PATH,
  ASKING_PATHS,
  BLOCK_PATHS,
  MCP_PATH,
  PATHS,
} from '../site/paths.js'
import { UNKNOWN_HOST } from './answers.js'

const OF_PROTOCOL: readonly string[] = [
  ...Object.values(PATHS),
  ...Object.values(BLOCK_PATHS),
  ...ASKING_PATHS,
  ACCOUNT_PATH,
  ACCOUNT_SCHEMA_PATH,
  MCP_PATH,
]
const STARTS: readonly string[] = [`${PATHS.interaction}/`, `${ADMIN_PATH}/`]

/**
 * The response at a host that its school has left. A page is redirected. A client that talks to the old issuer would mix it
 * with the new one (RFC 9207), so that endpoints of the protocol are not there any more.
 */
export function movedTo(
  issuer: string,
  { method, target }: Pick<Incoming, 'method' | 'target'>,
): Outgoing {
  const path = pathOf(target)
  const isPage =
    (method === 'GET' || method === 'HEAD') &&
    !OF_PROTOCOL.includes(path) &&
    !STARTS.some((start) => path.startsWith(start))
  return isPage
    ? {
        status: 308,
        headers: ['location', issuer + target, 'cache-control', 'no-store'],
        body: null,
      }
    : UNKNOWN_HOST
}
