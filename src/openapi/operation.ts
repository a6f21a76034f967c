import { closed, headerRefs, IF_NONE_MATCH, JSON_TYPE, type Schema } from './parts.js'
import { DRY_RUN, IDEMPOTENCY_KEY, ifMatch, withCommon } from './operation-parts.js'
import type { OperationExample } from './operation-example.js'
import type { SchemaPool } from './schema-pool.js'
import type { Operation, RegisteredOperation } from '../admin/operation.js'
import type { Site } from '../site/site.js'
import { effectiveScopes, withImplied } from '../policy/role.js'

/** Returns the tag of an operation: the part of its id before the dot. */
export const tagOf = ({ id }: Operation): string => id.slice(0, id.indexOf('.'))

/**
 * Returns the Operation Object of OpenAPI for an operation.
 *
 * @param tables - the scopes and the roles of the site
 */
export function operationObject(
  operation: RegisteredOperation,
  pool: SchemaPool,
  tables: Pick<Site, 'scopes' | 'roles'>,
  example: OperationExample | null,
): Schema {
  const { id, summary, description, scope, events = [] } = operation
  const members = membersOf(operation, pool)
  const sent = example?.input ?? {}
  const roles = rolesWith(operation, tables)
  const needs =
    roles.length === 0
      ? ', which no role of the site has'
      : ` and one of the roles: ${roles.join(', ')}`
  const words = [description ?? `${summary}.`, `Requires the scope \`${scope}\`${needs}.`]
  return {
    operationId: id,
    summary,
    description: words.join('\n\n'),
    tags: [tagOf(operation)],
    security: [{ oauth2: [scope] }],
    'x-roles': roles,
    ...(events.length > 0 && { 'x-events': events }),
    parameters: [
      ...members.flatMap((member) => parameterOf(member, sent)),
      ...ownParameters(operation),
    ],
    ...bodyOf(operation, members, pool, sent),
    responses: {
      ...successes(operation, pool, withExample(example?.output)),
      ...Object.fromEntries(
        problemsOf(operation).map((one) => [one, { $ref: `#/components/responses/${one}` }]),
      ),
    },
  }
}

/** Returns the staff roles that may use an operation, as the gate decides it for each request. */
function rolesWith(
  { scope, roles }: RegisteredOperation,
  { scopes: registry, roles: table }: Pick<Site, 'scopes' | 'roles'>,
): readonly string[] {
  const scopes = registry.names
  return Object.keys(table).filter((role) => {
    if (!table[role]!.staff || roles?.includes(role) === false) return false
    const held = effectiveScopes({ scopes, clientScopes: scopes, roles: [role], table, registry })
    return withImplied(held, registry).includes(scope)
  })
}

/** A member of the input of an operation, and its place in a request. */
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

type Sent = OperationExample['input']

const withExample = (example: unknown): Schema => (example === undefined ? {} : { example })

function parameterOf({ name, schema, isRequired, place }: Member, sent: Sent): readonly Schema[] {
  if (place === 'body') return []
  const { description = `The ${name.replaceAll('_', ' ')}.`, ...rest } = schema
  return [
    {
      name,
      in: place,
      required: place === 'path' || isRequired,
      description,
      // Several values are sent as one comma-separated parameter.
      ...(rest['type'] === 'array' && place === 'query' && { style: 'form', explode: false }),
      schema: rest,
      ...withExample(sent[name]),
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
  sent: Sent,
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
  const body = own
    .filter(({ name }) => Object.hasOwn(sent, name))
    .map(({ name }) => [name, sent[name]])
  const example = withExample(body.length === 0 ? undefined : Object.fromEntries(body))
  return {
    requestBody: {
      required: needed.length > 0,
      content: { [JSON_TYPE]: { schema, ...example } },
    },
  }
}

function successes(operation: RegisteredOperation, pool: SchemaPool, example: Schema): Schema {
  const { status = 200, isList = false, effect, method } = operation
  const output = pool.refer(operation.output, 'output')
  const known = headerRefs(isList ? 'Link' : 'ETag')
  const done = answer(
    isList ? 'A page of the list.' : 'Success.',
    { schema: output, ...example },
    known,
  )
  const empty = (description: string, headers: Schema = {}): Schema => ({
    description,
    headers: withCommon(headers),
  })
  if (effect === 'read')
    return {
      [status]: done,
      ...(method === 'GET' &&
        !isList && { 304: empty('Not modified: the object still has this ETag.', known) }),
    }
  const dry = wouldChange(output)
  if (status === 200)
    return {
      200: answer(
        'Success, or the result of a dry run.',
        { schema: { anyOf: [output, dry] }, ...example },
        known,
      ),
    }
  return {
    200: answer('The result of a dry run.', { schema: dry }),
    [status]: status === 204 ? empty('Success.') : done,
  }
}

const answer = (description: string, content: Schema, headers: Schema = {}): Schema => ({
  description,
  headers: withCommon(headers),
  content: { [JSON_TYPE]: content },
})

const wouldChange = (output: Schema): Schema =>
  closed('The result that the request would have, with `dry_run=true`.', { would_change: output })

/** Returns the statuses of the problems that an operation can return. */
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
