import { type Created, notApplicable, notReached, type Shown, Stop } from '../finding.js'
import type { Client, Clients } from './clients.js'
import type { Discovery } from './discovery.js'
import type { Answer } from './http.js'
import type { Keep } from './keep.js'
import type { AuthorizeOptions, Code, People } from './people.js'
import type { Places } from './places.js'
import type { Changes, Requests } from './requests.js'

/** Tokens that the token endpoint issued. */
export interface Tokens extends Shown {
  readonly accessToken: string
  /** `null` if the server issued none. */
  readonly refreshToken: string | null
  /** `null` if the server issued none. */
  readonly idToken: string | null
  /** When the tokens came, in epoch seconds. */
  readonly receivedAt: number
  readonly answer: Answer
  readonly code: Code
}

export interface Grants {
  /** The fields of a code exchange that is right, and of its client. */
  readonly redemption: (code: Code) => Record<string, string>
  readonly redeem: (code: Code, changes?: Changes) => Promise<Answer>
  /** Tokens of a new grant, for a check that ends it. */
  readonly tokens: (options?: AuthorizeOptions) => Promise<Tokens>
  /** Tokens that all checks share: none may end them. */
  readonly sharedTokens: () => Promise<Tokens>
  /** Refreshes as the client of the tokens. Stops if there is no refresh token. */
  readonly refresh: (
    tokens: Tokens,
    changes?: Changes,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  /** Redeems or refreshes: reads tokens from an answer, or stops. */
  readonly tokensOf: (answer: Answer, code: Code) => Tokens
  /** Asks about a token as the confidential client. */
  readonly introspect: (token: string, changes?: Changes) => Promise<Answer>
  readonly revoke: (token: string, changes?: Changes, client?: Client) => Promise<Answer>
}

/** The tokens that all checks share, as they were when they were last tried. */
interface Shared {
  readonly tokens: Tokens
  /** Whether they opened anything when they were new. */
  readonly isOpen: boolean
  /** How many authorization requests there were then. */
  seen: number
  /** How many grants the shared tokens took so far. */
  readonly grants: number
}

/** How many grants the shared tokens take at most, at a server that ends a grant for the next one. */
export const MOST_SHARED_GRANTS = 8

export function createGrants({
  discovery, keep, form, client, code: newCode, spareFirst, use, created,
}: Pick<Requests, 'form'> & Pick<Clients, 'client'> & Pick<People, 'code'> & Pick<Places, 'use'> & {
  readonly discovery: Discovery
  readonly keep: Keep
  readonly spareFirst: () => void
  readonly created: Created
}): Grants {
  const { endpoint } = discovery

  const redemption: Grants['redemption'] = ({ code, client: of, verifier, url }) => {
    const resource = url.searchParams.get('resource')
    return {
      grant_type: 'authorization_code',
      code,
      redirect_uri: url.searchParams.get('redirect_uri') ?? of.redirectUri,
      client_id: of.clientId,
      code_verifier: verifier,
      ...(resource !== null && { resource }),
      ...(of.secret !== null && { client_secret: of.secret }),
    }
  }

  const redeem: Grants['redeem'] = async (of, changes = {}) =>
    form(await endpoint('token_endpoint'), { ...redemption(of), ...changes })

  const tokens: Grants['tokens'] = async (options = {}) => {
    const code = await newCode(options)
    return tokensOf(await redeem(code), code)
  }

  /** Whether an access token works somewhere. */
  const opens = async ({ accessToken }: Tokens): Promise<boolean> =>
    (await use(accessToken)).some(({ isAccepted }) => isAccepted)

  /** Tokens of a new grant for all checks, and whether they open anything. */
  async function share(grants = 1): Promise<Shared> {
    // Read first, so that a check can tell whether the key of the ID token was published before it signed.
    await discovery.keysAnswer().catch(() => undefined)
    const made = await tokens({ person: 0 })
    const isOpen = await opens(made)
    return { tokens: made, isOpen, seen: created.authorizations, grants }
  }

  return {
    redemption,
    redeem,
    tokens,
    tokensOf,
    async sharedTokens() {
      let shared = await keep.once('tokens', share)
      // A server may end a grant when its person allows the client again, or when another check uses a code twice.
      if (shared.isOpen && shared.seen < created.authorizations && !(await opens(shared.tokens))) {
        const { grants } = shared
        if (grants === MOST_SHARED_GRANTS)
          throw new Stop(notReached('the server has ended the shared grant again and again'))
        spareFirst()
        shared = await keep.renew('tokens', () => share(grants + 1))
      }
      shared.seen = created.authorizations
      return shared.tokens
    },
    async refresh({ refreshToken, code: { url, client: of } }, changes = {}, headers) {
      if (refreshToken === null) throw new Stop(notApplicable('the server issued no refresh token'))
      const resource = url.searchParams.get('resource')
      return form(await endpoint('token_endpoint'), {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: of.clientId,
        ...(resource !== null && { resource }),
        ...(of.secret !== null && { client_secret: of.secret }),
        ...changes,
      }, headers)
    },
    async introspect(token, changes = {}) {
      const target = await endpoint('introspection_endpoint')
      const { clientId, secret } = await client('confidential')
      return form(target, { token, client_id: clientId, client_secret: secret, ...changes })
    },
    async revoke(token, changes = {}, of) {
      const target = await endpoint('revocation_endpoint')
      const { clientId, secret } = of ?? (await client())
      return form(target, { token, client_id: clientId, client_secret: secret, ...changes })
    },
  }
} // prettier-ignore

const tokensOf: Grants['tokensOf'] = (answer, code) => {
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken } = answer.json
  if (answer.status !== 200 || typeof accessToken !== 'string')
    throw new Stop(notReached(`no token was issued: ${answer.status} ${JSON.stringify(answer.json['error'] ?? null)}`, answer))
  return {
    accessToken,
    refreshToken: typeof refreshToken === 'string' ? refreshToken : null,
    idToken: typeof idToken === 'string' ? idToken : null,
    receivedAt: Date.now() / 1000,
    answer,
    exchange: answer.exchange,
    code,
  }
} // prettier-ignore
