import { isEpochSeconds } from '../time/seconds.js'
import { kindOf } from './check.js'

/** A condition on a value from outside, with words for it that follow "it must be". */
export interface Wanted {
  readonly words: string
  readonly fits: (value: unknown) => boolean
  /** The fields of an object, which are checked one by one. It may have others. */
  readonly fields?: Fields
}

export type Fields = Readonly<Record<string, Wanted>>

export const TEXT: Wanted = { words: 'a string', fits: (value) => typeof value === 'string' }
export const SWITCH: Wanted = {
  words: 'true or false',
  fits: (value) => typeof value === 'boolean',
}
export const COUNT: Wanted = {
  words: 'a whole number of at least 0',
  fits: (value) => Number.isSafeInteger(value) && Math.sign(value as number) !== -1,
}
/** Databases have times of many forms. */
export const SECONDS: Wanted = {
  words: 'whole epoch seconds, such as Math.floor(date / 1000)',
  fits: isEpochSeconds,
}
export const TEXTS: Wanted = {
  words: 'a list of strings',
  fits: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
}

/** Makes the condition of one of these texts. */
export const oneOf = (...texts: readonly string[]): Wanted => ({
  words: texts.map((text) => `'${text}'`).join(' or '),
  fits: (value) => texts.includes(value as string),
})

/** Makes the condition of an object with these fields. */
export const record = (fields: Fields): Wanted => ({
  words: 'an object',
  fits: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  fields,
})

/** Makes the condition of a value that may also be `null`. */
export const orNull = (wanted: Wanted): Wanted => ({
  ...wanted,
  words: `${wanted.words} or null`,
  fits: (value) => value === null || wanted.fits(value),
})

/** A number is shown, since the mistake is often its unit. Anything else may be a secret. */
export const shown = (value: unknown): string =>
  typeof value === 'number' ? `${value}` : kindOf(value)

/**
 * Returns what is wrong with a value, as a sentence that begins with its place, or `null`.
 *
 * @param place - such as `findPerson returned`
 */
export function mistakeIn(value: unknown, wanted: Wanted, place: string): string | null {
  const { words, fits, fields } = wanted
  if (!fits(value)) return `${place} ${shown(value)}: it must be ${words}`
  if (fields === undefined || value === null) return null
  for (const name in fields) {
    const mistake = mistakeIn(
      (value as Readonly<Record<string, unknown>>)[name],
      fields[name]!,
      `${place}${place.endsWith('returned') ? ' ' : '.'}${name}`,
    )
    if (mistake !== null) return mistake
  }
  return null
}
