import type * as z from 'zod'
import type { RegisteredOperation } from '../admin/operation.js'

/**
 * An example of a call of an operation, as a client sends and receives it.
 *
 * @group Documents for clients
 */
export interface OperationExample {
  /** The input: members of path, query and body together. */
  readonly input: Readonly<Record<string, unknown>>
  /** The body of the successful response. Default: none, as of an operation that responds with 204. */
  readonly output?: unknown
}

/**
 * Returns the example of an operation, or `null` if there is none.
 *
 * @throws TypeError if it does not match the schemas of the operation: a reader would copy what is refused
 */
export function exampleOf(
  { id, input, output }: RegisteredOperation,
  examples: Readonly<Record<string, OperationExample>>,
): OperationExample | null {
  if (!Object.hasOwn(examples, id)) return null
  const example = examples[id]!
  check(`the example of "${id}", input`, input, example.input)
  if (example.output !== undefined) check(`the example of "${id}", output`, output, example.output)
  return example
}

function check(what: string, schema: z.ZodType, value: unknown): void {
  const { error } = schema.safeParse(value)
  if (error === undefined) return
  const faults = error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`)
  throw new TypeError(`openapiOf: ${what}: ${faults.join('; ')}`)
}
