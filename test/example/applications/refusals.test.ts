import { decideMemberClient } from 'hallpass/clients'
import { schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { faultsInWords, refusalInWords } from '../../../examples/pages/applications/refusals.js'
import { applicationsInEnglish } from '../../../examples/pages/words/applications/en.js'
import { LANGUAGES } from '../../../examples/pages/words/languages.js'
import { galleryPages } from '../support/gallery/pages.js'
import { REFUSALS } from '../../../src/policy/refusals.js'

const { refusals } = applicationsInEnglish

/** The reasons that the pages never show: the way in refuses the first, and a logo has words of its own. */
const ELSEWHERE = ['person_may_not_manage', 'logo_not_reviewed']

/** The reasons of client management, and those of documents, as the library lists them. */
const reasons = Object.values(REFUSALS)
  .flatMap((ofError) => Object.entries<{ readonly meaning: string }>(ofError))
  .filter(
    ([reason, { meaning }]) =>
      meaning.startsWith('Client management:') || /^document_|^client_not_a_doc/.test(reason),
  )
  .map(([reason]) => reason)
  .filter((reason) => !ELSEWHERE.includes(reason))

/** Words of the protocol, which a manager does not know. */
const JARGON =
  /redirect uri|\bscope|\bclient\b|metadata|\bURI\b|fragment|loopback|grant|\bURL\b|cimd/i

describe('what a manager reads when something is refused', () => {
  it.each(reasons)('has a sentence for %s', (reason) => {
    expect(Object.hasOwn(refusals, reason)).toBe(true)
    expect(refusalInWords(reason, applicationsInEnglish)).toBe(
      refusals[reason as keyof typeof refusals],
    )
  })

  it('covers more than thirty reasons', () => {
    expect(new Set(reasons).size).toBeGreaterThan(30)
  })

  it.each(Object.entries(refusals))('says %s in whole sentences, without jargon', (_, words) => {
    expect(words).toMatch(/^[A-Z].*\.$/)
    expect(words).not.toMatch(JARGON)
    for (const sentence of words.split(/(?<=[.:]) /))
      expect(sentence.split(' ').length).toBeLessThanOrEqual(30)
  })

  it('has words for a reason that it does not know', () => {
    for (const reason of ['made_up', 'constructor', ''])
      expect(refusalInWords(reason, applicationsInEnglish)).toBe(
        'That wasn’t possible. Load the page again, then repeat it.',
      )
  })

  it('is all that the gallery shows as a fault', () => {
    const said = galleryPages().flatMap(({ html }) =>
      [...html.toString().matchAll(/<p class="fault"[^>]*>([^<]*)<\/p>/g)].map(([, fault]) =>
        fault!.trim(),
      ),
    )
    const words = LANGUAGES.flatMap((language): readonly string[] =>
      Object.values(language.words.applications.refusals),
    )
    const otherName = LANGUAGES.map((language) => language.words.applications.confirm.otherName)
    expect(said.length).toBeGreaterThan(5)
    expect(said.filter((fault) => !words.includes(fault))).toEqual(
      expect.arrayContaining(otherName),
    )
  })

  it('says each thing once, in place of what the library says', () => {
    const draft = {
      name: ' ',
      description: 'd'.repeat(301),
      icon: 'No icon',
      redirectUris: ['http://a.example/cb', 'not?a?url'],
      tokenEndpointAuthMethod: 'none' as const,
      scopes: ['orders:read', 'courses:read'],
    }
    const decided = decideMemberClient({ draft, registry: schoolScopes })
    const faults = decided.ok ? [] : decided.faults
    expect(faults).toHaveLength(7)
    const words = faultsInWords(faults, applicationsInEnglish)!
    for (const { description } of faults.filter(({ field }) => field !== 'icon'))
      expect(words).not.toContain(description)
    expect(words.split('Apps for members can’t ask for one of these.')).toHaveLength(2)
    expect(faultsInWords([], applicationsInEnglish)).toBeNull()
  })
})
