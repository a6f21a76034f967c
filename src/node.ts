export { createDocumentFetcher, type DocumentFetcherOptions } from './node/document-fetcher.js'
export { toNodeHandler } from './node/handler.js'
export type { NodeHandlerOptions } from './node/handler.js'
export { createNodeSigner } from './node/signer.js'
