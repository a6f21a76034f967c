import type { SiteHooks } from './context.js'
import { createDocument } from './document.js'
import type { Endpoint } from './exchange.js'
import { createEndpoint, PUBLIC } from './frame.js'
import { ONLY_FAILURES } from './respond.js'

/**
 * A public endpoint that serves a fixed text, and its path for `routesOf`.
 *
 * @inline
 */
export interface DocumentEndpoint extends Endpoint {
  readonly routes: Readonly<Record<string, Endpoint>>
}

/** Creates a public endpoint that serves a fixed text at a path. */
export function createDocumentEndpoint(
  site: SiteHooks,
  path: string,
  document: { contentType: string; text: string },
): DocumentEndpoint {
  const serve = createDocument(document)
  const endpoint = createEndpoint(
    site,
    { ...PUBLIC, name: 'document', errors: ONLY_FAILURES },
    async ({ incoming }) => serve(incoming),
  )
  return Object.assign(endpoint, { routes: { [path]: endpoint } })
}
