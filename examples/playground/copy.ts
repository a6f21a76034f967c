import { addressOf, type Draft, filled, headersOf, partsOf, SECRETS, type Values } from './draft.js'

// Secrets are never copied: the person who runs the command sets them.
const publicOf = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !SECRETS.includes(name)))

// Variables in the query stay readable.
const readable = (known: Draft): string => addressOf(known).replaceAll(/%7B([a-z_]+)%7D/g, '{$1}')

/** Quotes a text for a shell. A variable becomes one of the environment. */
const shell = (text: string): string =>
  partsOf(text)
    .map(({ text, isVariable }) =>
      isVariable ? `"$${text.toUpperCase()}"` : `'${text.replaceAll("'", String.raw`'\''`)}'`,
    )
    .join('') || "''"

/** Returns a request as a command of curl. Secrets are variables of the environment. */
export function curlOf(draft: Draft, values: Values): string {
  const known = filled(draft, publicOf(values))
  const { method, fields, body } = known
  return [
    `curl -i -X ${method} ${shell(readable(known))}`,
    ...headersOf(known).map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`),
    ...(body !== null
      ? [`--data-raw ${shell(body)}`]
      : method === 'POST'
        ? fields.map(([name, value]) => `--data-urlencode ${shell(`${name}=${value}`)}`)
        : []),
  ].join(' \\\n  ')
}

/** Quotes a text for TypeScript. A variable becomes one of the environment. */
const quoted = (text: string): string => {
  const parts = partsOf(text)
  const [only] = parts
  if (parts.every(({ isVariable }) => !isVariable)) return JSON.stringify(text)
  if (parts.length === 1 && only !== undefined) return environment(only.text)
  const inner = parts.map(({ text, isVariable }) =>
    isVariable ? `\${${environment(text)}}` : text.replaceAll(/[\\`]|\$(?=\{)/g, String.raw`\$&`),
  )
  return `\`${inner.join('')}\``
}

const environment = (name: string): string => `process.env.${name.toUpperCase()}!`

/** Returns a request as TypeScript. Secrets are variables of the environment. */
export function typescriptOf(draft: Draft, values: Values): string {
  const known = filled(draft, publicOf(values))
  const { method, fields, body } = known
  const headers = headersOf(known).map(
    ([name, value]) => `${JSON.stringify(name)}: ${quoted(value)}`,
  )
  const pairs = fields.map(([name, value]) => `    [${JSON.stringify(name)}, ${quoted(value)}],`)
  return [
    `const response = await fetch(${quoted(readable(known))}, {`,
    `  method: '${method}',`,
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body !== null
      ? [`  body: ${quoted(body)},`]
      : method === 'POST'
        ? ['  body: new URLSearchParams([', ...pairs, '  ]),']
        : []),
    '})',
    'console.log(response.status, await response.text())',
  ].join('\n')
}
