import { isMeantFor, actionsOf } from './actions.js'
import { activityPlace } from './activity.js'
import { attemptPlace, attemptsPlace } from './attempts.js'
import { betaPlace } from './beta.js'
import { blockPlace, deletePlace, disablePlace, disconnectAllPlace } from './confirm.js'
import { detailPlace, fetchPlace, reviewPlace } from './detail.js'
import { newPlace, editPlace } from './form.js'
import type { Known } from './known.js'
import { listPlace, requestsPlace } from './list.js'
import type { ApplicationsOptions, OfApplication, OfManager, Parts } from './parts.js'
import {
  disconnectPlace,
  enablePlace,
  endOldSecretPlace,
  endPlace,
  rotatePlace,
  unblockPlace,
} from './steps.js'
import { createScopeWords } from './words.js'
import { createArea } from '../sign-in/area.js'
import { redirectTo } from '../../../pages/response.js'
import { applicationPath } from '../../../pages/applications/paths.js'
import type { ApplicationAction } from '../../../pages/applications/views.js'

const PATH = '/oauth/applications'

/** The pages of the area that belong to no app, in addition to the list. */
const OWN: ReadonlyMap<string, (parts: Parts) => OfManager> = new Map([
  ['new', newPlace],
  ['beta', betaPlace],
  ['attempts', attemptsPlace],
  ['activity', activityPlace],
  ['requests', requestsPlace],
])

/** The pages below the path of an app, each with its action and its handler. */
const BELOW: ReadonlyMap<string, readonly [ApplicationAction, OfApplication]> = new Map([
  ['edit', ['edit', editPlace]],
  ['rotate', ['rotate', rotatePlace]],
  ['end-old-secret', ['end_old_secret', endOldSecretPlace]],
  ['end', ['set_end', endPlace]],
  ['disable', ['disable', disablePlace]],
  ['enable', ['enable', enablePlace]],
  ['delete', ['delete', deletePlace]],
  ['disconnect', ['disconnect', disconnectPlace]],
  ['disconnect-all', ['disconnect', disconnectAllPlace]],
  ['review', ['review', reviewPlace]],
  ['block', ['block', blockPlace]],
  ['unblock', ['unblock', unblockPlace]],
  ['fetch', ['fetch', fetchPlace]],
])

/** Every path of the area, where `:id` is the `client_id` of an app. */
export const APPLICATION_PATHS: readonly string[] = [
  PATH,
  ...[...OWN.keys(), ':id'].map((name) => `${PATH}/${name}`),
  `${PATH}/attempts/:id`,
  ...['', '/new', '/:id'].map((below) => `${PATH}/services${below}`),
  ...[...BELOW.keys()].map((name) => `${PATH}/:id/${name}`),
]

/**
 * Creates the admin area for the apps of one site. It responds at `/oauth/applications` and at every
 * path below it.
 */
export function createApplications(
  options: ApplicationsOptions,
): (request: Request) => Promise<Response> {
  const area = createArea(options)
  const parts: Parts = { ...options, inWords: createScopeWords(options) }

  return async (request) => {
    const place = await findPlace(parts, segmentsOf(request))
    return place === null ? area.notFound(request) : area.forManagers(request, place)
  }
}

/**
 * Returns the decoded path segments after {@link PATH}, or `null` if they are malformed. Some databases reject queries
 * with control characters.
 */
function segmentsOf({ url }: Request): readonly string[] | null {
  try {
    const segments = new URL(url).pathname.split('/').slice(3).map(decodeURIComponent)
    return segments.some((segment) => /\p{Cc}/u.test(segment)) ? null : segments
  } catch {
    return null
  }
}

async function findPlace(
  parts: Parts,
  segments: readonly string[] | null,
): Promise<OfManager | null> {
  if (segments === null || segments.length > 2) return null
  const [first, below] = segments
  if (first === undefined) return listPlace(parts)
  const own = below === undefined ? OWN.get(first) : undefined
  if (own !== undefined) return own(parts)
  if (first === 'attempts') return attemptPlace(parts, below!)
  const { services = null } = parts
  if (services !== null && first === 'services')
    return (await services.placeOf(parts, below)) ?? missing
  if (below !== undefined && !BELOW.has(below)) return null
  // The visitor is not authenticated yet, so `missing` responds with 404 only after that has happened.
  const known = await parts.known.find(first)
  const place = known === null ? null : await placeOf(parts, known, below)
  return place ?? missing
}

async function placeOf(
  parts: Parts,
  known: Known,
  below: string | undefined,
): Promise<OfManager | null> {
  if (below === undefined) return detailPlace(parts, known)
  const [action, make] = BELOW.get(below)!
  if (!isMeantFor(action, known)) return null
  const place = make(parts, known)
  // The edit form itself reports that it cannot be saved now, so that no input is lost.
  if (action === 'edit') return place
  const enabled = await parts.settings.mcpConnections()
  return actionsOf(known, { enabled, now: parts.now() }).includes(action)
    ? place
    : idle(place, applicationPath(known.client.clientId))
}

const missing: OfManager = {
  readsNothing: true,
  get: async ({ notFound }) => notFound(),
  post: async ({ notFound }) => notFound(),
}

/** A place whose action is not possible in the current state: it redirects to the app. */
const idle = ({ get, post, ...place }: OfManager, path: string): OfManager => ({
  ...place,
  fresh: false,
  readsNothing: true,
  ...(get !== undefined && { get: async () => redirectTo(path) }),
  ...(post !== undefined && { post: async () => redirectTo(path) }),
})
