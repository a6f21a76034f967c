import { type Client, type ClientKind, scopesOfClient } from 'hallpass/policy'
import type { ClientQuery } from 'hallpass/store'
import type {
  ApplicationRow,
  ApplicationsView,
  ApplicationState,
} from '../pages/applications/views.js'
import { KIND_WORDS, STATE_WORDS } from '../pages/applications/words.js'
import { applicationsPage } from '../pages/applications/list.js'
import type { Use } from './known.js'
import type { OfManager, Parts } from './parts.js'
import { stateOf } from './words.js'

const PAGE = 50
/** Consecutive empty pages that a filter skips before the reader has to request the next one. */
const ROUNDS = 20
const KINDS = Object.keys(KIND_WORDS) as readonly ClientKind[]
const STATES = Object.keys(STATE_WORDS) as readonly ApplicationState[]
const DONE = ['beta_on', 'beta_off', 'deleted'] as const

type Filter = ApplicationsView['filter']

/** `GET /oauth/applications` */
export const listPlace = (parts: Parts): OfManager => ({
  async get({ frame, query, show }) {
    const filter = filterOf(query)
    const { rows, next } = await storedRows(parts, filter, afterOf(query.get('after')))
    const configured = next === null ? await configuredRows(parts, filter) : []
    const isUsed = configured.some(({ people }) => people > 0)
    const view = {
      ...frame,
      enabled: await parts.settings.mcpConnections(),
      filter,
      applications: [...rows, ...configured],
      isEmpty: rows.length === 0 && !isUsed && !(await hasAny(parts)),
      next,
      done: oneOf(DONE, query.get('done')),
    }
    return show(applicationsPage({ site: parts.site, view }))
  },
})

function filterOf(query: URLSearchParams): Filter {
  // Some databases reject queries with control characters.
  const search = (query.get('search') ?? '').replace(/\p{Cc}/gu, ' ').slice(0, 100)
  return {
    kind: oneOf(KINDS, query.get('kind')),
    state: oneOf(STATES, query.get('state')),
    search: search.trim(),
  }
}

const oneOf = <Word extends string>(words: readonly Word[], word: string | null): Word | null =>
  words.find((one) => one === word) ?? null

function afterOf(text: string | null): ClientQuery['after'] {
  const [, createdAt, clientId] = /^(\d{1,12})\.([\x20-\x7e]{1,2048})$/.exec(text ?? '') ?? []
  return clientId === undefined ? null : { createdAt: Number(createdAt), clientId }
}

/** Reads a page of the stored clients that match the filter. Pages without a match are skipped. */
async function storedRows(
  { store, known, scopes, now }: Parts,
  { kind, state, search }: Filter,
  from: ClientQuery['after'],
): Promise<{ rows: readonly ApplicationRow[]; next: string | null }> {
  const isShadowed = ({ clientId }: Client): boolean =>
    known.configured.some((one) => one.clientId === clientId)
  let after = from
  for (let round = 1; ; round++) {
    const listed = await store.listClients({
      kinds: kind === null ? KINDS : [kind],
      search: search === '' ? null : search,
      after,
      limit: PAGE + 1,
      now: now(),
    })
    const rows = listed
      .slice(0, PAGE)
      .filter(({ client }) => !isShadowed(client) && (state ?? stateOf(client)) === stateOf(client))
      .map(({ client, people, lastIssuedAt }) =>
        rowOf(client, { people, lastUsedAt: lastIssuedAt }, scopes),
      )
    const last = listed.length > PAGE ? listed[PAGE - 1]!.client : null
    if (last === null || rows.length > 0 || round === ROUNDS)
      return { rows, next: last === null ? null : `${last.createdAt}.${last.clientId}` }
    after = last
  }
}

/** Returns the apps of the configuration. They are listed last, as the oldest. */
async function configuredRows(
  { known, scopes }: Parts,
  { kind, state, search }: Filter,
): Promise<readonly ApplicationRow[]> {
  const meant = known.configured.filter(
    (client) =>
      (kind ?? client.kind) === client.kind &&
      (state ?? stateOf(client)) === stateOf(client) &&
      client.name.toLowerCase().includes(search.toLowerCase()),
  )
  return Promise.all(
    meant.map(async (client) =>
      rowOf(client, await known.use({ client, isConfigured: true }), scopes),
    ),
  )
}

const rowOf = (
  client: Client,
  { people, lastUsedAt }: Use,
  registry: Parts['scopes'],
): ApplicationRow => ({
  clientId: client.clientId,
  name: client.name,
  kind: client.kind,
  state: stateOf(client),
  icon: client.icon,
  people,
  lastUsedAt: lastUsedAt ?? client.usedAt,
  scopes: scopesOfClient({ client, registry }).length,
})

/** Whether a site has any app. Those of the configuration are included only if someone uses them. */
async function hasAny({ store, known, now }: Parts): Promise<boolean> {
  const query = { kinds: KINDS, search: null, after: null, limit: 1, now: now() }
  if ((await store.listClients(query)).length > 0) return true
  const inUse = await known.people(known.configured.map(({ clientId }) => clientId))
  return inUse.size > 0
}
