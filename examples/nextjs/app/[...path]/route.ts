import { routesOf } from 'hallpass/authorization-server'
import { at } from '#lib/school'

/** Endpoints of opt-in blocks, as far as they are switched on. Nothing else is at a path without a file. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = at(
  ({ server }) =>
    (request, context) => {
      const endpoint = new Map(routesOf(server)).get(new URL(request.url).pathname)
      return endpoint?.(request, context) ?? null
    },
)
