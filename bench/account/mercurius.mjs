import { createMercurius } from './mercurius-core.mjs'

/** mercurius on Fastify, executing with graphql-js. */
export const createSubject = () => createMercurius(0)
