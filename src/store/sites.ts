import { checkOptions, type Rules, text } from '../options/check.js'
import { oneOf, orAbsent, record, SECONDS, TEXT, type Wanted } from '../options/wanted.js'
import { STORE_ARGUMENTS } from './arguments.js'
import type { AnyGiven } from './given.js'
import { refusingOthers } from './guard.js'
import type { SiteStorage } from './storage.js'

const SITE: Rules<{ readonly site: string }> = { site: text('"https://school.example"') }

/**
 * Returns the name of a site.
 *
 * @throws OptionsError - if it is not a string, or blank: rows of no site have an empty name
 */
export const siteOf = (site: string): string => checkOptions('storage', { site }, SITE).site

const MOST_SITES = 1000
const LIMIT: Wanted = {
  words: `a whole number from 1 to ${MOST_SITES}`,
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MOST_SITES,
}
const ASKED = record(
  {
    having: oneOf('events', 'keys', 'due keys'),
    after: TEXT,
    limit: LIMIT,
    createdBefore: orAbsent(SECONDS),
  },
  {
    words: `an object, with createdBefore if having is 'due keys'`,
    fits(value) {
      if (typeof value !== 'object' || value === null) return false
      const { having, createdBefore } = value as Partial<Parameters<SiteStorage['listSites']>[0]> &
        Readonly<Record<'createdBefore', unknown>>
      return having !== 'due keys' || createdBefore !== undefined
    },
  },
)

type OfAllSites = Pick<SiteStorage, 'purge' | 'listSites'>
const ARGUMENTS: Readonly<Record<keyof OfAllSites, AnyGiven>> = {
  purge: STORE_ARGUMENTS.purge,
  listSites: [ASKED],
}

/** Returns methods that refuse what they do not take, and ask nothing then. */
export const checkingAsked = (methods: OfAllSites): OfAllSites => refusingOthers(methods, ARGUMENTS)
