import { type ClientKind, scopesOfClient } from 'hallpass/policy'
import type {
  ApplicationRow,
  ApplicationsView,
  ApplicationState,
} from '../../../pages/applications/views.js'
import { redirectTo } from '../../../pages/response.js'
import { pageOf } from '../sign-in/area.js'
import type { FoundApplication, OfManager, Parts, Visit } from './parts.js'

const PAGE = 50
const DONE = ['beta_on', 'beta_off', 'deleted', 'request_dismissed'] as const
const MOST_REQUESTS = 20

type Filter = ApplicationsView['filter']

// A record, so that one that is missing does not compile.
const allOf = <Key extends string>(each: Readonly<Record<Key, true>>): readonly Key[] =>
  Object.keys(each) as Key[]
const VIEWS = allOf<Filter['view']>({ connected: true, review: true, tried: true, all: true })
const SORTS = allOf<Filter['sort']>({ newest: true, oldest: true, name: true })
const KINDS = allOf<ClientKind>({ member: true, vendor: true, loopback: true, document: true })
const STATES = allOf<ApplicationState>({
  active: true,
  unused: true,
  disabled: true,
  unreviewed: true,
  reviewed: true,
  changed: true,
  blocked: true,
})

/** `GET /oauth/applications` */
export const listPlace = (parts: Parts): OfManager => ({
  async get({ pages, frame, query, show }) {
    const { directory, settings } = parts
    const filter = filterOf(query)
    const page = pageOf(query)
    const { found, counts } = await directory.search({ ...filter, page, size: PAGE })
    const rows = await Promise.all(found.map((one) => rowOf(parts, one)))
    const view = {
      ...frame,
      hasServices: (parts.services ?? null) !== null,
      enabled: await settings.mcpConnections(),
      filter,
      counts,
      applications: rows.filter((row) => row !== null),
      isEmpty: await isEmpty(parts, counts),
      page,
      hasNext: counts[filter.view] > page * PAGE,
      done: oneOf(DONE, query.get('done')),
      requests: await requestsOf(parts, pages),
    }
    return show(pages.list(view))
  },
})

/** Returns who asks for which app. People and apps that were deleted since are left out. */
async function requestsOf(
  { accessRequests, known, people }: Parts,
  pages: Visit['pages'],
): Promise<ApplicationsView['requests']> {
  const open = await accessRequests.open(MOST_REQUESTS)
  const requests = await Promise.all(
    open.map(async ({ memberId, clientId, at }) => {
      const [person, app] = await Promise.all([people.find(memberId), known.find(clientId)])
      if (person === null || app === null) return null
      const [name, roles] = [pages.nameOf(person), pages.rolesOf(person)]
      return { memberId, name, roles, clientId, app: app.client.name, at }
    }),
  )
  return requests.filter((request) => request !== null)
}

/** `POST /oauth/applications/requests`: a request is dismissed. */
export const requestsPlace = ({ accessRequests }: Parts): OfManager => ({
  fields: ['member_id', 'client_id'],
  async post({ form }) {
    const [memberId, clientId] = [form.get('member_id') ?? '', form.get('client_id') ?? '']
    await accessRequests.dismiss({ memberId, clientId })
    return redirectTo('/oauth/applications?done=request_dismissed')
  },
})

function filterOf(query: URLSearchParams): Filter {
  // Some databases reject queries with control characters.
  const search = (query.get('search') ?? '').replace(/\p{Cc}/gu, ' ').slice(0, 100)
  return {
    view: oneOf(VIEWS, query.get('view')) ?? 'connected',
    kind: oneOf(KINDS, query.get('kind')),
    state: oneOf(STATES, query.get('state')),
    search: search.trim(),
    sort: oneOf(SORTS, query.get('sort')) ?? 'newest',
  }
}

const oneOf = <Word extends string>(words: readonly Word[], word: string | null): Word | null =>
  words.find((one) => one === word) ?? null

/** Returns a row of the list, or `null` if the app was deleted in between. */
async function rowOf(
  { known, scopes: registry }: Parts,
  { clientId, state, people, lastUsedAt }: FoundApplication,
): Promise<ApplicationRow | null> {
  const client = (await known.find(clientId))?.client
  if (client === undefined) return null
  const { name, kind, icon, usedAt } = client
  const scopes = scopesOfClient({ client, registry }).length
  return { clientId, name, kind, state, icon, people, lastUsedAt: lastUsedAt ?? usedAt, scopes }
}

/** Whether a site has no app at all. Those of the configuration are included only if someone uses them. */
async function isEmpty(
  { directory }: Parts,
  { connected, tried }: ApplicationsView['counts'],
): Promise<boolean> {
  if (connected + tried > 0) return false
  const everything = { view: 'all', kind: null, state: null, search: '', sort: 'newest' } as const
  const { counts } = await directory.search({ ...everything, page: 1, size: 1 })
  return counts.connected + counts.tried === 0
}
