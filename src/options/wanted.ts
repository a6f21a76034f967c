import { isEpochSeconds } from '../time/seconds.js'
import { kindOf } from './check.js'

/** A condition on a value from outside, with words for it that follow "it must be". */
export interface Wanted {
  readonly words: string
  readonly fits: (value: unknown) => boolean
  /** The fields of an object, which are checked one by one. It may have others. */
  readonly fields?: Fields
  /** `fits` for the object and its fields. Only {@link record} makes it. */
  readonly fitsWhole?: (value: unknown) => boolean
  /** The condition of each entry of a list. */
  readonly each?: Wanted
}

export type Fields = Readonly<Record<string, Wanted>>

/** A condition that no other value than a text fits, or a list of texts: what names rows. */
export interface TextWanted extends Wanted {
  readonly isText: true
}

/** The condition of what other rules decide, such as the fields of a form. */
export interface AnyWanted extends Wanted {
  readonly isAny: true
}
export const ANY: AnyWanted = { words: 'anything', fits: () => true, isAny: true }

export const TEXT: TextWanted = {
  words: 'a string',
  fits: (value) => typeof value === 'string',
  isText: true,
}
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
export const TEXTS: TextWanted = {
  words: 'a list of strings',
  fits: (value) => {
    if (!Array.isArray(value)) return false
    for (let at = 0; at < value.length; at++) if (typeof value[at] !== 'string') return false
    return true
  },
  isText: true,
  each: TEXT,
}

/** A list of anything. */
export const LIST: Wanted = { words: 'a list', fits: Array.isArray }

/** Makes the condition of one of these texts. */
export const oneOf = (...texts: readonly string[]): Wanted => ({
  words: texts.map((text) => `'${text}'`).join(' or '),
  fits: (value) => texts.includes(value as string),
})

const OBJECT: Wanted = {
  words: 'an object',
  fits: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

/**
 * Makes the condition of an object with these fields.
 *
 * @param own - the condition of the object itself
 */
export function record(fields: Fields, { words, fits }: Wanted = OBJECT): Wanted {
  // Each call of a store asks. Most fields are texts, and a call for each would cost twice as much.
  const [texts, others] = [[], []] as [string[], string[]]
  for (const name in fields) (fields[name] === TEXT ? texts : others).push(name)
  const checks = others.map((name) => checkOf(fields[name]!))
  return {
    words,
    fits,
    fields,
    fitsWhole(value) {
      if (!fits(value)) return false
      const found = value as Readonly<Record<string, unknown>>
      for (let at = 0; at < texts.length; at++)
        if (typeof found[texts[at]!] !== 'string') return false
      for (let at = 0; at < others.length; at++) if (!checks[at]!(found[others[at]!])) return false
      return true
    },
  }
}

/** Makes the condition of a value that may also be something else. */
function orElse<Kind extends Wanted>(wanted: Kind, words: string, other?: null): Kind {
  const check = checkOf(wanted)
  return {
    ...wanted,
    words: `${wanted.words} or ${words}`,
    fits: (value) => value === other || wanted.fits(value),
    fitsWhole: (value) => value === other || check(value),
  }
}

/** Makes the condition of a value that may also be `null`. */
export const orNull = <Kind extends Wanted>(wanted: Kind): Kind => orElse(wanted, 'null', null)

/** Makes the condition of a value that may also be left out. */
export const orAbsent = <Kind extends Wanted>(wanted: Kind): Kind => orElse(wanted, 'absent')

/** Makes the condition of a list whose entries are all as wanted. */
export const listOf = (wanted: Wanted): Wanted => ({
  words: `a list in which each entry is ${wanted.words}`,
  fits: (value) => Array.isArray(value) && value.every(checkOf(wanted)),
  each: wanted,
})

/** Returns the function that says whether a value is as wanted, with its fields. It makes nothing, and calls little. */
export const checkOf = ({ fits, fitsWhole = fits }: Wanted): ((value: unknown) => boolean) =>
  fitsWhole

/** A number is shown, since the mistake is often its unit. Anything else may be a secret. */
const shown = (value: unknown): string => (typeof value === 'number' ? `${value}` : kindOf(value))

/** Databases have numbers for what is text here. */
const cureOf = (value: unknown, wanted: Wanted): string =>
  'isText' in wanted && /^(?:number|bigint)$/.test(typeof value) ? ', such as String(id)' : ''

/**
 * Returns what is wrong with a value, as a sentence that begins with its place, or `null`.
 *
 * @param place - such as `findPerson returned`
 */
export function mistakeIn(value: unknown, wanted: Wanted, place: string): string | null {
  const { words, fits, fields } = wanted
  if (!fits(value)) return `${place} ${shown(value)}: it must be ${words}${cureOf(value, wanted)}`
  if (fields === undefined || value === null || value === undefined) return null
  for (const name in fields) {
    const mistake = mistakeIn(
      (value as Readonly<Record<string, unknown>>)[name],
      fields[name]!,
      `${place}${/ (?:returned|given)$/.test(place) ? ' ' : '.'}${name}`,
    )
    if (mistake !== null) return mistake
  }
  return null
}
