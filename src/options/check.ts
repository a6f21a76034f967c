import { nearest } from './nearest.js'

/** Options that cannot be. Every mistake is named at once, each by its option. */
export class OptionsError extends TypeError {
  /** One sentence for each mistake. Never holds a value that could be secret. */
  readonly mistakes: readonly string[]

  constructor(what: string, mistakes: readonly string[]) {
    super(`${what}: ${mistakes.join('; ')}`)
    this.name = 'OptionsError'
    this.mistakes = mistakes
  }
}

declare const FITS: unique symbol

/** What a value has to be. `Value` is what it is for the compiler. */
interface Rule<in Value> {
  /** A right value in words, with an example. */
  readonly wanted: string
  /** @returns what is wrong with the value of the option `name`; nothing = it is right */
  readonly mistakes: (value: unknown, name: string) => readonly string[]
  readonly isOptional: boolean
  readonly [FITS]?: (value: Value) => void
}

/** The rule of an option that may be left out. */
export interface OptionalRule<in Value> extends Rule<Value> {
  readonly isOptional: true
}

/** The rule of an option that must be there. */
export interface RequiredRule<in Value> extends Rule<Value> {
  readonly isOptional: false
}

/** One rule for each option: one too few or too many, or one of another kind, does not compile. */
export type Rules<Options> = {
  readonly [Name in keyof Options]-?: object extends Pick<Options, Name>
    ? OptionalRule<Exclude<Options[Name], undefined>>
    : RequiredRule<Options[Name]>
}

/**
 * Checks the options of a factory.
 *
 * @param beyond - what options must be to each other; asked where each is right by itself
 * @returns the options without those that are `undefined`, so that a default is not overwritten by one
 * @throws OptionsError - naming every mistake at once
 */
export function checkOptions<Options extends object>(
  what: string,
  options: Options,
  rules: Rules<NoInfer<Options>>,
  beyond: (options: Options) => readonly string[] = () => [],
): Options {
  if (options !== undefined && !isObject(options))
    throw new OptionsError(what, unlike('options', 'an object', options))
  // Plain JavaScript may leave the argument out: then what is missing is named.
  const given = withoutUndefined(options ?? ({} as Options))
  const single = mistakesOf(given, rules, '')
  const mistakes = single.length > 0 ? single : beyond(given)
  if (mistakes.length > 0) throw new OptionsError(what, mistakes)
  return given
}

/** What is given: a member that is `undefined` would overwrite a default. */
export const withoutUndefined = <Given extends object>(options: Given): Given =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given

function mistakesOf(
  options: object,
  rules: Readonly<Record<string, Rule<never>>>,
  prefix: string,
): readonly string[] {
  const names = Object.keys(rules)
  const strange = Object.keys(options).filter((name) => !names.includes(name))
  return [
    ...strange.map((name) => {
      const meant = nearest(name, names)
      return `${prefix}${name} is not an option${meant === null ? '' : `: did you mean ${meant}?`}`
    }),
    ...Object.entries(rules).flatMap(([name, rule]) => {
      const value = (options as Record<string, unknown>)[name]
      if (value !== undefined) return rule.mistakes(value, prefix + name)
      return rule.isOptional ? [] : [`${prefix}${name} is missing: ${rule.wanted}`]
    }),
  ]
}

/** An option that may be left out. */
export const optional = <Value>(rule: RequiredRule<Value>): OptionalRule<Value> => ({
  ...rule,
  isOptional: true,
})

/** An option that may be `null`. */
export const orNull = <Value>(rule: RequiredRule<Value>): RequiredRule<Value | null> =>
  custom(`${rule.wanted}, or null`, (value, name) =>
    value === null ? [] : rule.mistakes(value, name),
  )

/**
 * A rule of one's own.
 *
 * @param wanted - what a right value is, with an example
 */
export const custom = <Value>(
  wanted: string,
  mistakes: (value: unknown, name: string) => readonly string[],
): RequiredRule<Value> => ({ wanted, mistakes, isOptional: false })

/** What is said of a value of another kind. */
export const unlike = (name: string, wanted: string, value: unknown): readonly string[] => [
  `${name} must be ${wanted}, not ${kindOf(value)}`,
]

/** `shown`: how the wrong value is shown; by its kind where it could be secret. */
export const simple = <Value>(
  wanted: string,
  fits: (value: unknown) => boolean,
  shown: (value: unknown) => string = kindOf,
): RequiredRule<Value> =>
  custom(wanted, (value, name) =>
    fits(value) ? [] : [`${name} must be ${wanted}, not ${shown(value)}`],
  )

