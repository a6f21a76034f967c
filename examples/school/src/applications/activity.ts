import type { PagesOfApplications } from '../../../pages/applications/views.js'
import type { FoundEntry, OfManager, Parts } from './parts.js'
import { activityOf, namerOf } from './words.js'

const PAGE = 50
/** How many entries a file has at most, the newest. */
const MAX_EXPORT = 10_000
const PERIODS = [7, 30, 90, 365] as const
const DAY_SECONDS = 86_400

/** `GET /oauth/applications/activity`. With `format`, it responds with a file: `csv` or `json`. */
export const activityPlace = (parts: Parts): OfManager => ({
  async get({ pages, frame, query, show }) {
    const { audit, now } = parts
    const days = PERIODS.find((period) => String(period) === query.get('days')) ?? 30
    // Some databases reject queries with control characters.
    const search = (query.get('search') ?? '')
      .replace(/\p{Cc}/gu, ' ')
      .slice(0, 100)
      .trim()
    const question = {
      search,
      types: pages.typesOf(search),
      since: now() - days * DAY_SECONDS,
    }
    const format = FORMATS[query.get('format') === 'json' ? 'json' : 'csv']
    if (query.has('format')) {
      const entries = await audit.search({ ...question, before: null, limit: MAX_EXPORT })
      return fileOf(format, await rowsOf(parts, entries, pages))
    }
    const before = beforeOf(query.get('before'))
    const found = await audit.search({ ...question, before, limit: PAGE + 1 })
    const shown = found.slice(0, PAGE)
    const last = shown.at(-1)
    const activity = await activityOf(shown, parts, pages)
    const view = {
      ...frame,
      filter: { search, days },
      periods: PERIODS,
      entries: activity.map((entry, index) => ({ ...entry, app: appOf(parts, shown[index]!) })),
      next: found.length > PAGE && last !== undefined ? `${last.at}.${last.number}` : null,
    }
    return show(pages.activity(view))
  },
})

function beforeOf(text: string | null): { at: number; number: string } | null {
  const [, at, number] = /^(\d{1,12})\.(\d{1,18})$/.exec(text ?? '') ?? []
  return at === undefined || number === undefined ? null : { at: Number(at), number }
}

/** Returns the app of an entry, or `null` if it concerns none. */
function appOf(
  { known }: Parts,
  { clientId, clientName }: FoundEntry,
): { readonly clientId: string; readonly name: string } | null {
  if (clientId === null) return null
  const configured = known.configured.find((client) => client.clientId === clientId)
  return { clientId, name: configured?.name ?? clientName ?? clientId }
}

/** An entry in a file. */
interface Row {
  readonly time: string
  readonly what: string
  readonly type: string
  readonly app: string | null
  readonly client_id: string | null
  readonly by: string | null
  readonly by_id: string | null
  readonly person: string | null
  readonly person_id: string | null
  readonly event: FoundEntry['event']
}

async function rowsOf(
  parts: Parts,
  entries: readonly FoundEntry[],
  pages: PagesOfApplications,
): Promise<readonly Row[]> {
  const nameOf = await namerOf(entries, parts, pages)
  return entries.map((entry) => ({
    time: new Date(entry.at * 1000).toISOString(),
    what: pages.act(entry.type),
    type: entry.type,
    app: appOf(parts, entry)?.name ?? null,
    client_id: entry.clientId,
    by: nameOf(entry.actor),
    by_id: entry.actor,
    person: nameOf(entry.subject),
    person_id: entry.subject,
    event: entry.event,
  }))
}

interface Format {
  readonly name: string
  readonly type: string
  readonly write: (rows: readonly Row[]) => string
}

const COLUMNS = [
  'time',
  'what',
  'type',
  'app',
  'client_id',
  'by',
  'by_id',
  'person',
  'person_id',
  'event',
] as const satisfies readonly (keyof Row)[]

const FORMATS: Readonly<Record<'csv' | 'json', Format>> = {
  csv: {
    name: 'activity.csv',
    type: 'text/csv; charset=utf-8',
    // RFC 4180.
    write: (rows) =>
      [COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((name) => cellOf(row[name])).join(','))]
        .map((line) => `${line}\r\n`)
        .join(''),
  },
  json: {
    name: 'activity.json',
    type: 'application/json',
    write: (rows) => `${JSON.stringify(rows, null, 2)}\n`,
  },
}

/** Writes a cell. A spreadsheet would run a text that begins like a formula, so such a text gets an apostrophe. */
function cellOf(value: Row[keyof Row]): string {
  const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}

const fileOf = ({ name, type, write }: Format, rows: readonly Row[]): Response =>
  new Response(write(rows), {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  })
