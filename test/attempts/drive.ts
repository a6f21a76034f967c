import {
  type Attempt,
  type AttemptExplanation,
  createClientManagement,
  defineClient,
} from 'hallpass/clients'
import { type RealClient, realClients } from 'hallpass-lab'
import { createMemoryStore } from 'hallpass/store'
import { documentHosts, pinnedDocuments, vendors } from '../../examples/school/testing.js'
import { encode, type Fields, post, type Tokens, VERIFIER } from '../support/school/flow.js'
import { authorizationUrl } from '../support/school/real-client.js'
import { createBrowser, ISSUER, OWNER, T } from '../support/school/school.js'
import { register, type Watched, watchedSchool } from './support.js'
import type { Fault } from './faults.js'

/** A client whose requests are public. */
export type DrivenClient = RealClient & {
  readonly authorize: NonNullable<RealClient['authorize']>
  readonly token: NonNullable<RealClient['token']>
}

export const drivenClients: readonly DrivenClient[] = realClients.filter(
  (real): real is DrivenClient => real.authorize !== null && real.token !== null,
)

/** How a client gets its `client_id` at the school of the example. */
export type Way = 'document' | 'pinned_document' | 'vendor' | 'registration'

/** A client that connects, for the fault that is planted. */
export interface Run {
  readonly school: Watched
  readonly real: DrivenClient
  readonly way: Way
  /** The browser of the person. */
  readonly browser: ReturnType<typeof createBrowser>
  /** The clock of the storage. */
  readonly database: { now: number | null }
}

const published = (content: unknown): Response => Response.json(content)

/** Says how a client gets its `client_id`: by the rules of the configuration, not by its name. */
export function wayOf({ document, registrations }: DrivenClient): Way {
  if (document !== null) {
    const isPinned = pinnedDocuments.some(
      ({ metadata }) => (metadata as { client_id: string }).client_id === document.url,
    )
    return isPinned ? 'pinned_document' : 'document'
  }
  const names = registrations.map((metadata) => metadata['client_name'])
  return vendors.some(({ name }) => names.includes(name)) ? 'vendor' : 'registration'
}

/**
 * Lets a client connect with a planted fault, at a school with the clients of the example.
 *
 * @returns the attempt that a manager finds on top, with its explanation
 */
export async function drive(
  real: DrivenClient,
  fault: Fault,
): Promise<(Attempt & { explanation: AttemptExplanation }) | null> {
  const way = wayOf(real)
  const database: Run['database'] = { now: null }
  const memory = createMemoryStore()
  const school = await watchedSchool({
    store: {
      ...memory,
      findClock: async () => ({ ...(await memory.findClock()), now: database.now }),
    },
    options: {
      vendors,
      pinnedDocuments,
      ...fault.options,
      documents: {
        allowedHosts: documentHosts,
        fetchDocument: async () => (fault.document ?? published)(real.document!.content),
        ...fault.options?.documents,
      },
    },
  })
  const run: Run = { school, real, way, database, browser: createBrowser(school) }
  school.signedIn = { subject: OWNER.subject, authTime: T }
  await connect(run, fault)
  const [newest] = await school.all()
  return newest ?? null
}

async function connect(run: Run, fault: Fault): Promise<void> {
  const { school, real } = run
  await school.fetch(`${ISSUER}/api/oauth/userinfo`)
  const clientId = await identify(run, fault)
  if (clientId === null || fault.endsAfter === 'registration') return later(run, fault)
  school.clock.now += 1
  await fault.afterRegistration?.(run, clientId)
  const url = authorizationUrl(real, clientId, ['openid', 'courses:read'])
  const changes = fault.request?.(Object.fromEntries(url.searchParams), run) ?? {}
  url.search = encode({ ...Object.fromEntries(url.searchParams), ...changes }).toString()
  const code = await (fault.visit ?? allow)(run, url)
  if (code === null || fault.endsAfter === 'code') return later(run, fault)
  await fault.afterCode?.(run, clientId)
  const values: Fields = {
    grant_type: 'authorization_code',
    code,
    code_verifier: VERIFIER,
    redirect_uri: real.authorize.redirectUri,
    client_id: clientId,
    resource: ISSUER + (real.authorize.resource ?? ''),
  }
  const fields = Object.fromEntries(real.token.exchange.map((name) => [name, values[name]!]))
  const exchange = { ...fields, ...fault.exchange?.(fields) }
  const answer = await post(school, '/api/oauth/token', exchange)
  if (answer.status !== 200) return
  const tokens = (await answer.json()) as Tokens
  await fault.afterToken?.(run, { tokens, exchange })
}

/** Gets the `client_id` as the client does; `null` if it is refused, or does not ask. */
async function identify({ way, real, school }: Run, fault: Fault): Promise<string | null> {
  if (fault.endsAfter === 'discovery') {
    await school.fetch(`${ISSUER}/.well-known/oauth-authorization-server`)
    return null
  }
  if (fault.by === 'hand') {
    const client = defineClient({
      clientId: 'entered-by-hand',
      kind: 'member',
      name: real.name,
      redirectUris: [real.authorize.redirectUri],
      scopes: ['account:read'],
      createdAt: T - 1000,
    })
    await school.store.insertClient(client)
    return client.clientId
  }
  if (way === 'document' || way === 'pinned_document') return real.document!.url
  const [metadata] = real.registrations
  const answer = await register(school, fault.registration?.(metadata!) ?? metadata!)
  if (answer.status !== 201) return null
  return ((await answer.json()) as { client_id: string }).client_id
}

async function later({ school }: Run, { endsAfter }: Fault): Promise<void> {
  if (endsAfter !== undefined) school.clock.now += 600
}

/** Opens the pages and presses Allow. Returns the code, or `null` without one. */
export async function allow({ browser, school }: Run, url: URL): Promise<string | null> {
  const first = await browser.open(url)
  const isPage = school.view?.page === 'consent' && first.status === 200
  const answer = isPage ? await answerForm({ browser, school }, 'allow') : first
  const location = answer.headers.get('location')
  return location === null ? null : new URL(location, ISSUER).searchParams.get('code')
}

/** Sends the consent form that the browser shows. */
export function answerForm(
  { browser, school }: Pick<Run, 'browser' | 'school'>,
  decision: 'allow' | 'deny',
  csrf?: string,
): Promise<Response> {
  if (school.view?.page !== 'consent') throw new Error(`no form: ${JSON.stringify(school.view)}`)
  const { action, csrfToken } = school.view.view
  return browser.post(action, { csrf_token: csrf ?? csrfToken, decision })
}

/** Turns a client off, as a manager does: a document is blocked. */
export async function turnOff({ school, way }: Run, clientId: string): Promise<void> {
  const management = createClientManagement(school.site)
  const { manager } = school
  const changed = await (way === 'document'
    ? management.block(manager, clientId)
    : management.disable(manager, clientId))
  if (!changed.ok) throw new Error(changed.reason)
}
