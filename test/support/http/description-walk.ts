import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { almost, type JsonSchema, valuesOf } from './json-schema.js'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  /** `false`: several values are one text with commas. */
  readonly explode?: boolean
  readonly schema: JsonSchema
}

interface Answer {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<
    Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>
  >
  readonly description?: string
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>
  }
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>
  readonly security: readonly Readonly<Record<string, unknown>>[]
}

/** An OpenAPI description, as far as a walk reads it. */
export interface Description {
  readonly servers: readonly [{ readonly url: string }]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, Answer>>
  }
}

/** What a walk knows beside the description, so that not every request ends at the door. */
export interface Knowledge {
  /** The headers of a caller, for each security scheme. */
  readonly callers: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Values of parameters and members, by their names or by operation and name: `oauth.decide.id`. */
  readonly values: Readonly<Record<string, readonly unknown[]>>
  /** Bodies of an operation, by its id. */
  readonly bodies: Readonly<Record<string, readonly unknown[]>>
}

/** What a walk found: responses that the description does not have, and the statuses that were seen. */
export interface Walked {
  readonly problems: readonly string[]
  readonly requests: number
  readonly statuses: ReadonlyMap<string, ReadonlySet<number>>
}

interface Sent {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const TELLING = [
  'www-authenticate',
  'location',
  'retry-after',
  'etag',
  'link',
  'x-request-id',
  'dpop-nonce',
]
const MAX_KNOWN = 3000

/**
 * Sends requests to every operation of a description, valid, nearly so and wrong, and compares each response
 * with the description: its status, its media type, its body and the headers that tell the client what to do.
 *
 * @param rounds - how many random requests each operation gets
 * @param isIncluded - whether the walk goes to a path
 */
export async function walk(
  description: Description,
  knowledge: Knowledge,
  {
    rounds,
    seed,
    isIncluded,
  }: { rounds: number; seed: number; isIncluded: (path: string) => boolean },
): Promise<Walked> {
  const { components, servers } = description
  const paths = Object.entries(description.paths).filter(([path]) => isIncluded(path))
  const checker = createChecker(description)
  const harvest = new Set<string>()
  const problems = new Set<string>()
  const statuses = new Map<string, Set<number>>()
  let requests = 0

  async function send(name: string, sent: Sent, check: (answer: Received) => readonly string[]) {
    requests += 1
    const { method, target, headers, body } = sent
    const response = await fetch(servers[0].url + target, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    const received = { status: response.status, headers: response.headers, text }
    const seen = statuses.get(name) ?? new Set()
    statuses.set(name, seen.add(response.status))
    if (response.ok && method === 'GET') gather(text, harvest)
    for (const problem of check(received)) {
      const request = `${method} ${target} ${JSON.stringify(headers)} ${String(body).slice(0, 400)}`
      if (problems.size < 100) problems.add(`${name}, ${response.status}: ${problem}\n  ${request}`)
    }
  }

  const operations = paths.flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  )
  // A code soon expires. What a list shows is what the others ask for, and what is deleted is gone.
  const rank = ({ method, path }: Place): number =>
    (path.startsWith('/api/v1/') ? 100 : 0) + METHODS.indexOf(method) * 10 + path.split('{').length
  for (const one of operations.toSorted((a, b) => rank(a) - rank(b))) {
    const { operation } = one
    const known = [...harvest]
    const drawn = fc.sample(requestsOf(one, { components, knowledge, known }), {
      numRuns: rounds,
      seed,
    })
    for (const sent of [...drawn, ...wrongRequests(one, drawn[0]!, knowledge)])
      await send(operation.operationId, sent, (received) => checker(operation, received))
  }
  for (const [path, item] of paths) {
    const documented = Object.keys(item).map((method) => method.toUpperCase())
    const target = path.replaceAll(/\{\w+\}/g, 'x')
    for (const method of METHODS.filter((one) => !documented.includes(one)))
      await send(`${method} ${path}`, { method, target, headers: {} }, (received) =>
        methodProblems(received, documented),
      )
  }
  return { problems: [...problems], requests, statuses }
}

/** A response that was received. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A method that the description does not have is refused, and `Allow` has those that it has. */
function methodProblems({ status, headers }: Received, documented: readonly string[]) {
  const allowed = (headers.get('allow') ?? '')
    .split(', ')
    .filter((one) => one !== 'HEAD' && one !== 'OPTIONS')
  const same = JSON.stringify(allowed.toSorted()) === JSON.stringify(documented.toSorted())
  return status === 405 && same ? [] : [`not 405 with Allow: ${documented.join(', ')}`]
}

/**
 * Creates the comparison of a response with what the description says of an operation: the function returns
 * what it does not say.
 */
export function createChecker({
  components,
}: Description): (operation: Operation, received: Received) => readonly string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const base = 'https://api.example/'
  ajv.addSchema({ $id: base, components: { schemas: components.schemas } })
  const validators = new Map<JsonSchema, ValidateFunction>()

