import { randomBytes } from '../encoding/random.js'
import { createDocument } from '../http/document.js'
import type { Endpoint } from '../http/exchange.js'
import { createEndpoint, type ErrorFormat, PUBLIC } from '../http/frame.js'
import { failureBody, json } from '../http/respond.js'

/** Creates a public endpoint that serves a fixed text. */
export function createDocumentEndpoint(document: { contentType: string; text: string }): Endpoint {
  const serve = createDocument(document)
  return createEndpoint(
    NOBODY,
    { ...PUBLIC, name: 'document', errors: ERRORS },
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
  watcher: {},
  networkOf: () => null,
}
const ERRORS: ErrorFormat<never> = {
  refusal: (refusal) => refusal,
  failure: (failure) => json(failure.status, failureBody(failure)),
}
