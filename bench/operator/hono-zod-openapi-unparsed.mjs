import { createHono } from './hono-core.mjs'

/** @hono/zod-openapi as it comes: its schema of the answer is for the documentation only. */
export const createSubject = ({ origin }) => createHono({ origin, parsesOutput: false })
