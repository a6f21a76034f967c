import { describe, expect, it } from 'vitest'
import { addressOf, TABLE } from '../../scripts/errors.js'
import { packedText } from '../../scripts/packed.js'
import { OAUTH_ERRORS, REFUSALS } from '../../src/policy/refusals.js'
import { anchorsOf, PAGES } from '../support/docs/pages.js'
import { readSource } from '../support/source/compile.js'
import { findRefusals } from '../support/source/refusals.js'

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
  const page = packedText(PAGES.find(({ path }) => path === 'docs/look-up/errors.md')!)

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

  it('has each row where it is published, and none in the repository', () => {
    const kept = PAGES.find(({ path }) => path === 'docs/look-up/errors.md')!
    expect(kept.text).not.toContain('<a id=')
    const rows = TABLE.flatMap(([, reasons]) => Object.values(reasons))
    expect(rows.filter(({ meaning, advice }) => !page.includes(`${meaning} | ${advice}`))).toEqual(
      [],
    )
    expect(() => packedText({ ...kept, text: kept.text.replace('<!-- reasons -->', '') })).toThrow(
      'docs/look-up/errors.md has no place for `access_denied`',
    )
  })
})
