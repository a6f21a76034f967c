/**
 * Returns the JSON text of the row for a record: field names in snake_case, and the site. The names
 * inside nested values are kept.
 */
export function toRow(site: string, record: object): string {
  const row: Record<string, unknown> = { site }
  for (const [field, value] of Object.entries(record)) row[columnOf(field)] = value
  return JSON.stringify(row)
}

/** Returns the record that a row of `to_jsonb` holds. */
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

// Only the field names of hallpass' own records are translated, so the map stays small.
function remembering(translate: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>()
  return (name) => {
    let translated = known.get(name)
    if (translated === undefined) known.set(name, (translated = translate(name)))
    return translated
  }
}
