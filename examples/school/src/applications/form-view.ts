import { type Client, scopesOfClient } from 'hallpass/policy'
import type { ApplicationFaults, ApplicationFormView } from '../../../pages/applications/views.js'
import { checkedAddresses, presetsOf, type Typed } from './draft.js'
import type { Parts, Visit } from './parts.js'

/** The content of the app form. */
export interface Form {
  readonly typed: Typed
  /** The app being edited. Default: a new app. */
  readonly client?: Client
  /** The revision that the form was opened with. Default: the stored one. */
  readonly revision?: number
  /** The errors of the form. Default: none, because it was not sent yet. */
  readonly faults?: ApplicationFaults | null
  readonly status?: number
}

/** Responds with the form of an app. */
export async function showForm(parts: Parts, visit: Visit, form: Form): Promise<Response> {
  const { typed, client, faults, status = 200 } = form
  const { scopes: registry, inWords } = parts
  const view: ApplicationFormView = {
    ...visit.frame,
    editing: client === undefined ? null : await editingOf(parts, client, form.revision),
    values: { ...typed, authMethod: typed.authMethod || 'none' },
    addresses: faults === undefined ? [] : checkedAddresses(typed, parts, visit.pages),
    faults: faults ?? null,
    presets: presetsOf(parts.vendors),
    methods: [
      'none',
      'client_secret_post',
      ...(parts.maySign === true ? (['private_key_jwt'] as const) : []),
    ],
    mayOmitRedirects: parts.mayOmitRedirects === true,
    choices: inWords((scope) => registry.get(scope)?.audience === 'member'),
    identity: inWords((scope) => registry.get(scope)?.audience === 'any'),
  }
  return visit.show(visit.pages.form(view), status)
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

/** Returns the initial values of the form that edits an app. */
export const typedOfClient = (parts: Parts, client: Client): Typed => ({
  name: client.name,
  description: client.description ?? '',
  icon: client.icon,
  authMethod: client.tokenEndpointAuthMethod,
  keys: keysOf(client),
  redirectUris: client.redirectUris.join('\n'),
  scopes: memberScopes(parts, client),
})

const keysOf = ({ keys = null }: Client): string =>
  keys?.jwksUri ?? (keys === null ? '' : JSON.stringify(keys.jwks))

const memberScopes = ({ scopes: registry }: Parts, client: Client): readonly string[] =>
  scopesOfClient({ client, registry }).filter((scope) => registry.get(scope)?.audience === 'member')
