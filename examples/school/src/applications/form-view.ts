import { type Client, scopesOfClient } from 'hallpass/policy'
import type { ManagerVisit } from '../sign-in/area.js'
import { applicationFormPage } from '../pages/applications/form.js'
import type { ApplicationFaults, ApplicationFormView } from '../pages/applications/views.js'
import { checkedAddresses, type Typed } from './draft.js'
import type { Parts } from './parts.js'
import { presetsOf } from './presets.js'

/** What the form of an application is shown with. */
export interface Form {
  readonly typed: Typed
  /** What is edited; left out = a new application. */
  readonly client?: Client
  /** What the form was opened on; left out = what is stored. */
  readonly revision?: number
  /** Left out = nothing was sent yet. */
  readonly faults?: ApplicationFaults | null
  readonly status?: number
}

/** The form of an application. */
export async function showForm(parts: Parts, visit: ManagerVisit, form: Form): Promise<Response> {
  const { typed, client, faults, status = 200 } = form
  const { scopes: registry, inWords } = parts
  const view: ApplicationFormView = {
    ...visit.frame,
    editing: client === undefined ? null : await editingOf(parts, client, form.revision),
    values: { ...typed, authMethod: typed.authMethod || 'none' },
    addresses: faults === undefined ? [] : checkedAddresses(typed, registry),
    faults: faults ?? null,
    presets: presetsOf(parts.vendors),
    choices: inWords((scope) => registry.get(scope)?.audience === 'member'),
    identity: inWords((scope) => registry.get(scope)?.audience === 'any'),
  }
  return visit.show(applicationFormPage({ site: parts.site, view }), status)
}

async function editingOf(
  parts: Parts,
  client: Client,
  revision = client.revision,
): Promise<ApplicationFormView['editing']> {
  const { people } = await parts.known.use({ client, isConfigured: false })
  const { clientId, name } = client
  return { clientId, name, revision, scopes: memberScopes(parts, client), people }
}

/** What stands in the form before anybody types. */
export const typedOfClient = (parts: Parts, client: Client): Typed => ({
  name: client.name,
  description: client.description ?? '',
  icon: client.icon,
  authMethod: client.tokenEndpointAuthMethod,
  redirectUris: client.redirectUris.join('\n'),
  scopes: memberScopes(parts, client),
})

const memberScopes = ({ scopes: registry }: Parts, client: Client): readonly string[] =>
  scopesOfClient({ client, registry }).filter((scope) => registry.get(scope)?.audience === 'member')
