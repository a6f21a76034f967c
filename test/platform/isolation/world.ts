import * as sdk from '@modelcontextprotocol/server'
import { createServer, defineSite, type Server, type SiteOptions } from 'hallpass'
import { type AccountSource, createAccountApi } from 'hallpass/account'
import { createAdminApi } from 'hallpass/admin'
import { createStepUp } from 'hallpass/authorization-server'
import {
  clientCredentials,
  clientSecretBasic,
  deviceGrant,
  dpop,
  identityAssertion,
  privateKeyJwt,
  pushedRequests,
} from 'hallpass/blocks'
import { defineClient } from 'hallpass/clients'
import { accountTools, createMcpEndpoint, directAdapter, operationTools, serverAdapter } from 'hallpass/mcp' // prettier-ignore
import { ALLOWANCES } from 'hallpass/operations'
import { createPlatform, type Given, type Platform, type School } from 'hallpass/platform'
import type { Client, Person } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import type { SiteStorage, Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { endpointFrom, pathOf } from '../../../src/http/exchange.js'
import { courseOf, operationsOn } from '../../admin/support.js'
import { createSource } from '../../support/school/account.js'
import { memberWith } from '../../support/school/account-rows.js'
import { documentAnswer, NOTES_DOCUMENT } from '../../support/school/metadata-documents.js'
import { DESK_CLI } from '../../support/school/policy-samples.js'
import { OWNER, PORTFOLIO_HUB, STUDENT, STUDY_BUDDY, T } from '../../support/school/school.js'
import { IDP, JWKS, SIGNER } from './signing.js'

/** The schools: what is obtained at A is played at B. */
export const A = 'https://art.example'
export const B = 'https://music.example'

const SERVICE: Person = { ...OWNER, subject: 'srv_signer', roles: ['manager'] }
const PEOPLE = new Map([STUDENT, OWNER, SERVICE].map((person) => [person.subject, person]))
/** Both schools have the same members, whose lists have the same identifiers. */
const sourceOf = (name: string): AccountSource =>
  createSource(new Map([...PEOPLE.keys()].map((who) => [who, memberWith(name, ['1', '2'])]))).source

/** The secret of the confidential client, which each school gave out under the same identifier. */
export const secretAt = (issuer: string): string => `the secret of portfolio hub at ${issuer}`

const clientsAt = (issuer: string): readonly Client[] => [
  STUDY_BUDDY,
  DESK_CLI,
  { ...PORTFOLIO_HUB, secrets: [{ hash: hashToken(secretAt(issuer)), expiresAt: null }] },
  defineClient({
    clientId: SIGNER,
    kind: 'vendor',
    name: SIGNER,
    redirectUris: ['https://signer.example/cb'],
    scopes: ['courses:read'],
    tokenEndpointAuthMethod: 'private_key_jwt',
    createdAt: T,
  }),
]

/** The reply to a request. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
  readonly location: string | null
  /** Why something was refused, as the school was told. */
  readonly reasons: readonly string[]
}