/** As many seconds are the year 5138, as many milliseconds the year 1973. */
export const END_OF_SECONDS = 1e11

/** A string with something in it. */
export const text = (example: string): RequiredRule<string> =>
  simple(
    `a string such as ${example}`,
    (value) => typeof value === 'string' && value.trim() !== '',
    (value) => (typeof value === 'string' ? 'a blank one' : kindOf(value)),
  )

/** A string of a form that is nobody's secret: a wrong one is shown. */
export const pattern = (wanted: string, form: RegExp): RequiredRule<string> =>
  simple(wanted, (value) => typeof value === 'string' && form.test(value), quoted)

/** A host as it stands in a URL, with its port where that is not the scheme's own. */
export const host: RequiredRule<string> = pattern(
  'a host such as school.example, not a URL',
  /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/,
)

export const flag: RequiredRule<boolean> = simple(
  'true or false',
  (value) => typeof value === 'boolean',
  quoted,
)

/** A whole number. */
export const whole = (from: number, to: number = Number.MAX_SAFE_INTEGER): RequiredRule<number> =>
  simple(
    `a whole number from ${from} ${to === Number.MAX_SAFE_INTEGER ? 'on' : `to ${to}`}`,
    (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
    quoted,
  )

/** A number above 0, with fractions or not. */
export const positive: RequiredRule<number> = simple(
  'a number above 0',
  (value) => Number.isFinite(value) && Number(value) > 0,
  quoted,
)

/** One of some words. */
export const oneOf = <Word extends string>(...words: readonly Word[]): RequiredRule<Word> =>
  simple(words.join(' or '), (value) => words.includes(value as Word), quoted)

/** A function. */
export const callback = <Callback extends (...parameters: never[]) => unknown>(
  example: string,
): RequiredRule<Callback> =>
  simple(`a function such as ${example}`, (value) => typeof value === 'function')

type MethodsOf<Value> = {
  [Name in keyof Value]-?: Value[Name] extends (...parameters: never[]) => unknown ? Name : never
}[keyof Value]

/** An object with functions, of a class or not; it may have more than these. */
export const methods = <Value extends object>(
  example: string,
  names: Readonly<Record<MethodsOf<Value>, true>>,
): RequiredRule<Value> =>
  custom(example, (value, name) => {
    if (!isObject(value)) return unlike(name, example, value)
    const members = value as Readonly<Record<string, unknown>>
    const lacking = Object.keys(names).filter((member) => typeof members[member] !== 'function')
    if (lacking.length === 0) return []
    const strange = Object.keys(members).filter((member) => !Object.hasOwn(names, member))
    const guesses = strange.flatMap((member) => {
      const meant = nearest(member, lacking)
      return meant === null ? [] : [`${name}.${member}: did you mean ${meant}?`]
    })
    return [`${name} lacks the function ${lacking.join(', ')}: ${example}`, ...guesses]
  })

/** What a function of the library made: it has these members at least, each of its type. */
export const made = <Value extends object>(
  by: string,
  members: { readonly [Name in keyof Value]?: 'string' | 'object' | 'function' },
): RequiredRule<Value> =>
  custom(by, (value, name) => {
    if (!isObject(value)) return unlike(name, by, value)
    const own = value as Readonly<Record<string, unknown>>
    const lacking = Object.entries(members)
      .filter(([member, type]) => own[member] === null || typeof own[member] !== type)
      .map(([member]) => member)
    return lacking.length === 0 ? [] : [`${name} lacks ${lacking.join(', ')}: ${by}`]
  })

/** An object of options inside the options. */
export const shape = <Value extends object>(
  example: string,
  rules: Rules<NoInfer<Value>>,
): RequiredRule<Value> =>
  custom(example, (value, name) =>
    isObject(value) ? mistakesOf(value, rules, `${name}.`) : unlike(name, example, value),
  )

/** An array of values that keep one rule. */
export const list = <Value>(rule: RequiredRule<Value>): RequiredRule<readonly Value[]> => {
  const wanted = `an array in which each item is ${rule.wanted}`
  return custom(wanted, (value, name) =>
    Array.isArray(value)
      ? value.flatMap((one, index) => rule.mistakes(one, `${name}[${index}]`))
      : unlike(name, wanted, value),
  )
}

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a value is, without what it holds. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value !== 'object') return `a ${typeof value}`
  const { name = 'object' } = (value as { constructor?: { name?: string } }).constructor ?? {}
  return name === 'Object' || name === '' ? 'an object' : `a ${name}`
}

/** A value that is nobody's secret. */
export function quoted(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80))
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value)
}
