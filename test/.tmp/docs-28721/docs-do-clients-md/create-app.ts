// create-app.ts
import { createClientManagement, decideManager } from 'hallpass/clients'
import { site } from './site.js'
import { currentPerson, isOwnFreshForm, page } from './yours.js'

const management = createClientManagement(site)

/** `POST /admin/apps` */
export async function createApp(request: Request): Promise<Response> {
  const signedIn = await currentPerson(request)
  const person = signedIn && (await site.findPerson(signedIn.subject))
  if (person === null) return page('sign-in', {}, 401)
  const decided = decideManager({ person, table: site.roles })
  if (!decided.ok) return page('refused', { why: decided.description }, 403)
  const form = await request.formData()
  if (!(await isOwnFreshForm(request, form))) return page('sign-in-again', {}, 403)

  const text = (name: string): string => String(form.get(name) ?? '')
  const draft = {
    name: text('name'),
    description: text('description'),
    icon: text('icon'),
    redirectUris: text('redirect_uris').split(/\s+/).filter(Boolean),
    tokenEndpointAuthMethod: text('keeps_secret') === '' ? 'none' : 'client_secret_post',
    scopes: form.getAll('scope').map(String),
  } as const
  const created = await management.create(decided.manager, draft)
  if (created.ok) {
    const { client, clientSecret } = created
    // Only its hash is stored: show the secret now.
    return page('app-created', { clientId: client.clientId, clientSecret })
  }
  // Everything that is wrong, each with its field.
  const faults = 'faults' in created ? created.faults : []
  return page('app-form', { draft, faults, why: created.description }, 422)
}
