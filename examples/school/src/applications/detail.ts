import { redirectTo } from '../../../pages/response.js'
import { showDetail } from './detail-view.js'
import type { OfApplication } from './parts.js'
import { applicationPath } from '../../../pages/applications/paths.js'

/**
 * `GET /oauth/applications/:id`. If the page contains a review form, it requires a recent sign-in first.
 * Otherwise the sign-in would come after submitting, and the ticked boxes would be lost.
 */
export const detailPlace: OfApplication = (parts, known) => ({
  fresh: known.client.kind === 'document' && !known.isConfigured && !known.client.disabled,
  get: (visit) => showDetail(parts, visit, known),
})

/** `POST /oauth/applications/:id/review` */
export const reviewPlace: OfApplication = (parts, known) => ({
  fresh: true,
  from: applicationPath(known.client.clientId),
  fields: ['digest'],
  lists: ['scope'],
  async post(visit) {
    const { clientId } = known.client
    const ticked = visit.form.getAll('scope')
    const digest = visit.form.get('digest') ?? ''
    const review = { clientId, digest, scopes: ticked }
    const reviewed = await parts.administration.review(visit.manager, review)
    if (reviewed.ok) {
      const isLogoUnusable = await parts.logos.keep(reviewed.client)
      const done = isLogoUnusable ? 'reviewed_without_logo' : 'reviewed'
      return redirectTo(`${applicationPath(clientId)}?done=${done}`)
    }
    const now = await parts.known.find(clientId)
    if (now === null) return visit.notFound()
    return showDetail(parts, visit, now, {
      status: reviewed.error === 'invalid_scope' ? 422 : 409,
      review: { ticked, fault: visit.pages.refusal(reviewed.reason) },
    })
  },
})

/** `POST /oauth/applications/:id/fetch` */
export const fetchPlace: OfApplication = (parts, { client: { clientId } }) => ({
  from: applicationPath(clientId),
  async post(visit) {
    const fetched = await parts.administration.fetchAgain(visit.manager, clientId)
    if (fetched.ok) return redirectTo(`${applicationPath(clientId)}?done=fetched`)
    const now = await parts.known.find(clientId)
    if (now === null) return visit.notFound()
    return showDetail(parts, visit, now, {
      status: 502,
      fetchFault: visit.pages.refusal(fetched.reason),
    })
  },
})
