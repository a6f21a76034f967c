/** What `npm run features` found. */
interface Found {
  readonly servers: Readonly<Record<string, object>>
}

export const VARIANTS: readonly string[]
export function rowsOf(found: Found): Map<string, string[]>
export function says(cell: string, found: string): boolean
export function withRows(text: string, found: Found): string
