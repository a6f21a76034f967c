import {
  createAuthorizationServer,
  defineSite,
  type FaultNotice,
  type RefusalNotice,
  type SiteEvent,
} from 'hallpass'
import { createRouter } from 'hallpass/authorization-server'
import { clientCredentials, clientSecretBasic, privateKeyJwt } from 'hallpass/blocks'
import { defineClient } from 'hallpass/clients'
import type { Client, Person } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore, type Store } from 'hallpass/store'
import { createKeyRing, hashToken } from 'hallpass/token'
import * as jose from 'jose'
import type { AssertionReason } from '../../../src/policy/client-assertion.js'
import type { ServiceReason } from '../../../src/policy/client-credentials.js'
import { INTERACT, PATIENT_MILLISECONDS, SEALING } from '../../support/school/signing-client.js'
import { T } from '../../support/school/school.js'

export const ISSUER = 'https://school.example'
export const SECRET = 'the secret of payroll'
export type Fields = Readonly<Record<string, string>>

/** The client of a service, with these fields. */
export const serviceClient = (fields: Partial<Client> = {}): Client =>
  defineClient({
    clientId: 'payroll',
    kind: 'vendor',
    name: 'Payroll sync',
    redirectUris: ['https://payroll.example/cb'],
    scopes: ['courses:read', 'orders:read'],
    tokenEndpointAuthMethod: 'client_secret_post',
    secrets: [{ hash: hashToken(SECRET), expiresAt: null }],
    createdAt: T,
    ...fields,
  })

/** A person or a service with these roles. */
export const someone = (subject: string, ...roles: readonly string[]): Person => ({
  subject,
  orgId: 'school.example',
  roles,
  name: subject,
  email: null,
  picture: null,
})

/** A school with the service `srv_payroll` of the client `payroll`, which is a manager. */
export async function createServiceSchool({
  store = createMemoryStore(),
  options = {},
  issuer = ISSUER,
  clients = [serviceClient()],
  allowances = {},
  callDeadlineMilliseconds = PATIENT_MILLISECONDS,
}: {
  store?: Store
  options?: Partial<Parameters<typeof clientCredentials>[0]>
  issuer?: string
  clients?: readonly Client[]
  allowances?: Parameters<typeof defineSite>[0]['allowances']
  callDeadlineMilliseconds?: number
} = {}) {
  const refusals: RefusalNotice<ServiceReason | AssertionReason>[] = []
  const faults: FaultNotice[] = []
  const events: SiteEvent[] = []
  const clock = { now: T }
  const people = new Map([
    ['srv_payroll', someone('srv_payroll', 'manager')],
    ['per_mei', someone('per_mei', 'student')],
    ['per_ines', someone('per_ines', 'owner')],
  ])
  const services = new Map([['payroll', 'srv_payroll']])
  const { privateKey, publicKey } = await jose.generateKeyPair('ES256', { extractable: true })
  const jwks = { keys: [await jose.exportJWK(publicKey)] }
  const site = defineSite({
    issuer,
    name: 'School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    now: () => clock.now,
    callDeadlineMilliseconds,
    findPerson: async (subject) => people.get(subject) ?? null,
    blocks: [
      clientSecretBasic(),
      privateKeyJwt({ keysOf: async () => jwks }),
      clientCredentials({
        serviceOf: ({ clientId }) => services.get(clientId) ?? null,
        ...options,
      }),
    ],
    allowances,
    onRefusal: (notice) => refusals.push(notice),
    onFault: (fault) => faults.push(fault),
    onEvent: (event) => events.push(event),
  })
  const keys = createKeyRing(site, SEALING)
  await keys.maintain()
  events.length = 0
  const server = createAuthorizationServer(site, {
    keys,
    interact: INTERACT,
  })
  for (const client of clients) await store.insertClient(client)
  const router = createRouter(server)
  const post = (path: string, fields: Fields, headers: Fields = {}): Promise<Response> =>
    router(
      new Request(`${issuer}/api/oauth/${path}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers,
      }),
    )
  const ask = (fields: Fields = {}, headers: Fields = {}): Promise<Response> =>
    post(
      'token',
      {
        grant_type: 'client_credentials',
        client_id: 'payroll',
        client_secret: SECRET,
        ...fields,
      },
      headers,
    )
  /** Asks, and returns the status with the reason that the host learnt. */
  const outcome = async (fields: Fields = {}) => {
    const before = refusals.length
    const response = await ask(fields)
    return [response.status, refusals[before]?.reason ?? null] as const
  }
  /** Returns an access token. */
  const token = async (fields: Fields = {}): Promise<string> => {
    const response = await ask(fields)
    const body = (await response.json()) as { access_token?: string }
    if (body.access_token === undefined) throw new Error(JSON.stringify(body))
    return body.access_token
  }
  return { site, store, server, router, keys, clock, people, services, refusals, faults, events, post, ask, outcome, token, privateKey } // prettier-ignore
}
export type ServiceSchool = Awaited<ReturnType<typeof createServiceSchool>>
