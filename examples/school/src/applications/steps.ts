import { redirectTo } from '../../../pages/response.js'
import { applicationPath } from '../../../pages/applications/paths.js'
import type { ApplicationDone } from '../../../pages/applications/views.js'
import { previousSecretUntil } from './actions.js'
import type { OfApplication, Parts, Visit } from './parts.js'

/** An action that a button on an app's page performs without confirmation. */
const step =
  (
    done: ApplicationDone,
    run: (parts: Parts, visit: Visit, clientId: string) => Promise<{ ok: boolean }>,
  ): OfApplication =>
  (parts, { client: { clientId } }) => ({
    from: applicationPath(clientId),
    async post(visit) {
      const { ok } = await run(parts, visit, clientId)
      return ok ? redirectTo(`${applicationPath(clientId)}?done=${done}`) : visit.notFound()
    },
  })

/** `POST /oauth/applications/:id/enable` */
export const enablePlace = step('enabled', ({ administration }, { manager }, clientId) =>
  administration.enable(manager, clientId),
)

/** `POST /oauth/applications/:id/unblock` */
export const unblockPlace = step('unblocked', ({ administration }, { manager }, clientId) =>
  administration.unblock(manager, clientId),
)

/** `POST /oauth/applications/:id/end-old-secret` */
export const endOldSecretPlace = step(
  'old_secret_ended',
  ({ administration }, { manager }, clientId) => administration.endOldSecret(manager, clientId),
)

/**
 * `POST /oauth/applications/:id/end`. The field `ends_on` is the last day on which the app works, as `YYYY-MM-DD` in
 * UTC; an empty one removes the end.
 */
export const endPlace: OfApplication = (parts, { client: { clientId } }) => ({
  from: applicationPath(clientId),
  fields: ['ends_on'],
  async post({ manager, form }) {
    const endsOn = form.get('ends_on') ?? ''
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(endsOn)
    const lastDay = isDay ? Date.parse(`${endsOn}T00:00:00Z`) / 1000 : Number.NaN
    if (endsOn !== '' && Number.isNaN(lastDay)) return redirectTo(applicationPath(clientId))
    const endsAt = endsOn === '' ? null : lastDay + DAY_SECONDS
    const changed = await parts.administration.setEnd(manager, { clientId, endsAt })
    return redirectTo(`${applicationPath(clientId)}${changed.ok ? '?done=end_set' : ''}`)
  },
})

const DAY_SECONDS = 86_400

/** `POST /oauth/applications/:id/disconnect` */
export const disconnectPlace: OfApplication = (parts, { client: { clientId } }) => ({
  from: applicationPath(clientId),
  fields: ['subject'],
  async post({ manager, form }) {
    const { store, administration, now } = parts
    const subject = form.get('subject') ?? ''
    const query = { of: { clientId, subject }, after: null, limit: 1, now: now() }
    const isConnected = SUBJECT.test(subject) && (await store.listGrants(query)).length > 0
    if (!isConnected) return redirectTo(applicationPath(clientId))
    await administration.disconnect(manager, { clientId, subject })
    return redirectTo(`${applicationPath(clientId)}?done=disconnected`)
  },
})

// OpenID Connect Core, section 2. Some databases reject queries with other characters.
const SUBJECT = /^[\x20-\x7e]{1,255}$/

const OVERLAP_HOURS: readonly string[] = ['0', '1', '24', '72']

/** `POST /oauth/applications/:id/rotate` */
export const rotatePlace: OfApplication = (parts, { client: { clientId } }) => ({
  fresh: true,
  from: applicationPath(clientId),
  fields: ['overlap_hours'],
  async post({ pages, manager, form, frame, showDone }) {
    const hours = form.get('overlap_hours') ?? ''
    if (!OVERLAP_HOURS.includes(hours)) return redirectTo(applicationPath(clientId))
    const overlapSeconds = Number(hours) * 3600
    const rotated = await parts.administration.rotateSecret(manager, { clientId, overlapSeconds })
    if (!rotated.ok) return redirectTo(applicationPath(clientId))
    const { client, clientSecret } = rotated
    const view = {
      ...frame,
      cause: 'rotated' as const,
      clientId,
      name: client.name,
      secret: clientSecret,
      previousSecretUntil: previousSecretUntil(client, parts.now()),
      authMethod: client.tokenEndpointAuthMethod,
      origin: parts.origin,
    }
    return showDone(pages.result(view))
  },
})
