import {
  createAuthorizationServer,
  defineSite,
  type FaultNotice,
  type RefusalNotice,
  type SiteEvent,
  type SiteOptions,
} from 'hallpass'
import { createRouter } from 'hallpass/authorization-server'
import { clientSecretBasic, identityAssertion } from 'hallpass/blocks'
import { defineClient } from 'hallpass/clients'
import type { Client, Person } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore, type Store } from 'hallpass/store'
import { createKeyRing, hashToken } from 'hallpass/token'
import { IDENTITY_ASSERTION_REFUSALS } from '../../../src/policy/identity-assertion.js'
import type { IdentityAssertionReason } from '../../../src/policy/identity-assertion.js'
import { assertIsOf } from './refusals.js'
import { createIdentityProvider } from './identity-provider.js'
import { T } from './school.js'
import { INTERACT, PATIENT_MILLISECONDS, SEALING } from './signing-client.js'

type IdentityProvider = Parameters<typeof identityAssertion>[0]['providers'][number]

export const ISSUER = 'https://school.example'
export const IDP = 'https://idp.example'
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
export const SECRET = 'the secret of the agent'
type Fields = Readonly<Record<string, string>>

/** `findPerson` of a school that has one owner. */
export const findInes = async (subject: string): Promise<Person | null> =>
  subject === 'per_ines'
    ? { subject, orgId: 'school', roles: ['owner'], name: 'Ines', email: null, picture: null }
    : null

export const agent = (fields: Partial<Client> = {}): Client =>
  defineClient({
    clientId: 'agent',
    kind: 'vendor',
    name: 'Agent',
    redirectUris: ['https://agent.example/cb'],
    scopes: null,
    tokenEndpointAuthMethod: 'client_secret_post',
    secrets: [{ hash: hashToken(SECRET), expiresAt: null }],
    createdAt: T,
    ...fields,
  })

const person = (subject: string, ...roles: readonly string[]): Person => ({
  subject,
  orgId: 'school.example',
  roles,
  name: subject,
  email: null,
  picture: null,
})

/** A school that trusts one identity provider for the client `agent`. */
export async function createAssertingSchool({
  store = createMemoryStore(),
  options = {},
  provider = {},
  clients = [agent()],
  issuer = ISSUER,
  defaultScopes = null,
  documents,
  callDeadlineMilliseconds = PATIENT_MILLISECONDS,
}: {
  store?: Store
  options?: Partial<Parameters<typeof identityAssertion>[0]>
  provider?: Partial<IdentityProvider>
  clients?: readonly Client[]
  issuer?: string
  defaultScopes?: readonly ('openid' | 'courses:read')[] | null
  documents?: SiteOptions['documents']
  callDeadlineMilliseconds?: number
} = {}) {
  const refusals: RefusalNotice<IdentityAssertionReason>[] = []
  const faults: FaultNotice[] = []
  const events: SiteEvent[] = []
  const clock = { now: T }
  const people = new Map([
    ['per_ines', person('per_ines', 'owner')],
    ['per_tom', person('per_tom', 'student')],
    ['per_ada', person('per_ada', 'assistant')],
  ])
  const accounts = new Map([
    ['u-ines', 'per_ines'],
    ['u-tom', 'per_tom'],
    ['u-ada', 'per_ada'],
  ])
  const idp = await createIdentityProvider({ issuer: IDP, now: () => clock.now, alg: 'ES256' })
  const grant = identityAssertion({
    providers: {
      [IDP]: {
        jwksUri: `${IDP}/jwks`,
        clients: ['agent'],
        personOf: async ({ sub }) => accounts.get(sub) ?? null,
        ...provider,
      },
    },
    fetchKeys: (url) => idp.handle(new Request(url)),
    ...options,
  })
  const site = defineSite({
    issuer,
    name: 'School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    now: () => clock.now,
    callDeadlineMilliseconds,
    findPerson: async (subject) => people.get(subject) ?? null,
    ...(documents && { documents }),
    blocks: [clientSecretBasic(), grant],
    onRefusal: (notice) => refusals.push(notice),
    onFault: (fault) => faults.push(fault),
    onEvent: (event) => events.push(event),
  })
  const keys = createKeyRing(site, SEALING)
  await keys.maintain()
  const server = createAuthorizationServer(site, {
    keys,
    interact: INTERACT,
    defaultScopes,
  })
  for (const client of clients) await store.insertClient(client)
  // Those of its keys say nothing about a grant.
  events.length = 0
  const router = createRouter(server)
  const post = (path: string, fields: Fields, headers: Fields = {}): Promise<Response> =>
    router(
      new Request(`${issuer}/api/oauth/${path}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers,
      }),
    )
  /** Signs an assertion of Ines for the agent, with other claims. `undefined` leaves one out. */
  const assert = (claims: object = {}, header: object = {}) =>
    idp.idJag(
      {
        sub: 'u-ines',
        aud: issuer,
        client_id: 'agent',
        resource: `${issuer}/mcp`,
        scope: 'openid courses:read courses:write',
        ...claims,
      },
      header,
    )
  const send = (assertion: string, fields: Fields = {}) =>
    post('token', {
      grant_type: JWT_BEARER,
      client_id: 'agent',
      client_secret: SECRET,
      assertion,
      ...fields,
    })
  /** Sends an assertion, and returns the status with the scopes or the reason that the host learnt. */
  const outcome = async (assertion: string, fields: Fields = {}) => {
    const before = refusals.length
    const response = await send(assertion, fields)
    const body = (await response.json()) as { scope?: string }
    const refused = refusals[before]
    if (refused !== undefined) assertIsOf(IDENTITY_ASSERTION_REFUSALS, refused)
    return [response.status, refused?.reason ?? body.scope ?? null] as const
  }
  return { site, store, server, router, clock, people, accounts, idp, refusals, faults, events, post, assert, send, outcome, grant, keys } // prettier-ignore
}
export type AssertingSchool = Awaited<ReturnType<typeof createAssertingSchool>>
