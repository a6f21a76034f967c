import { createHono } from './hono-core.mjs'

/** @hono/zod-openapi, with the answer parsed by its schema too. */
export const createSubject = ({ origin }) => createHono({ origin, parsesOutput: true })
