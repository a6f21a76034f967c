import type { Created, Left } from '../finding.js'
import type { SignIn } from '../sign-in.js'
import { createAsClient } from './as-client.js'
import { type Clients, createClients } from './clients.js'
import { createDiscovery, type Discovery } from './discovery.js'
import { createGrants, type Grants } from './grants.js'
import type { Answer, Http } from './http.js'
import { createKeep, type Once } from './keep.js'
import { createLeftovers } from './leftovers.js'
import { createMcp, type Mcp } from './mcp.js'
import { createPeople, type Ended, type People } from './people.js'
import { createPlaces, type Places } from './places.js'
import { createRequests, type Requests } from './requests.js'

export { type Client, isPublic, REDIRECT_URI } from './clients.js'
export { MOST_SHARED_GRANTS, type Tokens } from './grants.js'
export { type AuthorizeOptions, type Code, describe, type Ended } from './people.js'
export { isTaken, type Place, type Use } from './places.js'
export type { AuthorizationRequest, Changes } from './requests.js'

/** The means of a check. A method that does not get anywhere throws `Stop`. */
export interface Audit extends Discovery, Mcp, Requests, Clients, People, Grants, Places {
  readonly origin: string
  /** The issuer identifier: the origin, and the path that the audit was given. */
  readonly issuer: string
  readonly signIn: SignIn | null
  /** A URL of a client metadata document that the operator publishes for the audit; `null` if there is none. */
  readonly clientDocument: string | null
  /** Whether requests may go to the origin of a URL: it is one of the server. */
  readonly reaches: (url: URL) => boolean
  /** How long a check may wait until something has expired, in seconds. */
  readonly patience: number
  /** Whether requests with `isElsewhere` come from another network than all others. */
  readonly isApart: () => boolean
  /** Keeps what several checks need, so that it is made once. */
  readonly once: Once
  /** Every answer so far, those among them that a browser received, and authorization requests that left the site. */
  readonly received: {
    readonly answers: readonly Answer[]
    readonly pages: readonly Answer[]
    readonly ended: Ended[]
  }
  /** Clients and authorization requests that were created so far. */
  readonly created: () => Created
  /** Removes what was created, at the end of the audit, in at most so many milliseconds. */
  readonly removeAll: (milliseconds: number) => Promise<Left>
}

export interface AuditOptions {
  readonly issuer: string
  /** That of the issuer first, and then the further ones of the server. */
  readonly origins: readonly string[]
  readonly http: Http
  readonly signIn: SignIn | null
  /** Whether people may be signed in, which no depth but `people` does. */
  readonly mayAsk: boolean
  readonly clientDocument: string | null
  readonly patience: number
}

export function createAudit(options: AuditOptions): Audit {
  const { issuer, signIn, mayAsk, clientDocument, patience } = options
  const received = { answers: [] as Answer[], pages: [] as Answer[], ended: [] as Ended[] }
  const { origin } = new URL(issuer)
  const keep = createKeep()
  const { once } = keep
  const created = { clients: 0, authorizations: 0 }
  const leftovers = createLeftovers(options.http)
  const wire: Http = { ...leftovers.http, send: keeping(leftovers.http.send, received.answers) }
  const mcpUrl = signIn?.mcp === undefined ? null : new URL(signIn.mcp, origin)
  const { origins } = options
  const discovery = createDiscovery({ issuer, origins, mcpUrl, endpoints: signIn?.endpoints ?? null, http: wire, once }) // prettier-ignore
  const asClient = createAsClient(wire, discovery)
  const http: Http = { ...wire, send: (target, how) => asClient.send(target, how) }
  const { prepare, ...requests } = createRequests(asClient, discovery, { origin, once })
  const { form, request } = requests
  const clients = createClients(asClient, { discovery, signIn, once, created, prepare })
  const { client } = clients
  const { spareFirst, ...people } = createPeople({ origin, http: { ...http, send: keeping(http.send, received.pages) }, signIn, mayAsk, created, ended: received.ended, prepare, request, client }) // prettier-ignore
  const mcp = createMcp({ mcpUrl, discovery, http, once })
  const places = createPlaces({ origin, http, discovery, mcp, signIn, once })
  const grants = createGrants({ discovery, keep, form, client, code: people.code, spareFirst, use: places.use, created }) // prettier-ignore
  return {
    ...discovery,
    ...mcp,
    ...requests,
    ...clients,
    ...people,
    ...grants,
    ...places,
    origin,
    issuer,
    signIn,
    clientDocument,
    patience,
    reaches: http.reaches,
    isApart: http.isApart,
    once,
    received,
    created: () => ({ ...created }),
    removeAll: (milliseconds) =>
      leftovers.remove({ discovery, sendAs: asClient.send, milliseconds }),
  }
}

/** Keeps every answer. */
const keeping =
  (send: Http['send'], list: Answer[]): Http['send'] =>
  async (target, options) => {
    const answer = await send(target, options)
    list.push(answer)
    return answer
  }
