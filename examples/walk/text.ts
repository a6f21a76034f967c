const SECRETS = new Set([
  'access_token',
  'refresh_token',
  'id_token',
  'token',
  'code',
  'code_verifier',
  'client_secret',
])
const RANDOM = new Set(['state', 'nonce', 'code_challenge'])

/** Shortens secrets and random values, so that a page shows enough to recognize them but never all. */
export const shortened = (name: string, value: string): string => {
  const length = SECRETS.has(name) ? 10 : RANDOM.has(name) ? 20 : value.length
  return value.length > length ? `${value.slice(0, length)}…` : value
}

/** Formats JSON for people: a list of plain values stays on one line, and secrets are shortened. */
export function pretty(value: unknown, indent = ''): string {
  if (Array.isArray(value)) return prettyList(value, indent)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const inner = `${indent}  `
  const lines = Object.entries(value).map(([name, one]) => {
    const shown: unknown = typeof one === 'string' ? shortened(name, one) : one
    return `${inner}${JSON.stringify(name)}: ${pretty(shown, inner)}`
  })
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`
}

function prettyList(values: readonly unknown[], indent: string): string {
  const isPlain = values.every((one) => typeof one !== 'object' || one === null)
  if (isPlain) return `[${values.map((one) => JSON.stringify(one)).join(', ')}]`
  const inner = `${indent}  `
  return `[\n${values.map((one) => inner + pretty(one, inner)).join(',\n')}\n${indent}]`
}
