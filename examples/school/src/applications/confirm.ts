import { redirectTo } from '../../../pages/response.js'
import { applicationPath } from '../../../pages/applications/paths.js'
import type { ConfirmKind } from '../../../pages/applications/views.js'
import type { Known } from './known.js'
import type { OfApplication, Parts, Visit } from './parts.js'

/** An action that requires confirmation. */
interface Step {
  readonly confirm: ConfirmKind
  readonly fresh: boolean
  /** Performs the action. `ok` is `false` if the app no longer exists. */
  readonly run: (parts: Parts, visit: Visit, clientId: string) => Promise<{ ok: boolean }>
  /** Returns the path to redirect to afterwards. */
  readonly leadsTo: (clientId: string) => string
}

const confirmed =
  ({ confirm, fresh, run, leadsTo }: Step): OfApplication =>
  (parts, known) => ({
    fresh,
    get: (visit) => showConfirm(parts, visit, { ...known, confirm }),
    async post(visit) {
      const { clientId } = known.client
      const { ok } = await run(parts, visit, clientId)
      return ok ? redirectTo(leadsTo(clientId)) : visit.notFound()
    },
  })

/** `GET` and `POST /oauth/applications/:id/disable` */
export const disablePlace = confirmed({
  confirm: 'disable',
  fresh: false,
  run: ({ administration }, { manager }, clientId) => administration.disable(manager, clientId),
  leadsTo: (clientId) => `${applicationPath(clientId)}?done=disabled`,
})

/** `GET` and `POST /oauth/applications/:id/block` */
export const blockPlace = confirmed({
  confirm: 'block',
  fresh: true,
  run: ({ administration }, { manager }, clientId) => administration.block(manager, clientId),
  leadsTo: (clientId) => `${applicationPath(clientId)}?done=blocked`,
})

/** `GET` and `POST /oauth/applications/:id/disconnect-all` */
export const disconnectAllPlace = confirmed({
  confirm: 'disconnect_all',
  fresh: true,
  run: ({ administration }, { manager }, clientId) =>
    administration.disconnectEveryone(manager, clientId),
  leadsTo: (clientId) => `${applicationPath(clientId)}?done=all_disconnected`,
})

const removePlace = confirmed({
  confirm: 'delete',
  fresh: true,
  run: ({ administration }, { manager }, clientId) => administration.remove(manager, clientId),
  leadsTo: () => '/oauth/applications?done=deleted',
})

/** `GET` and `POST /oauth/applications/:id/delete` */
export const deletePlace: OfApplication = (parts, known) => {
  const remove = removePlace(parts, known)
  return {
    ...remove,
    fields: ['name'],
    async post(visit) {
      const typedName = visit.form.get('name') ?? ''
      return typedName.trim() === known.client.name.trim()
        ? remove.post!(visit)
        : showConfirm(parts, visit, { ...known, confirm: 'delete', typedName })
    },
  }
}

async function showConfirm(
  { known: applications }: Parts,
  { pages, frame, show }: Visit,
  {
    confirm,
    typedName = null,
    ...known
  }: Known & { confirm: ConfirmKind; typedName?: string | null },
): Promise<Response> {
  const { clientId, name, kind } = known.client
  const { people } = await applications.use(known)
  const view = { ...frame, confirm, clientId, name, kind, people, typedName }
  return show(pages.confirm(view), typedName === null ? 200 : 422)
}
