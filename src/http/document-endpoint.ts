import { randomBytes } from '../encoding/random.js'
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
  path: string,
  document: { contentType: string; text: string },
): DocumentEndpoint {
  const serve = createDocument(document)
  const endpoint = createEndpoint(
    NOBODY,
    { ...PUBLIC, name: 'document', errors: ONLY_FAILURES },
    async ({ incoming }) => serve(incoming),
  )
  return Object.assign(endpoint, { routes: { [path]: endpoint } })
}

// The endpoint has no refusals and cannot fail, so its hooks are never called.
const NOBODY = {
  onEvent: () => {},
  announce: () => ({ events: [], tell: () => {} }),
  notifyRefusal: () => {},
  notifyFault: () => {},
  randomBytes,
  requestIdOf: () => null,
  now: () => 0,
  watcher: {},
  networkOf: () => null,
  payerOf: (): never => {
    throw new Error('a document spends nothing')
  },
}
