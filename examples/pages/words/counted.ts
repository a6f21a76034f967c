/** Most people, and most apps that one switch turns off, that are counted. The pages say `100+` then. */
export const MOST_COUNTED = 100

/** Words for a number of things: `1 person`, `12 people`. */
export type Counted = (count: number) => string

/**
 * Creates words for a number of things.
 *
 * @param forms - a text for each plural form of the language, in which `{count}` is the number. `none` is for 0, in
 *   place of the form that the language has for it. `most` is the number beyond which no one counted.
 * @see [Unicode plural rules](https://www.unicode.org/reports/tr35/tr35-numbers.html#Language_Plural_Rules)
 */
export function counted(
  locale: string,
  {
    none,
    most,
    ...forms
  }: Partial<Record<Intl.LDMLPluralRule, string>> & {
    readonly other: string
    readonly none?: string
    readonly most?: number
  },
): Counted {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  const shown = (count: number): string => numbers.format(count) + (count === most ? '+' : '')
  return (count) =>
    count === 0 && none !== undefined
      ? none
      : (forms[rules.select(count)] ?? forms.other).replace('{count}', shown(count))
}
