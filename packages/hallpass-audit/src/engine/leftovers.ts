import type { Left } from '../finding.js'
import type { Discovery } from './discovery.js'
import { type Answer, type Http, readObject, type SendOptions, within } from './http.js'

/** Remembers what a server issues to the audit, and removes it at the end. */
export interface Leftovers {
  /** Sends, and remembers the tokens and clients of the answers. */
  readonly http: Http
  /**
   * Revokes tokens (RFC 7009) and deletes clients (RFC 7592), as far as the server lets it, in at most so many
   * milliseconds. Returns what is left. `sendAs` sends as the client of a request.
   */
  readonly remove: (how: {
    readonly discovery: Discovery
    readonly sendAs: Http['send']
    readonly milliseconds: number
  }) => Promise<Left>
}

/** A permission of a person, or of a client by itself: the tokens of an exchange and of its refreshes. */
interface Grant {
  /** How its client authenticated. */
  readonly fields: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly accessTokens: Set<string>
  readonly refreshTokens: Set<string>
  isOver: boolean
}

interface Registered {
  readonly client_id: string
  readonly client_name: string
  readonly uri: unknown
  readonly token: unknown
}

/** Requests in a row that fail before the rest is given up. */
const MOST_FAILURES = 3

export function createLeftovers(wire: Http): Leftovers {
  const grants: Grant[] = []
  const clients: Registered[] = []

  function remember({ body = '', headers = {} }: SendOptions, { status, json }: Answer): void {
    const { client_id: id, client_name: name, registration_client_uri: uri, registration_access_token: token } = json
    if ((status === 200 || status === 201) && typeof id === 'string' && json['redirect_uris'] !== undefined)
      clients.push({ client_id: id, client_name: typeof name === 'string' ? name : '', uri, token })
    const { access_token: access, refresh_token: refresh } = json
    if (status !== 200 || typeof access !== 'string') return
    const sent = { ...Object.fromEntries(new URLSearchParams(body)), ...readObject(body) } as Record<string, string>
    const { refresh_token: earlier = '', client_id, client_secret } = sent
    const { authorization } = headers
    const known = grants.find(({ refreshTokens }) => refreshTokens.has(earlier))
    const grant = known ?? {
      fields: { ...(client_id !== undefined && { client_id }), ...(client_secret !== undefined && { client_secret }) },
      headers: { ...(authorization !== undefined && { authorization }) },
      accessTokens: new Set(),
      refreshTokens: new Set(),
      isOver: false,
    }
    if (known === undefined) grants.push(grant)
    grant.accessTokens.add(access)
    if (typeof refresh === 'string') grant.refreshTokens.add(refresh)
  } // prettier-ignore

  const remove: Leftovers['remove'] = async ({ discovery, sendAs, milliseconds }) => {
    const ends = performance.now() + milliseconds
    let failures = 0
    /** Whether the server did what it was asked, in time. */
    async function isDone(send: () => Promise<Answer>): Promise<boolean> {
      const rest = ends - performance.now()
      if (rest <= 0 || failures === MOST_FAILURES) return false
      try {
        const { status } = await within(rest, send())
        failures = 0
        // A client that is not there needs no deletion.
        return status < 300 || status === 404
      } catch {
        failures += 1
        return false
      }
    }
    const endpoint = await discovery.optionalEndpoint('revocation_endpoint').catch(() => null)
    const revoke = ({ fields, headers }: Grant, token: string, type: string): Promise<boolean> =>
      isDone(() =>
        sendAs(endpoint!, {
          isLast: true,
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...headers },
          body: new URLSearchParams({ token, token_type_hint: type, ...fields }).toString(),
        }),
      )
    async function revokeAll(of: readonly Grant[], names: 'refreshTokens' | 'accessTokens'): Promise<void> {
      for (const grant of endpoint === null ? [] : of)
        for (const token of [...grant[names]].toReversed())
          if (await revoke(grant, token, names.slice(0, -1).replace('T', '_t'))) grant.isOver = true
    }
    const [renewable, short] = [grants.filter(({ refreshTokens }) => refreshTokens.size > 0), grants.filter(({ refreshTokens }) => refreshTokens.size === 0)]
    // The tokens that live longest come first: the time may be too short for all.
    await revokeAll(renewable, 'refreshTokens')
    await revokeAll(short, 'accessTokens')
    const left: Registered[] = []
    for (const client of clients) {
      const { uri, token } = client
      const isOwn = typeof uri === 'string' && typeof token === 'string' && URL.canParse(uri)
      const headers = { authorization: `Bearer ${String(token)}` }
      if (!isOwn || !(await isDone(() => wire.send(uri, { isLast: true, method: 'DELETE', headers })))) left.push(client)
    }
    await revokeAll(renewable, 'accessTokens')
    return {
      clients: left.map(({ client_id, client_name }) => ({ client_id, client_name })),
      grants: grants.filter(({ isOver }) => !isOver).length,
    }
  } // prettier-ignore

  return {
    remove,
    http: {
      ...wire,
      async send(target, options = {}) {
        const answer = await wire.send(target, options)
        remember(options, answer)
        return answer
      },
    },
  }
}
