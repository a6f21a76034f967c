import { buildNextExample } from './example.js'

/** What vitest does once before the tests of the Next.js example. */
export const setup = buildNextExample