  function validatorOf(schema: JsonSchema): ValidateFunction {
    const known = validators.get(schema)
    if (known !== undefined) return known
    const text = JSON.stringify(schema).replaceAll('"#/components', `"${base}#/components`)
    const validate = ajv.compile(JSON.parse(text) as JsonSchema)
    validators.set(schema, validate)
    return validate
  }

  return function problemsOf(
    { responses }: Operation,
    { status, headers, text }: Received,
  ): readonly string[] {
    const found = responses[status]
    if (found === undefined) return ['a status that is not described']
    const answer = '$ref' in found ? components.responses[found.$ref.split('/').at(-1)!]! : found
    const described = new Set(Object.keys(answer.headers ?? {}).map((name) => name.toLowerCase()))
    const untold = TELLING.filter((name) => headers.has(name) && !described.has(name))
    return [
      ...(status >= 500 ? ['a fault'] : []),
      ...untold.map((name) => `the header ${name} is not described`),
      ...bodyProblems(answer, headers.get('content-type'), text),
    ]
  }

  function bodyProblems(
    { content }: Answer,
    contentType: string | null,
    text: string,
  ): readonly string[] {
    if (content === undefined) return text === '' ? [] : ['a body that is not described']
    const type = contentType?.split(';', 1)[0] ?? ''
    const media = content[type]
    if (media === undefined) return [`the media type "${type}" is not described`]
    if (!type.endsWith('json')) return []
    const validate = validatorOf(media.schema)
    if (validate(JSON.parse(text))) return []
    return [`${ajv.errorsText(validate.errors)} in ${text.slice(0, 300)}`]
  }
}

interface Sources {
  readonly components: Description['components']
  readonly knowledge: Knowledge
  /** Texts that responses had: one of them may be the id that a parameter asks for. */
  readonly known: readonly string[]
}

interface Place {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

/** Requests as the description has them, and others that differ in one thing. */
function requestsOf(place: Place, sources: Sources): fc.Arbitrary<Sent> {
  const { parameters = [], requestBody } = place.operation
  const of = (schema: JsonSchema): fc.Arbitrary<unknown> =>
    valuesOf(schema, { known: sources.known, definitions: sources.components.schemas })
  const { values, bodies } = sources.knowledge
  const named = (name: string, schema: JsonSchema): fc.Arbitrary<unknown> => {
    const known = values[`${place.operation.operationId}.${name}`] ?? values[name]
    return known === undefined
      ? of(schema)
      : fc.oneof(
          { weight: 6, arbitrary: fc.constantFrom(...known) },
          { weight: 1, arbitrary: of(schema) },
        )
  }
  const members = (
    properties: Readonly<Record<string, JsonSchema>>,
    required: readonly string[],
  ): fc.Arbitrary<Record<string, unknown>> => {
    const all = Object.entries(properties).map(
      ([name, schema]) => [name, named(name, schema)] as const,
    )
    const needed = all.filter(([name]) => required.includes(name))
    const requiredKeys = needed.map(([name]) => name)
    return fc.oneof(
      fc.record(Object.fromEntries(needed)),
      fc.record(Object.fromEntries(all), { requiredKeys }),
    )
  }

  const fields = members(
    Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    parameters.filter((one) => one.required).map(({ name }) => name),
  )
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [null, null]
  const body = media === null ? fc.constant(undefined) : bodyOf(media.schema)

  function bodyOf(schema: JsonSchema): fc.Arbitrary<unknown> {
    const whole =
      typeof schema['$ref'] === 'string'
        ? sources.components.schemas[schema['$ref'].split('/').at(-1)!]!
        : schema
    const { properties, required = [] } = whole as {
      properties?: Readonly<Record<string, JsonSchema>>
      required?: readonly string[]
    }
    const made = properties === undefined ? of(whole) : members(properties, required)
    const known = bodies[place.operation.operationId]
    return known === undefined
      ? made
      : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, made)
  }

