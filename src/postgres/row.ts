/**
 * A record as the JSON text of a row: field names in snake_case, with the site. Nested values keep
 * their own names.
 */
export function toRow(site: string, record: object): string {
  const row: Record<string, unknown> = { site }
  for (const [field, value] of Object.entries(record)) row[columnOf(field)] = value
  return JSON.stringify(row)
}

/** A row, as `to_jsonb` gives it, as the record it holds. */
export function fromRow(row: Readonly<Record<string, unknown>>): object {
  const record: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(row)) {
    if (column !== 'site') record[fieldOf(column)] = value
  }
  return record
}

const columnOf = remembering((field) => field.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`))
const fieldOf = remembering((column) =>
  column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
)

// The names are those of our own records, so the memory stays small.
function remembering(translate: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>()
  return (name) => {
    let translated = known.get(name)
    if (translated === undefined) known.set(name, (translated = translate(name)))
    return translated
  }
}
