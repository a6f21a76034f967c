/**
 * Adapters for Node.js. Start with {@link toNodeHandler}, which serves an endpoint on `node:http` and in
 * Express. {@link serve} runs a server of `createServer`. {@link createDocumentFetcher} is the transport of a site that accepts client ID metadata
 * documents, and {@link createNodeSigner} signs ID tokens for less CPU time. {@link guardServer} sheds load
 * and stops a server without losing a request. {@link lockFolder} keeps a second process out of a folder.
 *
 * @example
 * ```ts
 * import { createProtectedResource } from 'hallpass'
 * import { toNodeHandler } from 'hallpass/node'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const readsCourses = createProtectedResource(site).gate('courses:read')
 * const listCourses = async (request: Request) => {
 *   const access = await readsCourses(request)
 *   return access instanceof Response ? access : Response.json({ courses: [] })
 * }
 * const listener = toNodeHandler(listCourses, { origin: site.issuer })
 * listener.length // => 2
 * ```
 * @module
 */
export { createDocumentFetcher } from './node/document-fetcher.js'
export { lockFolder } from './node/folder-lock.js'
export { guardServer } from './node/guard-server.js'
export type { GuardedServer } from './node/guard-server.js'
export { toNodeHandler } from './node/handler.js'
export { networkOf, networkOfAddress } from './node/network.js'
export { readOrCreateSecret } from './node/secret-file.js'
export { createNodeSigner } from './node/signer.js'
export { serve } from './node/serve.js'
