import type { PlacedOperation } from './description.js'

/** A header of a call, as a shell and as TypeScript write it: values that only the caller knows are variables. */
interface CallHeader {
  readonly name: string
  readonly shell: string
  readonly typescript: string
}

/** The example of an operation as a request. */
export interface Call {
  readonly method: string
  readonly url: string
  readonly headers: readonly CallHeader[]
  /** The body as JSON text, or `null` for none. */
  readonly body: string | null
  readonly hasAnswer: boolean
}

const AUTHORIZATION: CallHeader = {
  name: 'Authorization',
  shell: 'Bearer $ACCESS_TOKEN',
  typescript: '`Bearer ${accessToken}`',
}
const OWN_HEADERS: Readonly<Record<string, CallHeader>> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    shell: '$(uuidgen)',
    typescript: 'crypto.randomUUID()',
  },
  'If-Match': { name: 'If-Match', shell: '$ETAG', typescript: 'etag' },
}

/** Returns the request for the example of an operation. */
export function callOf(
  { method, path, parameters = [], requestBody, responses }: PlacedOperation,
  origin: string,
): Call {
  const url = new URL(
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(textOf(parameters.find((one) => one.name === name)?.example)),
    ),
    origin,
  )
  for (const { name, in: place, example } of parameters)
    if (place === 'query' && example !== undefined) url.searchParams.set(name, textOf(example))
  const example = requestBody?.content['application/json']?.example
  const own = parameters.flatMap((one) =>
    one.name === 'Idempotency-Key' || one.required === true ? (OWN_HEADERS[one.name] ?? []) : [],
  )
  return {
    method,
    url: url.href,
    headers: [AUTHORIZATION, ...own],
    body: example === undefined ? null : JSON.stringify(example, null, 2),
    hasAnswer: responses['204'] === undefined,
  }
}

/** Returns the value of a parameter as it is sent: a list is separated by commas. */
export const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join(',') : String(value)

/** Writes a call as a command for a shell. */
export function curlOf({ method, url, headers, body }: Call): string {
  const lines = [
    `curl ${quoted(url)}`,
    ...(method === 'GET' ? [] : [`--request ${method}`]),
    ...headers.map(({ name, shell }) => `--header "${name}: ${shell}"`),
    ...(body === null ? [] : [`--json ${quoted(body)}`]),
  ]
  return lines.join(' \\\n  ')
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Writes a call as TypeScript. */
export function typescriptOf({ method, url, headers, body, hasAnswer }: Call): string {
  const sent = [
    ...headers.map(({ name, typescript }) => [name, typescript] as const),
    ...(body === null ? [] : [['Content-Type', "'application/json'"] as const]),
  ]
  const lines = [
    `const response = await fetch(${literal(url)}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    ...sent.map(([name, value]) => `    ${/^\w+$/.test(name) ? name : `'${name}'`}: ${value},`),
    '  },',
    ...(body === null ? [] : [`  body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),`]),
    '})',
    'if (!response.ok) throw new Error((await response.json()).detail)',
    ...(hasAnswer ? ['const answer = await response.json()'] : []),
  ]
  return lines.join('\n')
}

const literal = (text: string): string => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)