export interface Ask {
  readonly method?: string
  readonly form?: Readonly<Record<string, string>> | URLSearchParams
  readonly json?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** Schools on one platform with one storage, each with every block, and with people, clients and names of all others. */
export interface World {
  readonly platform: Platform
  readonly storage: SiteStorage
  readonly clock: { now: number }
  readonly ask: (issuer: string, path: string, ask?: Ask) => Promise<Reply>
  readonly send: (request: Request) => Promise<Reply>
  readonly serverOf: (issuer: string) => Promise<Server>
  /** Signs a person in at a school, and returns the cookie. */
  readonly signIn: (issuer: string, subject: string) => string
  /** Returns an identifier that is used once at a school. Another school gets the same ones. */
  readonly nextId: (issuer: string) => string
  readonly faults: unknown[]
}

const page = (_request: Request, view: object): Response => Response.json(view)

export async function createWorld(
  storage: SiteStorage,
  {
    clock = { now: T },
    randomBytesAt,
    issuers = [A, B],
  }: {
    clock?: { now: number }
    randomBytesAt?: (issuer: string) => NonNullable<SiteOptions['randomBytes']>
    issuers?: readonly string[]
  } = {},
): Promise<World> {
  const reasons: string[] = []
  const faults: unknown[] = []
  const sessions = new Map<string, string>()
  const ids = new Map<string, number>()
  const revisions = new Map(issuers.map((issuer) => [new URL(issuer).host, 1]))

  function open({ issuer }: School, given: Given): Server {
    const name = new URL(issuer).host
    const randomBytes = randomBytesAt?.(issuer)
    const site = defineSite({
      ...given.site,
      name,
      id: 'school',
      scopes: schoolScopes,
      roles: schoolRoles,
      findPerson: async (subject) => PEOPLE.get(subject) ?? null,
      documents: { fetchDocument: async (url) => documentAnswer({ ...NOTES_DOCUMENT, client_id: url }), openRegistration: true }, // prettier-ignore
      allowances: Object.fromEntries(Object.keys(ALLOWANCES).map((one) => [one, null])),
      stepUpLinks: true,
      outbox: true,
      blocks: [
        clientSecretBasic(),
        privateKeyJwt({ keysOf: async () => JWKS }),
        dpop(),
        pushedRequests(),
        clientCredentials({ serviceOf: () => SERVICE.subject }),
        deviceGrant({ mayUse: () => true, page }),
        identityAssertion({
          providers: { [IDP]: { keys: JWKS, clients: [SIGNER], personOf: () => OWNER.subject } },
        }),
      ],
      onRefusal: ({ reason }) => void reasons.push(reason),
      onFault: ({ fault }) => void faults.push(fault),
      requestIdOf: () => 'request',
      now: () => clock.now,
      ...(randomBytes && { randomBytes }),
    })
    const server = createServer(site, {
      ...given.server,
      introspectionClientIds: [PORTFOLIO_HUB.clientId],
      interact: {
        async currentPerson(request) {
          const id = /\bsession=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''
          const subject = sessions.get(`${issuer} ${id}`)
          return subject === undefined ? null : { subject, authTime: clock.now }
        },
        signIn: page,
        consent: page,
        error: (_request, view) => Response.json(view, { status: view.status }),
        stepUp: createStepUp({ backToApp: page }),
      },
    })
    const rows = [1, 2, 3].map((one) => courseOf(one, { title: `${name} ${one}` }))
    const table = { rows: new Map(rows.map((row) => [row.id, row])), runs: [] }
    const admin = createAdminApi(site, { operations: operationsOn(table) as never })
    const account = createAccountApi(site, { source: sourceOf(name) })
    const mcp = createMcpEndpoint(site, {
      tools: [...accountTools(account), ...operationTools(admin)],
      adapter: directAdapter(serverAdapter(sdk)),
    }).endpoint
    const endpoint = endpointFrom((incoming) => {
      const path = pathOf(incoming.target)
      if (path === '/account/graphql') return account.graphql.handle(incoming)
      if (path === '/mcp' || path.startsWith('/mcp/')) return mcp.handle(incoming)
      return (path.startsWith('/api/v1/') ? admin.endpoint : server).handle(incoming)
    })
    return Object.assign(endpoint, server, { handle: endpoint.handle })
  }

  const platform = createPlatform<School>({
    find: async (host) => {
      const revision = revisions.get(host)
      return revision === undefined ? null : { issuer: `https://${host}`, revision }
    },
    open,
    storages: [storage],
    budget: { spend: async () => ({ ok: true, remaining: 1, retryAfterSeconds: 0 }) },
    secret: 'use at least 32 random characters here',
    onFault: ({ fault }) => void faults.push(fault),
    now: () => clock.now,
  })
  const serverOf = async (issuer: string): Promise<Server> => {
    const server = await platform.serverOf(new URL(issuer).host)
    if (server === null) throw new Error(`no school at ${issuer}`)
    return server
  }

  async function send(request: Request): Promise<Reply> {
    reasons.length = 0
    const response = await platform(request)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text.startsWith('{') ? (JSON.parse(text) as Reply['json']) : {},
      location: response.headers.get('location'),
      reasons: [...reasons],
    }
  }

  for (const issuer of issuers) {
    const server = await serverOf(issuer)
    await server.keys.maintain()
    for (const client of clientsAt(issuer)) await (server.site.store as Store).insertClient(client)
  }

  return {
    platform,
    storage,
    clock,
    send,
    ask: (issuer, path, how = {}) => send(requestOf(issuer, path, how)),
    serverOf,
    nextId(issuer) {
      const id = (ids.get(issuer) ?? 0) + 1
      ids.set(issuer, id)
      return `once ${id}`
    },
    signIn(issuer, subject) {
      const id = hashToken(`${issuer} ${subject} ${sessions.size} ${Math.random()}`)
      sessions.set(`${issuer} ${id}`, subject)
      return `session=${id}`
    },
    faults,
  }
}

/** A request as a client or a browser of a school sends it. */
export function requestOf(issuer: string, path: string, { method, form, json, headers }: Ask = {}) {
  const body = json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json)
  return new Request(issuer + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(json !== undefined && { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  }) // prettier-ignore
}
