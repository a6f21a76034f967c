import type { ConnectedApp, ConnectedApps } from 'hallpass/clients'
import type { Client } from 'hallpass/policy'
import type { ScopeRegistry } from 'hallpass/scope'
import { activityOf, createScopeWords, type Names, type RecentEntries } from './words.js'
import { type AreaOptions, createArea, pageOf, type Place, type Visit } from '../sign-in/area.js'
import { redirectTo } from '../../../pages/response.js'
import type { ConnectedAppView, PagesOfConnectedApps } from '../../../pages/applications/views.js'

/** Options of the connected-apps pages. */
export interface ConnectedAppsOptions extends AreaOptions<PagesOfConnectedApps> {
  /** The name of the school, for the descriptions of the scopes. */
  readonly school: string
  readonly people: AreaOptions<PagesOfConnectedApps>['people'] & Names
  readonly connections: ConnectedApps
  /** Returns an app of the site, or `null`. */
  readonly findApp: (clientId: string) => Promise<Client | null>
  readonly accessRequests: AskedFor
  readonly audit: { readonly recent: RecentEntries }
  readonly scopes: ScopeRegistry
}

/** The apps that people have asked for, because their roles do not allow them. */
interface AskedFor {
  /** Stores a request. `at`: epoch seconds. */
  readonly ask: (request: { memberId: string; clientId: string; at: number }) => Promise<void>
  readonly has: (asked: { memberId: string; clientId: string }) => Promise<boolean>
}

type OfPeople = Place<Visit<PagesOfConnectedApps>>

const PATH = '/oauth/authorized_applications'
const RECENT = 5
/** Apps of a page: 500 of them would be a megabyte. */
const PAGE = 50
/** Lists of apps that are disconnected one after the other. */
const ROUNDS = 10
/** How long the page keeps reporting a disconnected app, even if it is reloaded. */
const NEWS_SECONDS = 600
// RFC 6749 appendix A.1. Some databases reject queries with other characters.
const CLIENT_ID = /^[\x20-\x7e]{1,2048}$/

/**
 * Creates the pages for the connected apps of the signed-in person. They respond at
 * `/oauth/authorized_applications` and at every path below it.
 */
export function createConnectedAppsPages(
  options: ConnectedAppsOptions,
): (request: Request) => Promise<Response> {
  const area = createArea(options)
  return async (request) => {
    const make = PLACES.get(new URL(request.url).pathname)
    return make === undefined ? area.notFound(request) : area.forPeople(request, make(options))
  }
}

/** `GET /oauth/authorized_applications` */
const listPlace = (options: ConnectedAppsOptions): OfPeople => ({
  async get({ person, pages, frame, query, show }) {
    const { connections } = options
    const { subject } = person
    const connected = await connections.list(subject)
    const { someone } = pages
    // Behind the last page, as after its last app was disconnected, is the last one.
    const last = Math.max(1, Math.ceil(connected.length / PAGE))
    const page = Math.min(pageOf(query), last)
    const shown = connected.slice((page - 1) * PAGE, page * PAGE)
    const apps = await Promise.all(shown.map((one) => appOf(options, one, { subject, someone })))
    const done = query.get('done') ?? ''
    const disconnected = await nameOfDisconnected(options, { subject, done })
    const asked = await nameOfAsked(options, { subject, clientId: query.get('asked') ?? '' })
    const isAllDone = query.has('none') && apps.length === 0
    const paging = { count: connected.length, page, hasNext: page < last }
    const view = { ...frame, apps, ...paging, disconnected, asked, isAllDone }
    return show(pages.list(view))
  },
})

async function appOf(
  { audit, people, scopes, school }: ConnectedAppsOptions,
  { client, scopes: held, since, endsAt, lastIssuedAt }: ConnectedApp,
  { subject, someone }: { subject: string; someone: string },
): Promise<ConnectedAppView> {
  const { clientId, name, kind, icon, disabled } = client
  const entries = await audit.recent({ clientId, subject, limit: RECENT })
  const inWords = createScopeWords({ scopes, school })
  return {
    clientId,
    name,
    kind,
    icon,
    verified: kind === 'member' || kind === 'vendor' || isReviewed(client),
    state: disabled ? 'off' : 'on',
    scopes: inWords((scope) => held.includes(scope)),
    since,
    endsAt,
    lastUsedAt: lastIssuedAt,
    recent: await activityOf(entries, { people }, { someone, serviceNamed: String }),
  }
}

const isReviewed = ({ kind, scopes }: ConnectedApp['client']): boolean =>
  kind === 'document' && scopes !== null

