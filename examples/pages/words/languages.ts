import { arabic } from './ar.js'
import { english } from './en.js'
import type { Language, Words } from './words.js'
import { traditionalChinese } from './zh-hant.js'

/** The languages of the pages. The first one is for readers whose own is missing. */
export const LANGUAGES: readonly Language[] = [english, traditionalChinese, arabic]

/** Each of them with the parts of its tag. */
const SPOKEN = LANGUAGES.map((language) => ({ language, locale: partsOf(language.tag)! }))

const MAX_HEADER_LENGTH = 512

/** A page's school, in the language of one reader. */
interface Spoken {
  readonly language?: Language
}

/** Returns the language of a page. Default: English. */
export const languageOf = ({ language = english }: Spoken): Language => language

/** Returns the words of a page. Default: those of English. */
export const wordsOf = (site: Spoken): Words => languageOf(site).words

/**
 * Returns a site with the language of its reader: the one that the app asked for with `ui_locales`, or else the one
 * that the browser prefers.
 *
 * @see [OpenID Connect Core §3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
 */
export const forReader = <Site extends object>(
  site: Site,
  request: Request,
  uiLocales: readonly string[] = [],
): Site & Required<Spoken> => ({
  ...site,
  language: preferredLanguage(request.headers.get('accept-language'), uiLocales),
})

/**
 * Returns the first language that the pages have, of the tags and then of an `Accept-Language` header, or English. A
 * language in another script comes after the same language in the wanted one.
 *
 * @see [RFC 9110 §12.5.4](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4)
 */
export function preferredLanguage(
  header: string | null,
  uiLocales: readonly string[] = [],
): Language {
  const asked = uiLocales.flatMap((tag) => partsOf(tag) ?? [])
  for (const wanted of [...asked, ...wantedOf(header)]) {
    const spoken = SPOKEN.filter(({ locale }) => locale.language === wanted.language)
    const found = spoken.find(({ locale }) => locale.script === wanted.script) ?? spoken[0]
    if (found !== undefined) return found.language
  }
  return LANGUAGES[0]!
}

function wantedOf(header: string | null): readonly Intl.Locale[] {
  if (header === null || header.length > MAX_HEADER_LENGTH) return []
  return header
    .split(',')
    .map((item) => {
      const [tag = '', weight] = item.split(';').map((part) => part.trim())
      return { locale: partsOf(tag), weight: weight === undefined ? 1 : weightOf(weight) }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .flatMap(({ locale }) => (locale === null ? [] : [locale]))
}

const weightOf = (text: string): number => Number(/^q=([01](?:\.\d{0,3})?)$/i.exec(text)?.[1] ?? 0)

function partsOf(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag).maximize()
  } catch {
    // A malformed tag expresses no preference.
    return null
  }
}
