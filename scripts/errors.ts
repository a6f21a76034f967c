import {
  explainRefusal,
  type RefusalExplanation,
} from '../src/clients/attempts/refusal-explanation.js'
import { ASSERTION_REFUSALS } from '../src/policy/client-assertion.js'
import { SERVICE_REFUSALS } from '../src/policy/client-credentials.js'
import { DEVICE_REFUSALS } from '../src/policy/device-authorization.js'
import { DPOP_REFUSALS } from '../src/policy/dpop-proof.js'
import { IDENTITY_ASSERTION_REFUSALS } from '../src/policy/identity-assertion.js'
import { PUSHED_REFUSALS } from '../src/policy/pushed-request.js'
import { type OAuthErrorCode, REFUSALS, type RefusalTable } from '../src/policy/refusals.js'

interface Row extends Omit<RefusalExplanation, 'url'> {
  /** The endpoints that refuse with it, of an error that many endpoints have. */
  readonly at?: string
}
type Rows = Readonly<Partial<Record<string, Readonly<Record<string, Row>>>>>

/** The tables of blocks. */
const BLOCKS: readonly RefusalTable[] = [
  ASSERTION_REFUSALS,
  DEVICE_REFUSALS,
  DPOP_REFUSALS,
  IDENTITY_ASSERTION_REFUSALS,
  PUSHED_REFUSALS,
  SERVICE_REFUSALS,
]

/** The rows of hallpass, behind them those of its blocks, and last the errors that only blocks have. */
export const TABLE = [...new Set([REFUSALS, ...BLOCKS].flatMap((table) => Object.keys(table)))].map(
  (error) =>
    [
      error,
      Object.assign({}, ...([REFUSALS, ...BLOCKS] as readonly Rows[]).map((table) => table[error])),
    ] as readonly [string, Readonly<Record<string, Row>>],
)

/** The page that has a row for each reason where it is published. In the repository, it marks where they go. */
export const ERRORS_PAGE = 'docs/look-up/errors.md'

/**
 * Puts the rows of each error into the page about errors, for the site and the package.
 *
 * @throws Error if the section of an error does not say where they go
 */
export function withReasons(page: string): string {
  return TABLE.reduce((text, [error, reasons]) => {
    const place = new RegExp(`(?<=^## \`${error}\`\n(?:(?!## ).*\n)*)<!-- reasons -->$`, 'm')
    if (!place.test(text)) throw new Error(`${ERRORS_PAGE} has no place for \`${error}\``)
    return text.replace(place, () => tableOf(error, reasons))
  }, page)
}

/** The address that the documentation has for a row. */
export const addressOf = (error: string, reason: string): string =>
  explainRefusal<string>({ error: error as OAuthErrorCode, reason }, BLOCKS)!.url

/** A link to the row itself, which is its anchor too. A section of the same name is the anchor of its only row. */
function anchored(error: string, reason: string): string {
  const name = new URL(addressOf(error, reason)).hash.slice(1)
  const id = name === error ? '' : `id="${name}" `
  return `<a ${id}href="#${name}">\`${reason}\`</a>`
}

function tableOf(error: string, reasons: Readonly<Record<string, Row>>): string {
  const rows = Object.entries(reasons)
  const isWidespread = rows.some(([, { at }]) => at !== undefined)
  const line = (...[reason, at, ...rest]: readonly string[]): string =>
    `| ${[reason, ...(isWidespread ? [at] : []), ...rest].join(' | ')} |`
  return [
    line('reason', 'where', 'what it means', 'what to do', 'source'),
    line('---', '---', '---', '---', '---'),
    ...rows.map(([reason, { at = '', meaning, advice, source }]) =>
      line(anchored(error, reason), at, meaning, advice, source),
    ),
  ].join('\n')
}
