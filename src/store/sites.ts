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
 * @throws OptionsError - if it is no text, or blank: the rows that are of no site have an empty one
 */
export const siteOf = (site: string): string => checkOptions('storage', { site }, SITE).site

const MOST_SITES = 1000
const LIMIT: Wanted = {
  words: `a whole number from 1 to ${MOST_SITES}`,
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MOST_SITES,
}
const ASKED = record({ having: oneOf('events', 'keys', 'due keys'), after: TEXT, limit: LIMIT, createdBefore: orAbsent(SECONDS) }) // prettier-ignore

type Asked = Pick<SiteStorage, 'purge' | 'listSites'>
const ARGUMENTS: Readonly<Record<keyof Asked, AnyGiven>> = {
  purge: STORE_ARGUMENTS.purge,
  listSites: [ASKED],
}

/** Refuses what the methods of a storage do not take. */
export const refusingStrangers = (methods: Asked): Asked => refusingOthers(methods, ARGUMENTS)
