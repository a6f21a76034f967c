import { createMercurius } from './mercurius-core.mjs'

/** mercurius on Fastify, documents compiled when they come for the second time. */
export const createSubject = () => createMercurius(1)
