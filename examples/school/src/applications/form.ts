import type { DraftRefusal } from 'hallpass/clients'
import type { Refusal } from 'hallpass/policy'
import { redirectTo } from '../../../pages/response.js'
import {
  draftFaults,
  draftOf,
  faultsByField,
  findPreset,
  formFault,
  type Typed,
  typedOf,
  withAddresses,
} from './draft.js'
import type { OfApplication, OfManager, Parts, Visit } from './parts.js'
import { type Form, showForm, typedOfClient } from './form-view.js'
import { applicationPath } from '../../../pages/applications/paths.js'

const FIELDS = ['name', 'description', 'icon', 'keys', 'redirect_uris', 'preset'] as const
const BLANK: Typed = {
  name: '',
  description: '',
  icon: null,
  authMethod: 'none',
  keys: '',
  redirectUris: '',
  scopes: [],
}

/** `GET` and `POST /oauth/applications/new` */
export const newPlace = (parts: Parts): OfManager => ({
  fresh: true,
  fields: [...FIELDS, 'auth_method'],
  lists: ['scope'],
  async get(visit) {
    const enabled = await parts.settings.mcpConnections()
    return enabled ? showForm(parts, visit, { typed: BLANK }) : redirectTo('/oauth/applications')
  },
  async post(visit) {
    const typed = typedOf(visit.form, visit.form.get('auth_method'))
    const answered = await answerUnsaved(parts, visit, { typed })
    if (answered !== null) return answered
    const created = await parts.administration.create(visit.manager, draftOf(typed))
    if (!created.ok) return showForm(parts, visit, { typed, ...refusalOf(created, visit) })
    const { client, clientSecret } = created
    const view = {
      ...visit.frame,
      cause: 'created' as const,
      clientId: client.clientId,
      name: client.name,
      secret: clientSecret,
      previousSecretUntil: null,
      authMethod: client.tokenEndpointAuthMethod,
      origin: parts.origin,
    }
    return visit.showDone(visit.pages.result(view))
  },
})

/** `GET` and `POST /oauth/applications/:id/edit` */
export const editPlace: OfApplication = (parts, { client }) => ({
  fresh: true,
  fields: [...FIELDS, 'revision'],
  lists: ['scope'],
  async get(visit) {
    const enabled = await parts.settings.mcpConnections()
    return enabled
      ? showForm(parts, visit, { typed: typedOfClient(parts, client), client })
      : redirectTo(applicationPath(client.clientId))
  },
  async post(visit) {
    const typed = typedOf(visit.form, client.tokenEndpointAuthMethod)
    const seen = visit.form.get('revision') ?? ''
    const revision = /^\d{1,15}$/.test(seen) ? Number(seen) : 0
    const answered = await answerUnsaved(parts, visit, { typed, client, revision })
    if (answered !== null) return answered
    const { clientId } = client
    const edit = { clientId, revision, draft: draftOf(typed) }
    const edited = await parts.administration.edit(visit.manager, edit)
    if (edited.ok) return redirectTo(`${applicationPath(clientId)}?done=saved`)
    const now = await parts.known.find(clientId)
    return now === null
      ? visit.notFound()
      : showForm(parts, visit, { typed, client: now.client, ...refusalOf(edited, visit) })
  },
})

/** Shows the form again if nothing is to be saved: addresses were added, or the input has errors. */
async function answerUnsaved(parts: Parts, visit: Visit, form: Form): Promise<Response | null> {
  const { pages } = visit
  const preset = visit.form.get('preset')
  if (preset !== null) {
    const typed = withAddresses(form.typed, findPreset(parts.vendors, preset))
    return showForm(parts, visit, { ...form, typed, faults: null })
  }
  if (!(await parts.settings.mcpConnections()))
    return showForm(parts, visit, {
      ...form,
      faults: formFault(pages.refusal('member_clients_off')),
      status: 409,
    })
  const faults = draftFaults(form.typed, parts, pages)
  return faults.length === 0
    ? null
    : showForm(parts, visit, { ...form, faults: faultsByField(faults, pages), status: 422 })
}

function refusalOf(
  refusal: Refusal | DraftRefusal,
  { pages }: Visit,
): Required<Pick<Form, 'faults' | 'status'>> {
  if ('faults' in refusal) return { faults: faultsByField(refusal.faults, pages), status: 422 }
  return { faults: formFault(pages.refusal(refusal.reason)), status: 409 }
}
