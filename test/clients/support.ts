import { createProtectedResource, defineSite } from 'hallpass'
import {
  type ClientManagement,
  createClientManagement,
  decideManager,
  type Manager,
  type MemberClientDraft,
} from 'hallpass/clients'
import type { Client, Person } from 'hallpass/policy'
import { schoolRoles } from 'hallpass/scope'
import type { Store } from 'hallpass/store'
import { createDocumentSchool, type DocumentHosts } from '../support/school/metadata-documents.js'
import { type SiteChanges, split } from '../support/school/bare-server.js'
import {
  approve,
  authorizationUrl,
  type Fields,
  redeem,
  signIn,
  type Tokens,
} from '../support/school/flow.js'
import {
  createBrowser,
  type Heard,
  heard,
  ISSUER,
  OWNER,
  type School,
  STUDENT,
} from '../support/school/school.js'

type ClientManagementOptions = NonNullable<Parameters<typeof createClientManagement>[1]>

export const DRAFT: MemberClientDraft = {
  name: 'Sketch Diary',
  description: 'Keeps a diary of what you have drawn.',
  icon: 'pencil',
  redirectUris: ['https://diary.example/callback'],
  tokenEndpointAuthMethod: 'client_secret_post',
  scopes: ['account:read', 'account:write'],
}

function managing(person: Person): Manager {
  const decided = decideManager({ person, table: schoolRoles })
  if (!decided.ok) throw new Error(decided.reason)
  return decided.manager
}

export const MANAGER = managing(OWNER)

/** Another student. */
export const NOOR: Person = { ...STUDENT, subject: 'mem_noor', name: 'Noor Haddad' }

/** A school, whoever manages its clients, and what was told of it. */
export interface Office {
  readonly school: School
  readonly hosts: DocumentHosts
  readonly administration: ClientManagement
  readonly events: Heard[]
  readonly faults: unknown[]
}

export async function createOffice(
  options: SiteChanges & ClientManagementOptions = {},
): Promise<Office> {
  const { store } = options
  const { school, hosts } = await createDocumentSchool(store === undefined ? {} : { store })
  school.people.set(NOOR.subject, NOOR)
  const events: Heard[] = []
  const faults: unknown[] = []
  const { ofSite, own } = split<ClientManagementOptions>(options)
  const site = defineSite({
    ...school.siteOptions,
    documents: { allowedHosts: ['notes.example'], fetchDocument: hosts.fetchDocument },
    onEvent: (event) => events.push(heard(event)),
    onFault: ({ fault }) => faults.push(fault),
    ...ofSite,
  })
  return { school, hosts, administration: createClientManagement(site, own), events, faults }
}

/** What a decision grants. */
export function granted<Granted>(
  decided: ({ readonly ok: true } & Granted) | { readonly ok: false; readonly reason: string },
): Granted {
  if (!decided.ok) throw new Error(decided.reason)
  return decided
}

/** A confidential client of the draft, with its secret. */
export async function createDiary(
  { administration }: Office,
  changes: Partial<MemberClientDraft> = {},
): Promise<{ client: Client; clientSecret: string }> {
  const created = granted(await administration.create(MANAGER, { ...DRAFT, ...changes }))
  return { client: created.client, clientSecret: created.clientSecret ?? '' }
}

/** What a client sends at the authorization endpoint, over `authorizationUrl`. */
export const requestOf = (client: Client, scope = 'openid account:read account:write'): Fields => ({
  client_id: client.clientId,
  redirect_uri: client.redirectUris[0]!,
  scope,
})

/** Approval and exchange in one go. */
export const connect = (
  { school }: Office,
  { client, clientSecret = null }: { client: Client; clientSecret?: string | null },
  { person = STUDENT, scope }: { person?: Person; scope?: string } = {},
): Promise<Tokens> =>
  signIn(school, requestOf(client, scope), { person, form: { client_secret: clientSecret } })

/** A code that waits for its exchange. */
export const codeFor = (
  { school }: Office,
  client: Client,
  { person = STUDENT, scope }: { person?: Person; scope?: string } = {},
): Promise<string> => approve(school, requestOf(client, scope), person)

export const exchange = (
  { school }: Office,
  { client, clientSecret = null }: { client: Client; clientSecret?: string | null },
  code: string,
): Promise<Response> => {
  const { client_id, redirect_uri } = requestOf(client)
  const form = { client_id: client_id!, redirect_uri: redirect_uri!, client_secret: clientSecret }
  return redeem(school, code, form)
}

/** The scopes that an access token has in effect at an API of the school, or the status that refuses it. */
export async function rightOf(
  { school }: Pick<Office, 'school'>,
  { access_token }: Tokens,
): Promise<readonly string[] | number> {
  const resource = createProtectedResource(school.site)
  const headers = { authorization: `Bearer ${access_token}` }
  const access = await resource.gate()(new Request(`${ISSUER}/mine`, { headers }))
  return access instanceof Response ? access.status : access.scopes
}

/** Whether a person is asked for consent when a client sends them, as opposed to a remembered one. */
export async function isAsked(
  { school }: Office,
  client: Client,
  { person = STUDENT, scope }: { person?: Person; scope?: string } = {},
): Promise<boolean> {
  school.signedIn = { subject: person.subject, authTime: school.clock.now }
  school.view = null
  const request = authorizationUrl(requestOf(client, scope))
  const answer = await createBrowser(school).open(request)
  if (pageOf(school) === 'consent') return true
  const { searchParams } = new URL(answer.headers.get('location') ?? 'about:blank')
  if (!searchParams.has('code')) throw new Error(`neither consent nor a code: ${answer.status}`)
  return false
}

const pageOf = ({ view }: School): string | null => view?.page ?? null

/** Every grant of a client that is alive, by the person it is of. */
export async function peopleOf(
  store: Store,
  clientId: string,
  now: number,
): Promise<readonly string[]> {
  const grants = await store.listGrants({ of: { clientId }, after: null, limit: 50, now })
  return grants.map(({ grant }) => grant.subject).sort()
}
