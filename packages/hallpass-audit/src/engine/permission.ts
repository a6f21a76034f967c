import { isLoopback } from '../issuer.js'
import type { Http } from './http.js'

/** The path at which a server says that its operator wants an audit. */
const PERMISSION_PATH = '/.well-known/hallpass-audit'

/**
 * Throws unless each origin serves the token, so that no one audits a server of other people. One on this computer need
 * not. Nothing but this is sent to an origin before.
 *
 * @param token - at least 16 characters, which the operator chose for this audit
 */
export async function requirePermission(
  http: Http,
  origins: Iterable<string>,
  token: string | undefined,
): Promise<void> {
  for (const origin of origins) if (!isLoopback(origin)) await requireOne(http, origin, token)
}

async function requireOne(http: Http, origin: string, token: string | undefined): Promise<void> {
  const how = `serve a text of at least 16 characters at ${origin}${PERMISSION_PATH}, and name it with --token`
  if (token === undefined || token.length < 16)
    throw new Error(`${origin} is on another computer. To prove that it is yours, ${how}`)
  const { status, text } = await http.send(new URL(PERMISSION_PATH, origin))
  if (status !== 200 || text.trim() !== token)
    throw new Error(`${origin}${PERMISSION_PATH} (${status}) does not serve the token: ${how}`)
}