/** Returns the app's name from the audit log, because the query parameter must not appear on the page. */
async function nameOfDisconnected(
  { audit, now }: ConnectedAppsOptions,
  { subject, done }: { subject: string; done: string },
): Promise<string | null> {
  if (!CLIENT_ID.test(done)) return null
  // Only the latest entry matters: if the app was connected again since, there is nothing to report.
  const [last] = await audit.recent({ clientId: done, subject, limit: 1 })
  if (last?.type !== 'oauth.client.disconnected' || last.actor !== subject) return null
  const { clientName } = last.event
  return last.at + NEWS_SECONDS > now() && typeof clientName === 'string' ? clientName : null
}

/** Returns the name of an app that the person has asked for. */
async function nameOfAsked(
  { findApp, accessRequests }: ConnectedAppsOptions,
  { subject, clientId }: { subject: string; clientId: string },
): Promise<string | null> {
  const found = await staffApp(findApp, clientId)
  const isAsked = found !== null && (await accessRequests.has({ memberId: subject, clientId }))
  return isAsked ? found.name : null
}

/** Returns an app for staff, or `null`. */
async function staffApp(
  findApp: ConnectedAppsOptions['findApp'],
  clientId: string | null,
): Promise<Client | null> {
  if (clientId === null || !CLIENT_ID.test(clientId)) return null
  const client = await findApp(clientId)
  return client === null || client.kind === 'member' || client.disabled ? null : client
}

/** `GET` and `POST /oauth/authorized_applications/ask` */
const askPlace = ({ findApp, accessRequests, now }: ConnectedAppsOptions): OfPeople => ({
  fields: ['client_id'],
  async get({ pages, frame, query, show, notFound }) {
    const client = await staffApp(findApp, query.get('client_id'))
    if (client === null) return notFound()
    const { clientId, name } = client
    return show(pages.ask({ ...frame, clientId, name }))
  },
  async post({ person, form, notFound }) {
    const client = await staffApp(findApp, form.get('client_id'))
    if (client === null) return notFound()
    const { clientId } = client
    await accessRequests.ask({ memberId: person.subject, clientId, at: now() })
    return redirectTo(`${PATH}?asked=${encodeURIComponent(clientId)}`)
  },
})

/** `GET` and `POST /oauth/authorized_applications/disconnect` */
const disconnectPlace = ({ connections }: ConnectedAppsOptions): OfPeople => ({
  fields: ['client_id'],
  async get({ person, pages, frame, query, show, notFound }) {
    const found = await findConnection(connections, person, query.get('client_id'))
    if (found === null) return notFound()
    const { client, lastIssuedAt: lastUsedAt } = found
    const view = { ...frame, clientId: client.clientId, name: client.name, lastUsedAt }
    return show(pages.disconnect(view))
  },
  async post({ person, form }) {
    const clientId = form.get('client_id')
    const found = await findConnection(connections, person, clientId)
    // The app may have been disconnected in another window, or never connected. Both need no action.
    if (found !== null)
      await connections.disconnect({ subject: person.subject, clientId: found.client.clientId })
    return redirectTo(`${PATH}?done=${encodeURIComponent(clientId ?? '')}`)
  },
})

/** `GET` and `POST /oauth/authorized_applications/disconnect-all` */
const disconnectAllPlace = ({ connections }: ConnectedAppsOptions): OfPeople => ({
  async get({ person, pages, frame, show }) {
    const apps = await connections.list(person.subject)
    if (apps.length === 0) return redirectTo(PATH)
    const names = apps.map(({ client }) => client.name)
    return show(pages.disconnectAll({ ...frame, names }))
  },
  async post({ person: { subject } }) {
    // A list is bounded, so there may be another one.
    for (let round = 0; round < ROUNDS; round++) {
      const apps = await connections.list(subject)
      if (apps.length === 0) break
      for (const { client } of apps)
        await connections.disconnect({ subject, clientId: client.clientId })
    }
    return redirectTo(`${PATH}?none`)
  },
})

async function findConnection(
  connections: ConnectedApps,
  { subject }: Visit['person'],
  clientId: string | null,
): Promise<ConnectedApp | null> {
  const all = await connections.list(subject)
  return all.find(({ client }) => client.clientId === clientId) ?? null
}

const PLACES: ReadonlyMap<string, (options: ConnectedAppsOptions) => OfPeople> = new Map([
  [PATH, listPlace],
  [`${PATH}/ask`, askPlace],
  [`${PATH}/disconnect`, disconnectPlace],
  [`${PATH}/disconnect-all`, disconnectAllPlace],
])

/** Every path of the area. */
export const CONNECTED_APPS_PATHS: readonly string[] = [...PLACES.keys()]
