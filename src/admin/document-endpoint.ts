import { randomBytes } from '../encoding/random.js'
import { createDocument } from '../http/document.js'
import type { Endpoint } from '../http/exchange.js'
import { createEndpoint, PUBLIC } from '../http/frame.js'
import { ONLY_FAILURES } from '../http/respond.js'

/** Creates a public endpoint that serves a fixed text. */
export function createDocumentEndpoint(document: { contentType: string; text: string }): Endpoint {
  const serve = createDocument(document)
  return createEndpoint(
    NOBODY,
    { ...PUBLIC, name: 'document', errors: ONLY_FAILURES },
    async ({ incoming }) => serve(incoming),
  )
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
