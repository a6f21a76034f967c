import {
  DRY_RUN,
  header,
  IDEMPOTENCY_KEY,
  IF_NONE_MATCH,
  ifMatch,
  withCommon,
} from './openapi-parts.js'
import type { Schema, SchemaPool } from './openapi-schema.js'
import type { Operation, RegisteredOperation } from './operation.js'

/** Under which heading an operation stands. */
export const tagOf = ({ id }: Operation): string => id.slice(0, id.indexOf('.'))

/** An operation as OpenAPI has it. */
export function operationObject(operation: RegisteredOperation, pool: SchemaPool): Schema {
  const { id, summary, description, scope, roles, events = [] } = operation
  const members = membersOf(operation, pool)
  const words = [
    description ?? `${summary}.`,
    ...(roles === undefined ? [] : [`Needs one of the roles: ${roles.join(', ')}.`]),
  ]
  return {
    operationId: id,
    summary,
    description: words.join('\n\n'),
    tags: [tagOf(operation)],
    security: [{ oauth2: [scope] }],
    ...(events.length > 0 && { 'x-events': events }),
    parameters: [...members.flatMap(parameterOf), ...ownParameters(operation)],
    ...bodyOf(operation, members, pool),
    responses: {
      ...successes(operation, pool),
      ...Object.fromEntries(
        problemsOf(operation).map((one) => [one, { $ref: `#/components/responses/${one}` }]),
      ),
    },
  }
}

/** A member of an operation's input, and where it stands in a request. */
interface Member {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
  readonly place: 'path' | 'query' | 'body'
}

function membersOf(
  { input, pathParameters, takesQuery }: RegisteredOperation,
  pool: SchemaPool,
): readonly Member[] {
  const { properties = {}, required = [] } = pool.inline(input, 'input') as {
    properties?: Readonly<Record<string, Schema>>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
    place: pathParameters.includes(name) ? 'path' : takesQuery ? 'query' : 'body',
  }))
}

function parameterOf({ name, schema, isRequired, place }: Member): readonly Schema[] {
  if (place === 'body') return []
  const { description = `The ${name.replaceAll('_', ' ')}.`, ...rest } = schema
  return [
    {
      name,
      in: place,
      required: place === 'path' || isRequired,
      description,
      // Several values stand in one parameter, with commas between them.
      ...(rest['type'] === 'array' && place === 'query' && { style: 'form', explode: false }),
      schema: rest,
    },
  ]
}

const ownParameters = ({
  effect,
  method,
  precondition,
  isList,
}: RegisteredOperation): readonly Schema[] => [
  ...(effect === 'write' ? [DRY_RUN] : []),
  ...(method === 'POST' ? [IDEMPOTENCY_KEY] : []),
  ...(method === 'GET' && isList !== true ? [IF_NONE_MATCH] : []),
  ...(precondition === undefined ? [] : [ifMatch(precondition === 'required')]),
]

function bodyOf(
  { input, pathParameters }: RegisteredOperation,
  members: readonly Member[],
  pool: SchemaPool,
): { requestBody?: Schema } {
  const own = members.filter(({ place }) => place === 'body')
  if (own.length === 0) return {}
  const needed = own.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const { required: _, ...whole } = pool.inline(input, 'input')
  const object = {
    ...whole,
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
    ...(needed.length > 0 && { required: needed }),
  }
  const schema = pathParameters.length === 0 ? pool.refer(input, 'input') : object
  return {
    requestBody: { required: needed.length > 0, content: { 'application/json': { schema } } },
  }
}

function successes(operation: RegisteredOperation, pool: SchemaPool): Schema {
  const { status = 200, isList = false, effect, method } = operation
  const output = pool.refer(operation.output, 'output')
  const known = isList ? { Link: header('Link') } : { ETag: header('ETag') }
  const done = answer(isList ? 'A page.' : 'Done.', output, known)
  const empty = (description: string, headers: Schema = {}): Schema => ({
    description,
    headers: withCommon(headers),
  })
  if (effect === 'read')
    return {
      [status]: done,
      ...(method === 'GET' && !isList && { 304: empty('Still the same.', known) }),
    }
  const dry = wouldChange(output)
  if (status === 200) return { 200: answer('Done, or a dry run.', { anyOf: [output, dry] }, known) }
  return {
    200: answer('A dry run.', dry),
    [status]: status === 204 ? empty('Done.') : done,
  }
}

const answer = (description: string, schema: Schema, headers: Schema = {}): Schema => ({
  description,
  headers: withCommon(headers),
  content: { 'application/json': { schema } },
})

const wouldChange = (output: Schema): Schema => ({
  type: 'object',
  description: 'What would be, with `dry_run=true`.',
  properties: { would_change: output },
  required: ['would_change'],
  additionalProperties: false,
})

/** The statuses of the problems that an operation may answer. */
export function problemsOf({
  takesQuery,
  pathParameters,
  precondition,
  effect,
}: RegisteredOperation): readonly number[] {
  return [
    400,
    401,
    403,
    ...(pathParameters.length > 0 || effect === 'write' ? [404] : []),
    ...(effect === 'write' ? [409] : []),
    ...(precondition === undefined ? [] : [412]),
    ...(takesQuery ? [] : [413, 415]),
    ...(effect === 'write' ? [422] : []),
    ...(precondition === 'required' ? [428] : []),
    429,
    500,
    503,
  ]
}
