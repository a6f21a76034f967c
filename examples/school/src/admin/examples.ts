import { readFileSync } from 'node:fs'
import type { OperationExample } from 'hallpass/openapi'

/** Returns an example of each operation: what the demo school answered when a test called it. */
export const operationExamples = (): Readonly<Record<string, OperationExample>> =>
  JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Readonly<
    Record<string, OperationExample>
  >
