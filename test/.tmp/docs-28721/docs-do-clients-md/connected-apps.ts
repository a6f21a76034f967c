// connected-apps.ts
import { createConnectedApps } from 'hallpass/clients'
import { site } from './site.js'
import { currentPerson, isOwnFreshForm, page } from './yours.js'

const connectedApps = createConnectedApps(site)

/** `GET /account/apps` lists them, `POST` disconnects one. */
export async function serveConnectedApps(request: Request): Promise<Response> {
  const signedIn = await currentPerson(request)
  const person = signedIn && (await site.findPerson(signedIn.subject))
  if (person === null) return page('sign-in', {}, 401)
  const { subject } = person
  if (request.method === 'POST') {
    const form = await request.formData()
    if (!(await isOwnFreshForm(request, form))) return page('sign-in-again', {}, 403)
    const clientId = String(form.get('client_id') ?? '')
    await connectedApps.disconnect({ subject, clientId })
  }
  const list = await connectedApps.list(subject)
  return page('connected-apps', {
    apps: list.map(({ client, scopes, since, lastIssuedAt }) => ({
      name: client.name,
      clientId: client.clientId,
      isOff: client.disabled,
      scopes,
      since,
      lastIssuedAt,
    })),
  })
}
