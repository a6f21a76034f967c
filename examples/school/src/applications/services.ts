import type { DraftIssue, Manager } from 'hallpass/clients'
import { type Client, effectiveScopes } from 'hallpass/policy'
import { redirectTo } from '../../../pages/response.js'
import { servicePath } from '../../../pages/applications/paths.js'
import type {
  ServiceFormView,
  ServiceRow,
  ServiceRoleName,
} from '../../../pages/applications/views.js'
import { SERVICE_ROLES, type Service, type Services } from '../services/services.js'
import type { OfManager, Parts, Visit } from './parts.js'

const FIELDS = ['name', 'description', 'role'] as const
/** The most tokens of a service that are counted. It cannot get that many in a day. */
const MAX_COUNTED = 500

/** The parts of an area whose site has services. */
type ServiceParts = Parts & { readonly registered: Services }

/** Returns the services of a site, with the pages below `/oauth/applications/services`. */
export const withPages = (registered: Services): NonNullable<Parts['services']> => ({
  names: registered.names,
  has: registered.has,
  async placeOf(area, below) {
    const parts: ServiceParts = { ...area, registered }
    if (below === undefined) return listPlace(parts)
    if (below === 'new') return newPlace(parts)
    const service = (await registered.list()).find(({ clientId }) => clientId === below)
    const client = service && (await parts.known.find(below))?.client
    return client ? endPlace(parts, { service, client }) : null
  },
})

/** `GET /oauth/applications/services` */
const listPlace = (parts: ServiceParts): OfManager => ({
  async get({ pages, frame, query, show }) {
    const services = await parts.registered.list()
    const rows = await Promise.all(services.map((service) => rowOf(parts, service)))
    const shown = rows.filter((row) => row !== null)
    const done = shown.find(({ clientId, endedAt }) => endedAt !== null && clientId === query.get('ended')) // prettier-ignore
    return show(pages.services({ ...frame, services: shown, ended: done?.name ?? null }))
  },
})

/** Returns a row of the list, or `null` if the client was deleted in between. */
async function rowOf(
  { known, inWords, now }: ServiceParts,
  { clientId, role, endedAt }: Service,
): Promise<ServiceRow | null> {
  const found = await known.find(clientId)
  if (found === null) return null
  const { name, scopes, disabled, endsAt } = found.client
  const [latest] = await known.grants(clientId, 1)
  const isOff = disabled || (endsAt !== null && endsAt <= now())
  return {
    clientId,
    name,
    role,
    scopes: inWords((scope) => scopes?.includes(scope) ?? false),
    lastUsedAt: latest?.lastIssuedAt ?? null,
    endedAt,
    state: endedAt !== null ? 'ended' : isOff ? 'off' : 'active',
  }
}

/** `GET` and `POST /oauth/applications/services/new` */
const newPlace = (parts: ServiceParts): OfManager => ({
  fresh: true,
  fields: FIELDS,
  lists: ['scope'],
  get: async (visit) =>
    showForm(parts, visit, { name: '', description: '', role: '', scopes: [] }, null),
  async post(visit) {
    const { form, manager, pages, frame } = visit
    const [name, description, role] = FIELDS.map((field) => form.get(field) ?? '') as [
      string,
      string,
      string,
    ]
    const values = { name, description, role, scopes: form.getAll('scope') }
    const chosen = rolesFor(parts, manager).find((one) => one === role)
    if (chosen === undefined)
      return showForm(parts, visit, values, { ...NO_FAULTS, role: pages.chooseRole })
    const draft = { name, description, scopes: values.scopes }
    const created = await parts.administration.createService(manager, draft)
    if (!created.ok) {
      const faults =
        'faults' in created
          ? faultsOf(created.faults, visit)
          : { ...NO_FAULTS, scopes: pages.refusal(created.reason) }
      return showForm(parts, visit, values, faults)
    }
    const { client, clientSecret } = created
    const { clientId } = client
    const by = { actor: manager.subject, at: parts.now() }
    // Until then, the client has no service, and gets nothing.
    await parts.registered.add({ clientId, role: chosen }, by)
    const view = {
      ...frame,
      clientId,
      name: client.name,
      secret: clientSecret,
      origin: parts.origin,
      scopes: client.scopes ?? [],
    }
    return visit.showDone(pages.serviceResult(view))
  },
})

type Faults = NonNullable<ServiceFormView['faults']>
const NO_FAULTS: Faults = { form: null, name: null, description: null, role: null, scopes: null }

function faultsOf(faults: readonly DraftIssue[], { pages }: Visit): Faults {
  const of = (field: DraftIssue['field']): string | null =>
    pages.faults(faults.filter((fault) => fault.field === field))
  return { ...NO_FAULTS, name: of('name'), description: of('description'), scopes: of('scopes') }
}

function showForm(
  parts: ServiceParts,
  { person, manager, pages, frame, show }: Visit,
  values: ServiceFormView['values'],
  faults: Faults | null,
): Response {
  const held = heldBy(parts, person.roles)
  const choices = parts.inWords((scope) => held.includes(scope))
  const view = { ...frame, values, faults, roles: rolesFor(parts, manager), choices }
  return show(pages.serviceForm(view), faults === null ? 200 : 422)
}

/** Returns the operator scopes that roles allow. */
const heldBy = ({ scopes: registry, roles: table }: Parts, roles: readonly string[]) => {
  const scopes = registry.names.filter((scope) => registry.get(scope)?.audience === 'operator')
  return effectiveScopes({ scopes, clientScopes: scopes, roles, table, registry })
}

/** Returns the roles that allow no more than those of the manager. */
const rolesFor = (parts: Parts, { roles }: Manager): readonly ServiceRoleName[] => {
  const own = heldBy(parts, roles)
  return SERVICE_ROLES.filter((role) => heldBy(parts, [role]).every((scope) => own.includes(scope)))
}

/** `GET` and `POST /oauth/applications/services/:client_id` */
const endPlace = (
  parts: ServiceParts,
  { service: { clientId, endedAt }, client: { name } }: { service: Service; client: Client },
): OfManager => ({
  fresh: true,
  async get({ pages, frame, show }) {
    if (endedAt !== null) return redirectTo(servicePath())
    const grants = await parts.known.grants(clientId, MAX_COUNTED)
    return show(pages.serviceEnd({ ...frame, clientId, name, grants: grants.length }))
  },
  async post({ manager }) {
    const by = { actor: manager.subject, at: parts.now() }
    // Ended first: from then on it gets nothing, and its tokens open nothing.
    await parts.registered.end(clientId, by)
    await parts.administration.disconnectEveryone(manager, clientId)
    return redirectTo(`${servicePath()}?ended=${encodeURIComponent(clientId)}`)
  },
})
