import { format, resolveConfig } from 'prettier'
import { describe, expect, it } from 'vitest'
import { ASSERTION_REFUSALS } from '../../src/policy/client-assertion.js'
import { DEVICE_REFUSALS } from '../../src/policy/device-authorization.js'
import { DPOP_REFUSALS } from '../../src/policy/dpop-proof.js'
import { IDENTITY_ASSERTION_REFUSALS } from '../../src/policy/identity-assertion.js'
import { PUSHED_REFUSALS } from '../../src/policy/pushed-request.js'
import { SERVICE_REFUSALS } from '../../src/policy/client-credentials.js'
import {
  OAUTH_ERRORS,
  type OAuthErrorCode,
  REFUSALS,
  type RefusalTable,
} from '../../src/policy/refusals.js'
import { anchorsOf, PAGES } from '../support/docs/pages.js'
import { readSource } from '../support/source/compile.js'
import { ROOT } from '../support/source/root.js'
import { findRefusals } from '../support/source/refusals.js'
import { explainRefusal, type RefusalExplanation } from '../../src/attempts/refusal-explanation.js'

interface Row extends Omit<RefusalExplanation, 'url'> {
  /** The endpoints that refuse with it, of an error that many endpoints have. */
  readonly at?: string
}

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
const TABLE = [...new Set([REFUSALS, ...BLOCKS].flatMap((table) => Object.keys(table)))].map(
  (error) =>
    [
      error,
      Object.assign({}, ...([REFUSALS, ...BLOCKS] as readonly Rows[]).map((table) => table[error])),
    ] as readonly [string, Readonly<Record<string, Row>>],
)
type Rows = Readonly<Partial<Record<string, Readonly<Record<string, Row>>>>>
const { pairs, deciders } = findRefusals()

describe('the table of refusals', () => {
  it('has no row that nothing refuses with', () => {
    const rows = TABLE.flatMap(([error, reasons]) =>
      Object.keys(reasons).map((reason) => `${error} ${reason}`),
    )
    expect(rows.filter((row) => !pairs.has(row))).toEqual([])
    expect(rows.length).toBeGreaterThan(140)
  })

  it('speaks to people without code, up to what it says to the programmers of the site [ATT-16]', () => {
    const forPeople = TABLE.flatMap(([error, reasons]) =>
      Object.entries(reasons)
        .filter(([, { turn }]) => turn === 'person' || turn === 'manager')
        .flatMap(([reason, { meaning, advice }]) =>
          [
            meaning.replace(/^Client management: /, ''),
            advice.replace(/ Host application: .*$/, ''),
          ].map((text) => ({ of: `${error} ${reason}`, text })),
        ),
    )
    const jargon = /\b(?:clients?|grants?|scopes?|tokens?|URIs?|operators?|metadata)\b/i
    const faults = forPeople.filter(
      ({ text }) => /`|\w_\w|[a-z][A-Z]/.test(text) || jargon.test(text) || !/.{10}\.$/.test(text),
    )
    expect(faults).toEqual([])
    expect(forPeople.length).toBeGreaterThan(80)
  })

  it('says of each error what a client does about it', () => {
    expect(Object.keys(OAUTH_ERRORS).sort()).toEqual(Object.keys(REFUSALS).sort())
  })
})

describe('the signature', () => {
  it.each(deciders)('of $name names the reasons that it returns', ({ declared, returned }) => {
    expect(declared).toEqual(returned)
  })
})

describe('docs/look-up/errors.md', () => {
  const page = PAGES.find(({ path }) => path === 'docs/look-up/errors.md')!.text

  it('has a section for each error', () => {
    const sections = [...page.matchAll(/^## `(\w+)`$/gm)].map(([, error]) => error)
    expect(sections).toEqual(TABLE.map(([error]) => error))
  })

  it('has one place for the address of each refusal, and of each error [ATT-17]', () => {
    const places = anchorsOf({ path: 'docs/look-up/errors.md', text: page })
    const addresses = TABLE.flatMap(([error, reasons]) => [
      `#${error}`,
      ...Object.keys(reasons).map((reason) => addressOf(error, reason)),
    ])
    const wanted = new Set(addresses.map((address) => address.split('#')[1]!))
    expect(
      [...wanted].filter((place) => places.filter((one) => one === place).length !== 1),
    ).toEqual([])
    // Only `request_uri_not_supported` is an error and the reason of it.
    expect(wanted.size).toBe(addresses.length - 1)
    // The first row of a reason has its name.
    const reasons = TABLE.flatMap(([, rows]) => Object.keys(rows))
    expect(reasons.filter((reason) => !wanted.has(reason))).toEqual([])
  })

  it('is at the homepage of the package', () => {
    const { homepage } = JSON.parse(readSource('package.json')) as { homepage: string }
    expect(addressOf('invalid_grant', 'code_expired')).toBe(
      `${homepage}look-up/errors.html#code_expired`,
    )
    expect(addressOf('invalid_token', 'grant_revoked')).toBe(
      `${homepage}look-up/errors.html#invalid_token-grant_revoked`,
    )
  })

  // `npx vitest run test/types/reasons.test.ts -u` writes the page anew.
  it('says in each section what the table says', async () => {
    const written = TABLE.reduce<string>((text, [error, reasons]) => {
      const section = new RegExp(`(^## \`${error}\`\n[^]*?)(?:^\\|.*\n)+`, 'm')
      return text.replace(section, (_, intro: string) => `${intro}${tableOf(error, reasons)}\n`)
    }, page)
    const options = await resolveConfig(`${ROOT}docs/look-up/errors.md`)
    await expect(await format(written, { ...options, parser: 'markdown' })).toMatchFileSnapshot(
      `${ROOT}docs/look-up/errors.md`,
    )
  })
})

/** The address that the documentation has for a row. */
const addressOf = (error: string, reason: string): string =>
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