  const nearly = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
    arbitrary.chain((value) => almost(value) as fc.Arbitrary<Value>)
  const valid = fc.tuple(fields, body)
  const drawn = fc.oneof(
    { weight: 3, arbitrary: valid },
    { weight: 1, arbitrary: fc.tuple(nearly(fields), body) },
    { weight: media === null ? 0 : 2, arbitrary: fc.tuple(fields, nearly(body)) },
  )
  const accept = fc.constantFrom(
    '*/*',
    'application/json',
    'text/html',
    'application/graphql-response+json',
  )
  return fc.tuple(drawn, accept).map(([[given, sent], accepted]) =>
    requestOf(place, {
      given,
      body: sent,
      type,
      headers: { ...callerOf(place, sources.knowledge), accept: accepted },
    }),
  )
}

function callerOf({ operation }: Place, { callers }: Knowledge): Readonly<Record<string, string>> {
  const [scheme] = operation.security.flatMap((one) => Object.keys(one))
  return scheme === undefined ? {} : callers[scheme]!
}

function requestOf(
  { path, method, operation }: Place,
  {
    given,
    body,
    type,
    headers,
  }: {
    given: Readonly<Record<string, unknown>>
    body: unknown
    type: string | null
    headers: Readonly<Record<string, string>>
  },
): Sent {
  const { parameters = [] } = operation
  const placeOf = (name: string): string =>
    parameters.find((one) => one.name === name)?.in ?? 'query'
  const at = (place: string): readonly (readonly [string, unknown])[] =>
    Object.entries(given).filter(([name]) => placeOf(name) === place)
  const inPath = Object.fromEntries(at('path'))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(inPath[name] ?? 'x') || 'x'),
  )
  const isOne = (name: string): boolean =>
    parameters.some((one) => one.name === name && one.explode === false)
  const query = formOf(
    at('query').map(([name, value]) =>
      isOne(name) && Array.isArray(value) ? [name, value.map(textOf).join(',')] : [name, value],
    ),
  ).toString()
  // A header has no characters beyond ASCII.
  const own = at('header').map(([name, value]) => [
    name,
    textOf(value)
      .replace(/[^ -~]/g, '')
      .trim(),
  ])
  const isForm = type === 'application/x-www-form-urlencoded'
  return {
    method,
    target: query === '' ? filled : `${filled}?${query}`,
    headers: {
      ...headers,
      ...(Object.fromEntries(own) as Record<string, string>),
      ...(type !== null && { 'content-type': type }),
    },
    ...(type !== null && {
      body: isForm ? formOf(Object.entries(body ?? {})).toString() : JSON.stringify(body ?? null),
    }),
  }
}

/** The same request in ways that no description has. */
function wrongRequests(
  { path, method, operation }: Place,
  sent: Sent,
  { callers }: Knowledge,
): readonly Sent[] {
  const { authorization: _, cookie: __, ...anonymous } = sent.headers
  const as = (headers: Readonly<Record<string, string>>): Sent => ({
    ...sent,
    headers: { ...anonymous, ...headers },
  })
  const others = Object.values(callers).map(as)
  const strangers = ['Bearer x', 'Bearer', 'Basic eDp5'].map((authorization) =>
    as({ authorization }),
  )
  const read = [
    as({ 'sec-purpose': 'prefetch' }),
    { ...sent, target: `${path}?access_token=${'x'.repeat(9000)}` },
  ]
  if (operation.requestBody === undefined)
    return [as({}), ...others, ...strangers, ...(method === 'GET' ? read : [])]
  const withBody = (body: Sent['body'], type?: string): Sent => ({
    ...sent,
    headers: { ...sent.headers, ...(type !== undefined && { 'content-type': type }) },
    body: body!,
  })
  return [
    as({}),
    ...others,
    ...strangers,
    withBody('x', 'text/plain'),
    withBody('{'),
    withBody('[]'),
    withBody('null'),
    withBody(''),
    withBody(new Uint8Array([0xff, 0xfe, 0x3d])),
    withBody('a=b&'.repeat(200)),
    withBody('x'.repeat(300_000)),
  ]
}

function formOf(entries: readonly (readonly [string, unknown])[]): URLSearchParams {
  const form = new URLSearchParams()
  for (const [name, value] of entries)
    for (const one of Array.isArray(value) ? value : [value]) form.append(name, textOf(one))
  return form
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

/** Adds the short texts of a JSON document. */
function gather(json: string, texts: Set<string>): void {
  if (!json.startsWith('{') || texts.size > MAX_KNOWN) return
  JSON.parse(json, (_, value: unknown) => {
    if (typeof value === 'string' && value.length <= 60) texts.add(value)
    return value
  })
}
